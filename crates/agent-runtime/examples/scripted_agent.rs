//! An agent that does what the context of its ticket lists: a stand-in for a coding agent in tests.
//!
//! `context_snapshot` is a list of steps, such as `["ready", "work", "done"]`. The first argument `supervise` makes this program a
//! supervisor instead, on Linux.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::zombie_processes,
    reason = "a program for tests, whose children outlive it"
)]

use std::io::{BufRead, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use repertoire_agent_runtime::{TICKET_VARIABLE, Ticket};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        #[cfg(target_os = "linux")]
        Some(task) if task == "supervise" => match repertoire_process::supervise(&mut arguments) {
            Ok(code) => code,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::from(127)
            }
        },
        _ => {
            let mut agent = ScriptedAgent::new();
            for step in agent.steps() {
                agent.step(&step);
            }
            ExitCode::SUCCESS
        }
    }
}

struct ScriptedAgent {
    lines: std::io::Lines<std::io::StdinLock<'static>>,
    ticket: Ticket,
}

impl ScriptedAgent {
    fn new() -> Self {
        let mut lines = std::io::stdin().lock().lines();
        let ticket = match std::env::var_os(TICKET_VARIABLE) {
            Some(path) => std::fs::read_to_string(path).unwrap(),
            None => lines.next().unwrap().unwrap(),
        };
        let ticket = serde_json::from_str(&ticket).unwrap();
        Self { lines, ticket }
    }

    fn steps(&self) -> Vec<String> {
        let steps = self.ticket.context_snapshot.as_array().cloned();
        let steps = steps.unwrap_or_default().into_iter();
        steps
            .map(|step| step.as_str().unwrap_or_default().to_owned())
            .collect()
    }

    fn step(&mut self, step: &str) {
        let (name, value) = step.split_once('=').unwrap_or((step, ""));
        match name {
            "ready" => {
                self.send(&json!({ "type": "ready" }));
                self.receive();
            }
            "phase" => self.send(&json!({ "type": "phase", "phase": value, "note": "n" })),
            "tokens" => {
                let used: u64 = value.parse().unwrap();
                self.send(&json!({ "type": "tokens", "used": used }));
            }
            "file" => std::fs::write(value, "changed\n").unwrap(),
            "task" => self.record(
                "task_update",
                json!({ "status": value, "progress": 100, "summary": "done" }),
            ),
            "thought" => self.record("thought_record", self.thought()),
            "bad" => self.record("task_update", json!({})),
            "done" => {
                self.send(&json!({ "type": "done" }));
                self.receive();
            }
            "print" => println!("{value}"),
            "long" => println!("{}", "x".repeat(value.parse().unwrap())),
            "malformed" => println!(r#"{{"type":"phase","phase":7}}"#),
            "token" => println!("{}", self.ticket.token.as_ref().unwrap().as_str()),
            "stderr" => eprintln!("{value}"),
            "fork" => fork(value),
            "wait-file" => {
                while !std::path::Path::new(value).exists() {
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
            "hang" => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            "deaf" => loop {
                println!(r#"{{"type":"writeback","kind":"task_update","record":{{}}}}"#);
            },
            "ignore-term" => ignore_term(),
            "kill-parent" => signal("-KILL", std::os::unix::process::parent_id()),
            "stop-parent" => signal("-STOP", std::os::unix::process::parent_id()),
            "signal" => signal(value, std::process::id()),
            "exit" => std::process::exit(value.parse().unwrap()),
            other => panic!("unknown step `{other}`"),
        }
    }

    fn thought(&self) -> Value {
        json!({
            "task_id": self.ticket.task_id,
            "type": "reflection",
            "branch": self.ticket.branch_name,
            "commit_sha": "0123456789abcdef",
            "tests_run": ["all"],
            "blockers": [],
        })
    }

    fn record(&mut self, kind: &str, record: Value) {
        self.send(&json!({ "type": "writeback", "kind": kind, "record": record }));
        self.receive();
    }

    fn send(&self, message: &Value) {
        let mut output = std::io::stdout().lock();
        writeln!(output, "{message}").unwrap();
        output.flush().unwrap();
    }

    /// Reads one answer and repeats it, so that the host's events show it.
    fn receive(&mut self) {
        if let Some(Ok(line)) = self.lines.next() {
            println!("answer {line}");
        }
    }
}

/// Starts a process that outlives this one, in a way that `how` names. Its number is in the file `forked`.
fn fork(how: &str) {
    let sleep = "echo $$ >> forked; exec sleep 100000";
    let script = match how {
        "child" => sleep.to_owned(),
        "session" => format!("exec setsid sh -c '{sleep}'"),
        "double" => format!("(setsid sh -c '{sleep}' &) ; exit 0"),
        "naked" => format!("(exec env -i /usr/bin/setsid /bin/sh -c '{sleep}' &) ; exit 0"),
        "bomb" => format!("for i in 1 2 3 4 5 6 7 8; do (setsid sh -c '{sleep}' &); done"),
        other => panic!("unknown fork `{other}`"),
    };
    Command::new("/bin/sh")
        .args(["-c", &script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while std::fs::read_to_string("forked")
        .unwrap_or_default()
        .is_empty()
    {
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn ignore_term() {
    // The shell ignores the signal for itself and its children.
    let script = "trap '' TERM HUP INT; echo $$ >> forked; while :; do sleep 1000; done";
    Command::new("/bin/sh")
        .args(["-c", script])
        .spawn()
        .unwrap();
}

fn signal(signal: &str, process: u32) {
    let arguments = [signal.to_owned(), process.to_string()];
    let _ = Command::new("kill").args(arguments).status();
}
