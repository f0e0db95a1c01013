//! The requests that go over HTTP, and those that do not.

use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use repertoire_core::{Source, SourceErrorKind};
use repertoire_source_mcp::{BearerToken, McpOptions, McpSource};
use tokio::io::AsyncReadExt;

use crate::again;
use crate::scripted::{Wares, With, scripted};

/// A server that answers every request with a status and headers, and keeps what it was sent.
async fn answering(
    status: StatusCode,
    headers: Vec<(header::HeaderName, String)>,
) -> (String, Arc<Mutex<Vec<HeaderMap>>>) {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let kept = sent.clone();
    let answer = move |sent: HeaderMap| async move {
        kept.lock().unwrap().push(sent);
        let mut answer = status.into_response();
        answer.headers_mut().extend(
            headers
                .into_iter()
                .map(|(name, value)| (name, value.parse().unwrap())),
        );
        answer
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = axum::Router::new().fallback(answer);
    tokio::spawn(axum::serve(listener, router).into_future());
    (url, sent)
}

/// T: confused deputy. Wherever a server points, the token and the question stay.
#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (elsewhere, sent_elsewhere) = answering(StatusCode::OK, Vec::new()).await;
    for status in [301, 302, 303, 307, 308].map(|status| StatusCode::from_u16(status).unwrap()) {
        let (url, sent) = answering(status, vec![(header::LOCATION, elsewhere.clone())]).await;
        let options = McpOptions::url(url)
            .with(|options| options.token = Some(BearerToken::new("secret").unwrap()));
        let error = McpSource::new("acme", options)
            .unwrap()
            .list()
            .await
            .unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::Unavailable);
        let message = error.to_string();
        assert!(
            message.contains(status.as_str()) && !message.contains("secret"),
            "{message}"
        );
        assert_eq!(
            sent.lock().unwrap()[0][header::AUTHORIZATION],
            "Bearer secret"
        );
    }
    assert_eq!(sent_elsewhere.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn rejected_tokens_are_reported() {
    let challenge = vec![(header::WWW_AUTHENTICATE, "Bearer".to_owned())];
    let (url, sent) = answering(StatusCode::UNAUTHORIZED, challenge).await;
    let error = McpSource::new("acme", McpOptions::url(url))
        .unwrap()
        .list()
        .await
        .unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (SourceErrorKind::Denied, "the server rejects the token")
    );
    assert!(!sent.lock().unwrap()[0].contains_key(header::AUTHORIZATION));
}

/// TLS works without any configuration, even without a provider of cryptography for the process.
#[tokio::test]
async fn https_uses_tls() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    let first = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_u8().await.unwrap()
    });
    let error = McpSource::new("acme", McpOptions::url(url))
        .unwrap()
        .list()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::Unavailable, "{error}");
    const HANDSHAKE: u8 = 22;
    assert_eq!(first.await.unwrap(), HANDSHAKE, "{error}");
}

/// X-8: a token is read from its file for each connection, and shown nowhere.
#[tokio::test]
async fn a_token_comes_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "from-a-file\n").unwrap();
    let (url, sent) = answering(StatusCode::SERVICE_UNAVAILABLE, Vec::new()).await;
    let mut options = McpOptions::url(&url);
    options.token_file = Some(file.clone());
    let source = McpSource::new("acme", options).unwrap();
    let error = source.list().await.unwrap_err();
    assert!(!format!("{error:?} {error} {source:?}").contains("from-a-file"));
    assert_eq!(
        sent.lock().unwrap()[0][header::AUTHORIZATION],
        "Bearer from-a-file"
    );
    std::fs::write(&file, " \n").unwrap();
    let error = source.list().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{}` does not contain a token", file.display())
    );
}

/// A server that answers every request as `answer` does.
async fn saying(answer: impl Fn() -> Response + Clone + Send + Sync + 'static) -> McpOptions {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = axum::Router::new().fallback(move || std::future::ready(answer()));
    tokio::spawn(axum::serve(listener, router).into_future());
    let mut options = McpOptions::url(url);
    options.start_ms = 400;
    options
}

/// A body that begins and is cut off, or never ends.
fn begun(text: &'static str, ends: bool) -> Body {
    let first = futures_util::stream::once(async move { Ok(text) });
    let rest = futures_util::stream::once(async move {
        if !ends {
            std::future::pending::<()>().await;
        }
        Err(std::io::Error::other("gone"))
    });
    Body::from_stream(futures_util::StreamExt::chain(first, rest))
}

/// T: exhaustion. A wrong answer of any kind is reported within the time limit of the options.
#[tokio::test]
async fn invalid_answers_are_reported() {
    type Say = fn() -> Response;
    let cases: [(&str, Say, &str); 9] = [
        (
            "a page",
            || ([(header::CONTENT_TYPE, "text/html")], "<html>").into_response(),
            "Unexpected content type",
        ),
        (
            "no type",
            || Response::new(Body::from("{}")),
            "Unexpected content type",
        ),
        (
            "no JSON",
            || ([(header::CONTENT_TYPE, "application/json")], "nothing").into_response(),
            "JSON",
        ),
        (
            "other JSON",
            || ([(header::CONTENT_TYPE, "application/json")], "[1, 2]").into_response(),
            "JSON",
        ),
        (
            "nothing",
            || StatusCode::ACCEPTED.into_response(),
            "the server closed the connection",
        ),
        (
            "a failure",
            || StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            "500",
        ),
        (
            "an answer to something else",
            || {
                (
                    [(header::CONTENT_TYPE, "application/json")],
                    r#"{"jsonrpc":"2.0","id":77,"result":{}}"#,
                )
                    .into_response()
            },
            "no connection",
        ),
        (
            "half an answer",
            || {
                (
                    [(header::CONTENT_TYPE, "application/json")],
                    begun(r#"{"jsonrpc":"2.0","id":0,"#, true),
                )
                    .into_response()
            },
            // Of its head or of its body, as it happens.
            "error ",
        ),
        (
            "an answer that does not end",
            || {
                (
                    [(header::CONTENT_TYPE, "application/json")],
                    begun(r#"{"jsonrpc":"2.0","id":0,"#, false),
                )
                    .into_response()
            },
            "no connection within 0.4 s",
        ),
    ];
    for (threat, answers, expected) in cases {
        let error = McpSource::new("acme", saying(answers).await)
            .unwrap()
            .list()
            .await
            .unwrap_err();
        assert_eq!(
            error.kind(),
            SourceErrorKind::Unavailable,
            "{threat}: {error}"
        );
        assert!(
            error.to_string().contains(expected),
            "{threat}: expected `{expected}`, found `{error}`"
        );
    }
}

/// T: confused deputy. What is meant for this machine does not leave it, whatever the environment says of proxies.
#[tokio::test(flavor = "multi_thread")]
async fn loopback_requests_use_no_proxy() {
    if let Some(url) = again::url() {
        let options = McpOptions::url(url)
            .with(|options| options.token = Some(BearerToken::new("secret").unwrap()));
        println!(
            "listed: {}",
            McpSource::new("acme", options)
                .unwrap()
                .list()
                .await
                .unwrap()
                .len()
        );
        return;
    }
    let (proxy, sent_to_proxy) = answering(StatusCode::OK, Vec::new()).await;
    let served = scripted(|method, params| Wares::one().answer(method, params)).await;
    let output = tokio::task::block_in_place(|| {
        let test = "http::loopback_requests_use_no_proxy";
        let variables = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]
            .map(|name| (name, proxy.as_ref()));
        again::rerun(test, &served.url, &variables)
    });
    assert!(output.contains("listed: 1\n"), "{output}");
    assert_eq!(sent_to_proxy.lock().unwrap().len(), 0);
}

/// T: exhaustion. An event is bounded as an answer is, in its bytes and in its values.
#[tokio::test]
async fn an_event_beyond_a_limit_ends_the_connection() {
    let start = r#"{"jsonrpc":"2.0","id":0,"result":{"more":["#;
    for (event, expected) in [
        (
            format!("data: {start}{}0]}}}}\n\n", "0,".repeat(10_000)),
            "a message has more than 4096 values; the limit is `limits.message-bytes`",
        ),
        (
            format!("data: {start}\ndata: {}0]}}}}\n\n", "[],".repeat(3_000)),
            "a message has more than 4096 values; the limit is `limits.message-bytes`",
        ),
    ] {
        let answer =
            move || ([(header::CONTENT_TYPE, "text/event-stream")], event.clone()).into_response();
        let mut options = saying(answer).await.with(|options| options.call_ms = 60000);
        options.limits.message_bytes = 64 << 10;
        options.start_ms = 60_000;
        let error = McpSource::new("acme", options)
            .unwrap()
            .list()
            .await
            .unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (SourceErrorKind::TooLarge, expected)
        );
    }
    // One that never ends is not kept.
    let endless = || {
        let lines = futures_util::stream::repeat_with(|| {
            Ok::<_, std::io::Error>("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n")
        });
        (
            [(header::CONTENT_TYPE, "text/event-stream")],
            Body::from_stream(lines),
        )
            .into_response()
    };
    let mut options = saying(endless).await;
    options.limits.message_bytes = 64 << 10;
    options.start_ms = 60_000;
    let error = McpSource::new("acme", options)
        .unwrap()
        .list()
        .await
        .unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::TooLarge, "{error}");
}
