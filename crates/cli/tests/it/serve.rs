//! `repertoire serve` and `repertoire mcp config`: the real binary, over its streams and over a port.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use repertoire::skill::Digest;
use repertoire_cli::Exit;
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use crate::render::{hidden, hiding, is_gone, until};
use crate::test_env::TestEnv;

/// Many times what any of it takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that ends with the test.
pub(crate) struct Serving(pub(crate) Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Serving {
    pub(crate) fn start(env: &TestEnv, arguments: &[&str], variables: &[(&str, &str)]) -> Serving {
        let mut command = Command::new(env!("CARGO_BIN_EXE_repertoire"));
        command.arg("serve").args(arguments).current_dir(env.here());
        command
            .env_remove("RUST_LOG")
            .env_remove("XDG_STATE_HOME")
            .env("HOME", env.here().join("../home"));
        command.envs(variables.iter().copied());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Serving(command.spawn().expect("the binary was built for this test"))
    }

    #[cfg(unix)]
    fn send(&self, signal: rustix::process::Signal) {
        let process = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(process, signal).expect("it is there");
    }

    /// The exit code, once it has ended.
    fn ended(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().expect("it is ours") {
                return status.code();
            }
            assert!(begun.elapsed() < PATIENCE, "it goes on");
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    fn stderr(&mut self) -> String {
        let mut text = String::new();
        self.0
            .stderr
            .take()
            .expect("it is piped")
            .read_to_string(&mut text)
            .expect("text");
        text
    }
}

pub(crate) fn introduction() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "somebody", "version": "1"},
        },
    })
}

#[test]
fn no_request_writes_a_line_of_the_log() {
    let env = TestEnv::new();
    env.skill("a", "tidy", "Sorts.");
    for form in ["text", "json"] {
        let mut serving = Serving::start(&env, &["a", "--log", form], &[]);
        let mut ask = serving.0.stdin.take().expect("it is piped");
        let id = "\u{1b}]0;OWNED\u{7}\n2026-01-01T00:00:00Z  INFO request{id=1}: \u{202e}FORGED\u{e0041}";
        let lines = [
            introduction(),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": {"uri": format!("x{id}")}}),
            json!({"jsonrpc": "2.0", "id": format!("{id}2"), "method": "prompts/get", "params": {"name": id}}),
        ];
        lines
            .iter()
            .for_each(|line| writeln!(ask, "{line}").expect("it reads"));
        let answers = BufReader::new(serving.0.stdout.take().expect("it is piped")).lines();
        assert_eq!(answers.take(3).filter(|answer| answer.is_ok()).count(), 3);
        drop(ask);
        serving.ended();
        let log = serving.stderr();
        assert!(log.contains("FORGED"), "{log:?}");
        for line in log.lines() {
            assert_eq!(repertoire::skill::text::terminal_line(line), line);
            assert!(!line.starts_with("2026-01-01"), "{line}");
        }
    }
}

#[test]
fn stdio_serves_until_the_client_leaves() {
    let env = TestEnv::new();
    env.skill("a", "tidy", "Sorts.")
        .file("a/broken/SKILL.md", "nothing\n");
    let mut serving = Serving::start(&env, &["a", "--name", "ours", "--expose", "tools"], &[]);
    let mut ask = serving.0.stdin.take().expect("it is piped");
    let lines = [
        introduction(),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ];
    lines
        .iter()
        .for_each(|line| writeln!(ask, "{line}").expect("heard"));
    let mut answers = BufReader::new(serving.0.stdout.take().expect("it is piped")).lines();
    let mut next = || -> Value {
        serde_json::from_str(&answers.next().expect("more").expect("text")).expect("a document")
    };
    let first = next();
    assert_eq!(first["result"]["serverInfo"]["name"], "ours");
    assert_eq!(
        first["result"]["capabilities"],
        json!({"logging": {}, "tools": {"listChanged": true}})
    );
    assert_eq!(next()["result"]["tools"].as_array().map(Vec::len), Some(4));
    drop(ask);
    assert_eq!(serving.ended(), Some(0));
    assert!(answers.next().is_none());
    // Nothing went wrong, so nothing is said.
    assert_eq!(serving.stderr(), "");
}

/// A client of a server over its streams.
#[cfg(unix)]
struct Talk {
    ask: ChildStdin,
    answers: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

#[cfg(unix)]
impl Talk {
    fn with(serving: &mut Serving) -> Talk {
        let ask = serving.0.stdin.take().expect("it is piped");
        let answers = BufReader::new(serving.0.stdout.take().expect("it is piped")).lines();
        let mut talk = Talk { ask, answers };
        talk.ask(&introduction());
        talk
    }

    fn ask(&mut self, question: &Value) -> Value {
        self.send(question);
        let answers = self
            .answers
            .by_ref()
            .map(|line| serde_json::from_str(&line.expect("text")).expect("a document"));
        let mut answer = answers.skip_while(|answer: &Value| answer["id"] != question["id"]);
        answer.next().expect("an answer")
    }

    /// The next request of this method that the server sends.
    fn request(&mut self, method: &str) -> Value {
        let mut messages = self
            .answers
            .by_ref()
            .map(|line| serde_json::from_str(&line.expect("text")).expect("a document"));
        messages
            .find(|message: &Value| message["method"] == method)
            .expect("a request")
    }

    fn send(&mut self, question: &Value) {
        writeln!(self.ask, "{question}").expect("heard");
    }

    /// Returns the body of the skill `clock`.
    fn read_clock(&mut self) -> String {
        let answer = self.ask(&reading_clock());
        answer["result"]["content"][0]["text"]
            .as_str()
            .expect("a text")
            .to_owned()
    }
}

/// Returns a request that reads the skill `clock`.
#[cfg(unix)]
fn reading_clock() -> Value {
    let read = json!({"name": "read_skill", "arguments": {"id": "clock"}});
    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": read})
}

/// Returns the body of the skill `clock`, as a client reads it.
#[cfg(unix)]
fn read_clock(env: &TestEnv, arguments: &[&str]) -> String {
    Talk::with(&mut Serving::start(env, arguments, &[])).read_clock()
}

#[cfg(unix)]
#[test]
fn only_approved_commands_of_named_sources_run() {
    let env = TestEnv::new();
    let clock = "---\nname: clock\ndescription: Tells.\n---\nNow: !`expr 3 + 3`\n";
    env.file("a/clock/SKILL.md", clock)
        .skill("b", "tidy", "Sorts.");
    let refused = |arguments: &[&str]| read_clock(&env, arguments).contains("Now: !`expr 3 + 3` [");
    let named = ["a", "b", "--run-commands", "a"];
    assert!(refused(&named), "it is not approved");
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    assert!(refused(&["a", "b"]), "its source is not named");
    assert!(
        refused(&["a", "b", "--run-commands", "b"]),
        "another source was named"
    );
    let ran = read_clock(&env, &named);
    assert!(ran.contains("Now: 6\n"), "{ran}");
    env.file("a/clock/SKILL.md", clock.replace("Now", "Then"));
    let changed = read_clock(&env, &named);
    assert!(
        changed.contains("Then: !`expr 3 + 3` ["),
        "the changed skill is not approved: {changed}"
    );
}

#[cfg(unix)]
#[test]
fn denied_content_is_refused_in_open_sessions() {
    let env = TestEnv::new();
    let clock = "---\nname: clock\ndescription: Shows the time.\n---\nIt is six.\n";
    env.file("a/clock/SKILL.md", clock)
        .file("a/clock/notes.md", "one");
    let source = "[[source]]\nkind = \"fs\"\nname = \"team\"\nroots = [\"a\"]\n";
    env.file("repertoire.toml", source);
    let denied = Digest::of(b"one");
    let denying = format!("[install]\ndenied = [\"{denied}\"]\n");
    let refused = "The skill `clock` cannot be read. Go on without it.";
    let reads = ["SKILL.md", "notes.md"].map(|file| {
        let uri = format!("skill://team/clock/{file}");
        json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": uri}})
    });
    let of_user = "../home/.config/repertoire/repertoire.toml";
    for (file, allowing, denying) in [
        ("repertoire.toml", source, format!("{source}{denying}")),
        // The folder of this one does not exist at the start.
        (of_user, "", denying),
    ] {
        let arguments = [
            "--config",
            "repertoire.toml",
            "--expose",
            "all",
            "--any-client",
        ];
        let mut serving = Serving::start(&env, &arguments, &[]);
        let mut stderr = BufReader::new(serving.0.stderr.take().expect("it is piped"));
        let mut talk = Talk::with(&mut serving);
        assert!(talk.read_clock().contains("It is six."));
        for read in &reads {
            assert!(talk.ask(read)["error"].is_null(), "{}", talk.ask(read));
        }
        env.file(file, denying);
        let mut line = String::new();
        stderr.read_line(&mut line).expect("text");
        assert_eq!(line, "note: more content is denied\n");
        assert_eq!(talk.read_clock(), refused);
        for read in &reads {
            let answer = talk.ask(read);
            assert!(answer["error"].is_object(), "{answer}");
        }
        // An invalid file allows nothing.
        env.file(file, "[install]\ndenied = [");
        while !line.ends_with("note: the denied content stays as it was\n") {
            assert_ne!(stderr.read_line(&mut line).expect("text"), 0, "{line}");
        }
        assert_eq!(talk.read_clock(), refused);
        // Less is denied after a reload.
        env.file(file, allowing);
        serving.send(rustix::process::Signal::HUP);
        while !line.ends_with("note: sources reloaded\n") {
            assert_ne!(stderr.read_line(&mut line).expect("text"), 0, "{line}");
        }
        assert!(talk.read_clock().contains("It is six."));
    }
}

#[cfg(unix)]
#[test]
fn new_content_is_restricted_in_open_sessions() {
    let env = TestEnv::new();
    let of_user = "../home/.config/repertoire/repertoire.toml";
    env.file(of_user, "[install]\nrestrict-new = true\n").skill(
        "shared",
        "clock",
        "Shows the time.",
    );
    let good = |arguments: &[&str]| {
        let ran = env.run(arguments);
        assert_eq!(ran.exit, Exit::Success, "{}", ran.stderr);
    };
    good(&["add", "./shared", "--yes"]);
    let arguments = ["--trust-project", "--expose", "all", "--any-client"];
    let mut serving = Serving::start(&env, &arguments, &[]);
    let mut talk = Talk::with(&mut serving);
    let list = json!({"jsonrpc": "2.0", "id": 3, "method": "resources/list", "params": {}});
    let mut wait_for = |about: &str, trust: &str| {
        let begun = Instant::now();
        loop {
            let answer = talk.ask(&list);
            let listed = answer["result"]["resources"].as_array().expect("a list");
            let clock = listed.iter().find(|row| row["name"] == "clock");
            let clock = clock.expect("it is installed");
            let found = &clock["_meta"]["repertoire/origin"]["trust"];
            if (&clock["description"], found) == (&json!(about), &json!(trust)) {
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "{clock}");
        }
    };
    wait_for("Shows the time.", "restricted");
    good(&["accept", "clock", "--yes"]);
    wait_for("Shows the time.", "trusted");
    env.skill("shared", "clock", "Shows all times.");
    good(&["update", "--yes"]);
    wait_for("Shows all times.", "restricted");
}

/// The sandbox of `render` is around what is run for clients too.
#[cfg(target_os = "linux")]
#[test]
fn commands_for_clients_run_in_the_sandbox() {
    let env = TestEnv::new();
    let written = env.here().join("written");
    let body = format!("Now: !`echo 6; echo x > {}`", written.display());
    env.file(
        "a/clock/SKILL.md",
        format!("---\nname: clock\ndescription: Tells.\n---\n{body}\n"),
    );
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    let render = [
        "render",
        "clock",
        "--root",
        "a",
        "--allow-commands",
        "--sandbox",
    ];
    let is_active = env.run(&render).stderr.contains("sandbox: active");
    let _ = std::fs::remove_file(&written);
    let read = read_clock(&env, &["a", "--run-commands", "a", "--sandbox=require"]);
    assert!(!written.exists());
    // Where there is no sandbox, nothing runs.
    assert_eq!(read.contains("\n6\n"), is_active, "{read}");
    let ran = read_clock(&env, &["a", "--run-commands", "a", "--sandbox=off"]);
    assert!(ran.contains("Now: 6") && written.exists(), "{ran}");
}

#[cfg(unix)]
#[test]
fn revoked_commands_do_not_run() {
    let env = TestEnv::new();
    env.file(
        "a/clock/SKILL.md",
        "---\nname: clock\ndescription: Tells.\n---\nNow: !`expr 3 + 3`\n",
    );
    env.file("a/clock/notes.md", "one");
    let mut serving = Serving::start(&env, &["a", "--run-commands", "a"], &[]);
    let mut talk = Talk::with(&mut serving);
    let refused = "Now: !`expr 3 + 3` [";
    assert!(talk.read_clock().contains(refused));
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    assert!(
        talk.read_clock().contains("Now: 6\n"),
        "no signal is needed"
    );
    env.file("a/clock/notes.md", "two");
    assert!(
        talk.read_clock().contains(refused),
        "another file of the skill changed"
    );
    env.run(&["approve", "clock", "--root", "a", "--yes"])
        .data();
    assert!(talk.read_clock().contains("Now: 6\n"));
    env.run(&["approve", "clock", "--root", "a", "--revoke"])
        .data();
    assert!(talk.read_clock().contains(refused), "it was taken back");
}

#[cfg(target_os = "linux")]
#[test]
fn commands_for_clients_leave_no_process() {
    let env = hiding("echo done");
    let read = read_clock(&env, &["a", "--run-commands", "a"]);
    assert!(read.contains("done\n"), "{read}");
    assert!(is_gone(hidden(&env)));

    // A server that is killed in the midst of it.
    let env = hiding("sleep 100000");
    let mut serving = Serving::start(&env, &["a", "--run-commands", "a"], &[]);
    let mut talk = Talk::with(&mut serving);
    talk.send(&reading_clock());
    let process = hidden(&env);
    serving.0.kill().expect("it is there");
    until(|| is_gone(process).then_some(()));
}

#[cfg(unix)]
#[test]
fn served_bodies_use_their_dialect() {
    let env = TestEnv::new();
    env.file(
        "a/clock/SKILL.md",
        "---\nname: clock\ndescription: Tells.\n---\nLook in {baseDir}/hands.\n",
    );
    let source = "[[source]]\nkind = \"fs\"\nname = \"team\"\nroots = [\"a\"]\n";
    env.file("repertoire.toml", source);
    let read = || read_clock(&env, &["--config", "repertoire.toml"]);
    assert!(read().contains("Look in {baseDir}/hands."), "{}", read());
    env.file(
        "repertoire.toml",
        format!("{source}dialect = \"openclaw\"\n"),
    );
    assert!(
        read().contains("/a/clock/hands.") && !read().contains("{baseDir}"),
        "{}",
        read()
    );
}

#[cfg(unix)]
#[test]
fn the_folder_of_a_plugin_follows_its_versions() {
    let env = TestEnv::new();
    let cached = |version: &str| {
        let file = format!("cache/acme/kit/{version}/skills/run/SKILL.md");
        env.file(
            &file,
            "---\nname: run\ndescription: Runs.\n---\nRun ${CLAUDE_PLUGIN_ROOT}/it.\n",
        );
    };
    cached("1.9.0");
    env.file(
        "repertoire.toml",
        "[[source]]\nkind = \"client-plugins\"\nname = \"claude\"\npath = \"cache\"\n",
    );
    let mut serving = Serving::start(&env, &["--config", "repertoire.toml"], &[]);
    let mut talk = Talk::with(&mut serving);
    let read = json!({"name": "read_skill", "arguments": {"id": "kit:run"}});
    let question = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": read});
    let answer = talk.ask(&question).to_string();
    assert!(answer.contains("cache/acme/kit/1.9.0/it."), "{answer}");
    cached("1.10.0");
    let begun = Instant::now();
    loop {
        let answer = talk.ask(&question).to_string();
        if answer.contains("cache/acme/kit/1.10.0/it.") {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{answer}");
        std::thread::yield_now();
    }
}

/// The dialects and the approvals are those of the places that were read last, as the sources are.
#[cfg(unix)]
#[test]
fn a_reload_takes_dialects_and_approvals_with_it() {
    let env = TestEnv::new();
    let clock = "---\nname: clock\ndescription: Tells.\n---\nIn {baseDir}/hands: !`expr 3 + 3`\n";
    env.file("a/clock/SKILL.md", clock);
    let source = "[[source]]\nkind = \"fs\"\nname = \"team\"\nroots = [\"a\"]\n";
    env.file("repertoire.toml", source);
    let mut serving = Serving::start(
        &env,
        &["--config", "repertoire.toml", "--run-commands", "team"],
        &[],
    );
    let mut stderr = BufReader::new(serving.0.stderr.take().expect("it is piped"));
    let mut talk = Talk::with(&mut serving);
    let read = talk.read_clock();
    assert!(
        read.contains("In {baseDir}/hands: !`expr 3 + 3` ["),
        "{read}"
    );

    let mut reload = |expected: &str| {
        serving.send(rustix::process::Signal::HUP);
        let mut text = String::new();
        while !text.ends_with(expected) {
            assert_ne!(stderr.read_line(&mut text).expect("text"), 0, "{text}");
        }
    };
    env.file(
        "repertoire.toml",
        format!("{source}dialect = \"openclaw\"\n"),
    );
    reload("note: sources reloaded\n");
    let read = talk.read_clock();
    assert!(
        read.contains("/a/clock/hands: ") && !read.contains("{baseDir}"),
        "{read}"
    );

    env.file("repertoire.toml", source);
    env.run(&["approve", "clock", "--config", "repertoire.toml", "--yes"])
        .data();
    reload("note: sources reloaded\n");
    let read = talk.read_clock();
    assert!(read.contains("In {baseDir}/hands: 6\n"), "{read}");

    // What cannot be composed changes nothing.
    env.file(
        "repertoire.toml",
        format!("{source}dialect = \"openclaw\"\n{source}"),
    );
    reload("note: reload failed; keeping the current sources\n");
    let read = talk.read_clock();
    assert!(read.contains("In {baseDir}/hands: 6\n"), "{read}");
}

/// A client that declares roots, answers with them, and is asked again when they change.
#[cfg(unix)]
#[test]
fn client_roots_are_project_folders() {
    for (options, expected) in [(&[][..], false), (&["--trust-project"][..], true)] {
        let env = TestEnv::new();
        env.skill("project/.agents/skills", "deploy", "Deploys.");
        let root = format!("file://{}", env.here().join("project").display());
        let mut serving = Serving::start(&env, options, &[]);
        let mut stderr = BufReader::new(serving.0.stderr.take().expect("it is piped"));
        let ask = serving.0.stdin.take().expect("it is piped");
        let answers = BufReader::new(serving.0.stdout.take().expect("it is piped")).lines();
        let mut talk = Talk { ask, answers };
        let mut hello = introduction();
        hello["params"]["capabilities"] = json!({"roots": {"listChanged": true}});
        talk.ask(&hello);
        talk.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        for (roots, is_named) in [(json!([{"uri": root}]), true), (json!([]), false)] {
            let request = talk.request("roots/list");
            talk.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": {"roots": roots}}));
            let mut text = String::new();
            while !text.ends_with("note: sources reloaded\n") {
                assert_ne!(stderr.read_line(&mut text).expect("text"), 0, "{text}");
            }
            let list = json!({"name": "list_skills", "arguments": {}});
            let listed = talk
                .ask(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": list}));
            assert_eq!(
                listed.to_string().contains("deploy"),
                expected && is_named,
                "{options:?} {listed}"
            );
            talk.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
        }
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_though_the_client_stays() {
    let env = TestEnv::new();
    env.skill("a", "tidy", "Sorts.");
    let mut serving = Serving::start(&env, &["a"], &[]);
    let mut ask = serving.0.stdin.take().expect("it is piped");
    writeln!(ask, "{}", introduction()).expect("heard");
    let mut answers = BufReader::new(serving.0.stdout.take().expect("it is piped")).lines();
    answers.next().expect("an answer").expect("text");
    serving.send(rustix::process::Signal::TERM);
    assert_eq!(serving.ended(), Some(0));
    drop(ask);
}

/// Nor what went wrong: what a client reads, and what it is refused, passes every face.
#[cfg(unix)]
#[test]
fn skill_text_is_logged_at_debug_only() {
    let env = TestEnv::new();
    let clock = "---\nname: clock\ndescription: Tells of secrets.\narguments: hour\n---\nSecret words: $hour, !`expr 3 + 3`\n";
    env.file("a/clock/SKILL.md", clock)
        .file("a/clock/notes.txt", "Secret notes.\n");
    let read = |level: &str| {
        let mut serving = Serving::start(&env, &["a"], &[("RUST_LOG", level)]);
        let mut talk = Talk::with(&mut serving);
        let file = |path: &str| json!({"uri": format!("skill://a/clock/{path}")});
        let tool = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
        let questions = [
            ("skills/list", json!({})),
            ("skills/get", file("SKILL.md")),
            ("resources/read", file("SKILL.md")),
            ("resources/read", file("notes.txt")),
            ("resources/subscribe", file("notes.txt")),
            ("prompts/list", json!({})),
            (
                "prompts/get",
                json!({"name": "clock", "arguments": {"hour": "now"}}),
            ),
            ("tools/call", tool("list_skills", json!({}))),
            ("tools/call", tool("read_skill", json!({"id": "clock"}))),
            (
                "tools/call",
                tool(
                    "read_skill_resource",
                    json!({"id": "clock", "path": "notes.txt"}),
                ),
            ),
        ];
        for (id, (method, params)) in (2..).zip(questions) {
            let answer =
                talk.ask(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
            assert!(answer.get("result").is_some(), "{method}: {answer}");
        }
        std::fs::remove_dir_all(env.here().join("a/clock")).expect("it is there");
        for (id, method, params) in [
            (20, "resources/read", file("notes.txt")),
            (21, "prompts/get", json!({"name": "clock"})),
        ] {
            talk.ask(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        }
        drop(talk);
        assert_eq!(serving.ended(), Some(0));
        env.file("a/clock/SKILL.md", clock)
            .file("a/clock/notes.txt", "Secret notes.\n");
        serving.stderr().to_ascii_lowercase()
    };
    let log = read("info");
    assert!(!log.is_empty() && !log.contains("secret"), "{log}");
}

#[cfg(unix)]
#[test]
fn http_serves_until_a_signal() {
    const TOKEN: &str = "0123456789abcdef-secret";
    let env = TestEnv::new();
    env.skill("a", "tidy", "Sorts.");
    let log = log_of_http(&env, TOKEN, &[]);
    let rows: Vec<Value> = log
        .lines()
        .map(|row| serde_json::from_str(row).expect("a document"))
        .collect();
    let refused = rows
        .iter()
        .find(|row| row["fields"]["message"] == "refused")
        .unwrap_or_else(|| panic!("{log}"));
    assert_eq!(
        (&refused["fields"]["reason"], &refused["span"]["id"]),
        (&json!("token"), &json!(0))
    );
    assert!(
        !log.contains(TOKEN) && !log.contains("Body of tidy"),
        "{log}"
    );
    // However much is asked for.
    let log = log_of_http(&env, TOKEN, &[("RUST_LOG", "trace")]);
    assert!(
        log.lines().count() > rows.len() && !log.contains(TOKEN),
        "{log}"
    );
}

/// Returns the log of a refused client and of an accepted one.
#[cfg(unix)]
fn log_of_http(env: &TestEnv, token: &str, variables: &[(&str, &str)]) -> String {
    let mut serving = Serving::start(
        env,
        &[
            "a",
            "--http",
            "127.0.0.1:0",
            "--token-env",
            "OUR_TOKEN",
            "--log",
            "json",
        ],
        &[variables, &[("OUR_TOKEN", token)]].concat(),
    );
    let mut stderr = BufReader::new(serving.0.stderr.take().expect("it is piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("text");
    let address = line
        .trim()
        .strip_prefix("note: listening on http://")
        .and_then(|url| url.strip_suffix("/mcp"));
    let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();

    let ask = |header: &str, body: &str| {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{header}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("heard");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        answer
    };
    let refused = ask("", &introduction().to_string());
    assert!(refused.starts_with("HTTP/1.1 401 "), "{refused}");
    let answer = ask(
        &format!("authorization: Bearer {token}\r\n"),
        &introduction().to_string(),
    );
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"serverInfo\""),
        "{answer}"
    );

    serving.send(rustix::process::Signal::TERM);
    assert_eq!(serving.ended(), Some(0));
    let mut log = String::new();
    stderr.read_to_string(&mut log).expect("text");
    log
}

#[test]
fn serve_fails_before_it_listens() {
    let env = TestEnv::new();
    env.skill("a", "tidy", "Sorts.").file("weak", "short\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(env.here().join("weak"), mode).expect("it is there");
    for (arguments, expected) in [
        (
            &["--http", "0.0.0.0:0"][..],
            "error: refusing to listen on 0.0.0.0:0 without a token\n",
        ),
        (
            &["--http", "127.0.0.1:0", "--token-file", "weak"],
            "error: invalid token in `weak`: the token must be at least 16",
        ),
        (
            &["--http", "127.0.0.1:0", "--token-file", "none"],
            "error: cannot read `none`: ",
        ),
        (
            &["--http", "127.0.0.1:0", "--token-env", "NOBODY"],
            "error: the variable `NOBODY` is not set\n",
        ),
        (
            &["--run-commands", "nobody"],
            "error: unknown source `nobody`\n |\n = help: available sources: `a`\n",
        ),
        (
            &["--run-commands", "registered"],
            "error: unknown source `registered`\n",
        ),
        (
            &["--http", "127.0.0.1:0", "--run-commands", "a"],
            "error: `--run-commands` with `--http` needs a token: without one any user of this machine can run them\n",
        ),
        (
            &["--sandbox"],
            "error: the following required arguments were not provided:",
        ),
        (
            &["--http", "127.0.0.1:0", "--allow-origin", "*"],
            "error: invalid value '*' for '--allow-origin <ORIGIN>': ",
        ),
        (
            &[
                "--http",
                "127.0.0.1:0",
                "--allow-origin",
                "https://a.example/",
            ],
            "error: invalid value 'https://a.example/'",
        ),
        (
            &["--expose", "tool"],
            "error: invalid value 'tool' for '--expose <FEATURES>': unknown feature `tool`",
        ),
        (
            &["--token-env", "X"],
            "error: the following required arguments were not provided:",
        ),
    ] {
        let ran = env.run(&[&["serve", "a", "--no-defaults"], arguments].concat());
        assert_eq!(
            (ran.exit, ran.stdout.as_str()),
            (Exit::Failure, ""),
            "{arguments:?}"
        );
        assert!(
            ran.stderr.starts_with(expected),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

/// A client that left before it sent anything is no reason to stay.
#[test]
fn a_server_without_a_client_ends() {
    let env = TestEnv::new();
    env.skill("a", "tidy", "Sorts.");
    for request in [
        "",
        "\n",
        "{\"jsonrpc\": \"2.0\", \"id\": 1, ",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
    ] {
        let mut serving = Serving::start(&env, &["a"], &[]);
        let mut ask = serving.0.stdin.take().expect("it is piped");
        ask.write_all(request.as_bytes()).expect("heard");
        drop(ask);
        assert_eq!(serving.ended(), Some(2), "{request}");
        assert!(
            serving
                .stderr()
                .starts_with("error: no MCP client connected"),
            "{request}"
        );
    }
}

/// The client decides the place of a body, and its author may have declared a different one.
#[test]
fn system_prompt_skills_are_reported_once() {
    let env = TestEnv::new();
    let skill = |name: &str| {
        format!("---\nname: {name}\ndescription: Is one.\nsurfaceMode: system-prompt\n---\nDo.\n")
    };
    env.file("a/first/SKILL.md", skill("first"))
        .skill("a", "tidy", "Sorts.");
    let mut serving = Serving::start(&env, &["a"], &[]);
    let mut stderr = BufReader::new(serving.0.stderr.take().expect("it is piped"));
    let mut ask = serving.0.stdin.take().expect("it is piped");
    writeln!(ask, "{}", introduction()).expect("heard");
    let mut reported = |of: &str| {
        let mut line = String::new();
        while !line.contains("surface-over-mcp") {
            line.clear();
            assert_ne!(
                stderr.read_line(&mut line).expect("text"),
                0,
                "{of} is reported"
            );
        }
        assert!(
            line.contains(&format!("`a:{of}` declares `system-prompt`")),
            "{line}"
        );
    };
    reported("first");
    // And one that comes later, while the first stays as it is.
    env.file("a/second/SKILL.md", skill("second"));
    reported("second");
    drop(ask);
    assert_eq!(serving.ended(), Some(0));
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("text");
    assert!(!rest.contains("surface-over-mcp"), "{rest}");
}

/// A user who can read the token is a client, and a user who can write it chooses it.
#[cfg(unix)]
#[test]
fn open_token_files_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    env.skill("a", "tidy", "Sorts.")
        .file("token", "0123456789abcdef\n");
    let file = env.here().join("token");
    let mode = |mode| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("it is ours")
    };
    let first = || {
        let mut serving = Serving::start(
            &env,
            &["a", "--http", "127.0.0.1:0", "--token-file", "token"],
            &[],
        );
        let mut line = String::new();
        BufReader::new(serving.0.stderr.take().expect("it is piped"))
            .read_line(&mut line)
            .expect("text");
        line
    };
    mode(0o600);
    assert!(first().starts_with("note: listening on "), "{}", first());
    mode(0o644);
    assert_eq!(
        first(),
        "warning: every user of this machine can read `token`: run `chmod 600` on it\n"
    );
    mode(0o666);
    assert_eq!(
        first(),
        "error: every user of this machine can write to `token`\n"
    );
    mode(0o600);
    // Only root can give a file to another user.
    if std::os::unix::fs::chown(&file, Some(12345), None).is_err() {
        return;
    }
    let foreign = "error: `token` belongs to another user (12345)\n";
    assert_eq!(first(), foreign);
    std::fs::rename(&file, env.here().join("theirs")).expect("a fresh name");
    env.link("theirs", "token");
    assert_eq!(first(), foreign);
    std::os::unix::fs::chown(env.here().join("theirs"), Some(0), None).expect("this user is root");
    assert!(first().starts_with("note: listening on "), "{}", first());
    std::os::unix::fs::lchown(&file, Some(12345), None).expect("this user is root");
    assert_eq!(first(), foreign);
}
