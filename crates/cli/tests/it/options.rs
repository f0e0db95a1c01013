//! An option that has no effect is an error.

use repertoire_cli::Exit;

use crate::test_env::TestEnv;

/// The first line of the failure, and the advice.
fn refusal(arguments: &[&str]) -> (String, String) {
    let env = TestEnv::new();
    env.skill("skills", "a", "A.")
        .file("repertoire.toml", "")
        .skill(".agents/skills", "b", "B.");
    let ran = env.run(arguments);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (Exit::Failure, ""),
        "{arguments:?}"
    );
    let line = |start: &str| {
        let line = ran
            .stderr
            .lines()
            .find_map(|line| line.split_once(start))
            .map(|(_, rest)| rest.to_owned());
        line.unwrap_or_else(|| panic!("{arguments:?}: {}", ran.stderr))
    };
    (line("error: "), line("help: "))
}

#[test]
fn commands_without_sources_refuse_source_options() {
    for (arguments, option, command, help) in [
        (
            &["new", "x", "--agent", "claude"][..],
            "--agent",
            "new",
            "choose the parent folder with `--dir DIR`",
        ),
        (
            &["fmt", "--check", "--agent", "claude"],
            "--agent",
            "fmt",
            "name files or folders as arguments",
        ),
        (
            &["fmt", "--root", "skills"],
            "--root",
            "fmt",
            "name files or folders as arguments",
        ),
        (
            &["kinds", "--no-defaults"],
            "--no-defaults",
            "kinds",
            "remove the option",
        ),
        (
            &["completions", "bash", "--disable", "a"],
            "--disable",
            "completions",
            "remove the option",
        ),
        (
            &["plugin", "list", "--config", "repertoire.toml"],
            "--config",
            "plugin",
            "remove the option",
        ),
        (
            &["fmt", "--model", "gpt-5"],
            "--model",
            "fmt",
            "remove the option",
        ),
        (
            &["body", "b", "--model", "gpt-5"],
            "--model",
            "body",
            "remove the option",
        ),
        (
            &["lock", "--model", "gpt-5"],
            "--model",
            "lock",
            "remove the option",
        ),
        (&["serve", "--json"], "--json", "serve", "remove the option"),
    ] {
        let expected = format!("`{option}` has no effect on `{command}`");
        assert_eq!(
            refusal(arguments),
            (expected, help.to_owned()),
            "{arguments:?}"
        );
    }
}

#[test]
fn options_for_standard_folders_require_standard_folders() {
    let help = "it applies to the standard folders, which are not searched then";
    for (arguments, option, instead) in [
        (
            &["list", "--config", "repertoire.toml", "--agent", "nonsense"][..],
            "--agent",
            "`--config`",
        ),
        (
            &["list", "skills", "--agent", "claude"],
            "--agent",
            "folders as arguments",
        ),
        (
            &["list", "--no-defaults", "--agent", "claude"],
            "--agent",
            "`--no-defaults`",
        ),
        (
            &["lock", "skills", "--trust-project"],
            "--trust-project",
            "folders as arguments",
        ),
        (
            &[
                "show",
                "a",
                "--config",
                "repertoire.toml",
                "--trust-project",
            ],
            "--trust-project",
            "`--config`",
        ),
    ] {
        let expected = format!("`{option}` has no effect with {instead}");
        assert_eq!(
            refusal(arguments),
            (expected, help.to_owned()),
            "{arguments:?}"
        );
    }
}

#[test]
fn folders_add_to_roots_and_configurations() {
    let env = TestEnv::new();
    env.skill("skills", "a", "A.")
        .skill("more", "b", "B.")
        .file("repertoire.toml", "[rules]\ndisable = [\"a\"]\n");
    let listed = |arguments: &[&str]| {
        let list = env.run(&[&["list"][..], arguments].concat()).data();
        let names = list
            .lines()
            .skip(1)
            .filter_map(|line| line.split(' ').next());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed(&["skills", "--root", "more"]), ["b", "a"]);
    let list = env
        .run(&["list", "skills", "--config", "repertoire.toml"])
        .data();
    assert!(list.contains("disabled"), "{list}");
}

#[test]
fn numbers_and_sources_are_refused_in_words() {
    let env = TestEnv::new();
    for arguments in [
        &["search", "--limit", "0"][..],
        &["search", "--limit", "x"],
        &["watch", "--changes", "0"],
    ] {
        let failure = env.run(arguments).failure();
        assert!(failure.contains(": must be at least 1"), "{failure}");
    }
    let failure = env.run(&["list", "--source", "fs:mine"]).failure();
    let expected = "error: `roots` is missing; name the folders to search, as in `roots = [\"skills\"]`, or `roots = [\".\"]` for all\n";
    assert!(failure.starts_with(expected), "{failure}");
    assert_eq!(
        env.run(&["list", "--source", "fs:mine:roots = [\".\"]"])
            .exit,
        Exit::Success
    );
}
