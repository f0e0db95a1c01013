//! `repertoire watch`: one line for each change, until it is stopped.

use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use repertoire_cli::{Environment, Exit, Signal, Stream, run};
use serde_json::Value;

use crate::schema::Schema;
use crate::test_env::TestEnv;

/// Many times what any change takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A watch that runs beside the test. Dropped without [`stop`](Watching::stop), it ends as well, because its stop channel closes.
struct Watching {
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    signal: Box<dyn Fn(Signal)>,
    run: JoinHandle<Exit>,
}

impl Watching {
    fn start(env: &TestEnv, arguments: &[&str]) -> Watching {
        let (out, stdout) = mpsc::channel();
        let (err, stderr) = mpsc::channel();
        let (sender, signals) = tokio::sync::mpsc::unbounded_channel();
        let cwd = env.here();
        let arguments: Vec<String> = ["repertoire", "watch"]
            .iter()
            .chain(arguments)
            .map(|one| one.to_string())
            .collect();
        let run = thread::spawn(move || {
            let (stdout, stderr) = (Stream::lines(out), Stream::lines(err));
            run(
                arguments,
                Environment::new(cwd)
                    .stdout(stdout)
                    .stderr(stderr)
                    .signals(signals),
            )
        });
        let signal = Box::new(move |signal| sender.send(signal).expect("it listens"));
        Watching {
            stdout,
            stderr,
            signal,
            run,
        }
    }

    /// The next line of data.
    #[track_caller]
    fn line(&self) -> String {
        self.stdout
            .recv_timeout(PATIENCE)
            .expect("there is another line")
    }

    /// The lines up to the one that begins so, which is the last of them.
    #[track_caller]
    fn lines_until(&self, start: &str) -> Vec<String> {
        let mut lines = vec![self.line()];
        while !lines.last().expect("there is one").starts_with(start) {
            lines.push(self.line());
        }
        lines
    }

    /// The next document, which is what the schema says.
    #[track_caller]
    fn event(&self) -> Value {
        let event = serde_json::from_str(&self.line()).expect("a line is a document");
        assert_eq!(Schema::load().faults(&event), Vec::<String>::new());
        event
    }

    /// The next line of talk.
    #[track_caller]
    fn talk(&self) -> String {
        self.stderr
            .recv_timeout(PATIENCE)
            .expect("there is more to say")
    }

    /// Stops it: what it had still to say, and how it ended.
    fn stop(self) -> (Vec<String>, Exit) {
        (self.signal)(Signal::Stop);
        let exit = self.run.join().expect("it does not panic");
        (self.stdout.iter().collect(), exit)
    }
}

/// The ids in a list of an event.
fn ids(event: &Value, list: &str) -> Vec<String> {
    let rows = event[list].as_array().expect("a list").iter();
    rows.map(|row| {
        row["id"]
            .as_str()
            .or(row["skill"]["id"].as_str())
            .expect("an id")
            .to_owned()
    })
    .collect()
}

#[test]
fn watch_prints_changes_and_problems() {
    let env = TestEnv::new();
    env.skill("root", "tidy", "Sorts.");
    let watching = Watching::start(&env, &["root"]);
    assert_eq!(watching.talk(), "note: watching 1 skill from 1 source");

    env.skill("root", "review", "Reviews.");
    assert_eq!(watching.line(), "+ review");
    env.file("root/tidy/SKILL.md", "---\nname: tidy\n---\nBody.\n");
    assert!(watching.line().starts_with("error[missing-description]"));
    while watching.line() != "--> root/tidy/SKILL.md" {}
    assert_eq!(watching.line(), "");
    env.skill("root", "tidy", "Sorts again.");
    // The change of the body is unknown, because the old body was never read.
    assert!(watching.line().starts_with("~ tidy (metadata"));
    assert_eq!(
        watching.line(),
        "resolved: error[missing-description] in `root/tidy/SKILL.md`"
    );
    assert_eq!(
        watching.line(),
        "resolved: warning[stale] in `root/tidy/SKILL.md`"
    );
    std::fs::remove_dir_all(env.here().join("root/review")).expect("it is there");
    assert_eq!(watching.line(), "- review");
    assert_eq!(watching.stop(), (vec![], Exit::Success));
}

#[test]
fn an_edited_skill_paints_no_terminal() {
    let env = TestEnv::new();
    env.skill("root", "tidy", "Sorts.");
    let watching = Watching::start(&env, &["root"]);
    assert_eq!(watching.talk(), "note: watching 1 skill from 1 source");
    let paint = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}\u{e0041}";
    env.file(
        "root/tidy/SKILL.md",
        format!("---\nname: tidy{paint}\ndescription: [{paint}\n---\n{paint}\n"),
    );
    env.skill(&format!("root/{paint}"), "last", "Comes last.");
    let mut lines = watching.lines_until("+ last");
    let (rest, exit) = watching.stop();
    lines.extend(rest);
    let obeyed = |c: char| c.is_control() || matches!(c, '\u{202e}' | '\u{e0041}');
    assert!(!lines.concat().contains(obeyed), "{lines:?}");
    assert_eq!(exit, Exit::Success);
}

#[test]
fn json_starts_with_the_state_then_changes() {
    let env = TestEnv::new();
    env.skill("root", "tidy", "Sorts.")
        .file("root/tidy/run.sh", "ls\n");
    let watching = Watching::start(&env, &["root", "--json"]);
    let started = watching.event();
    assert_eq!(
        (&started["event"], ids(&started, "skills")),
        (&"started".into(), vec!["tidy".to_owned()])
    );

    env.file("root/tidy/run.sh", "ls -l\n");
    let changed = watching.event();
    assert_eq!(
        (&changed["event"], ids(&changed, "modified")),
        (&"changed".into(), vec!["tidy".to_owned()])
    );
    assert_eq!(changed["modified"][0]["moved"]["resources"], true);
    assert_eq!(
        changed["causes"],
        serde_json::json!([{"kind": "source", "source": "root"}])
    );
    assert!(changed["generation"].as_u64() > started["generation"].as_u64());
    assert_eq!(watching.stop(), (vec![], Exit::Success));
}

#[test]
fn it_ends_by_itself_after_so_many_changes() {
    let env = TestEnv::new();
    env.skill("root", "tidy", "Sorts.");
    let watching = Watching::start(&env, &["root", "--changes", "1"]);
    watching.talk();
    env.skill("root", "review", "Reviews.");
    assert_eq!(watching.line(), "+ review");
    assert_eq!(
        watching.run.join().expect("it does not panic"),
        Exit::Success
    );
}

#[test]
fn an_invalid_reload_changes_nothing() {
    let env = TestEnv::new();
    let source = |name: &str| {
        format!("[[source]]\nkind = \"fs\"\nname = \"{name}\"\nroots = [\"{name}\"]\n")
    };
    env.skill("near", "tidy", "Near.")
        .skill("far", "tidy", "Far.")
        .skill("far", "review", "Reviews.");
    env.file("places.toml", source("near"));
    let watching = Watching::start(&env, &["--config", "places.toml"]);
    assert_eq!(watching.talk(), "note: watching 1 skill from 1 source");

    env.file("places.toml", source("far") + &source("near"));
    (watching.signal)(Signal::Reload);
    assert_eq!(watching.talk(), "note: sources reloaded");
    assert_eq!(watching.line(), "+ review");
    // Whether more of it moved is known once both have been read.
    assert!(watching.line().starts_with("~ tidy (source, metadata"));
    watching.lines_until(" = help: ask for it as `near:tidy`");

    env.file("places.toml", source("near") + "kind = 1\n");
    (watching.signal)(Signal::Reload);
    while watching.talk() != "note: reload failed; keeping the current sources" {}

    // What stays is still followed, what comes back is read again.
    env.file("places.toml", source("near"));
    (watching.signal)(Signal::Reload);
    assert_eq!(watching.talk(), "note: sources reloaded");
    let lines = watching.lines_until("resolved: ");
    assert_eq!(lines[1], "- review");
    assert!(lines[2].starts_with("~ tidy (source, metadata"));
    env.skill("near", "fresh", "New.");
    watching.lines_until("+ fresh");
    assert_eq!(watching.stop().1, Exit::Success);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_process_cleanly() {
    use std::io::{BufRead, BufReader, Read};

    use rustix::process::{Pid, Signal, kill_process};

    for signal in [Signal::INT, Signal::TERM] {
        let env = TestEnv::new();
        env.skill("root", "tidy", "Sorts.");
        let mut child = env.spawn(&["watch", "root", "--json"]);
        let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut first = String::new();
        stdout.read_line(&mut first).expect("there is a first line");
        assert!(first.contains(r#""event":"started""#), "{first}");
        kill_process(Pid::from_child(&child), signal).expect("it runs");
        let (mut rest, mut stderr) = (String::new(), String::new());
        stdout.read_to_string(&mut rest).expect("it is text");
        child
            .stderr
            .take()
            .expect("it is piped")
            .read_to_string(&mut stderr)
            .expect("it is text");
        assert_eq!(
            (
                child.wait().expect("it ends").code(),
                rest.as_str(),
                stderr.as_str()
            ),
            (Some(0), "", "")
        );
    }
}
