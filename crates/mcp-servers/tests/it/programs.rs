//! Servers in the shell, and what is asked of a supervisor.

use std::sync::Arc;
use std::time::Duration;

use repertoire_mcp_servers::{
    ServerState, ServerStatus, SupervisedServer, Supervisor, SupervisorOptions, ToolProvider,
};
use serde_json::{Map, Value};
use tokio::runtime::Handle;

/// A server that answers by built-in commands of the shell. `tools` is the JSON list of its tools, `more` has cases of calls.
const SERVER: &str = r#"
say() { printf '%s\n' "{\"jsonrpc\":\"2.0\",$1}"; }
result() { say "\"id\":$id,\"result\":$1"; }
text() { result "{\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]}"; }
tool() { printf '%s' "{\"name\":\"$1\",\"inputSchema\":{\"type\":\"object\"}}"; }
tools="$(tool process),$(tool more),$(tool crash),$(tool hang)"
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) result '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) result "{\"tools\":[$tools]}" ;;
    *'"name":"process"'*) text "$$" ;;
    *'"name":"more"'*) tools="$tools,$(tool added)"; text more; say '"method":"notifications/tools/list_changed"' ;;
    *'"name":"crash"'*) echo "out of paper" >&2; exit 1 ;;
  esac
done
"#;

pub(crate) fn shell(id: &str) -> SupervisedServer {
    program(id, SERVER)
}

pub(crate) fn program(id: &str, script: &str) -> SupervisedServer {
    SupervisedServer::program(id, "/bin/sh", ["-c", script])
}

/// A supervisor of `servers`, with the variables of this process.
pub(crate) async fn supervising(servers: Vec<SupervisedServer>) -> Supervisor {
    let mut options = SupervisorOptions::new("/");
    options.variables = std::env::vars_os().collect();
    let supervisor = Supervisor::new(options, Handle::current());
    supervisor.apply(servers).await;
    supervisor
}

/// Waits until the status of the only server, or the first one, fits.
pub(crate) async fn until(
    supervisor: &Supervisor,
    fits: impl Fn(&ServerStatus) -> bool,
) -> ServerStatus {
    let mut revision = supervisor.revision();
    let waiting = async {
        loop {
            revision.borrow_and_update();
            if let Some(status) = supervisor.status().into_iter().find(&fits) {
                return status;
            }
            revision.changed().await.unwrap();
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), waiting).await;
    waited.unwrap_or_else(|_| panic!("{:?}", supervisor.status()))
}

pub(crate) async fn until_state(supervisor: &Supervisor, state: ServerState) -> ServerStatus {
    until(supervisor, |status| status.state == state).await
}

/// Calls a tool without arguments, and returns the text of the answer or the error.
pub(crate) async fn call(supervisor: &Supervisor, server: &str, tool: &str) -> String {
    match supervisor.call(server, tool, Map::new()).await {
        Ok(answer) => answer["content"][0]["text"].as_str().unwrap().to_owned(),
        Err(error) => error.to_string(),
    }
}

pub(crate) fn names(supervisor: &Supervisor) -> Vec<String> {
    let tools: Arc<[_]> = supervisor.tools();
    tools.iter().map(|tool| tool.full_name()).collect()
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}
