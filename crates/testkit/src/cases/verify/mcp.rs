//! The MCP server, as a client sees it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::command::NOT_BUILT;
use crate::cases::check::{McpLine, Want};
use crate::cases::client::Client;
use crate::cases::verdict::Verdict;
use crate::cases::world::World;

/// How long the server may take to show what happened.
const CATCHING_UP: Duration = Duration::from_secs(2);

/// The lists of skills, and where the names in their rows stand.
const LISTS: [(&str, &str, &str); 3] = [
    ("skills/list", "skills", "/frontmatter/name"),
    ("resources/list", "resources", "/name"),
    ("prompts/list", "prompts", "/name"),
];

pub(super) fn mcp(line: &McpLine, world: &World) -> Verdict {
    match world.client() {
        None => Verdict::missing(NOT_BUILT),
        Some(Err(error)) => Verdict::fails("a server", error),
        Some(Ok(client)) => match line {
            McpLine::List(want) => list(want, client, world),
            McpLine::Initialize { path, value } => introduction(path, value, client),
            McpLine::ToldOnce { notice, within } => told_once(notice, *within, client),
            McpLine::StdoutIsMessages => match world.new_client() {
                Some(Ok(client)) => stdout_is_messages(client, world),
                Some(Err(error)) => Verdict::fails("a server", error),
                None => Verdict::missing(NOT_BUILT),
            },
        },
    }
}

fn list(want: &Want, client: &Client, world: &World) -> Verdict {
    let deadline = Instant::now() + CATCHING_UP;
    loop {
        let verdict = Verdict::all(LISTS.iter().map(|(method, rows, name)| match client.list(method, rows) {
            Err(error) => Verdict::fails(format_args!("an answer to {method}"), error),
            Ok(rows) => {
                let names: Value = rows.iter().filter_map(|row| row.pointer(name)).cloned().collect();
                world.print(&names.to_string());
                Verdict::of(want.holds(&names), format_args!("{want:?} of {method}"), names)
            }
        }));
        // Nothing comes by itself: each look is a question.
        if !verdict.is_failure() || Instant::now() >= deadline {
            return verdict;
        }
        client.notices(Instant::now() + Duration::from_millis(50));
    }
}

fn introduction(path: &str, value: &Value, client: &Client) -> Verdict {
    let mut found = vec![&client.introduction];
    for key in path.split('.') {
        found = match key {
            // What has no such key below it is not meant.
            "*" => found.iter().filter_map(|value| value.as_object()).flat_map(|map| map.values()).collect(),
            key => found.iter().filter_map(|value| value.get(key)).collect(),
        };
    }
    let holds = !found.is_empty() && found.iter().all(|found| *found == value);
    Verdict::of(holds, format_args!("`{path}` is {value}"), format_args!("{}", client.introduction))
}

fn told_once(notice: &str, within: Duration, client: &Client) -> Verdict {
    let capabilities = client.introduction["capabilities"].as_object().into_iter().flatten();
    let announced = capabilities.filter(|(_, settings)| settings["listChanged"] == true);
    let expected: Vec<_> = announced.map(|(list, _)| notice.replace('*', list)).collect();
    // One more would come by then as well.
    let told = client.notices(Instant::now() + within);
    let counts = |notice: &String| told.iter().filter(|told| *told == notice).count();
    let once = !expected.is_empty() && expected.iter().all(|notice| counts(notice) == 1);
    Verdict::of(
        once && told.len() == expected.len(),
        format_args!("each once of {expected:?}"),
        format_args!("{told:?}"),
    )
}

/// Asks for everything there is, then leaves.
fn stdout_is_messages(client: Client, world: &World) -> Verdict {
    let read = |id: &Value| client.ask("tools/call", json!({"name": "read_skill", "arguments": {"id": id}}));
    let asked = LISTS.iter().try_for_each(|(method, rows, name)| {
        let rows = client.list(method, rows)?;
        rows.iter().filter_map(|row| row.pointer(name)).try_for_each(|name| read(name).map(drop))
    });
    if let Err(error) = asked.and_then(|()| client.ask("tools/list", json!({})).map(drop)) {
        return Verdict::fails("an answer", error);
    }
    let ended = match client.end() {
        Ok(ended) => ended,
        Err(error) => return Verdict::fails("an end", error),
    };
    world.print(&ended.stderr);
    if ended.stderr.contains("panicked at") {
        world.panicked(&ended.stderr);
    }
    let is_message = |line: &&String| {
        serde_json::from_str::<Value>(line).is_ok_and(|message| {
            let is_one = ["method", "result", "error"].iter().any(|key| message.get(key).is_some());
            message["jsonrpc"] == "2.0" && is_one
        })
    };
    match ended.lines.iter().find(|line| !is_message(line)) {
        Some(line) => Verdict::fails("messages of JSON-RPC", line),
        // Where there is no log, nothing could have gone astray.
        None => Verdict::of(ended.succeeded && !ended.stderr.is_empty(), "a good end, and a log", ended.stderr),
    }
}
