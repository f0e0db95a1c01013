//! The MCP server.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::command::NOT_BUILT;
use crate::cases::check::{McpLine, Want};
use crate::cases::client::Client;
use crate::cases::test_env::TestEnv;
use crate::cases::verdict::Verdict;

/// The time in which the server must show a change.
const UPDATE_TIMEOUT: Duration = Duration::from_secs(2);

/// The lists of skills, with the pointers to the names in their rows.
const LISTS: [(&str, &str, &str); 3] = [
    ("skills/list", "skills", "/frontmatter/name"),
    ("resources/list", "resources", "/name"),
    ("prompts/list", "prompts", "/name"),
];

pub(super) fn mcp(line: &McpLine, env: &TestEnv) -> Verdict {
    match env.client() {
        None => Verdict::missing(NOT_BUILT),
        Some(Err(error)) => Verdict::fails("a server", error),
        Some(Ok(client)) => match line {
            McpLine::List(want) => list(want, client, env),
            McpLine::Initialize { path, value } => initialize(path, value, client),
            McpLine::NotifiedOnce { notice, within } => notified_once(notice, *within, client),
            McpLine::StdoutIsMessages => match env.new_client() {
                Some(Ok(client)) => stdout_is_messages(client, env),
                Some(Err(error)) => Verdict::fails("a server", error),
                None => Verdict::missing(NOT_BUILT),
            },
        },
    }
}

fn list(want: &Want, client: &Client, env: &TestEnv) -> Verdict {
    let deadline = Instant::now() + UPDATE_TIMEOUT;
    loop {
        let verdict =
            Verdict::all(LISTS.iter().map(
                |(method, rows, name)| match client.list(method, rows) {
                    Err(error) => Verdict::fails(format_args!("a response to {method}"), error),
                    Ok(rows) => {
                        let names: Value = rows
                            .iter()
                            .filter_map(|row| row.pointer(name))
                            .cloned()
                            .collect();
                        env.print(&names.to_string());
                        want.check(names)
                    }
                },
            ));
        // The server does not push lists, so ask again.
        if !verdict.is_failure() || Instant::now() >= deadline {
            return verdict;
        }
        client.notifications(Instant::now() + Duration::from_millis(50));
    }
}

fn initialize(path: &str, value: &Value, client: &Client) -> Verdict {
    let mut found = vec![&client.server_info];
    for key in path.split('.') {
        found = match key {
            "*" => found
                .iter()
                .filter_map(|value| value.as_object())
                .flat_map(|map| map.values())
                .collect(),
            key => found.iter().filter_map(|value| value.get(key)).collect(),
        };
    }
    let holds = !found.is_empty() && found.iter().all(|found| *found == value);
    Verdict::of(
        holds,
        format_args!("`{path}` is {value}"),
        format_args!("{}", client.server_info),
    )
}

fn notified_once(notice: &str, within: Duration, client: &Client) -> Verdict {
    let capabilities = client.server_info["capabilities"]
        .as_object()
        .into_iter()
        .flatten();
    let announced = capabilities.filter(|(_, settings)| settings["listChanged"] == true);
    let expected: Vec<_> = announced
        .map(|(list, _)| notice.replace('*', list))
        .collect();
    // A surplus notification would arrive by then, too.
    let received = client.notifications(Instant::now() + within);
    let mut sorted = (expected.clone(), received.clone());
    sorted.0.sort();
    sorted.1.sort();
    let holds = !expected.is_empty() && sorted.0 == sorted.1;
    Verdict::of(
        holds,
        format_args!("each once of {expected:?}"),
        format_args!("{received:?}"),
    )
}

/// Requests everything, then closes the connection.
fn stdout_is_messages(client: Client, env: &TestEnv) -> Verdict {
    let requested = LISTS.iter().try_for_each(|(method, rows, name)| {
        let rows = client.list(method, rows)?;
        rows.iter()
            .filter_map(|row| row.pointer(name))
            .try_for_each(|id| {
                let params = json!({"name": "read_skill", "arguments": {"id": id}});
                client.request("tools/call", params).map(drop)
            })
    });
    if let Err(error) = requested.and_then(|()| client.request("tools/list", json!({})).map(drop)) {
        return Verdict::fails("a response", error);
    }
    let ended = match client.end() {
        Ok(ended) => ended,
        Err(error) => return Verdict::fails("an exit", error),
    };
    env.print(&ended.stderr);
    if ended.stderr.contains("panicked at") {
        env.panicked(&ended.stderr);
    }
    match ended.lines.iter().find(|line| !is_message(line)) {
        Some(line) => Verdict::fails("messages of JSON-RPC", line),
        // Without a log, the check would prove nothing.
        None => Verdict::of(
            ended.succeeded && !ended.stderr.is_empty(),
            "exit 0 and a log",
            ended.stderr,
        ),
    }
}

fn is_message(line: &str) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|message| {
        let has_content = ["method", "result", "error"]
            .iter()
            .any(|key| message.get(key).is_some());
        message["jsonrpc"] == "2.0" && has_content
    })
}
