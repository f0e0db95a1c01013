//! The four lists of a gateway at its doors, while files change.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;

use repertoire_cli::Exit;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::gateway::{Running, gateway};
use crate::test_env::TestEnv;

/// The registries, in the order of the lists.
const REGISTRIES: [&str; 4] = ["skills", "workflows", "agents", "mcp-servers"];

/// Sorted ids of each registry.
type Lists = [BTreeSet<String>; 4];

/// A client over HTTP, with a session.
pub(crate) struct McpClient {
    address: String,
    session: String,
    requests: u64,
}

impl McpClient {
    pub(crate) fn connect(address: &str) -> McpClient {
        let mut client = McpClient {
            address: address.to_owned(),
            session: String::new(),
            requests: 0,
        };
        let parameters = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "lists", "version": "1"},
        });
        let (head, _) = client.post("initialize", parameters);
        let id = head
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "))
            .expect("a session");
        client.session = format!("Mcp-Session-Id: {id}\r\n");
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert!(client.send(&begun).0.contains(" 202 "));
        client
    }

    /// Opens the stream of messages from the server.
    pub(crate) fn listen(&mut self) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let McpClient {
            address, session, ..
        } = self;
        write!(
            stream,
            "GET /mcp HTTP/1.1\r\nHost: {address}\r\n{session}Accept: text/event-stream\r\n\r\n"
        )
        .expect("it reads");
        let mut first = [0; 12];
        stream.read_exact(&mut first).expect("a status");
        assert_eq!(&first, b"HTTP/1.1 200");
        stream
    }

    fn request(&mut self, method: &str, parameters: Value) -> Value {
        self.requests += 1;
        json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": parameters})
    }

    /// Sends a request, and does not read the answer.
    pub(crate) fn begin(&mut self, method: &str, parameters: Value) -> TcpStream {
        let message = self.request(method, parameters);
        self.write(&message)
    }

    /// Sends a request and waits for its answer.
    #[cfg(feature = "otlp")]
    pub(crate) fn call(&mut self, method: &str, parameters: Value) {
        let (head, _) = self.post(method, parameters);
        assert!(head.contains(" 200 "), "{head}");
    }

    fn post(&mut self, method: &str, parameters: Value) -> (String, Value) {
        let message = self.request(method, parameters);
        let (head, body) = self.send(&message);
        // An answer is JSON, or an event.
        let text = body
            .lines()
            .map(|line| line.strip_prefix("data: ").unwrap_or(line))
            .find(|line| line.starts_with('{'))
            .unwrap_or_else(|| panic!("an answer: {head}\n{body}"));
        let answer: Value = serde_json::from_str(text).expect("JSON");
        (head, answer["result"].clone())
    }

    fn send(&self, message: &Value) -> (String, String) {
        let mut answer = String::new();
        let mut stream = self.write(message);
        stream.read_to_string(&mut answer).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        (head.to_ascii_lowercase(), body.to_owned())
    }

    fn write(&self, message: &Value) -> TcpStream {
        let body = message.to_string();
        let McpClient {
            address, session, ..
        } = self;
        let mut stream = TcpStream::connect(address).expect("it listens");
        write!(
            stream,
            "POST /mcp HTTP/1.0\r\nHost: {address}\r\n{session}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("it reads");
        stream
    }

    /// The lists of resources: skills by their addresses, and the resources of the other registries.
    fn lists(&mut self) -> Lists {
        let (_, listed) = self.post("resources/list", json!({}));
        let resources = listed["resources"].as_array().expect("resources");
        let uris = resources
            .iter()
            .filter_map(|resource| resource["uri"].as_str());
        let skills = uris
            .filter_map(|uri| uri.strip_prefix("skill://")?.strip_suffix("/SKILL.md"))
            .filter_map(|path| Some(path.rsplit_once('/')?.1.to_owned()));
        let skills = skills.collect();
        let mut read = |registry: &str| {
            let uri = format!("gateway://{registry}");
            let (_, read) = self.post("resources/read", json!({"uri": uri}));
            let text = read["contents"][0]["text"].as_str().expect("text");
            assert!(
                !text.contains("canary") && !text.contains("command"),
                "{text}"
            );
            entry_ids(&serde_json::from_str(text).expect("JSON"))
        };
        [
            skills,
            read("workflows"),
            read("agents"),
            read("mcp-servers"),
        ]
    }
}

fn entry_ids(list: &Value) -> BTreeSet<String> {
    ids(&list["entries"])
}

fn ids(rows: &Value) -> BTreeSet<String> {
    let rows = rows.as_array().into_iter().flatten();
    let ids = rows.filter_map(|row| row["id"].as_str());
    ids.map(str::to_owned).collect()
}

/// The lists of `repertoire gateway list`.
fn of_command(env: &TestEnv) -> Lists {
    let (exit, listed) = gateway(env, "list");
    assert_eq!(exit, Exit::Success);
    REGISTRIES.map(|registry| ids(&listed[registry]))
}

/// The lists of the routes below `/api/v1`.
fn of_routes(address: &str) -> Lists {
    REGISTRIES.map(|registry| {
        let mut stream = TcpStream::connect(address).expect("it listens");
        write!(
            stream,
            "GET /api/v1/{registry} HTTP/1.0\r\nHost: {address}\r\n\r\n"
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a head");
        entry_ids(&serde_json::from_str(body).expect("JSON"))
    })
}

/// The lists that the files define. It reads the folders, and only the ids of the last good configuration.
fn of_files(env: &TestEnv, configuration: &str) -> Lists {
    let here = env.here();
    let names = |folder: &str| {
        let entries = fs::read_dir(here.join(folder)).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names
            .map(|name| name.into_string().expect("text"))
            .collect::<Vec<_>>()
    };
    let skills = names("skills").into_iter().collect();
    let workflows = names("workflows").into_iter();
    let workflows = workflows.map(|name| format!("workflows/{name}")).collect();
    let defined = |table: &str| {
        let tables = configuration
            .split("[[")
            .filter(|text| text.starts_with(table));
        let ids = tables.filter_map(|text| text.split("id = \"").nth(1)?.split('"').next());
        ids.map(str::to_owned).collect()
    };
    [
        skills,
        workflows,
        defined("registries.agents"),
        defined("registries.mcp-servers"),
    ]
}

#[test]
fn every_door_follows_a_script_of_edits() {
    let env = TestEnv::new();
    let first = "[[registries.agents]]\nid = \"coder\"\ncommand = \"coder\"\n\n[[registries.mcp-servers]]\nid = \"db\"\ncommand = \"db\"\nenv = { KEY = \"canary\" }\n";
    let second = format!("{first}\n[[registries.agents]]\nid = \"tester\"\ncommand = \"tester\"\n");
    let third = second.replace("\"db\"", "\"files\"");
    env.file("repertoire.toml", first)
        .skill("skills", "review", "Reviews.")
        .file("workflows/build.workflow.ts", "export default {}\n");
    let mut started = Running::start(&env, &["--http", "127.0.0.1:0"]);
    let address = started.address();
    let mut client = McpClient::connect(&address);
    let mut check = |step: &str, configuration: &str| {
        let expected = of_files(&env, configuration);
        let found = [of_command(&env), of_routes(&address), client.lists()];
        for (door, lists) in ["command", "routes", "MCP"].iter().zip(found) {
            assert_eq!(lists, expected, "{step}, {door}");
        }
    };
    let reload = || {
        kill_process(started.process(), Signal::HUP).expect("it runs");
        assert_eq!(
            [started.message(), started.message()],
            ["RELOADING=1", "READY=1"]
        );
    };
    check("a start", first);

    env.file("workflows/ship.workflow.yaml", "steps: [Ship.]\n");
    reload();
    check("a workflow", first);

    env.file("repertoire.toml", &second);
    reload();
    check("an edit", &second);

    env.file("repertoire.toml", "[[registries.agents]\n");
    reload();
    check("a break", &second);

    env.file("repertoire.toml", &third);
    reload();
    check("a repair", &third);
}

#[test]
fn a_failed_write_ends_no_gateway() {
    let env = TestEnv::new();
    env.file("repertoire.toml", "");
    let mut started = Running::start(&env, &["--http", "127.0.0.1:0"]);
    let address = started.address();
    fs::create_dir(env.here().join("state/state.json.new")).expect("a fresh folder");
    env.skill("skills", "review", "Reviews.");
    kill_process(started.process(), Signal::HUP).expect("it runs");
    let messages = [started.message(), started.message()];
    assert_eq!(messages, ["RELOADING=1", "READY=1"]);
    assert_eq!(
        of_routes(&address)[0],
        BTreeSet::from(["review".to_owned()])
    );
    fs::remove_dir(env.here().join("state/state.json.new")).expect("it is there");
    assert_eq!(gateway(&env, "reload").0, Exit::Success);
    assert_eq!(of_command(&env), of_routes(&address));
    assert_eq!(gateway(&env, "stop").0, Exit::Success);
    let (code, log) = started.end();
    assert_eq!(code, Some(0));
    assert!(log.contains("error: cannot write `"), "{log}");
}
