//! The frame around every view, and the response that brings it.

use askama::Template;
use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::api::problem::Problem;

pub(super) type Answer = Result<Response, Problem>;

/// No script, style or request of a different origin, and none inside the page: texts of skills are untrusted.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// A view, as the navigation has it.
pub(super) struct View {
    pub(super) path: &'static str,
    pub(super) name: &'static str,
}

const fn view(path: &'static str, name: &'static str) -> View {
    View { path, name }
}

const VIEWS: [View; 9] = [
    view("/", "Overview"),
    view("/skills", "Skills"),
    view("/agent-views", "What agents see"),
    view("/costs", "Cost"),
    view("/workflows", "Workflows"),
    view("/agents", "Agents"),
    view("/mcp-servers", "MCP servers"),
    view("/sessions", "Sessions"),
    view("/events", "Events"),
];

/// The facts that every view has.
pub(super) struct Frame {
    /// The path with its query, by which the view updates itself.
    pub(super) path: String,
    /// The path of the view in the navigation.
    pub(super) view: &'static str,
    pub(super) views: &'static [View],
    pub(super) query: String,
    /// A further trigger of an update, for facts without events.
    pub(super) polling: &'static str,
}

impl Frame {
    pub(super) fn of(view: &'static str) -> Frame {
        Frame::at(view, view.to_owned())
    }

    /// Returns the frame of a page below a view.
    pub(super) fn at(view: &'static str, path: String) -> Frame {
        Frame {
            path,
            view,
            views: &VIEWS,
            query: String::new(),
            polling: "",
        }
    }

    /// Updates the view every two seconds.
    pub(super) fn polled(self) -> Frame {
        Frame {
            polling: ", every 2s",
            ..self
        }
    }
}

/// Returns a text as a part of a path or query.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// Renders `page` as the response.
pub(super) fn show(page: &impl Template) -> Answer {
    let text = page
        .render()
        .map_err(|error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, text).into_response())
}
