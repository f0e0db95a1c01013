//! The HTTP server.

use repertoire_gateway::Gateway;
use repertoire_mcp::{AccessToken, HttpOptions, ServerOptions};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::project::{FILE, Project};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Returns the status and the body of the answer to a `GET`.
pub(crate) async fn get(
    address: std::net::SocketAddr,
    path: &str,
    token: Option<&str>,
) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\n{}Connection: close\r\n\r\n",
        token.unwrap_or_default()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

pub(crate) async fn with_server(gateway: &Gateway, test: impl AsyncFnOnce(std::net::SocketAddr)) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (end, ended) = oneshot::channel::<()>();
    let options = HttpOptions::default().token(AccessToken::new(TOKEN).unwrap());
    let gateway = gateway.clone();
    let serving = tokio::spawn(async move {
        let end = async {
            let _ = ended.await;
        };
        gateway
            .serve_http(listener, ServerOptions::default(), options, end)
            .await
    });
    test(address).await;
    end.send(()).unwrap();
    serving.await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn the_registries_are_shown_as_json() {
    let secret =
        "[[registries.mcp-servers]]\nid = \"db\"\ncommand = \"db\"\nenv = { KEY = \"canary\" }\n";
    let project = Project::new(&format!("{FILE}{secret}"));
    project.skill("review", "allowedWorkflows: [ship]\n");
    project.write("workflows/a.workflow.ts", "export default {}\n");
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |address| {
        let mut lists = Vec::new();
        for registry in ["skills", "workflows", "agents", "mcp-servers"] {
            let (status, body) = get(address, &format!("/api/v1/{registry}"), Some(TOKEN)).await;
            assert_eq!(status, 200, "{registry}");
            assert!(!body.contains("canary"), "{body}");
            let list: Value = serde_json::from_str(&body).unwrap();
            let entries = list["entries"].as_array().unwrap().clone();
            let ids: Vec<_> = entries.iter().map(|entry| entry["id"].clone()).collect();
            let codes = list["diagnostics"].as_array().unwrap().iter();
            lists.push((
                ids,
                codes.map(|found| found["code"].clone()).collect::<Vec<_>>(),
            ));
        }
        assert_eq!(
            lists,
            [
                (vec![json!("review")], vec![json!("unknown-workflow")]),
                (vec![json!("workflows/a.workflow.ts")], vec![]),
                (vec![json!("coder")], vec![]),
                (vec![json!("fs"), json!("db")], vec![]),
            ]
        );
        let path = "/api/v1/workflows/workflows/a.workflow.ts";
        let (status, body) = get(address, path, Some(TOKEN)).await;
        let entry: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((status, &entry["item"]["format"]), (200, &json!("script")));
    })
    .await;
}

#[tokio::test]
async fn skills_and_workflows_are_searched() {
    let project = Project::new(FILE);
    project.skill("review", "");
    let plan = "description: Ships a new version.\nsteps: [Ship.]\n";
    project.write("workflows/a.workflow.yaml", plan);
    project.write("workflows/b.workflow.ts", "export default {}\n");
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |address| {
        let search = async |path: &str| {
            let (status, body) = get(address, &format!("/api/v1/{path}"), Some(TOKEN)).await;
            let found: Value = serde_json::from_str(&body).unwrap();
            let hits = found["hits"].as_array().cloned().unwrap_or_default();
            let ids = hits.iter().map(|hit| hit["entry"]["id"].clone());
            (status, ids.collect::<Vec<_>>())
        };
        let shipping = vec![json!("workflows/a.workflow.yaml")];
        assert_eq!(
            [
                search("skills?search=review").await,
                search("workflows?search=shipping+a%20version").await,
                search("workflows?search=unknown").await,
                search("agents?search=coder").await,
            ],
            [
                (200, vec![json!("review")]),
                (200, shipping),
                (200, vec![]),
                (404, vec![]),
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn the_routes_are_behind_the_checks() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |address| {
        for (path, token, expected) in [
            ("/api/v1/agents", None, 401),
            ("/api/v1/agents", Some(TOKEN), 200),
            ("/api/v1/agents/none", Some(TOKEN), 404),
            ("/api/v1/others", Some(TOKEN), 404),
            ("/api/v1/status", Some(TOKEN), 200),
            ("/healthz", None, 200),
            ("/metrics", Some(TOKEN), 200),
        ] {
            assert_eq!(get(address, path, token).await.0, expected, "{path}");
        }
        assert_eq!(
            get(address, "/readyz", None).await,
            (200, "ready\n".to_owned())
        );
        gateway.pause().unwrap();
        assert_eq!(
            get(address, "/readyz", None).await,
            (503, "paused\n".to_owned())
        );
        gateway.stop().await.unwrap();
        assert_eq!(get(address, "/api/v1/agents", Some(TOKEN)).await.0, 503);
    })
    .await;
}

#[tokio::test]
async fn metrics_count_items_and_reloads() {
    let project = Project::new(FILE);
    project.skill("review", "");
    let (gateway, _registries) = project.start().await;
    gateway.reload(None).await.unwrap();
    project.write("repertoire.toml", "[gateway");
    gateway.reload(None).await.unwrap_err();
    gateway.pause().unwrap();
    with_server(&gateway, async |address| {
        let (_, text) = get(address, "/metrics", Some(TOKEN)).await;
        let lines = text
            .lines()
            .filter(|line| line.contains("repertoire_gateway_") && !line.contains("mcp_server_"));
        let lines: Vec<_> = lines
            .map(|line| line.replace("repertoire_gateway_", ""))
            .collect();
        for server in ["running", "failed", "tools", "restarts"] {
            let line = format!("\nrepertoire_gateway_mcp_server_{server}{{server=\"fs\"}} 0\n");
            assert!(text.contains(&line), "{text}");
        }
        assert_eq!(
            lines,
            [
                "# HELP running 1 unless the gateway is paused or ends.",
                "# TYPE running gauge",
                "running 0",
                "# HELP items Items of each registry.",
                "# TYPE items gauge",
                "items{registry=\"skills\"} 1",
                "items{registry=\"workflows\"} 0",
                "items{registry=\"agents\"} 1",
                "items{registry=\"mcp-servers\"} 1",
                "# HELP reloads_total Reloads that were applied.",
                "# TYPE reloads_total counter",
                "reloads_total 1",
                "# HELP reload_failed 1 if the last reload was not applied.",
                "# TYPE reload_failed gauge",
                "reload_failed 1",
            ]
        );
    })
    .await;
}
