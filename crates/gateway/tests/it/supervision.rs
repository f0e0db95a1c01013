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

#[cfg(feature = "http")]
fn codes(gateway: &Gateway) -> Vec<&'static str> {
    let found = gateway.diagnostics();
    found.iter().map(|found| found.code.name()).collect()
}

#[tokio::test]
async fn rules_are_known_before_servers_start() {
    let project = Project::new(&format!("{}deny = [\"process\"]\n", file("blue")));
    project.skill("runner", "required_tools: [mcp__three__process]\n");
    project.skill("waiter", "required_tools: [mcp__one__unknown]\n");
    project.skill("orphan", "required_tools: [mcp__none__tool]\n");
    let (gateway, _registries) = project.start().await;
    let found = gateway.diagnostics();
    let rows: Vec<_> = found
        .iter()
        .map(|found| (found.message.as_str(), found.help.as_deref()))
        .collect();
    assert_eq!(
        rows,
        [
            (
                "the skill `orphan` is not ready: needs the tool `mcp__none__tool`, and there is no MCP server `none`",
                Some("define the MCP server `none`"),
            ),
            (
                "the skill `runner` is not ready: needs the tool `mcp__three__process`, which is denied: the rule `deny = \"process\"` of the server `three`",
                Some("change the rules of the server `three`"),
            ),
        ]
    );
}

/// Sends a message to `/mcp`; returns the session and the result of the answer.
#[cfg(feature = "http")]
async fn post(
    address: std::net::SocketAddr,
    session: Option<&str>,
    message: &serde_json::Value,
) -> (Option<String>, serde_json::Value) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let body = message.to_string();
    let session = session.map(|id| format!("mcp-session-id: {id}\r\n"));
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n{}\r\n{body}",
        body.len(),
        session.unwrap_or_default()
    );
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let mut lines = answer.lines();
    let session = lines.find_map(|line| line.strip_prefix("mcp-session-id: "));
    let data = answer.lines().filter_map(|line| {
        let data = line.strip_prefix("data: ").unwrap_or(line);
        serde_json::from_str::<serde_json::Value>(data).ok()
    });
    let mut results = data.filter(|message| message.get("result").is_some());
    let result = results.next().map(|message| message["result"].clone());
    (session.map(str::to_owned), result.unwrap_or_default())
}

#[cfg(feature = "http")]
#[tokio::test]
async fn a_session_calls_the_tools_of_skills() {
    use repertoire_mcp::{HttpOptions, ServerOptions};
    use serde_json::json;

    let project = Project::new(&file("blue"));
    project.write("server.sh", SERVER);
    project.skill("runner", "required_tools: [mcp__two__process]\n");
    project.skill("waiter", "required_tools: [mcp__two__none]\n");
    let (gateway, _registries) = project.start().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let served = gateway.clone();
    let serving = tokio::spawn(async move {
        let end = async {
            let _ = ended.await;
        };
        let (server, options) = (ServerOptions::default(), HttpOptions::default());
        served.serve_http(listener, server, options, end).await
    });
    assert_eq!(
        (gateway.status().not_ready, codes(&gateway)),
        (vec![], vec![])
    );
    let introduction = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let message = |method: &str, params| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let (session, _) = post(address, None, &message("initialize", introduction)).await;
    let ask = async |method: &str, params| {
        let (_, result) = post(address, session.as_deref(), &message(method, params)).await;
        result
    };
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    post(address, session.as_deref(), &initialized).await;

    // The first session starts the servers, which list their tools.
    let tools = gateway.tool_access().unwrap();
    let patience = std::time::Duration::from_secs(60);
    let listed = tokio::time::timeout(patience, async {
        loop {
            let table = tools.table();
            let not_ready = gateway.status().not_ready;
            if let [skill] = not_ready.as_slice()
                && skill.reason.contains("does not have")
            {
                return skill.id.to_string();
            }
            tools.changed(&table).await;
        }
    });
    assert_eq!(listed.await.unwrap(), "waiter");
    let name = "mcp__two__process";
    let listed = async || ask("tools/list", json!({})).await.to_string();
    assert!(!listed().await.contains(name));
    let read = json!({"name": "read_skill", "arguments": {"id": "runner"}});
    let read = ask("tools/call", read).await;
    assert!(read.to_string().contains(name), "{read}");
    assert!(listed().await.contains(name));
    let called = ask("tools/call", json!({"name": name, "arguments": {}})).await;
    let text = called["content"][0]["text"].as_str().unwrap();
    assert!(text.ends_with(" blue"), "{called}");

    project.write(
        "repertoire.toml",
        &format!(
            "{}deny = [\"process\"]\n",
            file("blue").replace("args", "tools = \"never\"\nargs")
        ),
    );
    gateway.reload(None).await.unwrap();
    assert!(!listed().await.contains(name));
    let reasons = gateway.status().not_ready;
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert_eq!(codes(&gateway), ["not-ready", "not-ready"]);
    end.send(()).unwrap();
    serving.await.unwrap().unwrap().unwrap();
    gateway.stop().await.unwrap();
}

#[cfg(feature = "http")]
#[tokio::test]
async fn every_door_has_the_same_readiness() {
    use serde_json::json;

    let dead = "[[registries.mcp-servers]]\nid = \"dead\"\ncommand = \"/none/dead\"\nstart = \"at-once\"\n";
    let project = Project::new(dead);
    project.skill("needy", "required_tools: [mcp__dead__list]\n");
    let (gateway, _registries) = project.start().await;
    let mut revision = gateway.supervisor().unwrap().revision();
    let server = || gateway.status().mcp_servers.remove(0);
    while server().last_error.is_none() {
        revision.changed().await.unwrap();
    }
    let reason = json!("needs the tool `mcp__dead__list`, and the server `dead` lists no tools");
    crate::http_client::with_server(&gateway, async |client| {
        // No session has needed the tools yet, and the server is started again and again.
        while server().restarts < 3 {
            revision.borrow_and_update();
            let page = async |path| client.get(path).await.body;
            let answer = async |path| client.get(path).await.json();
            let skills = page("/skills").await;
            let reasons = [
                answer("/api/v1/status").await["not-ready"][0]["reason"].clone(),
                answer("/api/v1/skills").await["entries"][0]["not_ready"].clone(),
                answer("/api/v1/skills/needy").await["not_ready"].clone(),
                answer("/api/v1/why/needy").await["not_ready"].clone(),
            ];
            assert_eq!(reasons, [(); 4].map(|()| reason.clone()));
            assert!(skills.contains(">not ready<") && !skills.contains(">active<"));
            let overview = page("/").await;
            for problem in [
                "the skill `needy` is not ready",
                "the MCP server `dead` does not run",
            ] {
                assert!(overview.contains(problem), "{problem}: {overview}");
            }
            assert!(page("/skills/needy").await.contains("Not ready: needs"));
            revision.changed().await.unwrap();
        }
        let listed = json!({ "name": "list_skills", "arguments": {} });
        let listed = client.call_mcp(listed).await.unwrap().to_string();
        assert!(
            listed.contains("the server `dead` lists no tools"),
            "{listed}"
        );
    })
    .await;
}
