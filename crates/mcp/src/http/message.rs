//! Reading of request bodies, and the form of responses.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use sse_stream::SseStream;

use super::HttpLimits;
use super::accept::Accepted;
use super::access_control::session;
use super::event_streams::PreparedResponse;
use super::sessions::{ResponseSlot, Sessions};
use crate::batches::join_responses;
use crate::incoming::{ErrorReply, Incoming, ParsedMessage, trimmed};

#[derive(Clone)]
pub(super) struct MessageHandler {
    pub(super) limits: HttpLimits,
    pub(super) sessions: Arc<Sessions>,
}

enum BodyError {
    TooLong,
    TooSlow,
    Broken,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

pub(super) async fn handle_post(
    State(request_limits): State<MessageHandler>,
    mut request: Request,
    next: Next,
) -> Response {
    let accepted = Accepted::of(request.headers());
    if request.method() == Method::GET && accepted.events {
        request.headers_mut().insert(ACCEPT, BOTH);
    }
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (mut head, body) = request.into_parts();
    let limits = request_limits.limits;
    let read = match tokio::time::timeout(limits.head, collect(body, limits.body)).await {
        Ok(read) => read,
        Err(_) => Err(BodyError::TooSlow),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => return error.response(limits),
    };
    if !accepted.json && !accepted.events {
        return not_acceptable("a response is `application/json` or `text/event-stream`");
    }
    head.headers.insert(ACCEPT, BOTH);
    let kind = head
        .headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok()?.split(';').next());
    if !kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        // A wrong content type is answered before a wrong body.
        return next.run(Request::from_parts(head, Body::from(bytes))).await;
    }
    match Incoming::parse(&bytes) {
        Incoming::Message(message)
            if message.method() == Some("subscriptions/listen") && !accepted.events =>
        {
            not_acceptable(
                "`subscriptions/listen` is answered with events: accept `text/event-stream`",
            )
        }
        Incoming::Message(message) => {
            let slot = ResponseSlot::default();
            head.extensions.insert(slot.clone());
            let response = next.run(request_of(head, &message)).await;
            match slot.take() {
                Some(prepared) => with_text(response, prepared, accepted),
                None if accepted.events => response,
                None => as_json(response).await,
            }
        }
        Incoming::Batch(items) => {
            batch(&request_limits.sessions, &head, items, accepted, &next).await
        }
        Incoming::Rejection(refusal) => refused(&refusal),
        Incoming::Nothing if trimmed(&bytes).is_empty() => refused(&ErrorReply::not_json()),
        Incoming::Nothing => StatusCode::ACCEPTED.into_response(),
    }
}

fn request_of(mut head: Parts, message: &ParsedMessage<'_>) -> Request {
    head.headers.remove(CONTENT_LENGTH);
    if let Some(malformed) = message.malformed() {
        head.extensions.insert(malformed);
    }
    Request::from_parts(head, Body::from(Bytes::copy_from_slice(message.text)))
}

async fn batch(
    sessions: &Sessions,
    head: &Parts,
    items: Vec<Incoming<'_>>,
    accepted: Accepted,
    next: &Next,
) -> Response {
    if !session(&head.headers).is_some_and(|id| sessions.supports_batches(id)) {
        return refused(&ErrorReply::batches_unsupported());
    }
    let mut answers: Vec<Box<RawValue>> = Vec::new();
    for item in items {
        match item {
            Incoming::Message(message) => {
                if let Some(refusal) = message.refused_in_batch() {
                    answers.push(refusal.text());
                    continue;
                }
                let response = next.clone().run(request_of(head.clone(), &message)).await;
                if !response.status().is_success() {
                    return response;
                }
                answers.extend(response_message(response.into_body()).await);
            }
            Incoming::Rejection(refusal) => answers.push(refusal.text()),
            Incoming::Nothing | Incoming::Batch(_) => {}
        }
    }
    let text = join_responses(&answers);
    match (answers.is_empty(), accepted.json) {
        (true, _) => StatusCode::ACCEPTED.into_response(),
        (false, true) => ([(CONTENT_TYPE, "application/json")], text).into_response(),
        (false, false) => {
            let event = [b"data: ".as_slice(), &text, b"\n\n"].concat();
            ([(CONTENT_TYPE, "text/event-stream")], event).into_response()
        }
    }
}

/// Returns `response` with the text that was prepared for it.
fn with_text(response: Response, prepared: PreparedResponse, accepted: Accepted) -> Response {
    let (mut head, _) = response.into_parts();
    if accepted.events {
        return Response::from_parts(head, Body::from(prepared.into_events()));
    }
    head.headers.insert(CONTENT_TYPE, JSON);
    Response::from_parts(head, Body::from(prepared.into_text()))
}

async fn as_json(response: Response) -> Response {
    let is_stream = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if !is_stream {
        return response;
    }
    let (mut head, body) = response.into_parts();
    head.headers.insert(CONTENT_TYPE, JSON);
    match response_message(body).await {
        Some(message) => Response::from_parts(head, Body::from(message.get().as_bytes().to_vec())),
        // A cancelled request has no response.
        None => StatusCode::ACCEPTED.into_response(),
    }
}

fn not_acceptable(says: &'static str) -> Response {
    (StatusCode::NOT_ACCEPTABLE, format!("{says}\n")).into_response()
}

async fn collect(body: Body, most: usize) -> Result<Bytes, BodyError> {
    if body.size_hint().lower() > most as u64 {
        return Err(BodyError::TooLong);
    }
    match Limited::new(body, most).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(BodyError::TooLong),
        Err(_) => Err(BodyError::Broken),
    }
}

fn refused(refusal: &ErrorReply) -> Response {
    let text = refusal.text().get().as_bytes().to_vec();
    (
        StatusCode::BAD_REQUEST,
        [(CONTENT_TYPE, "application/json")],
        text,
    )
        .into_response()
}

impl BodyError {
    fn response(self, limits: HttpLimits) -> Response {
        let (status, says) = match self {
            BodyError::TooLong => (
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("a request has at most {} bytes\n", limits.body),
            ),
            BodyError::TooSlow => (
                StatusCode::REQUEST_TIMEOUT,
                "the request was not sent in time\n".to_owned(),
            ),
            BodyError::Broken => (
                StatusCode::BAD_REQUEST,
                "the request broke off\n".to_owned(),
            ),
        };
        let mut response = (status, says).into_response();
        // The rest of the body is not read.
        response
            .headers_mut()
            .insert(CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

#[derive(Deserialize)]
struct MessageKind {
    method: Option<IgnoredAny>,
}

pub(super) async fn response_message(body: Body) -> Option<Box<RawValue>> {
    let mut events = SseStream::new(body);
    while let Some(Ok(event)) = events.next().await {
        if let Some(data) = event.data
            && serde_json::from_str::<MessageKind>(&data).is_ok_and(|kind| kind.method.is_none())
        {
            return RawValue::from_string(data).ok();
        }
    }
    None
}
