//! The MCP servers of a gateway.
#![cfg(unix)]

use std::sync::Arc;

use repertoire_gateway::Gateway;
use repertoire_mcp_servers::{ServerState, ToolProvider};
use serde_json::Map;

use crate::project::{FILE, Project};

/// A server whose only tool returns the process id.
const SERVER: &str = r#"
answer() { id=${line#*\"id\":}; id=${id%%[,\}]*}; printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while read -r line; do
  case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"process","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) answer "{\"content\":[{\"type\":\"text\",\"text\":\"$$ $COLOUR\"}]}" ;;
  esac
done
"#;

/// A configuration with three servers, of which the second has an environment.
fn file(colour: &str) -> String {
    let server = |id: &str, more: &str| {
        format!(
            "[[registries.mcp-servers]]\nid = \"{id}\"\ncommand = \"/bin/sh\"\nargs = [\"server.sh\"]\n{more}\n"
        )
    };
    [
        server("one", ""),
        server("two", &format!("env = {{ COLOUR = \"{colour}\" }}")),
        server("three", "start = \"at-once\""),
    ]
    .concat()
}

async fn answers(provider: &Arc<dyn ToolProvider>) -> Vec<String> {
    let mut answers = Vec::new();
    for id in ["one", "two", "three"] {
        let answer = provider.call(id, "process", Map::new()).await.unwrap();
        answers.push(answer["content"][0]["text"].as_str().unwrap().to_owned());
    }
    answers
}

#[tokio::test]
async fn a_reload_restarts_only_a_changed_server() {
    let project = Project::new(&file("blue"));
    project.write("server.sh", SERVER);
    let (gateway, _registries) = project.start().await;
    let provider = gateway.tool_provider().unwrap();
    let before = answers(&provider).await;
    project.write("repertoire.toml", &file("red"));
    gateway.reload(None).await.unwrap();
    let after = answers(&provider).await;
    assert!(before[1].ends_with(" blue") && after[1].ends_with(" red"));
    assert_eq!((&before[0], &before[2]), (&after[0], &after[2]));
    project.write("repertoire.toml", "[gateway\n");
    gateway.reload(None).await.unwrap_err();
    assert_eq!(answers(&provider).await, after);
    gateway.stop().await.unwrap();
    assert_eq!(
        gateway.tool_provider().unwrap_err().to_string(),
        "the MCP servers are not available: the gateway is stopped"
    );
}

#[tokio::test]
async fn no_call_begins_during_a_pause() {
    let project = Project::new(&file("blue"));
    project.write("server.sh", SERVER);
    let (gateway, _registries) = project.start().await;
    let provider = gateway.tool_provider().unwrap();
    answers(&provider).await;
    gateway.pause().unwrap();
    let refused = provider.call("one", "process", Map::new()).await;
    assert!(refused.unwrap_err().to_string().contains("during a pause"));
    gateway.resume().unwrap();
    answers(&provider).await;
}

#[tokio::test]
async fn the_status_has_the_state_of_each_server() {
    let project = Project::new(&format!(
        "{FILE}\n[[registries.mcp-servers]]\nid = \"old\"\nurl = \"http://127.0.0.1:1/\"\ntransport = \"sse\"\nstart = \"at-once\"\n"
    ));
    let (gateway, _registries) = project.start().await;
    let mut revision = gateway.supervisor().unwrap().revision();
    let state = |gateway: &Gateway| gateway.status().mcp_servers[1].state;
    while state(&gateway) != ServerState::Failed {
        revision.changed().await.unwrap();
    }
    let servers = gateway.status().mcp_servers;
    let rows: Vec<_> = servers
        .iter()
        .map(|server| (&*server.id, server.state, server.last_error.as_deref()))
        .collect();
    let refusal = "the transport `sse` is not supported; write `http` if the server has it";
    assert_eq!(
        rows,
        [
            ("fs", ServerState::Stopped, None),
            ("old", ServerState::Failed, Some(refusal)),
        ]
    );
}
