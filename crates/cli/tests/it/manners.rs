//! Options and names that each command line has.

use repertoire_cli::Exit;

use crate::test_env::TestEnv;

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.skill(".agents/skills", "tidy", "Sorts.");
    env
}

#[test]
fn common_names_of_commands_work() {
    let env = env();
    for (alias, name) in [
        (&["ls", "--json"][..], &["list", "--json"][..]),
        (&["lint", "--json"], &["check", "--json"]),
        (&["info", "tidy", "--json"], &["show", "tidy", "--json"]),
    ] {
        assert_eq!(env.run(alias), env.run(name), "{alias:?}");
    }
}

#[test]
fn quiet_runs_print_no_notes() {
    let env = env();
    let loud = env.run(&["roots"]);
    assert!(
        loud.stderr.starts_with("note: 1 skill is untrusted"),
        "{}",
        loud.stderr
    );
    let quiet = env.run(&["roots", "-q"]);
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (loud.stdout, ""));
}

#[test]
fn verbose_runs_name_what_sources_list() {
    let ran = env().run(&["roots", "-v"]);
    let expected = "note: the source `project` lists 1 skill\n";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

#[test]
fn colours_are_as_asked_for() {
    let env = env();
    let is_coloured = |when| {
        env.run(&["roots", "--color", when])
            .stdout
            .contains('\u{1b}')
    };
    assert_eq!(
        ["auto", "never", "always"].map(is_coloured),
        [false, false, true]
    );
}

#[test]
fn short_help_is_shorter() {
    let env = env();
    for command in ["list", "check", "serve", "search"] {
        let lines = |help| env.run(&[command, help]).data().lines().count();
        assert!(lines("-h") * 3 < lines("--help") * 2, "{command}");
    }
}

#[test]
fn names_are_completed_while_typing() {
    let env = env();
    let complete = |words: &[&str]| {
        let mut command = env.command(&[&["--", "repertoire"], words].concat());
        let output = command
            .env("COMPLETE", "fish")
            .output()
            .expect("the program runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(complete(&["show", "ti"]), "tidy\tSorts.\n");
    assert_eq!(
        complete(&["list", "--agent", "claude-"]),
        "claude-code\tClaude Code\n"
    );
    assert_eq!(complete(&["list", "--disable", "proj"]), "project:*\n");
    env.file("../home/.claude.json", "{}").skill(
        "../home/.claude/skills",
        "own",
        "Is read by Claude.",
    );
    assert_eq!(complete(&["why", "o"]), "own\tIs read by Claude.\n");
    assert_eq!(complete(&["diff", "loc"]), "lock\n");
}

#[test]
fn approvals_are_listed_and_revoked() {
    let env = TestEnv::new();
    for name in ["clock", "words"] {
        let text = format!("---\nname: {name}\ndescription: Runs.\n---\n!`date`\n");
        env.file(&format!("a/{name}/SKILL.md"), text);
        let ran = env.run(&["approve", name, "--root", "a", "--yes"]);
        assert_eq!(ran.exit, Exit::Success, "{}", ran.stderr);
    }
    let listed = |name: &str| {
        let shown = env.run(&["approvals"]).data();
        let line = shown
            .lines()
            .find(|line| line.contains(name))
            .map(str::to_owned);
        line.map(|line| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
    };
    let expected = |name: &str, state: &str| {
        let path = format!("[WORLD]/here/a/{name}");
        Some(
            ["skill", &format!("a:{name}"), state, &path]
                .map(str::to_owned)
                .to_vec(),
        )
    };
    assert_eq!(listed("clock"), expected("clock", "approved"));
    let doctor = env.run(&["doctor", "--agent", "codex"]).data();
    assert!(
        doctor.ends_with("approved: skill `a:clock`\napproved: skill `a:words`\n"),
        "{doctor}"
    );
    std::fs::remove_dir_all(env.here().join("a/words")).expect("the folder is there");
    assert_eq!(listed("words"), expected("words", "missing"));
    assert_eq!(
        env.run(&["approvals", "revoke", "a:words"]).data(),
        "revoked 1 approval\n"
    );
    let failure = env.run(&["approvals", "revoke", "a:words"]).failure();
    assert!(
        failure.starts_with("error: `a:words` is not approved\n"),
        "{failure}"
    );
    assert_eq!(
        env.run(&["approvals", "revoke", "--all"]).data(),
        "revoked 1 approval\n"
    );
    assert_eq!(env.run(&["approvals"]).stderr, "note: no approvals\n");
}
