//! `repertoire gateway`: the real binary, its signals, its folder and its messages to systemd.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixDatagram;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use repertoire_agents::{AgentStore, SqliteAgentStore};
use repertoire_cli::Exit;
use serde_json::{Value, json};

use crate::gateway_lists::McpClient;
use crate::test_env::{TestEnv, checkout};

/// Many times what any of it takes.
const PATIENCE: Duration = Duration::from_secs(60);

const FILE: &str = "[[registries.agents]]\nid = \"coder\"\ncommand = \"coder\"\n\n[[registries.mcp-servers]]\nid = \"db\"\ncommand = \"db\"\nenv = { KEY = \"canary\" }\n";

/// A gateway of the real binary, and the socket that it notifies.
pub(crate) struct Running {
    child: Child,
    socket: UnixDatagram,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    pub(crate) fn start(env: &TestEnv, arguments: &[&str]) -> Running {
        Running::start_with(env, arguments, &[])
    }

    /// Starts a gateway with more variables in its environment.
    pub(crate) fn start_with(
        env: &TestEnv,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Running {
        let path = env.here().join("notify");
        // One of a gateway that was killed may be there.
        let _ = std::fs::remove_file(&path);
        let socket = UnixDatagram::bind(&path).expect("a fresh path");
        socket
            .set_read_timeout(Some(PATIENCE))
            .expect("it is not zero");
        let mut command = env.command(&["gateway", "start", "--state-dir", "state"]);
        command.args(arguments).env("NOTIFY_SOCKET", &path);
        command.envs(variables.iter().copied());
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().expect("the binary was built for this test");
        let running = Running { child, socket };
        assert_eq!(running.message(), "READY=1");
        running
    }

    pub(crate) fn process(&self) -> rustix::process::Pid {
        rustix::process::Pid::from_child(&self.child)
    }

    /// The address of the HTTP server, which is the first line of the log.
    pub(crate) fn address(&mut self) -> String {
        let stderr = self.child.stderr.as_mut().expect("it is piped");
        let mut line = String::new();
        BufReader::new(stderr).read_line(&mut line).expect("text");
        let address = line
            .strip_prefix("note: listening on http://")
            .and_then(|rest| rest.strip_suffix("/mcp\n"));
        address.expect("the first line is the address").to_owned()
    }

    /// The next message to systemd, without the time.
    pub(crate) fn message(&self) -> String {
        let mut bytes = [0; 1024];
        let length = self.socket.recv(&mut bytes).expect("it is sent soon");
        let text = String::from_utf8_lossy(&bytes[..length]);
        text.lines().next().unwrap_or_default().to_owned()
    }

    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().expect("it is ours");
        let mut text = String::new();
        let mut stderr = self.child.stderr.take().expect("it is piped");
        stderr.read_to_string(&mut text).expect("text");
        (status.code(), text)
    }
}

pub(crate) fn gateway(env: &TestEnv, action: &str) -> (Exit, Value) {
    let ran = env.run(&["gateway", action, "--state-dir", "state", "--json"]);
    let mut document: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    if let Some(document) = document.as_object_mut() {
        for key in ["schema", "command", "process", "address"] {
            document.remove(key);
        }
        let servers = document
            .get_mut("mcp_servers")
            .and_then(Value::as_array_mut);
        for server in servers.into_iter().flatten() {
            server
                .as_object_mut()
                .and_then(|server| server.remove("since"));
        }
    }
    (ran.exit, document)
}

fn running(agents: usize, reloads: usize) -> Value {
    json!({
        "running": true,
        "state": "running",
        "registries": {"skills": 1, "workflows": 1, "agents": agents, "mcp-servers": 1},
        "mcp_servers": [{"id": "db", "state": "stopped", "restarts": 0}],
        "reloads": reloads,
    })
}

fn project() -> TestEnv {
    let env = TestEnv::new();
    let skill =
        "---\nname: review\ndescription: Reviews.\nallowedWorkflows: [ship]\n---\nReview.\n";
    env.file("repertoire.toml", FILE)
        .file("skills/review/SKILL.md", skill)
        .file("workflows/build.workflow.ts", "export default {}\n");
    env
}

#[test]
fn a_gateway_reloads_keeps_and_stops() {
    let env = project();
    let stopped = json!({"running": false, "reloads": 0});
    assert_eq!(gateway(&env, "status"), (Exit::Problems, stopped.clone()));
    let started = Running::start(&env, &[]);
    assert_eq!(gateway(&env, "status"), (Exit::Success, running(1, 0)));

    let second = "[[registries.agents]]\nid = \"tester\"\ncommand = \"tester\"\n";
    env.file("repertoire.toml", format!("{FILE}{second}"));
    assert_eq!(gateway(&env, "reload"), (Exit::Success, running(2, 1)));
    assert_eq!(
        [started.message(), started.message()],
        ["RELOADING=1", "READY=1"]
    );

    env.file("repertoire.toml", "[gateway\n");
    let (exit, mut kept) = gateway(&env, "reload");
    let error = kept
        .as_object_mut()
        .and_then(|kept| kept.remove("reload_error"))
        .expect("the error is shown");
    assert!(
        error
            .as_str()
            .is_some_and(|error| error.starts_with("repertoire.toml:1:"))
    );
    assert_eq!((exit, kept), (Exit::Problems, running(2, 1)));
    assert_eq!(
        [started.message(), started.message()],
        ["RELOADING=1", "READY=1"]
    );

    env.file(
        "repertoire.toml",
        format!("[gateway]\ndrain-ms = 5000\n{FILE}"),
    );
    assert_eq!(gateway(&env, "reload"), (Exit::Success, running(1, 2)));
    assert_eq!(gateway(&env, "stop"), (Exit::Success, stopped));
    let messages = [started.message(), started.message(), started.message()];
    assert_eq!(messages, ["RELOADING=1", "READY=1", "STOPPING=1"]);
    let (code, log) = started.end();
    assert_eq!(code, Some(0));
    assert!(
        log.contains("note: reload failed; everything stays as it was"),
        "{log}"
    );
    assert!(
        log.contains("note: a changed `[gateway]` applies at the next start"),
        "{log}"
    );
    assert!(log.contains("warning[unknown-workflow]"), "{log}");
    assert!(!log.contains("canary"), "{log}");
}

#[test]
fn two_gateways_share_no_folder() {
    let env = project();
    let started = Running::start(&env, &[]);
    let second = env.run(&["gateway", "start", "--state-dir", "state"]);
    let message = "error: another gateway uses `[WORLD]/here/state`";
    assert!(second.failure().starts_with(message));
    drop(started);
    let (exit, status) = gateway(&env, "status");
    assert_eq!((exit, &status["running"]), (Exit::Problems, &json!(false)));
    // The lock of a killed process does not stay.
    let next = Running::start(&env, &[]);
    assert_eq!(gateway(&env, "status"), (Exit::Success, running(1, 0)));
    drop(next);
}

#[test]
fn a_gateway_pauses_and_resumes() {
    let env = project();
    let mut started = Running::start(&env, &["--http", "127.0.0.1:0"]);
    let address = started.address();
    let is_ready = || {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        write!(stream, "GET /readyz HTTP/1.0\r\nHost: {address}\r\n\r\n").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        answer.starts_with("HTTP/1.0 200")
    };
    let mut paused = running(1, 0);
    paused["state"] = json!("paused");
    assert!(is_ready());
    // A second pause changes nothing.
    for _ in 0..2 {
        assert_eq!(gateway(&env, "pause"), (Exit::Success, paused.clone()));
        assert!(!is_ready());
    }
    paused["reloads"] = json!(1);
    assert_eq!(gateway(&env, "reload"), (Exit::Success, paused));
    assert_eq!(gateway(&env, "resume"), (Exit::Success, running(1, 1)));
    assert!(is_ready());
    assert_eq!(gateway(&env, "stop").0, Exit::Success);
    let (code, log) = started.end();
    assert_eq!(code, Some(0));
    let notes = ["note: paused\n", "note: the pause has ended\n"];
    assert_eq!(notes.map(|note| log.matches(note).count()), [1, 1], "{log}");
}

#[test]
fn a_watched_change_reaches_the_status() {
    let env = project();
    let started = Running::start(&env, &[]);
    env.file("workflows/ship.workflow.ts", "export default {}\n");
    let mut expected = running(1, 0);
    expected["registries"]["workflows"] = json!(2);
    let begun = std::time::Instant::now();
    while gateway(&env, "status").1 != expected {
        assert!(begun.elapsed() < PATIENCE, "{:?}", gateway(&env, "status"));
        std::thread::yield_now();
    }
    let listed = env.run(&["gateway", "list", "workflows", "--state-dir", "state"]);
    assert_eq!(
        listed.stdout,
        "registry   id                           description\nworkflows  workflows/build.workflow.ts\nworkflows  workflows/ship.workflow.ts\n"
    );
    drop(started);
    let stopped = env.run(&["gateway", "list", "--state-dir", "state"]);
    assert_eq!(
        (stopped.exit, stopped.stdout.as_str()),
        (Exit::Problems, "")
    );
}

#[test]
fn denied_content_is_refused_in_open_sessions() {
    let env = project();
    env.skill("skills", "tidy", "Sorts.");
    let mut started = Running::start(&env, &["--http", "127.0.0.1:0"]);
    let mut client = McpClient::connect(&started.address());
    let mut read = || {
        let call = json!({"name": "read_skill", "arguments": {"id": "tidy"}});
        let mut answer = String::new();
        let mut stream = client.begin("tools/call", call);
        stream.read_to_string(&mut answer).expect("text");
        answer
    };
    let mut read_until = |expected: &str| {
        let begun = std::time::Instant::now();
        loop {
            let answer = read();
            if answer.contains(expected) {
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "{answer}");
            std::thread::yield_now();
        }
    };
    let skill = std::fs::read(env.here().join("skills/tidy/SKILL.md")).expect("a skill");
    let denied = repertoire::skill::Digest::of(&skill);
    let denying = format!("[install]\ndenied = [\"{denied}\"]\n");
    let of_user = "../home/.config/repertoire/repertoire.toml";
    for (file, allowing, denying) in [
        ("repertoire.toml", FILE, format!("{FILE}\n{denying}")),
        (of_user, "", denying),
    ] {
        read_until("Body of tidy.");
        env.file(file, denying);
        read_until("The skill `tidy` cannot be read.");
        gateway(&env, "reload");
        read_until("The skill `tidy` cannot be read.");
        env.file(file, allowing);
        gateway(&env, "reload");
    }
    read_until("Body of tidy.");
}

#[test]
fn a_stop_closes_open_streams() {
    let env = project();
    env.file(
        "repertoire.toml",
        format!("[gateway]\ndrain-ms = 1\n{FILE}"),
    );
    let mut started = Running::start(&env, &["--http", "127.0.0.1:0"]);
    let mut client = McpClient::connect(&started.address());
    let mut stream = client.listen();
    assert_eq!(gateway(&env, "stop").0, Exit::Success);
    let mut rest = String::new();
    stream
        .read_to_string(&mut rest)
        .expect("the end of the stream");
    assert_eq!(started.end().0, Some(0));
}

#[test]
fn the_store_of_agents_has_the_audit_log() {
    let env = project();
    let file = format!("[gateway.agents]\nstore = \"own.db\"\n{FILE}");
    env.file("repertoire.toml", file);
    let started = Running::start(&env, &[]);
    for action in ["reload", "stop"] {
        assert_eq!(gateway(&env, action).0, Exit::Success, "{action}");
    }
    assert_eq!(started.end().0, Some(0));
    let (exit, log) = gateway(&env, "audit");
    let rows = log["rows"].as_array().expect("it has rows").iter();
    let events: Vec<_> = rows.map(|row| row["event"].clone()).collect();
    assert_eq!((exit, &log["is_intact"]), (Exit::Success, &json!(true)));
    assert_eq!(events, ["started", "reloaded", "stopped"]);
    let store = SqliteAgentStore::open(env.here().join("own.db")).expect("it is there");
    assert_eq!(store.audit("gateway").expect("it is readable").len(), 3);
    assert!(!env.here().join("state/audit.jsonl").exists());
}

#[test]
fn http_shows_the_registries() {
    let env = project();
    let mut started = Running::start(&env, &["--http", "127.0.0.1:0"]);
    let address = started.address();
    for (path, expected) in [
        ("/api/v1/agents", "\"id\":\"coder\""),
        ("/api/v1/mcp-servers", "\"env\":[\"KEY\"]"),
        (
            "/api/v1/workflows",
            "\"id\":\"workflows/build.workflow.ts\"",
        ),
        ("/api/v1/skills", "\"id\":\"review\""),
        ("/readyz", "ready"),
    ] {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        assert!(answer.contains(expected), "{path}: {answer}");
        assert!(!answer.contains("canary"), "{path}: {answer}");
    }
}

/// The status of the answer to a request for the status, and its body.
fn status(mut stream: impl Read + Write, token: &str) -> (String, String) {
    let token = match token {
        "" => String::new(),
        token => format!("Authorization: Bearer {token}\r\n"),
    };
    let request = format!(
        "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{token}\r\n"
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    (
        head.split(' ').nth(1).unwrap_or_default().to_owned(),
        body.to_owned(),
    )
}

#[test]
fn tokens_are_issued_and_revoked() {
    let env = project();
    let mut started = Running::start(&env, &["--http", "127.0.0.1:0"]);
    let address = started.address();
    let answer = |token: &str| status(TcpStream::connect(&address).expect("it listens"), token).0;
    assert_eq!(answer(""), "200");
    let token = |arguments: &[&str]| {
        let arguments = [
            &["gateway", "token"],
            arguments,
            &["--state-dir", "state", "--json"],
        ];
        serde_json::from_str::<Value>(&env.run(&arguments.concat()).data()).expect("JSON")
    };
    let issued = token(&["issue", "monitor", "--scope", "read"]);
    let text = issued["token"].as_str().expect("its text");
    assert_eq!((answer("").as_str(), answer(text).as_str()), ("401", "200"));
    let row =
        json!([{ "name": "monitor", "scope": "read", "expires_at": null, "is_expired": false }]);
    assert_eq!(token(&["list"])["tokens"], row);
    token(&["issue", "old", "--scope", "operate", "--expires", "0s"]);
    let listed = env.run(&["gateway", "token", "list", "--state-dir", "state"]);
    assert_eq!(
        listed.stdout,
        "token    scope    expires\nmonitor  read     never\nold      operate  expired\n"
    );
    token(&["revoke", "monitor"]);
    assert_eq!((answer("").as_str(), answer(text).as_str()), ("401", "401"));
    let arguments = [
        "gateway",
        "token",
        "revoke",
        "monitor",
        "--state-dir",
        "state",
    ];
    let failure = env.run(&arguments).failure();
    assert!(
        failure.starts_with("error: there is no token `monitor`"),
        "{failure}"
    );
}

#[test]
fn the_socket_is_for_the_operator() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixStream;

    let env = project();
    let started = Running::start(&env, &[]);
    let path = env.here().join("state/gateway.sock");
    let facts = std::fs::metadata(&path).expect("it is there");
    assert_eq!(facts.permissions().mode() & 0o777, 0o600);
    let stream = UnixStream::connect(&path).expect("it listens");
    let (code, body) = status(stream, "");
    let body: Value = serde_json::from_str(&body).expect("JSON");
    assert_eq!((code.as_str(), &body["state"]), ("200", &json!("running")));
    assert_eq!(gateway(&env, "stop").0, Exit::Success);
    assert_eq!((started.end().0, path.exists()), (Some(0), false));
}

#[test]
fn options_without_effect_are_refused() {
    let env = project();
    for (arguments, message) in [
        (
            &["gateway", "start", "--root", "skills"][..],
            "error: `--root` has no effect on `gateway`",
        ),
        (
            &["gateway", "start", "--json"],
            "error: `--format` has no effect on `gateway start`",
        ),
        (
            &["gateway", "reload", "--state-dir", "none"],
            "error: no gateway uses `[WORLD]/here/none`",
        ),
        (
            &[
                "gateway",
                "start",
                "--config",
                "none.toml",
                "--state-dir",
                "none",
            ],
            "error: cannot read `none.toml`",
        ),
    ] {
        let failure = env.run(arguments).failure();
        assert!(failure.starts_with(message), "{failure}");
    }
}

#[test]
fn the_unit_is_valid() {
    let unit = checkout("packaging/repertoire-gateway.service");
    let verified = Command::new("systemd-analyze")
        .args(["--user", "verify"])
        .arg(&unit)
        .output();
    let text = std::fs::read_to_string(&unit).expect("the unit is in the checkout");
    assert!(text.contains("Type=notify-reload"), "{text}");
    // Not every machine has systemd.
    if let Ok(output) = verified {
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("repertoire-gateway.service:"), "{stderr}");
    }
}

/// A server at once that starts a process in a session of its own.
const LEAVER: &str = r#"
setsid sleep 600 >/dev/null 2>&1 </dev/null &
echo $! > left
answer() { id=${line#*\"id\":}; id=${id%%[,\}]*}; printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$1}"; }
while read -r line; do
  case $line in
    *'"initialize"'*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"tools/list"'*) answer '{"tools":[{"name":"wait","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) echo called > called ;;
  esac
done
"#;

const LEAVER_FILE: &str = "[[registries.mcp-servers]]\nid = \"leaver\"\ncommand = \"/bin/sh\"\nargs = [\"leaver.sh\"]\nstart = \"at-once\"\ntools = \"always\"\n";

/// Waits until `is_so` is true.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn the_status_shows_that_it_drains() {
    let env = TestEnv::new();
    let file = format!("[gateway]\ndrain-ms = 600000\n{LEAVER_FILE}");
    env.file("repertoire.toml", file)
        .file(
            "skills/review/SKILL.md",
            "---\nname: review\ndescription: Reviews.\n---\n",
        )
        .file("leaver.sh", LEAVER);
    let mut started = Running::start(&env, &["--http", "127.0.0.1:0"]);
    let address = started.address();
    until("the tool is listed", || {
        gateway(&env, "status").1["mcp_servers"][0]["tools"] == 1
    });
    let call = json!({"name": "mcp__leaver__wait", "arguments": {}});
    let _answer = McpClient::connect(&address).begin("tools/call", call);
    until("the tool is called", || env.here().join("called").exists());
    rustix::process::kill_process(started.process(), rustix::process::Signal::TERM)
        .expect("it runs");
    until("it drains", || {
        gateway(&env, "status").1["state"] == "stopping"
    });
    let left = std::fs::read_to_string(env.here().join("left")).expect("the server wrote it");
    drop(started);
    let left = left
        .trim()
        .parse()
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    // Its supervisor may have ended it.
    left.map(|left| rustix::process::kill_process(left, rustix::process::Signal::KILL));
}

#[test]
fn a_stop_ends_what_servers_started() {
    let env = TestEnv::new();
    env.file("repertoire.toml", LEAVER_FILE)
        .file("leaver.sh", LEAVER);
    let started = Running::start(&env, &[]);
    let begun = std::time::Instant::now();
    let server = loop {
        let (_, status) = gateway(&env, "status");
        if status["mcp_servers"][0]["state"] == "running" {
            break status["mcp_servers"][0].clone();
        }
        assert!(begun.elapsed() < PATIENCE, "{status}");
    };
    let expected = json!({"id": "leaver", "state": "running", "tools": 1, "restarts": 0});
    assert_eq!(server, expected);
    let text = env
        .run(&["gateway", "status", "--state-dir", "state"])
        .stdout;
    assert!(text.contains("  leaver: running, 1 tool\n"), "{text}");
    let left = std::fs::read_to_string(env.here().join("left")).expect("the server wrote it");
    let left: i32 = left.trim().parse().expect("a process id");
    let left = rustix::process::Pid::from_raw(left).expect("not zero");
    rustix::process::test_kill_process(left).expect("it runs");
    assert_eq!(gateway(&env, "stop").0, Exit::Success);
    started.end();
    rustix::process::test_kill_process(left).expect_err("it was ended");
}
