//! The HTTP client of a server at a URL.

mod calls;

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use futures_util::stream::{BoxStream, Stream, StreamExt};
use parking_lot::Mutex;
use repertoire_core::{Backoff, Bytes, SourceError};
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode, Url};
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpClientTransportConfig, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};
use tokio::time::Instant;

pub(crate) use self::calls::PostedCall;

use self::calls::PostedCalls;
use crate::error::unavailable;
use crate::message_limit::{ConnectionFault, message_excess, too_long};
use crate::{ServerUrl, tls};

pub(crate) fn transport(
    server: &ServerUrl,
    (connect, message_bytes): (Duration, usize),
    fault: ConnectionFault,
) -> Result<(StreamableHttpClientTransport<HttpClient>, HttpClient), SourceError> {
    let url = &server.url;
    let tls = if url.scheme() == "https" {
        tls::system_roots(server.authorities.as_deref())?
    } else {
        // Loading the system's certificates takes time.
        tls::no_roots()?
    };
    let mut builder = reqwest::Client::builder()
        // Only the configuration decides where requests and the token go.
        .redirect(Policy::none())
        .referer(false)
        .connect_timeout(connect)
        .tls_backend_preconfigured(tls);
    if ServerUrl::is_loopback(url) {
        // Requests to this machine, and their token, do not leave it.
        builder = builder.no_proxy();
    }
    if let Some(host) = url.host_str().filter(|_| !server.addresses.is_empty()) {
        builder = builder.resolve_to_addrs(host, &server.addresses);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    config.max_sse_event_size = message_bytes;
    config.max_json_response_size = message_bytes;
    config.auth_header = server.token.clone();
    let headers = server.headers.iter();
    config.custom_headers = headers
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let http = builder
        .build()
        .map_err(|error| unavailable("the HTTP client cannot be created").caused_by(error))?;
    let client = HttpClient::new(http, message_bytes, fault);
    let transport = StreamableHttpClientTransport::with_client(client.clone(), config);
    Ok((transport, client))
}

/// The client of one connection. Clones share its state.
#[derive(Debug, Clone)]
pub(crate) struct HttpClient {
    http: reqwest::Client,
    stream_backoff: Arc<Mutex<Backoff>>,
    fault: ConnectionFault,
    session: Arc<ArcSwapOption<PostedSession>>,
    posted: PostedCalls,
    message_bytes: usize,
}

/// The URL and the headers of a session, with which it was introduced.
#[derive(Debug)]
struct PostedSession {
    url: Url,
    headers: HeaderMap,
    has_id: bool,
}

/// A response whose status is not an error.
enum Received {
    Accepted,
    Events(Events),
    Body(Vec<u8>, StatusCode, Option<String>),
}

pub(crate) type HttpError = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl HttpClient {
    fn new(http: reqwest::Client, message_bytes: usize, fault: ConnectionFault) -> HttpClient {
        HttpClient {
            http,
            stream_backoff: Arc::default(),
            fault,
            session: Arc::default(),
            posted: PostedCalls::default(),
            message_bytes,
        }
    }

    async fn wait_for_slot(&self) {
        loop {
            let now = Instant::now().into_std();
            let begun = self.stream_backoff.lock().begin(now);
            let Err(wait) = begun else { return };
            tokio::time::sleep(wait).await;
        }
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits)
            .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        if let Some(events) = self.posted.resume(&message) {
            return Ok(StreamableHttpPostResponse::Sse(events, None));
        }
        let mut request = self
            .http
            .post(uri.as_ref())
            .header(ACCEPT, "text/event-stream, application/json");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(session) = &session {
            request = request.header(SESSION, session.as_ref());
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let request = request.json(&message).build();
        let request = request.map_err(StreamableHttpError::Client)?;
        let introduced = is_introduction(&message).then(|| PostedSession {
            url: request.url().clone(),
            headers: request.headers().clone(),
            has_id: session.is_some(),
        });
        let response = self.http.execute(request).await;
        let response = response.map_err(StreamableHttpError::Client)?;
        let waits = matches!(message, ClientJsonRpcMessage::Request(_));
        let answer = self
            .answer(response, session.is_some(), waits, limits)
            .await?;
        if let Some(session) = introduced {
            self.session.store(Some(Arc::new(session)));
        }
        Ok(answer)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        self.http.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, HttpError> {
        let most = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, most)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<Events, HttpError> {
        self.wait_for_slot().await;
        let events = self
            .http
            .get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, most);
        let events = self.limit_values(events.await?, most);
        Ok(self.posted.routed(events))
    }
}

/// Returns whether `message` is the first one with the headers of the session.
fn is_introduction(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Notification(notification) = message else {
        return false;
    };
    matches!(
        notification.notification,
        ClientNotification::InitializedNotification(_)
    )
}

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

const SHOWN: usize = 256;

/// Returns the answer that the status alone decides.
fn answer_of_status(
    status: StatusCode,
    challenge: Option<String>,
    in_session: bool,
) -> Option<Result<(), HttpError>> {
    match (status, challenge) {
        (StatusCode::UNAUTHORIZED, Some(challenge)) => Some(Err(
            StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)),
        )),
        (StatusCode::FORBIDDEN, Some(challenge)) => Some(Err(
            StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, None)),
        )),
        (StatusCode::ACCEPTED | StatusCode::NO_CONTENT, _) => Some(Ok(())),
        (StatusCode::NOT_FOUND, _) if in_session => Some(Err(StreamableHttpError::SessionExpired)),
        _ => None,
    }
}

impl HttpClient {
    async fn answer(
        &self,
        response: Response,
        in_session: bool,
        waits: bool,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let session = header(&response, SESSION);
        let (body, status, retry) = match self.receive(response, in_session, waits, limits).await? {
            Received::Accepted => return Ok(StreamableHttpPostResponse::Accepted),
            Received::Events(events) => {
                return Ok(StreamableHttpPostResponse::Sse(events, session));
            }
            Received::Body(body, status, retry) => (body, status, retry),
        };
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(message)
                if status.is_success() || matches!(message, ServerJsonRpcMessage::Error(_)) =>
            {
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            Err(_) if status.is_success() && !waits => Ok(StreamableHttpPostResponse::Accepted),
            Err(error) if status.is_success() => Err(not_a_message(&error, &body)),
            _ => Err(status_error(status, retry, &body[..body.len().min(SHOWN)])),
        }
    }

    async fn receive(
        &self,
        response: Response,
        in_session: bool,
        waits: bool,
        limits: StreamableHttpResponseLimits,
    ) -> Result<Received, HttpError> {
        let status = response.status();
        let [challenge, retry, kind] =
            [WWW_AUTHENTICATE, RETRY_AFTER, CONTENT_TYPE].map(|name| header(&response, name));
        match answer_of_status(status, challenge, in_session) {
            Some(Ok(())) => return Ok(Received::Accepted),
            Some(Err(error)) => return Err(error),
            None => {}
        }
        let essence = kind
            .as_deref()
            .and_then(|kind| kind.split(';').next())
            .unwrap_or_default()
            .trim();
        let is_json = essence.eq_ignore_ascii_case("application/json");
        if status.is_success() && essence.eq_ignore_ascii_case("text/event-stream") {
            let most = limits.max_sse_event_size;
            let events = self.limit_event_size(response, most);
            let events = SseStream::from_bytes_stream(events).boxed();
            return Ok(Received::Events(self.limit_values(events, most)));
        }
        if status.is_success() && !is_json {
            return match waits {
                true => Err(StreamableHttpError::UnexpectedContentType(kind)),
                false => Ok(Received::Accepted),
            };
        }
        if !is_json || matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            // The beginning of an error is enough.
            let shown = read_prefix(response, SHOWN).await;
            return Err(status_error(status, retry, &shown));
        }
        let body = read_body(response, limits.max_json_response_size).await?;
        match message_excess(&body, limits.max_json_response_size) {
            Some(excess) => Err(StreamableHttpError::Io(self.fault.report(excess))),
            None => Ok(Received::Body(body, status, retry)),
        }
    }

    fn limit_values(&self, events: Events, most: usize) -> Events {
        let fault = self.fault.clone();
        let checked = events.map(move |event| {
            let event = event?;
            match event
                .data
                .as_deref()
                .and_then(|data| message_excess(data.as_bytes(), most))
            {
                Some(excess) => Err(SseError::Body(Box::new(fault.report(excess)))),
                None => Ok(event),
            }
        });
        checked.boxed()
    }

    fn limit_event_size(
        &self,
        response: Response,
        most: usize,
    ) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static + use<> {
        let fault = self.fault.clone();
        let (mut event, mut line) = (0, 0);
        response.bytes_stream().map(move |piece| {
            let piece = piece.map_err(io::Error::other)?;
            for byte in &piece {
                match byte {
                    b'\n' if line == 0 => event = 0,
                    b'\n' => line = 0,
                    b'\r' => {}
                    _ => (event, line) = (event + 1, line + 1),
                }
                if event > most {
                    return Err(fault.report(too_long(most)));
                }
            }
            Ok(piece)
        })
    }
}

fn header(response: &Response, name: HeaderName) -> Option<String> {
    let value = response.headers().get(name)?.to_str().ok()?;
    Some(value.to_owned())
}

fn not_a_message(error: &serde_json::Error, body: &[u8]) -> HttpError {
    let shown = String::from_utf8_lossy(&body[..body.len().min(SHOWN)]);
    let message = format!("the answer is not a message of JSON-RPC ({error}): {shown}");
    StreamableHttpError::UnexpectedServerResponse(message.into())
}

async fn read_body(mut response: Response, most: usize) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    while let Some(piece) = response
        .chunk()
        .await
        .map_err(StreamableHttpError::Client)?
    {
        if piece.len() > most - body.len() {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: most });
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

async fn read_prefix(mut response: Response, most: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < most
        && let Ok(Some(piece)) = response.chunk().await
    {
        body.extend_from_slice(&piece[..piece.len().min(most - body.len())]);
    }
    body
}

fn status_error(status: StatusCode, retry: Option<String>, body: &[u8]) -> HttpError {
    if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        return HttpStatusError::new(status.as_u16(), retry).into();
    }
    StreamableHttpError::UnexpectedServerResponse(
        format!("HTTP {status}: {}", String::from_utf8_lossy(body)).into(),
    )
}

#[cfg(test)]
mod tests;
