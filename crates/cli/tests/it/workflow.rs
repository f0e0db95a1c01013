//! `repertoire workflow`, with a scripted MCP server that notes each call before it answers.

use std::fs;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use repertoire_cli::Exit;
use serde_json::{Value, json};

use crate::live_status::TerminalRun;
use crate::test_env::{Ran, TestEnv};

/// Many times what any of it takes.
const PATIENCE: Duration = Duration::from_secs(60);

const SERVER: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  tool() { printf '{"name":"%s","inputSchema":{"type":"object"}}' "$1"; }
  case "$line" in
    *'"method":"initialize"'*)
      answer '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"log","version":"1"}}' ;;
    *'"method":"tools/list"'*)
      answer "{\"tools\":[$(tool one),$(tool two),$(tool three)]}" ;;
    *'"method":"tools/call"'*)
      name=$(printf '%s' "$line" | sed -n 's/.*"name":"\([a-z]*\)".*/\1/p')
      echo "$name" >> calls
      echo "$name" > events
      # A held call is never answered, and the server ends with its client.
      [ "$(cat held)" = "$name" ] || answer '{"content":[{"type":"text","text":"fine"}]}' ;;
  esac
done
"#;

const WORKFLOW: &str = "\
description: Does three things.
arguments: [version]
steps:
  - {id: first, step: The first., tool: mcp__log__one, params: {version: $version}}
  - {step: The second., tool: mcp__log__two}
  - {step: The third., tool: mcp__log__three}
verification:
  - {kind: file-exists, path: calls}
  - It looks good.
";

const GRANTED: &str = "mcp__log__*";

/// A project with the server, and the calls that it notes.
struct Project {
    env: TestEnv,
    events: Receiver<String>,
}

impl Project {
    fn new() -> Project {
        let env = TestEnv::new();
        let here = env.here();
        let server = format!(
            "[[registries.mcp-servers]]\nid = \"log\"\ncommand = \"/bin/sh\"\nargs = [\"server.sh\"]\ndirectory = {}\ndeny = [\"drop_*\"]\n",
            json!(here)
        );
        env.file("repertoire.toml", server)
            .file("server.sh", SERVER)
            .file("held", "")
            .file("workflows/things.workflow.yaml", WORKFLOW)
            .file("workflows/manual.workflow.yaml", "steps: [Look., Leap.]\n");
        let made = std::process::Command::new("mkfifo")
            .arg(here.join("events"))
            .status();
        assert!(made.expect("mkfifo is there").success());
        // Open for writing too, so that it has no end.
        let pipe = fs::File::options()
            .read(true)
            .write(true)
            .open(here.join("events"))
            .expect("a fresh pipe");
        let (sender, events) = channel();
        std::thread::spawn(move || {
            use std::io::BufRead;
            for line in std::io::BufReader::new(pipe).lines() {
                if sender.send(line.expect("text")).is_err() {
                    return;
                }
            }
        });
        Project { env, events }
    }

    fn hold(&self, tool: &str) {
        self.env.file("held", tool);
    }

    /// Waits until the server notes a call of this tool.
    #[track_caller]
    fn wait_for(&self, tool: &str) {
        loop {
            let call = self.events.recv_timeout(PATIENCE);
            if call.expect("the server is called") == tool {
                return;
            }
        }
    }

    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.env.here().join("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self
            .env
            .command(&["workflow", "run", "--state-dir", "state"]);
        command.args(arguments).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("the binary was built for this test")
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let run = ["workflow", "run", "--state-dir", "state"];
        self.env.run(&[&run, arguments].concat())
    }

    /// Returns the exit, the status of the run, and the state of each step.
    #[track_caller]
    fn states(&self, arguments: &[&str]) -> (Exit, String, Vec<String>) {
        let ran = self.run(&[arguments, &["--json"]].concat());
        let document: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
        let steps = document["steps"].as_array().expect("it has steps");
        let states = steps
            .iter()
            .map(|step| step["state"].as_str().unwrap_or_default().to_owned());
        let status = document["status"].as_str().unwrap_or_default().to_owned();
        (ran.exit, status, states.collect())
    }
}

fn done() -> (Exit, String, Vec<String>) {
    let states = ["done", "done", "done", "done", "unjudged"];
    (
        Exit::Success,
        "done".to_owned(),
        states.map(str::to_owned).to_vec(),
    )
}

#[test]
fn a_plan_has_steps_arguments_and_checks() {
    let project = Project::new();
    let plan = |format: &[&str]| {
        let ran = project
            .env
            .run(&[&["workflow", "plan", "things", "1.2"], format].concat());
        ran.data()
    };
    assert_eq!(
        plan(&[]),
        " 1  The first. [mcp__log__one]\n    {\"version\":\"1.2\"}\n 2  The second. [mcp__log__two]\n 3  The third. [mcp__log__three]\n 4  check: file-exists\n 5  check: It looks good.\n"
    );
    let document: Value = serde_json::from_str(&plan(&["--json"])).expect("JSON");
    assert_eq!(
        document["steps"][0],
        json!({"number": 1, "id": "first", "text": "The first.", "check": false, "tool": "mcp__log__one", "arguments": {"version": "1.2"}})
    );
    assert!(project.calls().is_empty());
}

#[test]
fn granted_steps_run_in_order() {
    let project = Project::new();
    assert_eq!(project.states(&["things", "1.2", "--yes", GRANTED]), done());
    assert_eq!(project.calls(), ["one", "two", "three"]);
}

#[test]
fn without_a_person_nothing_unapproved_begins() {
    let project = Project::new();
    let failure = project
        .run(&["things", "1.2", "--yes", "mcp__log__one"])
        .failure();
    assert_eq!(
        failure,
        "error: step 2 calls `mcp__log__two` without approval\n |\n = help: run it on a terminal, or pass `--yes mcp__log__two`\n"
    );
    assert!(project.calls().is_empty());
}

#[test]
fn a_person_approves_each_step() {
    let project = Project::new();
    let run = ["workflow", "run", "--state-dir", "state", "things", "1.2"];
    let ran = project.env.run_answering("y\nn\n", &run);
    assert_eq!(ran.exit, Exit::Problems);
    assert!(
        ran.stderr.contains(
            "step 1: The first.\n  calls mcp__log__one {\"version\":\"1.2\"}\nRun this step? [y/N] "
        ),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .ends_with("note: continue with `repertoire workflow run --resume things-1`\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(project.calls(), ["one"]);
    assert_eq!(
        project.states(&["--resume", "things-1", "--yes", GRANTED]),
        done()
    );
    assert_eq!(project.calls(), ["one", "two", "three"]);
}

#[test]
fn steps_without_tools_wait_for_a_person() {
    let project = Project::new();
    let (exit, status, states) = project.states(&["manual"]);
    assert_eq!(
        (exit, status.as_str(), states),
        (
            Exit::Problems,
            "open",
            vec!["pending".to_owned(), "pending".to_owned()]
        )
    );
    for (step, exit) in [("1", Exit::Problems), ("2", Exit::Success)] {
        let ran = project.run(&["--resume", "manual-1", "--done", step]);
        assert_eq!(ran.exit, exit, "{}", ran.stderr);
    }
}

#[test]
fn a_killed_call_is_never_repeated_by_itself() {
    for (at, tool) in ["one", "two", "three"].into_iter().enumerate() {
        let project = Project::new();
        let before = &["one", "two", "three"][..=at];
        project.hold(tool);
        let mut child = project.spawn(&["things", "1.2", "--yes", GRANTED]);
        project.wait_for(tool);
        child.kill().expect("it runs");
        child.wait().expect("it is ours");
        project.hold("");
        assert_eq!(project.calls(), before);

        let resume = ["--resume", "things-1", "--yes", GRANTED];
        let (exit, status, states) = project.states(&resume);
        assert_eq!(
            (exit, status.as_str(), states[at].as_str()),
            (Exit::Problems, "open", "uncertain")
        );
        assert_eq!(project.calls(), before);
        let number = (at + 1).to_string();
        let confirmed = project.states(&[&resume[..], &["--done", &number]].concat());
        assert_eq!(confirmed, done());
        assert_eq!(project.calls(), ["one", "two", "three"]);
    }
}

#[test]
fn a_retried_call_is_made_again() {
    let project = Project::new();
    project.hold("one");
    let mut child = project.spawn(&["things", "1.2", "--yes", GRANTED]);
    project.wait_for("one");
    child.kill().expect("it runs");
    child.wait().expect("it is ours");
    project.hold("");
    let retried = project.states(&["--resume", "things-1", "--yes", GRANTED, "--retry", "first"]);
    assert_eq!(retried, done());
    assert_eq!(project.calls(), ["one", "one", "two", "three"]);
}

#[test]
fn a_run_killed_between_steps_goes_on() {
    let tools = ["one", "two", "three"];
    for at in 0..tools.len() {
        let project = Project::new();
        let granted = tools[..at].iter();
        let granted = granted.flat_map(|tool| ["--yes".to_owned(), format!("mcp__log__{tool}")]);
        let mut arguments: Vec<String> = ["workflow", "run", "--state-dir", "state"]
            .map(str::to_owned)
            .to_vec();
        arguments.extend(["things".to_owned(), "1.2".to_owned()]);
        arguments.extend(granted);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut run = TerminalRun::start(&project.env, &arguments);
        // The step before is stored, and this one has not begun.
        run.wait_for("Run this step?");
        run.kill();
        assert_eq!(project.calls(), &tools[..at]);
        assert_eq!(
            project.states(&["--resume", "things-1", "--yes", GRANTED]),
            done()
        );
        assert_eq!(project.calls(), tools);
    }
}

#[test]
fn approvals_and_calls_are_in_the_audit_log() {
    let project = Project::new();
    project.env.file(
        "workflows/things.workflow.yaml",
        "steps:\n  - {step: One., tool: mcp__log__one, params: {token: canary}}\n",
    );
    let ran = project.run(&["things", "--yes", GRANTED]);
    assert_eq!(ran.exit, Exit::Success, "{}", ran.stderr);
    let audit = ["gateway", "audit", "--state-dir", "state", "--since", "1h"];
    let text = project.env.run(&audit).data();
    assert!(!text.contains("canary"), "{text}");
    let ran = project.env.run(&[&audit[..], &["--json"]].concat());
    let document: Value = serde_json::from_str(&ran.data()).expect("JSON");
    let rows = document["rows"].as_array().expect("it has rows").iter();
    let rows: Vec<Value> = rows
        .map(|row| {
            let mut row = row.as_object().expect("a row is an object").clone();
            for key in ["at", "process", "previous", "ms"] {
                row.remove(key);
            }
            row.into()
        })
        .collect();
    let workflow = "workflows/things.workflow.yaml";
    assert_eq!(
        rows,
        [
            json!({"event": "started", "run": "things-1", "workflow": workflow}),
            json!({"event": "approved", "run": "things-1", "step": 1, "tool": "mcp__log__one", "by": "--yes mcp__log__*"}),
            json!({"event": "called", "run": "things-1", "step": 1, "server": "log", "tool": "one", "outcome": "done"}),
            json!({"event": "stopped", "run": "things-1", "status": "done"}),
        ]
    );
    assert_eq!(document["is_intact"], true);

    let path = project.env.here().join("state/audit.jsonl");
    let text = fs::read_to_string(&path).expect("it exists");
    fs::write(&path, text.replace("\"approved\"", "\"declined\"")).expect("it is ours");
    assert_eq!(project.env.run(&audit).exit, Exit::Problems);
}

/// A project with a workflow and a skill whose checks are these commands, and `skill` in the skill's folder.
fn checking(commands: &[&str]) -> Project {
    let project = Project::new();
    let checks: String = commands
        .iter()
        .map(|run| format!("  - {{kind: command, run: {}}}\n", json!(run)))
        .collect();
    let fields = format!("arguments: [word]\nverification:\n{checks}");
    project.env.file(
        "workflows/check.workflow.yaml",
        format!("steps: []\n{fields}"),
    );
    let skill = format!("---\nname: checker\ndescription: Checks.\n{fields}---\nCheck it.\n");
    project.env.file("skills/checker/SKILL.md", skill);
    project.env.file("skills/checker/skill", "");
    project
}

/// Returns the state of each step with its reason.
#[track_caller]
fn outcomes(ran: &Ran) -> Vec<(String, String)> {
    let document: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let steps = document["steps"].as_array().expect("it has steps").iter();
    let text = |step: &Value, key: &str| step[key].as_str().unwrap_or_default().to_owned();
    steps
        .map(|step| (text(step, "state"), text(step, "reason")))
        .collect()
}

fn expected(outcomes: &[(&str, &str)]) -> Vec<(String, String)> {
    let outcomes = outcomes.iter();
    outcomes
        .map(|(state, reason)| ((*state).to_owned(), (*reason).to_owned()))
        .collect()
}

#[test]
fn commands_of_checks_run_in_the_project() {
    let project = checking(&[
        "test -f server.sh && test \"$word\" = 'a; exit 1'",
        "echo lost >&2; exit 3",
        "true",
    ]);
    let granted = [
        "check",
        "'a; exit 1'",
        "--json",
        "--yes",
        "Bash(echo *)",
        "--yes",
        "Bash",
    ];
    let ran = project.run(&granted);
    let states = [("done", ""), ("failed", "exit code 3: lost"), ("done", "")];
    assert_eq!(
        (ran.exit, outcomes(&ran)),
        (Exit::Problems, expected(&states))
    );
    let audit = ["gateway", "audit", "--state-dir", "state"];
    let text = project.env.run(&audit).data();
    assert_eq!(text.matches("by=--yes Bash").count(), 3, "{text}");
}

#[test]
fn a_command_that_is_not_approved_is_skipped() {
    let project = checking(&["touch made", "true"]);
    let reason = "the command is not approved; `--retry 1` with `--yes Bash` runs it";
    let ran = project.run(&["check", "--json", "--yes", "Bash(true)"]);
    let states = [("skipped", reason), ("done", "")];
    assert_eq!(
        (ran.exit, outcomes(&ran)),
        (Exit::Success, expected(&states))
    );
    assert!(!project.env.here().join("made").exists());
    let retry = [
        "--resume", "check-1", "--retry", "1", "--json", "--yes", "Bash",
    ];
    assert_eq!(
        outcomes(&project.run(&retry)),
        expected(&[("done", ""), ("done", "")])
    );
    assert!(project.env.here().join("made").exists());
    let run = ["workflow", "run", "--state-dir", "state", "check"];
    let ran = project.env.run_answering("n\ny\n", &run);
    assert!(
        ran.stderr
            .contains("  runs\n    touch made\nRun this command? [y/N] "),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stdout.contains("skipped") && ran.stdout.contains("(declined)"),
        "{}",
        ran.stdout
    );
}

#[test]
fn an_approved_skill_runs_its_checks() {
    let project = checking(&["test -f server.sh", "test -f \"$SKILL_DIR/skill\""]);
    let states = || {
        let outcomes = outcomes(&project.run(&["checker", "--json"])).into_iter();
        outcomes.map(|(state, _)| state).collect::<Vec<_>>()
    };
    let ask = |command: &[&str]| {
        let arguments = [command, &["--config", "repertoire.toml"]].concat();
        project.env.run(&arguments).stdout
    };
    assert_eq!(states(), ["skipped", "skipped"]);
    let listed = ask(&["directives", "checker"]);
    assert!(
        listed.starts_with("command of a check\n    test -f server.sh\n"),
        "{listed}"
    );
    ask(&["approve", "checker", "--yes"]);
    assert_eq!(states(), ["done", "done"]);
    project.env.file("skills/checker/skill", "changed");
    assert_eq!(states(), ["skipped", "skipped"]);
}

#[test]
fn commands_list_the_skills_of_a_gateway() {
    let env = TestEnv::new();
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Does it.\n---\nDo it.\n");
    for (folder, name) in [("skills", "near"), ("mine", "own"), ("team", "shared")] {
        env.file(&format!("{folder}/{name}/SKILL.md"), skill(name));
    }
    let team = "[[source]]\nkind = \"fs\"\nname = \"team\"\nroots = [\"team\"]\n";
    let mine = "[registries.skills]\nglob = \"mine/**/SKILL.md\"\n";
    for (file, expected) in [
        ("", &[][..]),
        ("[rules]\n", &[]),
        ("[gateway]\n", &["project:near"]),
        (mine, &["project:own"]),
        (team, &["team:shared"]),
        (&*format!("{team}[gateway]\n"), &["team:shared"]),
        (&*format!("{team}{mine}"), &["team:shared", "project:own"]),
    ] {
        env.file("repertoire.toml", file);
        let listed = env.run(&["list", "--config", "repertoire.toml", "--json"]);
        let document: Value = serde_json::from_str(&listed.data()).expect("JSON");
        let skills = document["skills"].as_array().expect("a list").iter();
        let ids: Vec<_> = skills.map(|skill| &skill["qualified_id"]).collect();
        assert_eq!(ids, expected, "{file}");
    }
    env.file(
        "repertoire.toml",
        "[registries.skills]\nglob = \"mine/*.md\"\n",
    );
    let failure = env.run(&["list", "--config", "repertoire.toml"]).failure();
    assert!(failure.contains("--> repertoire.toml:2:1"), "{failure}");
}

#[test]
fn wrong_requests_are_refused() {
    let project = Project::new();
    project.env.file(
        "workflows/other.workflow.yaml",
        "steps:\n  - {step: One., tool: mcp__gone__one}\n",
    );
    project.env.file(
        "workflows/dropping.workflow.yaml",
        "steps:\n  - {step: Drop it., tool: mcp__log__Drop_all}\n",
    );
    for (arguments, message) in [
        (
            &["gone"][..],
            "error: no workflow and no skill is called `gone`",
        ),
        (
            &["other"],
            "error: `workflows/other.workflow.yaml` calls the unknown MCP server `gone`",
        ),
        (
            &["dropping", "--yes", "mcp__log__*"],
            "error: step 1 calls the tool `Drop_all` of `log`, which `deny = \"drop_*\"` refuses",
        ),
        (
            &["--resume", "things-7"],
            "error: there is no run `things-7`",
        ),
    ] {
        let failure = project.run(arguments).failure();
        assert!(failure.starts_with(message), "{failure}");
    }
    let ran = project.run(&["manual"]);
    assert_eq!(ran.exit, Exit::Problems);
    for (arguments, message) in [
        (
            &["--resume", "manual-1", "--retry", "1"][..],
            "error: step 1 is neither failed, uncertain nor skipped",
        ),
        (
            &["--resume", "manual-1", "--done", "x"],
            "error: the run `manual-1` has no step `x`",
        ),
    ] {
        let failure = project.run(arguments).failure();
        assert!(failure.starts_with(message), "{failure}");
    }
}
