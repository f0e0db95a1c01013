//! What goes over HTTP, and what does not.

use std::sync::{Arc, Mutex};

use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use repertoire_core::{Source, SourceErrorKind};
use repertoire_source_mcp::{McpOptions, McpSource, Token};
use tokio::io::AsyncReadExt;

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
        answer.headers_mut().extend(headers.into_iter().map(|(name, value)| (name, value.parse().unwrap())));
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
    for status in [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT, StatusCode::FOUND] {
        let (url, sent) = answering(status, vec![(header::LOCATION, elsewhere.clone())]).await;
        let options = McpOptions::url(url).with_token(Token::new("secret").unwrap());
        let error = McpSource::new("acme", options).unwrap().list().await.unwrap_err();
        assert_eq!(error.kind(), SourceErrorKind::Unavailable);
        let message = error.to_string();
        assert!(message.contains(status.as_str()) && !message.contains("secret"), "{message}");
        assert_eq!(sent.lock().unwrap()[0][header::AUTHORIZATION], "Bearer secret");
    }
    assert_eq!(sent_elsewhere.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_server_that_wants_another_token_says_so() {
    let challenge = vec![(header::WWW_AUTHENTICATE, "Bearer".to_owned())];
    let (url, sent) = answering(StatusCode::UNAUTHORIZED, challenge).await;
    let error = McpSource::new("acme", McpOptions::url(url)).unwrap().list().await.unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (SourceErrorKind::Denied, "the server wants another token"));
    assert!(!sent.lock().unwrap()[0].contains_key(header::AUTHORIZATION));
}

/// Whoever configures nothing, not even a provider of cryptography for the process, reaches a server over TLS.
#[tokio::test]
async fn an_address_with_https_is_spoken_to_in_tls() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    let first = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_u8().await.unwrap()
    });
    let error = McpSource::new("acme", McpOptions::url(url)).unwrap().list().await.unwrap_err();
    assert_eq!(error.kind(), SourceErrorKind::Unavailable, "{error}");
    const HANDSHAKE: u8 = 22;
    assert_eq!(first.await.unwrap(), HANDSHAKE, "{error}");
}

/// a token is read from its file for each connection, and shown nowhere.
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
    assert_eq!(sent.lock().unwrap()[0][header::AUTHORIZATION], "Bearer from-a-file");
    std::fs::write(&file, " \n").unwrap();
    let error = source.list().await.unwrap_err();
    assert_eq!(error.to_string(), format!("`{}` holds no token", file.display()));
}
