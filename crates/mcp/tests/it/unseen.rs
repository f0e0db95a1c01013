//! Skills that a client does not see.

use repertoire::permission::{Exposure, VisibilityPolicy};
use repertoire::{MemorySource, Mount, Registered, SkillRegistry, Trust};
use repertoire_mcp::{Server, ServerOptions};
use serde_json::{Value, json};

use crate::fixture::skill;
use crate::forms::Raw;

/// A server with one skill that is seen, and one for each reason that hides one.
async fn server() -> Server {
    let home = MemorySource::new("home");
    home.register(Registered::new(skill("seen", "Is one."), "Sort it.\n"))
        .expect("ids are unique");
    home.register(Registered::new(skill("disabled", "Secret."), "Secret.\n"))
        .expect("ids are unique");
    let mut users = skill("for-users", "Secret.");
    (users.disable_model_invocation, users.user_invocable) = (true, false);
    home.register(Registered::new(users, "Secret.\n"))
        .expect("ids are unique");
    let cloned = MemorySource::new("cloned");
    cloned
        .register(Registered::new(skill("pending", "Secret."), "Secret.\n"))
        .expect("ids are unique");
    let registry = SkillRegistry::builder()
        .user(home)
        .mount(Mount::user(cloned).trust(Trust::Pending));
    let modes = VisibilityPolicy::default().with("disabled".parse().expect("an id"), Exposure::Off);
    Server::new(
        registry.load().await.expect("composed"),
        ServerOptions::default().modes(modes),
    )
}

/// An answer, with the name of the skill that was asked for taken out.
fn without(answer: &Value, name: &str) -> String {
    let mut answer = answer.clone();
    answer["id"] = Value::Null;
    answer.to_string().replace(name, "NAME")
}

/// Whatever hides a skill, every method answers as of one that there is not.
#[tokio::test]
async fn a_hidden_skill_is_unknown_in_every_answer() {
    let server = server().await;
    let mut raw = Raw::introduced(&server, "2025-06-18").await;
    let tool = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    for (source, name) in [
        ("home", "disabled"),
        ("home", "for-users"),
        ("cloned", "pending"),
    ] {
        for full in [name.to_owned(), format!("{source}:{name}")] {
            let stranger = full.replace(name, "zzqq-zzqq");
            let questions = |id: &str, source: &str, bare: &str| {
                let uri = format!("skill://{source}/{bare}/SKILL.md");
                [
                    ("tools/call", tool("read_skill", json!({"id": id}))),
                    (
                        "tools/call",
                        tool("read_skill_resource", json!({"id": id, "path": "a.md"})),
                    ),
                    ("tools/call", tool("search_skills", json!({"query": id}))),
                    ("tools/call", tool(id, json!({}))),
                    ("prompts/get", json!({"name": id})),
                    ("resources/read", json!({"uri": uri})),
                    ("skills/get", json!({"uri": uri})),
                    (
                        "resources/directory/read",
                        json!({"uri": format!("skill://{source}/{bare}")}),
                    ),
                    (
                        "completion/complete",
                        json!({
                            "ref": {"type": "ref/resource", "uri": "skill://{source}/{skill}/{+path}"},
                            "argument": {"name": "path", "value": ""},
                            "context": {"arguments": {"source": source, "skill": bare}},
                        }),
                    ),
                    (
                        "completion/complete",
                        json!({
                            "ref": {"type": "ref/resource", "uri": "skill://{source}/{skill}/{+path}"},
                            "argument": {"name": "skill", "value": bare},
                        }),
                    ),
                    ("resources/subscribe", json!({"uri": uri})),
                ]
            };
            for (hidden, unknown) in questions(&full, source, name).into_iter().zip(questions(
                &stranger,
                source,
                "zzqq-zzqq",
            )) {
                raw.send(
                    json!({"jsonrpc": "2.0", "id": 2, "method": hidden.0, "params": hidden.1}),
                )
                .await;
                let answer = without(&raw.next().await, name);
                raw.send(
                    json!({"jsonrpc": "2.0", "id": 3, "method": unknown.0, "params": unknown.1}),
                )
                .await;
                assert_eq!(
                    answer,
                    without(&raw.next().await, "zzqq-zzqq"),
                    "{} {}",
                    hidden.0,
                    hidden.1
                );
            }
        }
    }
}
