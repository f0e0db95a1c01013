//! Clients of the protocol 2026-07-28, which introduce themselves with each request.

use repertoire::Registered;
use serde_json::{Value, json};

use crate::fixture::{home, serve, skill};
use crate::forms::Raw;
use crate::http::listen;

pub(crate) fn request(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "some-client", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[tokio::test]
async fn m10_results_are_complete_and_not_cacheable() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let mut raw = Raw::of(&server);
    for (id, method, params) in [
        (1, "skills/list", json!({})),
        (
            2,
            "skills/get",
            json!({"uri": "skill://home/tidy/SKILL.md"}),
        ),
        (3, "resources/list", json!({})),
        (
            4,
            "resources/read",
            json!({"uri": "skill://home/tidy/SKILL.md"}),
        ),
        (
            5,
            "resources/directory/read",
            json!({"uri": "skill://home/tidy"}),
        ),
        (6, "prompts/list", json!({})),
        (7, "tools/list", json!({})),
    ] {
        raw.send(request(id, method, params)).await;
        let answer = raw.next().await;
        let result = &answer["result"];
        assert_eq!(result["resultType"], "complete", "{method}: {answer}");
        // The client may be a different one at any time, so nothing is cached, and answers are private.
        assert_eq!(
            (&result["ttlMs"], &result["cacheScope"]),
            (&json!(0), &json!("private")),
            "{method}: {answer}"
        );
    }
}

#[tokio::test]
async fn discovery_declares_the_capabilities() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let mut raw = Raw::of(&server);
    raw.send(request(1, "server/discover", json!({}))).await;
    let answer = raw.next().await;
    let result = &answer["result"];
    assert_eq!(
        result["capabilities"]["extensions"]["io.modelcontextprotocol/skills"],
        json!({"directoryRead": true})
    );
    assert!(
        result["instructions"]
            .as_str()
            .is_some_and(|text| text.contains("skills/list")),
        "{answer}"
    );
    raw.send(request(
        2,
        "resources/read",
        json!({"uri": "skill://home/nobody/SKILL.md"}),
    ))
    .await;
    // Older clients get a different code.
    assert_eq!(raw.next().await["error"]["code"], -32602);
}

#[tokio::test]
async fn listeners_receive_only_requested_notifications() {
    let home = home(&[("tidy", "Sort it.\n")]);
    let server = serve(home.clone()).await;
    let mut raw = Raw::of(&server);
    let tidy = "skill://home/tidy/SKILL.md";
    let wanted = json!({"promptsListChanged": true, "resourceSubscriptions": [tidy]});
    raw.send(request(
        1,
        "subscriptions/listen",
        json!({"notifications": wanted}),
    ))
    .await;
    let heard = raw.next().await;
    assert_eq!(
        heard["method"], "notifications/subscriptions/acknowledged",
        "{heard}"
    );
    assert_eq!(heard["params"]["notifications"], wanted, "{heard}");

    home.register(Registered::new(skill("greet", "Greets."), "Hello.\n"))
        .unwrap();
    assert_eq!(
        raw.next().await["method"],
        "notifications/prompts/list_changed"
    );
    home.replace(
        &"tidy".parse().unwrap(),
        Registered::new(skill("tidy", "Does tidy."), "Sort it well.\n"),
    )
    .unwrap();
    let updated = raw.next().await;
    assert_eq!(
        (&updated["method"], &updated["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!(tidy))
    );
    // An answer comes behind every notice before it.
    raw.send(request(2, "tools/list", json!({}))).await;
    assert_eq!(raw.next().await["id"], 2);
}

#[tokio::test]
async fn over_http_they_need_no_session() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let listening = listen(&server, Default::default()).await;
    let body = request(1, "skills/list", json!({})).to_string();
    let headers = "mcp-protocol-version: 2026-07-28\r\nmcp-method: skills/list\r\n";
    let (status, head, text) = listening.post(headers, body.as_bytes()).await;
    assert!(
        status == 200 && text.contains("skill://home/tidy/SKILL.md"),
        "{head}\n{text}"
    );
    assert!(!head.contains("\r\nmcp-session-id:"), "{head}");
}
