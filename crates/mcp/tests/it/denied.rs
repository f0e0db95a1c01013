//! Content that rules deny, in sessions that were given it.

use repertoire::registry::{Authority, RuleSet, RuleStack};
use repertoire::skill::{Digest, Manifest, Resource};
use repertoire_mcp::Server;
use rmcp::model::GetPromptRequestParams;
use serde_json::json;

use crate::client::{Client, Notified};
use crate::fixture::{serve_folder, write};
use crate::resources::read;
use crate::tools::call;

const TIDY: &[u8] = b"---\nname: tidy\ndescription: Sorts.\n---\nSort it.\n";
const GREET: &[u8] = b"---\nname: greet\ndescription: Greets.\n---\nHello.\n";
const NOTES: &[u8] = b"By colour.\n";

fn deny(server: &Server, denied: &[Digest]) {
    let level = RuleSet::new("operator", Authority::Full);
    let level = denied.iter().copied().fold(level, RuleSet::deny);
    server.registry().set_rules(&RuleStack::new([level]));
}

fn notice(skill: &str) -> Notified {
    let message = format!("the skill `{skill}` is denied: do not follow what was read of it");
    Notified::Logged(json!({ "skill": skill, "message": message }).to_string())
}

#[tokio::test]
async fn denied_text_is_named_once() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        &[
            ("tidy/SKILL.md", TIDY),
            ("tidy/notes.md", NOTES),
            ("greet/SKILL.md", GREET),
        ],
    );
    let server = serve_folder(folder.path()).await;
    let mut clients = Vec::new();
    for _ in 0..4 {
        clients.push(Client::of(&server).await);
    }
    let body = read(&clients[0], "skill://home/tidy/SKILL.md").await;
    assert_eq!(body.expect("a file"), TIDY);
    let body = call(&clients[1], "read_skill", json!({"id": "tidy"})).await;
    assert!(body.text.contains("Sort it."), "{}", body.text);
    let prompt = GetPromptRequestParams::new("tidy");
    clients[2].peer.get_prompt(prompt).await.expect("a prompt");
    let other = call(&clients[3], "read_skill", json!({"id": "greet"})).await;
    assert!(other.text.contains("Hello."), "{}", other.text);

    deny(&server, &[Digest::of(NOTES)]);
    for client in &mut clients[..3] {
        assert_eq!(client.next().await, notice("home:tidy"));
    }
    deny(&server, &[]);
    deny(&server, &[Digest::of(TIDY), Digest::of(b"other")]);
    for client in &mut clients {
        client.is_not_notified().await;
    }
}

#[tokio::test]
async fn an_earlier_version_is_named_by_its_manifest() {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        folder.path(),
        &[("tidy/SKILL.md", TIDY), ("tidy/notes.md", NOTES)],
    );
    let server = serve_folder(folder.path()).await;
    let mut client = Client::of(&server).await;
    let file = json!({"id": "tidy", "path": "notes.md"});
    let notes = call(&client, "read_skill_resource", file).await;
    assert!(notes.text.contains("By colour."), "{}", notes.text);
    let rows = [("SKILL.md", TIDY), ("notes.md", NOTES)].map(|(path, bytes)| {
        let path = path.parse().expect("a path");
        Resource::new(path, bytes.len() as u64, Digest::of(bytes))
    });
    let manifest = Manifest::new(rows).expect("no path comes twice");

    let changed = b"---\nname: tidy\ndescription: Sorts well.\n---\nSort it well.\n";
    write(folder.path(), &[("tidy/SKILL.md", changed)]);
    server.registry().refresh().await.expect("it is open");
    while client.next().await != Notified::Resources {}
    client.so_far().await;
    deny(&server, &[manifest.digest()]);
    assert_eq!(client.next().await, notice("home:tidy"));
    let body = call(&client, "read_skill", json!({"id": "tidy"})).await;
    assert!(body.text.contains("Sort it well."), "{}", body.text);
    client.is_not_notified().await;
}

#[expect(deprecated, reason = "clients with sessions may ask for a level")]
#[tokio::test]
async fn clients_choose_the_level_of_notices() {
    use rmcp::model::{LoggingLevel, SetLevelRequestParams};

    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &[("tidy/SKILL.md", TIDY)]);
    let server = serve_folder(folder.path()).await;
    for (level, is_named) in [(LoggingLevel::Warning, true), (LoggingLevel::Error, false)] {
        let mut client = Client::of(&server).await;
        let set = client.peer.set_level(SetLevelRequestParams::new(level));
        set.await.expect("the server declares logging");
        let body = call(&client, "read_skill", json!({"id": "tidy"})).await;
        assert!(body.text.contains("Sort it."), "{}", body.text);
        deny(&server, &[Digest::of(TIDY)]);
        match is_named {
            true => assert_eq!(client.next().await, notice("home:tidy")),
            false => client.is_not_notified().await,
        }
        deny(&server, &[]);
    }
}
