//! The policy `[install]` of a user and of a project.

use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::prelude::*;
use repertoire::skill::Digest;
use repertoire_cli::Exit;
use repertoire_testkit::StaticServer;
use serde_json::Value;

use crate::test_env::TestEnv;

const PROGRAM: &str = "#!/bin/sh\nls\n";

fn shared() -> TestEnv {
    let env = TestEnv::new();
    env.skill("shared", "tidy", "Sorts.")
        .file("shared/tidy/scripts/run.sh", PROGRAM);
    env
}

fn user(env: &TestEnv, text: &str) {
    env.file("../home/.config/repertoire/repertoire.toml", text);
}

/// Runs a command that has to fail, and returns its messages.
fn refused(env: &TestEnv, arguments: &[&str]) -> String {
    let ran = env.run(arguments);
    assert_ne!(ran.exit, Exit::Success, "{arguments:?}: {}", ran.stdout);
    ran.stderr
}

fn good(env: &TestEnv, arguments: &[&str]) -> String {
    let ran = env.run(arguments);
    assert_eq!(ran.exit, Exit::Success, "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

#[test]
fn a_project_only_tightens_the_sources() {
    let env = shared();
    user(&env, "[install]\nsources = [\"anthropics/skills\"]\n");
    env.file("repertoire.toml", "[install]\nsources = [\".\"]\n");
    let message = refused(&env, &["add", "./shared", "--yes"]);
    assert!(
        message.contains("`./shared` is not an allowed source"),
        "{message}"
    );
    assert!(
        message.contains("home/.config/repertoire/repertoire.toml"),
        "{message}"
    );
    user(
        &env,
        "[install]\nsources = [\"anthropics/skills\", \"./shared\"]\n",
    );
    good(&env, &["add", "./shared", "--yes"]);
    env.file(
        "repertoire.toml",
        "[install]\nsources = [\"oci://ghcr.io/team\"]\n",
    );
    for command in ["update", "sync"] {
        let message = refused(&env, &[command, "--yes"]);
        assert!(
            message.contains("`./shared` is not an allowed source"),
            "{message}"
        );
        assert!(message.contains("here/repertoire.toml"), "{message}");
    }
}

#[test]
fn denied_content_is_not_installed() {
    let env = shared();
    let denied = Digest::of(PROGRAM.as_bytes());
    user(&env, &format!("[install]\ndenied = [\"{denied}\"]\n"));
    let message = refused(&env, &["add", "./shared", "--yes"]);
    let expected = format!("the content `{denied}` of `tidy` is denied");
    assert!(message.contains(&expected), "{message}");
    assert!(!env.here().join("repertoire.lock.json").exists());
    user(&env, "");
    good(&env, &["add", "./shared", "--yes"]);
    env.file(
        "repertoire.toml",
        format!("[install]\ndenied = [\"{denied}\"]\n"),
    );
    fs::remove_dir_all(env.here().join(".agents")).expect("it was installed");
    let message = refused(&env, &["sync", "--yes"]);
    assert!(message.contains(&expected), "{message}");
    assert!(!env.here().join(".agents").exists());
}

#[test]
fn denied_content_is_not_printed() {
    let env = shared();
    good(&env, &["body", "tidy", "--root", "shared"]);
    let denied = Digest::of(PROGRAM.as_bytes());
    user(&env, &format!("[install]\ndenied = [\"{denied}\"]\n"));
    let message = refused(&env, &["body", "tidy", "--root", "shared"]);
    assert!(
        message.contains(&format!("the content `{denied}` of `tidy` is denied")),
        "{message}"
    );
}

/// Commits the skill `tidy` with a body to the repository `origin`, as if `days` had passed since. Returns its reference.
fn committed(env: &TestEnv, body: &str, days: u64) -> String {
    let text = format!("---\nname: tidy\ndescription: Sorts.\n---\n{body}\n");
    env.file("../origin/tidy/SKILL.md", text)
        .file("../origin/tidy/scripts/run.sh", PROGRAM);
    let origin = env.here().join("../origin");
    let origin = origin.canonicalize().expect("it was written");
    let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60 + 60);
    let then = then.duration_since(UNIX_EPOCH).expect("it is later");
    for arguments in [
        &["init", "--quiet", "--initial-branch", "main"][..],
        &["add", "--all"],
        &["commit", "--quiet", "--message", body],
    ] {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(&origin).envs([
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_AUTHOR_NAME", "A"),
            ("GIT_AUTHOR_EMAIL", "a@test"),
            ("GIT_COMMITTER_NAME", "A"),
            ("GIT_COMMITTER_EMAIL", "a@test"),
        ]);
        git.env("GIT_COMMITTER_DATE", format!("@{} +0000", then.as_secs()));
        assert!(git.status().expect("git is installed").success());
    }
    format!("file://{}@main", origin.display())
}

fn body(env: &TestEnv) -> String {
    let file = env.here().join(".agents/skills/tidy/SKILL.md");
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn young_content_is_not_installed() {
    let env = shared();
    user(&env, "[install]\nminimum-age-days = 3\n");
    let origin = committed(&env, "One.", 2);
    let message = refused(&env, &["add", &origin, "--yes"]);
    assert!(message.contains("is younger than 3 days"), "{message}");
    assert!(!env.here().join("repertoire.lock.json").exists());
    env.file("repertoire.toml", "[install]\nminimum-age-days = 1\n");
    let message = refused(&env, &["add", &origin, "--yes"]);
    assert!(message.contains("is younger than 3 days"), "{message}");
    good(&env, &["add", "./shared", "--yes"]);
}

#[test]
fn young_updates_are_held_back() {
    let env = shared();
    user(&env, "[install]\nminimum-age-days = 3\n");
    let origin = committed(&env, "One.", 5);
    good(&env, &["add", &origin, "--yes"]);
    committed(&env, "Two.", 2);
    let ran = env.run(&["update", "--yes"]);
    assert_eq!((ran.exit, body(&env).as_str()), (Exit::Success, "One."));
    assert!(
        ran.stderr.contains("`tidy` stays as it is"),
        "{}",
        ran.stderr
    );
    committed(&env, "Three.", 4);
    good(&env, &["update", "--yes"]);
    assert_eq!(body(&env), "Three.");
    // What a lock states is fetched only if it is old enough.
    user(&env, "[install]\nminimum-age-days = 5\n");
    for folder in [".agents", "../home/.local"] {
        fs::remove_dir_all(env.here().join(folder)).expect("it was written");
    }
    let message = refused(&env, &["sync", "--yes"]);
    assert!(message.contains("is younger than 5 days"), "{message}");
}

#[test]
fn content_without_an_age_is_refused() {
    let server = StaticServer::start();
    let env = shared();
    let mut tar = Command::new("tar");
    tar.args(["czf", "-", "tidy"])
        .current_dir(env.here().join("shared"));
    let packed = tar.output().expect("tar is installed").stdout;
    server.serve("/tidy.tar.gz", packed);
    let add = [
        "add",
        &server.url("/tidy.tar.gz"),
        "--yes",
        "--allow-host",
        "127.0.0.1",
    ];
    user(&env, "[install]\nminimum-age-days = 1\n");
    let message = refused(&env, &add);
    assert!(message.contains("does not state its age"), "{message}");
    user(&env, "");
    good(&env, &add);
}

/// Returns the trust of the skill `tidy` among what a command lists.
fn trust(env: &TestEnv, listing: &[&str]) -> String {
    let list = good(env, &[listing, &["--json"]].concat());
    let list: Value = serde_json::from_str(&list).expect("a document");
    let rows = list["skills"].as_array().expect("a list");
    let tidy = rows.iter().find(|row| row["id"] == "tidy");
    let trust = tidy.expect("it is installed")["trust"].as_str();
    trust.expect("a word").to_owned()
}

const LIST: [&str; 2] = ["list", "--trust-project"];

fn clock(env: &TestEnv, about: &str) {
    let text = format!("---\nname: tidy\ndescription: {about}\n---\nNow: !`expr 3 + 3`\n");
    env.file("shared/tidy/SKILL.md", text);
}

#[test]
fn new_content_is_restricted_until_it_is_accepted() {
    let env = shared();
    clock(&env, "Sorts.");
    user(&env, "[install]\nrestrict-new = true\n");
    let ran = env.run(&["add", "./shared", "--yes"]);
    let note = "note: new content is restricted until you run `repertoire accept tidy`\n";
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Success, note));
    assert_eq!(trust(&env, &LIST), "restricted");
    let render = ["render", "tidy", "--trust-project", "--allow-commands"];
    good(&env, &["approve", "tidy", "--trust-project", "--yes"]);
    assert!(!env.run(&render).stdout.contains("Now: 6"));

    // A project cannot lift what the user restricts.
    env.file("repertoire.toml", "[install]\nrestrict-new = false\n");
    let message = refused(&env, &["accept", "tidy"]);
    assert!(message.contains("nothing was accepted"), "{message}");
    assert_eq!(trust(&env, &LIST), "restricted");

    good(&env, &["accept", "tidy", "--yes"]);
    assert_eq!(trust(&env, &LIST), "trusted");
    assert!(good(&env, &render).contains("Now: 6"));

    clock(&env, "Sorts well.");
    good(&env, &["update", "--yes"]);
    assert_eq!(trust(&env, &LIST), "restricted");
    clock(&env, "Sorts.");
    good(&env, &["update", "--yes"]);
    assert_eq!(trust(&env, &LIST), "trusted");
}

#[test]
fn a_project_restricts_its_new_content() {
    let env = shared();
    good(&env, &["add", "./shared", "--yes"]);
    assert_eq!(trust(&env, &LIST), "trusted");
    env.file("repertoire.toml", "[install]\nrestrict-new = true\n");
    assert_eq!(trust(&env, &LIST), "restricted");
    good(&env, &["accept", "--all", "--yes"]);
    assert_eq!(trust(&env, &LIST), "trusted");
    // A lock that cannot be read accepts nothing.
    env.file("repertoire.lock.json", "{");
    assert_eq!(trust(&env, &LIST), "restricted");
}

#[cfg(unix)]
#[test]
fn links_to_new_content_are_restricted() {
    let env = shared();
    user(&env, "[install]\nrestrict-new = true\n");
    good(&env, &["add", "./shared", "--yes"]);
    let installed = env.here().join(".agents/skills");
    for (link, target) in [
        ("all", installed.clone()),
        ("one/tidy", installed.join("tidy")),
    ] {
        env.file("one/README.md", "");
        std::os::unix::fs::symlink(target, env.here().join(link)).expect("a link");
    }
    for folder in ["all", "one"] {
        assert_eq!(trust(&env, &["list", folder]), "restricted", "{folder}");
    }
    assert_eq!(trust(&env, &["list", "shared"]), "trusted");
}

/// A policy of one file. Its numbers choose among what the test installs from.
#[derive(Debug, Clone)]
struct Policy {
    sources: Option<Vec<usize>>,
    denies_program: bool,
    denies_other: bool,
    minimum_age: u32,
}

prop_compose! {
    fn policy()(
        sources in prop::option::weighted(0.6, prop::collection::vec(0_usize..5, 0..4)),
        denies_program in prop::bool::weighted(0.2),
        denies_other: bool,
        minimum_age in prop::sample::select(vec![0, 0, 2, 5]),
    ) -> Policy {
        Policy { sources, denies_program, denies_other, minimum_age }
    }
}

impl Policy {
    fn text(&self, places: &[String]) -> String {
        let mut text = format!("[install]\nminimum-age-days = {}\n", self.minimum_age);
        if let Some(sources) = &self.sources {
            let sources: Vec<_> = sources.iter().map(|at| &places[*at]).collect();
            text.push_str(&format!("sources = {sources:?}\n"));
        }
        let denied = [
            (self.denies_program, Digest::of(PROGRAM.as_bytes())),
            (self.denies_other, Digest::of(b"other")),
        ];
        let denied = denied.iter().filter(|(denies, _)| *denies);
        let denied: Vec<_> = denied.map(|(_, digest)| digest.to_string()).collect();
        text.push_str(&format!("denied = {denied:?}\n"));
        text
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_project_can_only_tighten(of_user in policy(), of_project in policy()) {
        let env = shared();
        let origin = committed(&env, "One.", 3);
        let place = origin.trim_end_matches("@main").to_owned();
        let above = place.trim_end_matches("/origin").to_owned();
        let places = ["./shared".to_owned(), ".".to_owned(), place, above, "acme/skills".to_owned()];
        for reference in ["./shared", &origin] {
            let allows = |of_user: Option<&Policy>, of_project: Option<&Policy>| {
                user(&env, &of_user.map_or_else(String::new, |policy| policy.text(&places)));
                env.file("repertoire.toml", of_project.map_or_else(String::new, |policy| policy.text(&places)));
                let ran = env.run(&["add", reference, "--dry-run"]);
                let is_refused = ["is not an allowed source", "is denied", "is younger than"]
                    .iter()
                    .any(|why| ran.stderr.contains(why));
                assert_eq!(is_refused, ran.exit != Exit::Success, "{}", ran.stderr);
                !is_refused
            };
            let both = allows(Some(&of_user), Some(&of_project));
            let alone = [allows(Some(&of_user), None), allows(None, Some(&of_project))];
            prop_assert_eq!(both, alone == [true, true]);
        }
    }
}
