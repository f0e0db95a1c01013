//! An installation that is killed at random points.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use repertoire_cli::Exit;

use crate::test_env::TestEnv;

/// The files of each installed skill, and the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    skills: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    lock: Option<Vec<u8>>,
}

const SKILLS: [&str; 4] = ["a", "b", "c", "d"];

impl State {
    fn of(env: &TestEnv) -> State {
        let folder = env.here().join(".agents/skills");
        let mut skills = BTreeMap::new();
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let mut files = BTreeMap::new();
            collect(&entry.path(), "", &mut files);
            skills.insert(name, files);
        }
        State {
            skills,
            lock: fs::read(env.here().join("repertoire.lock.json")).ok(),
        }
    }

    /// Asserts that each skill and the lock are those of one of two states, complete.
    fn assert_between(&self, old: &State, new: &State) {
        for name in SKILLS {
            let found = self.skills.get(name);
            let known = [old.skills.get(name), new.skills.get(name)];
            assert!(known.contains(&found), "`{name}` is half: {found:?}");
        }
        assert_eq!(
            self.skills
                .keys()
                .find(|name| !SKILLS.contains(&name.as_str())),
            None
        );
        assert!(
            [&old.lock, &new.lock].contains(&&self.lock),
            "the lock is half"
        );
    }
}

fn collect(folder: &Path, below: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => collect(&entry.path(), &format!("{name}/"), files),
            false => drop(files.insert(name, fs::read(entry.path()).unwrap_or_default())),
        }
    }
}

/// Writes version `version` of every skill into the folder `shared`.
fn write_shared(env: &TestEnv, version: usize) {
    for name in SKILLS {
        let text = format!("---\nname: {name}\ndescription: Version {version}.\n---\nBody.\n");
        env.file(&format!("shared/{name}/SKILL.md"), text);
        for number in 0..5 {
            let text = format!("{version}\n").repeat(500);
            env.file(&format!("shared/{name}/part/{number}.md"), text);
        }
        env.file(&format!("shared/{name}/only-{version}.md"), "x");
        let _ = fs::remove_file(
            env.here()
                .join(format!("shared/{name}/only-{}.md", version - 1)),
        );
    }
}

fn start(env: &TestEnv, arguments: &[&str]) -> Child {
    let mut command = env.command(arguments);
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .env_remove("XDG_DATA_HOME");
    command.spawn().expect("the binary was built for this test")
}

/// Kills installations and updates at `count` points that are spread over their duration.
pub(crate) fn kill_at(count: u32) {
    let env = TestEnv::new();
    write_shared(&env, 1);
    let begun = Instant::now();
    assert!(
        start(&env, &["add", "./shared", "--yes"])
            .wait()
            .expect("it ends")
            .success()
    );
    let duration = begun.elapsed();
    let mut old = State::of(&env);
    let mut version = 1;
    let (_never, silence) = mpsc::channel::<()>();
    for point in 0..count {
        if point % 4 == 3 {
            // Each fourth kill meets a fresh installation.
            for folder in [".agents", ".repertoire", "../home/.local/share/repertoire"] {
                let _ = fs::remove_dir_all(env.here().join(folder));
            }
            let _ = fs::remove_file(env.here().join("repertoire.lock.json"));
            old = State::of(&env);
        }
        version += 1;
        write_shared(&env, version);
        // A skill that is not installed cannot be updated.
        let command = match (point % 2, &old.lock) {
            (0, Some(_)) => &["update", "--yes"][..],
            _ => &["add", "./shared", "--yes"],
        };
        let mut child = start(&env, command);
        // The points step through the duration in an order that looks random.
        let share = f64::from(point.wrapping_mul(2_654_435_761) % 1000) / 1000.0;
        let _ = silence.recv_timeout(Duration::from_secs_f64(
            duration.as_secs_f64() * 1.1 * share,
        ));
        child.kill().expect("it is a child");
        child.wait().expect("it ends");
        let killed = State::of(&env);
        // The lock states a time only for a new skill, so the new lock is known afterwards.
        let recovered = env.run(&["sync", "--yes"]);
        let now = State::of(&env);
        assert_eq!(recovered.exit, expected_of(&now), "{}", recovered.stderr);
        assert_eq!(env.run(&["verify"]).exit, expected_of(&now));
        if now == old {
            killed.assert_between(&old, &old);
        } else {
            let described = format!("Version {version}.");
            for name in SKILLS {
                let text = String::from_utf8_lossy(&now.skills[name]["SKILL.md"]).into_owned();
                assert!(text.contains(&described), "{text}");
            }
            killed.assert_between(&old, &now);
        }
        old = now;
    }
}

/// Without a lock there is nothing to verify.
fn expected_of(state: &State) -> Exit {
    match state.lock {
        Some(_) => Exit::Success,
        None => Exit::Failure,
    }
}

#[test]
fn twenty_killed_installations_are_never_half() {
    kill_at(20);
}
