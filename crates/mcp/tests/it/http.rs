//! Over HTTP, on a port of this machine.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use repertoire::Registered;
use repertoire_mcp::{AccessToken, HttpLimits, HttpOptions, ServeError, Server};
use rmcp::ServiceExt;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::client::{Client, Notified, PATIENCE};
use crate::fixture::{home, serve, skill};
use crate::resources::read;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server that listens, and what ends it.
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) end: CancellationToken,
    ended: tokio::task::JoinHandle<Result<(), ServeError>>,
}

pub(crate) async fn listen(server: &Server, options: HttpOptions) -> Listening {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let (address, end) = (
        listener.local_addr().expect("an address"),
        CancellationToken::new(),
    );
    let (server, ends) = (server.clone(), end.clone());
    let ended = tokio::spawn(async move {
        server
            .serve_http(listener, &options, ends.cancelled_owned())
            .await
    });
    Listening {
        address,
        end,
        ended,
    }
}

impl Listening {
    pub(crate) async fn end(self) {
        self.end.cancel();
        tokio::time::timeout(PATIENCE, self.ended)
            .await
            .expect("in time")
            .expect("no panic")
            .expect("served");
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) async fn connect(&self, token: Option<&str>) -> Client {
        connect(self.url(), token).await
    }

    /// Sends these bytes; returns the status, the head and the body of the answer.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> (u16, String, String) {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        // The server may refuse a client before it has read the whole request.
        let _ = stream.write_all(bytes).await;
        let mut answer = Vec::new();
        let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer))
            .await
            .expect("an end");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(read.is_ok() || !answer.is_empty(), "no answer: {read:?}");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or_default();
        (status, head.to_ascii_lowercase(), body.to_owned())
    }

    pub(crate) async fn get(&self, path: &str, headers: &str) -> (u16, String, String) {
        self.raw(format!("GET {path} HTTP/1.1\r\n{headers}connection: close\r\n\r\n").as_bytes())
            .await
    }

    pub(crate) async fn post(&self, headers: &str, body: &[u8]) -> (u16, String, String) {
        self.post_with(
            &format!("accept: application/json, text/event-stream\r\n{headers}"),
            body,
        )
        .await
    }

    /// Sends the request of [`post`](Listening::post) with headers of its own.
    pub(crate) async fn post_with(&self, headers: &str, body: &[u8]) -> (u16, String, String) {
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n{headers}connection: close\r\n\r\n",
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.raw(&request).await
    }
}

/// A client of what is served at `url`.
pub(crate) async fn connect(url: String, token: Option<&str>) -> Client {
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config.auth_header = token.map(str::to_owned);
    let (handler, notifications) = Client::handler("some-client");
    let peer = handler
        .serve(StreamableHttpClientTransport::from_config(config))
        .await
        .expect("the server answers");
    Client::new(peer, notifications)
}

/// Returns the first request of every client.
pub(crate) fn introduction() -> Value {
    introduction_of("2025-06-18")
}

pub(crate) fn introduction_of(version: &str) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "some-client", "version": "1"},
        },
    })
}

#[tokio::test]
async fn every_feature_is_served_over_http() {
    let home = home(&[("tidy", "Sort it.\n")]);
    let server = serve(home.clone()).await;
    let listening = listen(&server, HttpOptions::default()).await;
    let mut clients = [listening.connect(None).await, listening.connect(None).await];
    for client in &clients {
        assert_eq!(client.peer.list_all_tools().await.unwrap().len(), 4);
        assert_eq!(client.peer.list_all_prompts().await.unwrap().len(), 1);
        assert_eq!(
            client.peer.list_all_skills().await.unwrap()[0].uri,
            "skill://home/tidy/SKILL.md"
        );
        assert!(
            read(client, "skill://home/tidy/SKILL.md")
                .await
                .unwrap()
                .ends_with(b"Sort it.\n")
        );
    }
    home.register(Registered::new(skill("greet", "Greets."), "Hello.\n"))
        .unwrap();
    for client in &mut clients {
        let mut notifications = vec![
            client.next().await,
            client.next().await,
            client.next().await,
        ];
        notifications.extend(client.so_far().await);
        assert_eq!(
            notifications,
            [Notified::Tools, Notified::Prompts, Notified::Resources]
        );
    }
    listening.end().await;
}

#[tokio::test]
async fn a_session_that_its_client_ends_has_ended() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, HttpOptions::default()).await;
    let (_, head, _) = listening
        .post("", introduction().to_string().as_bytes())
        .await;
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("a session");
    let end = format!(
        "DELETE /mcp HTTP/1.1\r\nhost: localhost\r\nmcp-session-id: {session}\r\nconnection: close\r\n\r\n"
    );
    let (status, head, body) = listening.raw(end.as_bytes()).await;
    assert_eq!(
        (status, body.as_str(), head.contains("content-length")),
        (204, "", false),
        "{head}"
    );
    assert_eq!(listening.raw(end.as_bytes()).await.0, 404);
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}).to_string();
    let (status, ..) = listening
        .post(&format!("mcp-session-id: {session}\r\n"), ping.as_bytes())
        .await;
    assert_eq!(status, 404);
    listening.end().await;
}

#[tokio::test]
async fn a_client_chooses_no_session() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, HttpOptions::default()).await;
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}).to_string();
    let chosen = "mcp-session-id: 00000000-0000-4000-8000-000000000000\r\n";
    let (status, head, _) = listening.post(chosen, ping.as_bytes()).await;
    let is_given = head.lines().any(|line| line.starts_with("mcp-session-id"));
    assert_eq!((status, is_given), (404, false), "{head}");
    listening.end().await;
}

#[tokio::test]
async fn pages_of_other_origins_get_no_permission() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, HttpOptions::default()).await;
    let asks = "OPTIONS /mcp HTTP/1.1\r\nhost: localhost\r\norigin: https://evil.example\r\n\
                access-control-request-method: POST\r\nconnection: close\r\n\r\n";
    let (status, head, _) = listening.raw(asks.as_bytes()).await;
    assert_eq!((status, head.contains("access-control")), (403, false));
    listening.end().await;
}

#[tokio::test]
async fn dns_rebinding_is_refused() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(
        &server,
        HttpOptions::default()
            .host("skills.example")
            .host("fd00::1")
            .origin("https://app.example")
            .origin("*"),
    )
    .await;
    for (headers, expected) in [
        ("host: localhost\r\n", 200),
        ("host: localhost:8000\r\n", 200),
        ("host: 127.0.0.1:1\r\n", 200),
        ("host: [::1]:1\r\n", 200),
        ("host: [::1]\r\n", 200),
        ("host: LocalHost\r\n", 200),
        ("host: skills.example:443\r\n", 200),
        ("host: [fd00::1]:8321\r\n", 200),
        ("host: localhost\r\norigin: https://app.example\r\n", 200),
        ("host: evil.example\r\n", 403),
        ("host: localhost.evil.example\r\n", 403),
        ("host: localhost:80:80\r\n", 403),
        ("host: [::1\r\n", 403),
        ("host: [::1]x\r\n", 403),
        ("host: ::1\r\n", 403),
        ("host: fd00::1\r\n", 403),
        ("host: [fd00::2]:8321\r\n", 403),
        ("host: \r\n", 403),
        ("host: localhost\r\nhost: evil.example\r\n", 403),
        ("", 403),
        ("host: localhost\r\norigin: null\r\n", 403),
        ("host: localhost\r\norigin: http://localhost\r\n", 403),
        (
            "host: localhost\r\norigin: https://app.example.evil.example\r\n",
            403,
        ),
        (
            "host: localhost\r\norigin: https://app.example\r\norigin: https://evil.example\r\n",
            403,
        ),
    ] {
        assert_eq!(
            listening.get("/metrics", headers).await.0,
            expected,
            "{headers}"
        );
    }
    let (status, ..) = listening
        .raw(b"POST /mcp HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        .await;
    assert_eq!(status, 403);
    // A target that names a host is compared as `Host` is.
    for (target, expected) in [
        ("http://localhost/metrics", 200),
        ("http://skills.example:8321/metrics", 200),
        ("http://evil.example/metrics", 403),
        ("http://localhost@evil.example/metrics", 403),
        ("http://localhost.evil.example:80/metrics", 403),
    ] {
        assert_eq!(
            listening.get(target, "host: localhost\r\n").await.0,
            expected,
            "{target}"
        );
    }
    assert_eq!(
        listening
            .get("http://localhost/metrics", "host: evil.example\r\n")
            .await
            .0,
        403
    );
    // A health check may use any host name.
    assert_eq!(listening.get("/healthz", "host: pod\r\n").await.0, 200);
    assert_eq!(listening.get("/readyz", "host: pod\r\n").await.0, 200);
    listening.end().await;
}

#[tokio::test]
async fn a_token_is_required_and_never_logged() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let options = HttpOptions::default().token(AccessToken::new(TOKEN).unwrap());
    assert!(!format!("{options:?}").contains(TOKEN));
    let listening = listen(&server, options).await;
    for header in [
        "",
        "authorization: Bearer x\r\n",
        "authorization: Basic 0123456789abcdef0123456789abcdef\r\n",
    ] {
        let headers = format!("host: localhost\r\n{header}");
        let (status, head, _) = listening.get("/metrics", &headers).await;
        assert!(
            status == 401 && head.contains("www-authenticate: bearer"),
            "{head}"
        );
        let (status, ..) = listening
            .post(header, introduction().to_string().as_bytes())
            .await;
        assert_eq!(status, 401);
    }
    let (status, _, text) = listening
        .get(
            "/metrics",
            &format!("host: localhost\r\nauthorization: Bearer {TOKEN}\r\n"),
        )
        .await;
    assert!(status == 200 && !text.contains(TOKEN), "{text}");
    let client = listening.connect(Some(TOKEN)).await;
    assert_eq!(client.peer.list_all_tools().await.unwrap().len(), 4);
    listening.end().await;
}

#[tokio::test]
async fn other_machines_need_a_token() {
    let server = serve(home(&[])).await;
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let refused = server
        .serve_http(listener, &HttpOptions::default(), std::future::ready(()))
        .await;
    assert!(
        matches!(refused, Err(ServeError::NoToken(_))),
        "{refused:?}"
    );
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let options = HttpOptions::default().token(AccessToken::new(TOKEN).unwrap());
    server
        .serve_http(listener, &options, std::future::ready(()))
        .await
        .unwrap();
}

fn limits(change: impl FnOnce(&mut HttpLimits)) -> HttpOptions {
    let mut limits = HttpLimits::default();
    change(&mut limits);
    HttpOptions::default().limits(limits)
}

#[tokio::test]
async fn each_limit_has_its_status() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let body = introduction().to_string();

    let listening = listen(&server, limits(|limits| limits.body = body.len())).await;
    assert_eq!(listening.post("", body.as_bytes()).await.0, 200);
    assert_eq!(
        listening.post("", format!("{body} ").as_bytes()).await.0,
        413
    );
    listening.end().await;

    let listening = listen(&server, limits(|limits| limits.sessions = 1)).await;
    let first = listening.connect(None).await;
    let (status, head, _) = listening.post("", body.as_bytes()).await;
    assert!(status == 503 && head.contains("retry-after"), "{head}");
    // The one that is there goes on, and so do those that need no session.
    assert_eq!(first.peer.list_all_tools().await.unwrap().len(), 4);
    listening.end().await;

    let listening = listen(&server, limits(|limits| limits.rate = NonZeroU32::new(1))).await;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        let (status, head, _) = listening.get("/metrics", "host: localhost\r\n").await;
        assert_eq!(status == 429, head.contains("\r\nretry-after: 1"), "{head}");
        statuses.push(status);
    }
    assert!(
        statuses[0] == 200 && statuses.contains(&429),
        "{statuses:?}"
    );
    // Whether it lives is asked as often as anything, and by a connection of its own.
    let (status, head, _) = listening.get("/healthz", "").await;
    assert!(status == 429 && head.contains("retry-after: 1"), "{head}");
    listening.end().await;
    let listening = listen(&server, HttpOptions::default()).await;
    for path in ["/healthz", "/readyz"] {
        let (status, head, _) = listening
            .raw(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes())
            .await;
        assert!(
            status == 200 && head.contains("connection: close"),
            "{head}"
        );
    }
    listening.end().await;

    let listening = listen(&server, limits(|limits| limits.requests = 0)).await;
    assert_eq!(listening.post("", body.as_bytes()).await.0, 503);
    listening.end().await;

    let listening = listen(
        &server,
        limits(|limits| limits.head = Duration::from_millis(50)),
    )
    .await;
    // One that never says what it wants is let go.
    listening.raw_silence().await;
    // And so is one that never says all of it.
    let (status, head, _) = listening
        .raw(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{")
        .await;
    assert!(
        status == 408 && head.contains("connection: close"),
        "{head}"
    );
    listening.end().await;

    // Guesses count, whatever comes of them.
    let mut slow = HttpLimits::default();
    slow.rate = NonZeroU32::new(1);
    let listening = listen(
        &server,
        HttpOptions::default()
            .limits(slow)
            .token(AccessToken::new(TOKEN).unwrap()),
    )
    .await;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        statuses.push(
            listening
                .get(
                    "/metrics",
                    "host: localhost\r\nauthorization: Bearer guess\r\n",
                )
                .await
                .0,
        );
    }
    assert!(
        statuses[0] == 401 && statuses.contains(&429),
        "{statuses:?}"
    );
    listening.end().await;
}

impl Listening {
    async fn raw_silence(&self) {
        let mut stream = TcpStream::connect(self.address).await.expect("it listens");
        stream
            .write_all(b"GET / HTTP/1.1\r\n")
            .await
            .expect("heard");
        let mut answer = Vec::new();
        let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok(), "the connection stays open");
    }
}

#[tokio::test]
async fn the_end_closes_every_stream() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, HttpOptions::default()).await;
    let address = listening.address;
    // It has a stream open, which carries its notifications.
    let client = listening.connect(None).await;
    client.peer.list_all_tools().await.unwrap();
    listening.end().await;
    assert!(TcpStream::connect(address).await.is_err());
}

/// A connection from an address of this machine, which stays open.
#[cfg(target_os = "linux")]
async fn idle(listening: &Listening, from: u8) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket
        .bind(SocketAddr::from(([127, 0, 0, from], 0)))
        .expect("an address of this machine");
    socket.connect(listening.address).await.expect("it listens")
}

/// Waits until the server has closed its end.
#[cfg(target_os = "linux")]
async fn is_over(stream: &mut TcpStream) {
    let read = tokio::time::timeout(PATIENCE, stream.read(&mut [0]))
        .await
        .expect("an end");
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
}

/// No address holds the connections of others, however many it opens.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_address_cannot_take_all_connections() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let options = limits(|limits| limits.connections = 4);
    let listening = listen(&server, options.token(AccessToken::new(TOKEN).unwrap())).await;
    let ask = async |stream: &mut TcpStream, headers: &str| {
        let request = format!("GET /metrics HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).await.expect("heard");
        let mut status = [0; 12];
        let read = tokio::time::timeout(PATIENCE, stream.read_exact(&mut status))
            .await
            .expect("in time");
        read.expect("an answer");
        String::from_utf8_lossy(&status).into_owned()
    };
    let token = format!("authorization: Bearer {TOKEN}\r\n");
    // One that proved itself stays, whatever the others of its address do.
    let mut proven = idle(&listening, 2).await;
    assert_eq!(ask(&mut proven, &token).await, "HTTP/1.1 200");
    let mut crowd = Vec::new();
    for _ in 0..12 {
        crowd.push(idle(&listening, 2).await);
        let mut other = idle(&listening, 3).await;
        assert_eq!(ask(&mut other, &token).await, "HTTP/1.1 200");
    }
    for stream in &mut crowd[..9] {
        is_over(stream).await;
    }
    listening.end().await;
}

#[tokio::test]
async fn a_refused_client_is_let_go() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(
        &server,
        HttpOptions::default().token(AccessToken::new(TOKEN).unwrap()),
    )
    .await;
    for headers in ["host: localhost\r\n", "host: evil.example\r\n"] {
        let (_, head, _) = listening
            .raw(format!("GET /mcp HTTP/1.1\r\n{headers}\r\n").as_bytes())
            .await;
        assert!(head.contains("connection: close"), "{head}");
    }
    listening.end().await;
}

/// A client that opens many sessions without a request does not exclude other clients.
#[tokio::test]
async fn sessions_without_requests_are_evicted() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, limits(|limits| limits.sessions = 3)).await;
    let client = listening.connect(None).await;
    assert_eq!(client.peer.list_all_tools().await.unwrap().len(), 4);
    for _ in 0..20 {
        assert_eq!(
            listening
                .post("", introduction().to_string().as_bytes())
                .await
                .0,
            200
        );
    }
    let other = listening.connect(None).await;
    assert_eq!(other.peer.list_all_tools().await.unwrap().len(), 4);
    assert_eq!(client.peer.list_all_tools().await.unwrap().len(), 4);
    listening.end().await;
}

/// A forged event id resumes no stream of a different session, and ends nothing.
#[tokio::test]
async fn a_forged_event_id_resumes_nothing() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, HttpOptions::default()).await;
    let (_, head, _) = listening
        .post("", introduction().to_string().as_bytes())
        .await;
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .expect("a session")
        .to_owned();
    let long = "9".repeat(8000);
    for event in [
        "x",
        "1/1",
        "0/0",
        "-1",
        "1/x",
        "18446744073709551616",
        "1/18446744073709551615",
        "/",
        "1/2/3",
        "..",
        &long,
    ] {
        let headers = format!(
            "host: localhost\r\naccept: text/event-stream\r\nmcp-session-id: {session}\r\nlast-event-id: {event}\r\n"
        );
        let (status, _, body) = listening.get("/mcp", &headers).await;
        assert!(
            status < 500 && !body.contains("jsonrpc") && !body.contains("id:"),
            "{event}: {status} {body}"
        );
    }
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let (status, _, body) = listening
        .post(&format!("mcp-session-id: {session}\r\n"), list.as_bytes())
        .await;
    assert!(
        status == 200 && body.contains("read_skill"),
        "{status} {body}"
    );
    listening.end().await;
}
