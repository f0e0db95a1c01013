//! Names as users and models type them, at each door.

use serde_json::{Value, json};

use crate::fixture::{home, serve, serve_folder, write};
use crate::forms::Raw;

/// The requests that name a skill, each with the place of the text that shows it was found.
fn requests(id: &str, uri: &str) -> [(&'static str, Value, &'static str); 6] {
    let tool = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    [
        (
            "tools/call",
            tool("read_skill", json!({"id": id})),
            "/result/content/0/text",
        ),
        (
            "prompts/get",
            json!({"name": id}),
            "/result/messages/0/content/text",
        ),
        (
            "resources/read",
            json!({"uri": format!("{uri}/SKILL.md")}),
            "/result/contents/0/text",
        ),
        (
            "skills/get",
            json!({"uri": format!("{uri}/SKILL.md")}),
            "/result/skill/uri",
        ),
        (
            "resources/directory/read",
            json!({"uri": uri}),
            "/result/resources/0/uri",
        ),
        (
            "tools/call",
            tool("read_skill_resource", json!({"id": id, "path": "SKILL.md"})),
            "/result/content/0/text",
        ),
    ]
}

async fn ask(raw: &mut Raw, method: &str, params: &Value) -> Value {
    raw.send(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
        .await;
    raw.next().await
}

#[tokio::test]
async fn typed_names_reach_their_skill() {
    let server = serve(home(&[("na\u{ef}ve-list", "Sort it.\n")])).await;
    let mut raw = Raw::introduced(&server, "2025-06-18").await;
    for (id, uri) in [
        ("na\u{ef}ve-list", "skill://home/na%C3%AFve-list"),
        (" na\u{ef}ve-list ", " skill://home/na%C3%AFve-list"),
        ("nai\u{308}ve-list", "skill://home/nai%CC%88ve-list"),
        (
            "\u{ff4e}a\u{ef}ve-list",
            "skill://home/%EF%BD%8Ea%C3%AFve-list",
        ),
        ("home:na\u{ef}ve-list", "skill://home/na\u{ef}ve-list/"),
    ] {
        for (method, params, place) in &requests(id, uri)[..5] {
            let answer = ask(&mut raw, method, params).await;
            if *method == "skills/get" && params["uri"] != "skill://home/na%C3%AFve-list/SKILL.md" {
                // The protocol wants the answer to have the very URI of the request.
                assert_eq!(answer["error"]["code"], -32602, "{answer}");
                continue;
            }
            assert!(
                answer.pointer(place).is_some_and(Value::is_string),
                "{method} {params}: {answer}"
            );
            assert_ne!(
                answer["result"]["isError"], true,
                "{method} {params}: {answer}"
            );
        }
    }
}

#[tokio::test]
async fn a_name_in_another_case_gets_a_tip() {
    let server = serve(home(&[("tidy", "Sort it.\n")])).await;
    let mut raw = Raw::introduced(&server, "2025-06-18").await;
    for (method, params, _) in requests("Tidy", "skill://home/Tidy") {
        let answer = ask(&mut raw, method, &params).await;
        let text = answer
            .pointer("/error/message")
            .or(answer.pointer("/result/content/0/text"));
        let text = text.and_then(Value::as_str).unwrap_or_default();
        assert!(
            text.contains("id you mean") && text.contains("tidy"),
            "{method} {params}: {answer}"
        );
    }
}

#[tokio::test]
async fn no_uri_leads_out_of_a_skill() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("secret.md", b"secret"),
            (
                "tidy/SKILL.md",
                b"---\nname: tidy\ndescription: Sorts.\n---\nSort.\n",
            ),
        ],
    );
    let server = serve_folder(folder.path()).await;
    let mut raw = Raw::introduced(&server, "2025-06-18").await;
    let tails = [
        "../secret.md",
        "..%2Fsecret.md",
        "%2e%2e/secret.md",
        "%252e%252e/secret.md",
        "....//secret.md",
        "..\\secret.md",
        "..%5Csecret.md",
        "..;/secret.md",
        "\u{ff0e}\u{ff0e}/secret.md",
        "%c0%ae%c0%ae/secret.md",
        "x/../../secret.md",
        "/etc/passwd",
        "C:/secret.md",
        "secret.md%00",
        "SKILL.md/../../secret.md",
    ];
    let heads = [
        "skill://home/tidy/",
        "skill://home/",
        "skill://home/../",
        "skill://../home/",
        "file://",
    ];
    for uri in heads
        .iter()
        .flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}")))
    {
        for (method, params) in [
            ("resources/read", json!({"uri": uri})),
            ("resources/directory/read", json!({"uri": uri})),
            ("skills/get", json!({"uri": uri})),
            ("resources/subscribe", json!({"uri": uri})),
            (
                "completion/complete",
                json!({"ref": {"type": "ref/resource", "uri": uri}, "argument": {"name": "path", "value": ""}}),
            ),
        ] {
            let answer = ask(&mut raw, method, &params).await;
            let is_followed = method == "resources/subscribe" && answer["error"].is_null();
            assert!(
                is_followed || answer["error"]["code"].is_i64(),
                "{method} {uri}: {answer}"
            );
            assert!(
                !answer["result"].to_string().contains("secret"),
                "{method} {uri}: {answer}"
            );
        }
    }
}
