//! What a client sends.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use rmcp::model::ServerJsonRpcMessage;

use super::Limits;
use crate::lines::{Found, written};

/// Why a body was not heard out.
enum Unheard {
    TooLong,
    TooSlow,
    Broken,
}

/// Hears a client out, within the limits, and answers what is no message as it is answered over standard input and output.
pub(super) async fn hear(State(limits): State<Limits>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let heard = match tokio::time::timeout(limits.head, collect(body, limits.body)).await {
        Ok(heard) => heard,
        Err(_) => Err(Unheard::TooSlow),
    };
    let bytes = match heard {
        Ok(bytes) => bytes,
        Err(unheard) => return unheard.response(limits),
    };
    let kind = head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()?.split(';').next());
    let is_json = kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    match Found::of(&bytes) {
        // What it is said to be comes before what it is.
        _ if !is_json => next.run(Request::from_parts(head, Body::from(bytes))).await,
        Found::Message(_) => {
            let message = bytes.slice_ref(written(&bytes));
            next.run(Request::from_parts(head, Body::from(message))).await
        }
        Found::Owed(error) => refused(&error),
        Found::Nothing if written(&bytes).is_empty() => refused(&Found::no_json()),
        Found::Nothing => StatusCode::ACCEPTED.into_response(),
    }
}

async fn collect(body: Body, most: usize) -> Result<Bytes, Unheard> {
    if body.size_hint().lower() > most as u64 {
        return Err(Unheard::TooLong);
    }
    match Limited::new(body, most).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Unheard::TooLong),
        Err(_) => Err(Unheard::Broken),
    }
}

fn refused(error: &ServerJsonRpcMessage) -> Response {
    let text = serde_json::to_vec(error).expect("an error is a document");
    (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, "application/json")], text).into_response()
}

impl Unheard {
    fn response(self, limits: Limits) -> Response {
        let (status, says) = match self {
            Unheard::TooLong => {
                (StatusCode::PAYLOAD_TOO_LARGE, format!("a request has at most {} bytes\n", limits.body))
            }
            Unheard::TooSlow => (StatusCode::REQUEST_TIMEOUT, "the request was not sent in time\n".to_owned()),
            Unheard::Broken => (StatusCode::BAD_REQUEST, "the request broke off\n".to_owned()),
        };
        let mut response = (status, says).into_response();
        // What is left of it is not waited for.
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }
}
