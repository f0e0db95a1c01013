//! The HTTP server.

use serde_json::json;

use crate::http_client::{Client, TOKEN, with_server};
use crate::project::{FILE, Project};

#[tokio::test]
async fn the_registries_are_shown_as_json() {
    let secret =
        "[[registries.mcp-servers]]\nid = \"db\"\ncommand = \"db\"\nenv = { KEY = \"canary\" }\n";
    let project = Project::new(&format!("{FILE}{secret}"));
    project.skill("review", "allowedWorkflows: [ship]\n");
    project.write("workflows/a.workflow.ts", "export default {}\n");
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        let mut lists = Vec::new();
        for registry in ["skills", "workflows", "agents", "mcp-servers"] {
            let answer = client.get(&format!("/api/v1/{registry}")).await;
            assert_eq!(answer.status, 200, "{registry}");
            assert!(!answer.body.contains("canary"), "{answer:?}");
            let list = answer.json();
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
        for id in ["workflows/a.workflow.ts", "workflows%2Fa.workflow.ts"] {
            let answer = client.get(&format!("/api/v1/workflows/{id}")).await;
            assert_eq!(answer.json()["item"]["format"], "script", "{id}");
        }
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
    with_server(&gateway, async |client| {
        let search = async |query: &str| {
            let found = client.get(&format!("/api/v1/search?{query}")).await.json();
            ["skills", "workflows"].map(|registry| {
                let hits = found[registry].as_array().cloned().unwrap_or_default();
                let hits = hits.iter().map(|hit| hit["entry"]["id"].clone());
                hits.collect::<Vec<_>>()
            })
        };
        let (review, shipping) = (json!("review"), json!("workflows/a.workflow.yaml"));
        assert_eq!(
            [
                search("q=review").await,
                search("q=shipping+a%20version").await,
                search("q=unknown").await,
                search("q=").await.map(|ids| ids[..1].to_vec()),
                search("q=&limit=0").await,
            ],
            [
                [vec![review.clone()], vec![]],
                [vec![], vec![shipping.clone()]],
                [vec![], vec![]],
                [vec![review], vec![shipping]],
                [vec![], vec![]],
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn the_routes_are_behind_the_checks() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        for (path, token, expected) in [
            ("/api/v1/agents", None, 401),
            ("/api/v1/agents", Some(TOKEN), 200),
            ("/api/v1/status", Some(TOKEN), 200),
            ("/healthz", None, 200),
            ("/metrics", Some(TOKEN), 200),
        ] {
            let token = token.map(str::to_owned);
            let client = Client { token, ..client };
            assert_eq!(client.get(path).await.status, expected, "{path}");
        }
        let ready = async || {
            let answer = client.without_token().get("/readyz").await;
            (answer.status, answer.body)
        };
        assert_eq!(ready().await, (200, "ready\n".to_owned()));
        gateway.pause().unwrap();
        assert_eq!(ready().await, (503, "paused\n".to_owned()));
        gateway.stop().await.unwrap();
        assert_eq!(client.get("/api/v1/agents").await.status, 503);
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
    with_server(&gateway, async |client| {
        let text = client.get("/metrics").await.body;
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

#[tokio::test]
async fn a_known_list_is_not_sent_again() {
    let project = Project::new(FILE);
    project.skill("review", "");
    let (gateway, registries) = project.start().await;
    with_server(&gateway, async |client| {
        let first = client.get("/api/v1/skills").await;
        let tag = first.header("etag").unwrap();
        let known = format!("If-None-Match: \"x\", W/{tag}\r\n");
        let again = client.request("GET", "/api/v1/skills", &known).await;
        assert_eq!(
            (again.status, again.header("etag"), &*again.body),
            (304, Some(tag), "")
        );
        registries.skills.unregister("review").clear();
        project.skill("tidy", "");
        registries.skills.refresh().await.unwrap();
        let changed = client.request("GET", "/api/v1/skills", &known).await;
        assert_eq!(
            (changed.status, changed.header("etag") == Some(tag)),
            (200, false)
        );
    })
    .await;
}

#[tokio::test]
async fn a_skill_has_a_body_and_files() {
    let project = Project::new(FILE);
    project.skill("review", "");
    project.write(
        "skills/review/references/a page.html",
        "<script>alert(1)</script>\n",
    );
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        let body = client.get("/api/v1/skills/review/body").await;
        assert_eq!(body.body, "Do it.\n");
        let files = client.get("/api/v1/skills/review/files").await.json();
        let path = files["files"][0]["path"].clone();
        assert_eq!(
            (path, &files["files"][0]["size"]),
            (json!("references/a page.html"), &json!(26))
        );
        for path in ["references/a%20page.html", "references%2Fa%20page.html"] {
            let file = client
                .get(&format!("/api/v1/skills/review/files/{path}"))
                .await;
            assert_eq!(
                (
                    file.status,
                    &*file.body,
                    file.header("content-type"),
                    file.header("x-content-type-options")
                ),
                (
                    200,
                    "<script>alert(1)</script>\n",
                    Some("application/octet-stream"),
                    Some("nosniff")
                )
            );
        }
        for path in [
            "..%2F..%2Frepertoire.toml",
            "none.md",
            "%2Fetc%2Fpasswd",
            "references",
        ] {
            let answer = client
                .get(&format!("/api/v1/skills/review/files/{path}"))
                .await;
            assert_eq!(answer.status, 404, "{path}: {answer:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn why_explains_every_candidate() {
    let source = |name: &str| {
        format!("[[source]]\nkind = \"fs\"\nname = \"{name}\"\nroots = [\"{name}\"]\n")
    };
    let project = Project::new(&format!("{FILE}{}{}", source("mine"), source("team")));
    let text = "---\nname: review\ndescription: Reviews.\n---\nReview.\n";
    project.write("mine/review/SKILL.md", text);
    project.write("team/review/SKILL.md", text);
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        let why = client.get("/api/v1/why/team:review").await.json();
        let candidates = why["candidates"].as_array().unwrap();
        let rows = candidates.iter().map(|row| {
            json!([
                row["id"],
                row["source"],
                row["wins"],
                row["reason"],
                row["identical"]
            ])
        });
        assert_eq!(
            rows.collect::<Vec<_>>(),
            [
                json!(["review", "mine", true, "the first candidate", null]),
                json!([
                    "team:review",
                    "team",
                    false,
                    "`team` is composed after `mine`",
                    true
                ]),
            ]
        );
        assert_eq!(client.get("/api/v1/why/none").await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn errors_are_problems() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        for (method, path, status, detail) in [
            ("GET", "/api/v1/skills/none", 404, "there is no skill `none`"),
            ("GET", "/api/v1/others", 404, "there is no such route; `/api/v1/openapi.json` has all of them"),
            ("POST", "/api/v1/skills", 405, "the route has a different method"),
            ("GET", "/api/v1/search", 400, "Failed to deserialize query string: missing field `q`"),
        ] {
            let answer = client.request(method, path, "").await;
            let title = match status {
                404 => "Not Found",
                405 => "Method Not Allowed",
                _ => "Bad Request",
            };
            let expected = json!({ "type": "about:blank", "title": title, "status": status, "detail": detail });
            assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{path}");
            assert_eq!((answer.status, answer.json()), (status, expected), "{path}");
        }
        let refused = client.without_token().get("/api/v1/status").await;
        assert_eq!(refused.header("content-type"), Some("application/problem+json"));
        assert_eq!((refused.status, &refused.json()["detail"]), (401, &json!("a token is required")));
    })
    .await;
}

#[tokio::test]
async fn a_reload_is_requested() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    with_server(&gateway, async |client| {
        project.skill("review", "");
        let reloaded = client.request("POST", "/api/v1/reload", "").await;
        let none = json!({ "added": 0, "modified": 0, "removed": 0 });
        let one = json!({ "added": 1, "modified": 0, "removed": 0 });
        let expected =
            json!({ "skills": one, "workflows": none, "agents": none, "mcp-servers": none });
        assert_eq!((reloaded.status, reloaded.json()), (200, expected));
        project.write("repertoire.toml", "[gateway");
        let refused = client.request("POST", "/api/v1/reload", "").await;
        assert_eq!(
            (refused.status, &refused.json()["title"]),
            (422, &json!("Unprocessable Entity"))
        );
        gateway.stop().await.unwrap();
        let late = client.request("POST", "/api/v1/reload", "").await;
        assert_eq!(late.status, 409);
    })
    .await;
}
