//! The way to a server at an address.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream::BoxStream;
use repertoire_core::{Backoff, SourceError};
use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tokio::time::Instant;

use crate::link::unavailable;
use crate::options::is_loopback;
use crate::{McpOptions, Token, tls};

/// What goes over HTTP, by the options.
///
/// # Errors
/// When the token or the authorities cannot be read.
pub(crate) fn transport(url: &Url, options: &McpOptions) -> Result<StreamableHttpClientTransport<Client>, SourceError> {
    let failed = |error: reqwest::Error| unavailable("no HTTP client can be made".to_owned()).caused_by(error);
    let tls = if url.scheme() == "https" {
        tls::verifying(options.ca_file.as_deref())?
    } else {
        // The system's certificates take time to read, and are for nothing here.
        tls::trusting_nobody()?
    };
    let mut builder = reqwest::Client::builder()
        // The configuration says whom to speak to; a server does not.
        .redirect(Policy::none())
        .referer(false)
        .connect_timeout(options.start())
        .tls_backend_preconfigured(tls);
    if is_loopback(url) {
        // What is meant for this machine, a token among it, stays here.
        builder = builder.no_proxy();
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    config.max_sse_event_size = options.limits.message_bytes;
    config.max_json_response_size = options.limits.message_bytes;
    config.auth_header = token(options)?.map(|token| token.reveal().to_owned());
    let client = Client { http: builder.build().map_err(failed)?, streams: Arc::default() };
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// The token, if one is configured.
fn token(options: &McpOptions) -> Result<Option<Token>, SourceError> {
    let Some(path) = &options.token_file else { return Ok(options.token.clone()) };
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| unavailable(format!("the token in `{shown}` cannot be read")).caused_by(error))?;
    Token::new(&text).map(Some).ok_or_else(|| unavailable(format!("`{shown}` holds no token")))
}

/// Who asks over HTTP.
///
/// A stream that a server ends is opened again, at once if the server wants it so. One that ends them all is waited for, longer
/// each time: it decides neither how busy this process is nor how often it is asked.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    http: reqwest::Client,
    streams: Arc<Mutex<Backoff>>,
}

type Failure = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl Client {
    /// Waits until it is time to open another stream.
    async fn turn(&self) {
        loop {
            let now = Instant::now().into_std();
            let begun = self.streams.lock().unwrap_or_else(PoisonError::into_inner).begin(now);
            let Err(wait) = begun else { return };
            tokio::time::sleep(wait).await;
        }
    }
}

impl StreamableHttpClient for Client {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.http.post_message(uri, message, session, token, headers).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.http.post_message_with_response_limits(uri, message, session, token, headers, limits).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        self.http.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failure> {
        self.turn().await;
        self.http.get_stream(uri, session, last_event, token, headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<Events, Failure> {
        self.turn().await;
        self.http.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, most).await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn streams_that_end_at_once_are_opened_later_each_time() {
        let client = Client { http: reqwest::Client::new(), streams: Arc::default() };
        let mut waits = Vec::new();
        for _ in 0..5 {
            let began = Instant::now();
            client.clone().turn().await;
            waits.push(began.elapsed());
        }
        assert_eq!(waits, [0, 0, 250, 500, 1000].map(Duration::from_millis));
    }
}
