//! Access tokens.

use std::time::Duration;

use repertoire_gateway::{NamedToken, TokenScope, TokenStore};
use repertoire_mcp::HttpOptions;

use crate::http_client::{Client, with_options};
use crate::project::{FILE, Project};

fn agent(id: &str) -> TokenScope {
    TokenScope::Agent {
        agent: id.into(),
        epoch: 1,
    }
}

#[tokio::test]
async fn a_token_allows_its_scope() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    let tokens = gateway.tokens().clone();
    let issue = |name: &str, scope| tokens.issue(NamedToken::new(name, scope)).unwrap();
    let read = issue("reader", TokenScope::Read);
    let operate = issue("operator", TokenScope::Operate);
    let agent = issue("agent", agent("a1"));
    with_options(&gateway, HttpOptions::default(), async |client| {
        for (method, path, expected) in [
            ("GET", "/api/v1/skills", [401, 200, 200, 403]),
            ("GET", "/metrics", [401, 200, 200, 403]),
            ("POST", "/api/v1/reload", [401, 403, 200, 403]),
            ("DELETE", "/api/v1/skills", [401, 403, 405, 403]),
            ("POST", "/mcp", [401, 403, 415, 415]),
            ("GET", "/api/v1/agents/records/a2", [401, 404, 404, 403]),
            (
                "GET",
                "/api/v1/agents/records/a1/../a2",
                [401, 404, 404, 403],
            ),
            ("GET", "/healthz", [200, 200, 200, 200]),
        ] {
            let mut statuses = [0; 4];
            for (status, token) in
                statuses
                    .iter_mut()
                    .zip([None, Some(&read), Some(&operate), Some(&agent)])
            {
                let token = token.cloned();
                let client = Client { token, ..client };
                *status = client.request(method, path, "").await.status;
            }
            assert_eq!(statuses, expected, "{method} {path}");
        }
    })
    .await;
}

#[tokio::test]
async fn ten_thousand_wrong_tokens_never_pass() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    let tokens = gateway.tokens().clone();
    let text = tokens
        .issue(NamedToken::new("operator", TokenScope::Operate))
        .unwrap();
    let expired = NamedToken::new("expired", TokenScope::Operate).lifetime(Duration::ZERO);
    let expired = tokens.issue(expired).unwrap();
    let revoked = tokens
        .issue(NamedToken::new("revoked", TokenScope::Operate))
        .unwrap();
    assert!(tokens.revoke("revoked").unwrap());
    let wrong = |number: usize| match number {
        0 => expired.clone(),
        1 => revoked.clone(),
        2 => text.to_uppercase(),
        3 => format!("{text}0"),
        4 => format!(" {text}"),
        5 => "operator".to_owned(),
        _ if number < 6 + text.len() => text[..number - 6].to_owned(),
        // One digit is a different one.
        _ => {
            let (at, digit) = (text.len() - 1 - number % 64, number / 64 % 16);
            let digit = char::from_digit(digit as u32, 16).unwrap();
            let digit = if text[at..].starts_with(digit) {
                'g'
            } else {
                digit
            };
            format!("{}{digit}{}", &text[..at], &text[at + 1..])
        }
    };
    with_options(&gateway, HttpOptions::default(), async |client| {
        let mut counts = [0, 0];
        for number in 0..10_000 {
            let client = client.with_token(&wrong(number));
            match client.get("/api/v1/status").await.status {
                401 => counts[0] += 1,
                429 => counts[1] += 1,
                status => panic!("wrong token {number}: {status}"),
            }
        }
        assert_eq!(counts.iter().sum::<u32>(), 10_000);
        assert!(counts[1] > 0, "{counts:?}");
        // The programs of this machine share an address, so that the right token passes.
        assert_eq!(
            client.with_token(&text).get("/api/v1/status").await.status,
            200
        );
    })
    .await;
}

#[tokio::test]
async fn loopback_needs_no_token_until_one_exists() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    let path = project.settings().folder.join("tokens.json");
    let gateway = gateway.with_tokens(TokenStore::open(&path));
    with_options(&gateway, HttpOptions::default(), async |client| {
        assert_eq!(client.get("/api/v1/status").await.status, 200);
        assert_eq!(
            client
                .with_token("unknown")
                .get("/api/v1/status")
                .await
                .status,
            401
        );
        // A different process adds it.
        let text = TokenStore::open(&path)
            .issue(NamedToken::new("one", TokenScope::Read))
            .unwrap();
        assert_eq!(client.get("/api/v1/status").await.status, 401);
        assert_eq!(
            client.with_token(&text).get("/api/v1/status").await.status,
            200
        );
        assert!(TokenStore::open(&path).revoke("one").unwrap());
        assert_eq!(
            client.with_token(&text).get("/api/v1/status").await.status,
            401
        );
        assert_eq!(client.get("/api/v1/status").await.status, 401);
    })
    .await;
}

#[test]
fn a_file_has_digests_only() {
    let project = Project::new(FILE);
    let path = project.settings().folder.join("tokens.json");
    let tokens = TokenStore::open(&path);
    let row = NamedToken::new("one", TokenScope::Read).lifetime(Duration::from_secs(60));
    let text = tokens.issue(row.clone()).unwrap();
    let own = tokens
        .issue(NamedToken::new("agent-1", agent("agent-1")))
        .unwrap();
    let saved = std::fs::read_to_string(&path).unwrap();
    assert!(
        !saved.contains(&text[11..]) && !saved.contains("agent-1"),
        "{saved}"
    );
    let error = tokens
        .issue(NamedToken::new("one", TokenScope::Operate))
        .unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    let again = TokenStore::open(&path);
    assert_eq!(again.tokens().unwrap(), [row]);
    assert_eq!(
        (again.scope(&text), again.scope(&own)),
        (Some(TokenScope::Read), None)
    );
    assert_eq!(tokens.scope(&own), Some(agent("agent-1")));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |mode| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        // Other users can read it, so it has no valid token.
        mode(0o644);
        assert_eq!(TokenStore::open(&path).scope(&text), None);
        mode(0o600);
    }
    std::fs::write(&path, "{").unwrap();
    assert_eq!(again.scope(&text), None);
    assert!(again.tokens().is_err());
}

#[cfg(unix)]
#[test]
fn a_file_that_becomes_private_is_read_again() {
    use std::os::unix::fs::PermissionsExt;

    let project = Project::new(FILE);
    let path = project.settings().folder.join("tokens.json");
    let row = NamedToken::new("one", TokenScope::Read);
    let text = TokenStore::open(&path).issue(row).unwrap();
    let mode = |mode| std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    mode(0o644);
    let tokens = TokenStore::open(&path);
    assert_eq!(tokens.scope(&text), None);
    mode(0o600);
    assert_eq!(tokens.scope(&text), Some(TokenScope::Read));
    mode(0o644);
    assert_eq!(tokens.scope(&text), None);
}

#[cfg(unix)]
#[tokio::test]
async fn a_unix_socket_needs_no_token() {
    use repertoire_mcp::ServerOptions;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    gateway
        .tokens()
        .issue(NamedToken::new("one", TokenScope::Read))
        .unwrap();
    let path = project.settings().folder.join("socket");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(async move {
        let end = async {
            let _ = ended.await;
        };
        let (server, options) = (ServerOptions::default(), HttpOptions::default());
        gateway.serve_unix(listener, server, options, end).await
    });
    let mut stream = tokio::net::UnixStream::connect(&path).await.unwrap();
    let request = b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    end.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

#[cfg(not(feature = "oauth"))]
#[tokio::test]
async fn an_issuer_needs_the_feature() {
    let oauth = "[gateway.oauth]\nresource = \"https://a.example\"\nissuer = \"https://b.example\"\njwks-uri = \"https://b.example/keys\"\n";
    let project = Project::new(&format!("{FILE}\n{oauth}"));
    let (gateway, _registries) = project.start().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (server, options) = (Default::default(), HttpOptions::default());
    let served = gateway
        .serve_http(listener, server, options, std::future::pending())
        .await;
    let expected = "access tokens cannot be checked: `[gateway.oauth]` needs a program with the feature `oauth`";
    assert_eq!(served.unwrap_err().to_string(), expected);
}
