//! Errors as `application/problem+json`, by RFC 9457.

use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use repertoire::skill::{SourceError, SourceErrorKind};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::GatewayError;

pub(super) const PROBLEM_JSON: &str = "application/problem+json";

/// An error, by RFC 9457.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Problem {
    /// Always `about:blank`: the status says what kind of problem it is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The name of the status.
    title: &'static str,
    /// The status of the response.
    status: u16,
    /// The error in words.
    detail: String,
    /// Every fault of a request, each with its `path` and its `problem`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Option<Vec<Object>>)]
    faults: Vec<Value>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            detail: detail.into(),
            faults: Vec::new(),
        }
    }

    pub(super) fn with_faults(self, faults: Vec<Value>) -> Problem {
        Problem { faults, ..self }
    }

    pub(super) fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, detail)
    }

    pub(super) fn bad_request(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, detail)
    }
}

impl From<GatewayError> for Problem {
    fn from(error: GatewayError) -> Problem {
        let status = match &error {
            GatewayError::State { .. } | GatewayError::RuntimeEnded => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Problem::new(status, error.to_string())
    }
}

impl From<SourceError> for Problem {
    fn from(error: SourceError) -> Problem {
        let status = match error.kind() {
            SourceErrorKind::NotFound | SourceErrorKind::Unsupported => StatusCode::NOT_FOUND,
            SourceErrorKind::Denied => StatusCode::FORBIDDEN,
            _ => StatusCode::BAD_GATEWAY,
        };
        Problem::new(status, error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).expect("it was made from a status");
        let mut response = (status, Json(self)).into_response();
        let kind = HeaderValue::from_static(PROBLEM_JSON);
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    }
}
