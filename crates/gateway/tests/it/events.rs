//! The event stream.

use std::time::Duration;

use repertoire::Skill;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::http_client::{Event, EventStream, with_server};
use crate::project::{FILE, Project};

/// Many times what an event takes.
const PATIENCE: Duration = Duration::from_secs(60);

async fn next(stream: &mut EventStream) -> Option<Event> {
    timeout(PATIENCE, stream.next()).await.unwrap()
}

async fn data(stream: &mut EventStream) -> (String, Value) {
    let event = next(stream).await.unwrap();
    (event.name, event.data)
}

fn skill(name: &str) -> Skill {
    Skill::new(name.parse().unwrap(), "It is for a test.")
}

fn changed(
    generation: u64,
    added: &[&str],
    modified: &[&str],
    removed: &[&str],
) -> (String, Value) {
    let data = json!({
        "registry": "skills",
        "generation": generation,
        "added": added,
        "modified": modified,
        "removed": removed,
    });
    ("registry".to_owned(), data)
}

#[tokio::test]
async fn each_change_is_an_event() {
    let project = Project::new(FILE);
    let (gateway, registries) = project.start().await;
    with_server(&gateway, async |client| {
        let mut stream = client.events(None).await;
        let generations = json!({ "skills": 0, "workflows": 0, "agents": 1, "mcp-servers": 1 });
        let state = json!({ "state": "running", "generations": generations });
        assert_eq!(data(&mut stream).await, ("state".to_owned(), state));
        registries.skills.register(skill("tidy")).unwrap();
        assert_eq!(data(&mut stream).await, changed(1, &["tidy"], &[], &[]));
        let greeting = Skill::new("tidy".parse().unwrap(), "Sorts a folder.");
        registries
            .skills
            .replace(&"tidy".parse().unwrap(), greeting)
            .unwrap();
        assert_eq!(data(&mut stream).await, changed(2, &[], &["tidy"], &[]));
        registries.skills.unregister("tidy");
        assert_eq!(data(&mut stream).await, changed(3, &[], &[], &["tidy"]));
        gateway.pause().unwrap();
        let paused = ("gateway".to_owned(), json!({ "state": "paused" }));
        assert_eq!(data(&mut stream).await, paused);
        project.write("repertoire.toml", "[gateway");
        let error = gateway.reload(None).await.unwrap_err().to_string();
        let refused = ("reload".to_owned(), json!({ "error": error }));
        assert_eq!(data(&mut stream).await, refused);
        gateway.stop().await.unwrap();
        let mut last = None;
        while let Some(event) = next(&mut stream).await {
            last = Some(event);
        }
        assert_eq!(last.map(|event| event.name).as_deref(), Some("gateway"));
    })
    .await;
}

#[tokio::test]
async fn a_client_that_returns_misses_no_event() {
    let project = Project::new(FILE);
    let (gateway, registries) = project.start().await;
    with_server(&gateway, async |client| {
        let mut stream = client.events(None).await;
        next(&mut stream).await.unwrap();
        registries.skills.register(skill("one")).unwrap();
        let seen = next(&mut stream).await.unwrap().id.unwrap();
        drop(stream);
        // A second stream shows that the events were written.
        let mut other = client.events(None).await;
        next(&mut other).await.unwrap();
        registries.skills.register(skill("two")).unwrap();
        next(&mut other).await.unwrap();
        registries.skills.register(skill("three")).unwrap();
        next(&mut other).await.unwrap();
        let mut stream = client.events(Some(&seen)).await;
        let missed = [data(&mut stream).await, data(&mut stream).await];
        let expected = [
            changed(2, &["two"], &[], &[]),
            changed(3, &["three"], &[], &[]),
        ];
        assert_eq!(missed, expected);
        for unknown in ["0-1", "x", &format!("{seen}9")] {
            let mut stream = client.events(Some(unknown)).await;
            assert_eq!(data(&mut stream).await.0, "state", "{unknown}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_end_of_the_server_ends_streams() {
    let project = Project::new(FILE);
    let (gateway, _registries) = project.start().await;
    let mut open = None;
    with_server(&gateway, async |client| {
        let mut stream = client.events(None).await;
        next(&mut stream).await.unwrap();
        open = Some(stream);
    })
    .await;
    assert_eq!(next(&mut open.unwrap()).await, None);
}

mod slow {
    use std::sync::Arc;
    use std::time::Instant;

    use tokio::sync::Barrier;

    use super::*;
    use crate::http_client::Client;

    const CLIENTS: usize = 1000;
    const EDITS: usize = 100;

    /// Returns the delay of each edit, in the order of the edits.
    async fn follow(client: Client, ready: Arc<Barrier>, began: Instant) -> Vec<Duration> {
        let mut stream = client.events(None).await;
        next(&mut stream).await.unwrap();
        ready.wait().await;
        let mut delays = Vec::new();
        while delays.len() < EDITS {
            let event = next(&mut stream).await.unwrap();
            let now = began.elapsed();
            for id in event.data["added"].as_array().unwrap() {
                // The name has the time of the edit.
                let (number, micros) = id.as_str().unwrap()[1..].split_once('-').unwrap();
                assert_eq!(number.parse(), Ok(delays.len()));
                let edited = Duration::from_micros(micros.parse().unwrap());
                delays.push(now.saturating_sub(edited));
            }
        }
        delays
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_thousand_clients_hear_each_edit_once() {
        let project = Project::new(FILE);
        let (gateway, registries) = project.start().await;
        with_server(&gateway, async |client| {
            let (began, ready) = (Instant::now(), Arc::new(Barrier::new(CLIENTS + 1)));
            let clients: Vec<_> = (0..CLIENTS)
                .map(|_| tokio::spawn(follow(client.clone(), Arc::clone(&ready), began)))
                .collect();
            ready.wait().await;
            let mut pace = tokio::time::interval(Duration::from_millis(600));
            for number in 0..EDITS {
                pace.tick().await;
                let name = format!("e{number}-{}", began.elapsed().as_micros());
                registries.skills.register(skill(&name)).unwrap();
            }
            let mut delays = Vec::new();
            for client in clients {
                delays.extend(client.await.unwrap());
            }
            delays.sort();
            let p99 = delays[delays.len() * 99 / 100];
            eprintln!(
                "{CLIENTS} clients, {EDITS} edits: p99 {p99:?}, longest {:?}",
                delays[delays.len() - 1]
            );
            assert_eq!(delays.len(), CLIENTS * EDITS);
        })
        .await;
    }
}

/// A server whose only tool has a different name after its second call.
#[cfg(unix)]
const RENAMING: &str = r#"
tool=before
calls=0
say() { printf '%s\n' "{\"jsonrpc\":\"2.0\",$1}"; }
answer() { id=${line#*\"id\":}; id=${id%%[,\}]*}; say "\"id\":$id,\"result\":$1"; }
while read -r line; do
  case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) answer "{\"tools\":[{\"name\":\"$tool\",\"inputSchema\":{\"type\":\"object\"}}]}" ;;
    *'"tools/call"'*)
      answer '{"content":[]}'
      calls=$((calls + 1))
      if [ $calls = 2 ]; then tool=after; say '"method":"notifications/tools/list_changed"'; fi ;;
  esac
done
"#;

#[cfg(unix)]
#[tokio::test]
async fn a_renamed_tool_is_an_event() {
    let server =
        "[[registries.mcp-servers]]\nid = \"one\"\ncommand = \"/bin/sh\"\nargs = [\"server.sh\"]\n";
    let project = Project::new(server);
    project.write("server.sh", RENAMING);
    project.skill("needy", "required_tools: [mcp__one__after]\n");
    let (gateway, _registries) = project.start().await;
    let tools = gateway.tool_provider().unwrap();
    with_server(&gateway, async |client| {
        let mut stream = client.events(None).await;
        assert_eq!(next(&mut stream).await.unwrap().name, "state");
        tools.call("one", "before", Map::new()).await.unwrap();
        let running = loop {
            let (_, server) = data(&mut stream).await;
            if server["state"] == "running" {
                break server;
            }
        };
        let reason = "needs the tool `mcp__one__after`, which the server `one` does not have";
        let not_ready = gateway.status().not_ready;
        assert_eq!(not_ready.first().map(|skill| &*skill.reason), Some(reason));
        tools.call("one", "before", Map::new()).await.unwrap();
        // The status is the same, and the readiness of the skill is not.
        let renamed = ("mcp-server".to_owned(), running);
        assert_eq!(data(&mut stream).await, renamed);
        assert_eq!(gateway.status().not_ready, []);
    })
    .await;
}
