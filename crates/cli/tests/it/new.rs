//! `new`.

use std::fs;

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::test_env::TestEnv;

fn read(env: &TestEnv, path: &str) -> String {
    fs::read_to_string(env.here().join(path)).expect("the file was written")
}

#[test]
fn a_new_skill_is_valid_and_found() {
    let env = TestEnv::new();
    assert_data_eq!(
        env.run(&["new", "tidy-up"]).data(),
        str![[r#"
.agents/skills/tidy-up/SKILL.md

"#]]
    );
    assert_data_eq!(
        read(&env, ".agents/skills/tidy-up/SKILL.md"),
        str![[r#"
---
name: tidy-up
description: Describe what tidy-up does, and when to use it.
---

# Tidy up

1. Describe the first step.

"#]]
    );
    assert_data_eq!(
        env.run(&["check", "--strict"]).data(),
        str![[r#"
4 skills checked: no problems

"#]]
    );
}

#[test]
fn a_description_is_quoted_where_it_must_be() {
    for (description, line) in [
        ("Sorts a folder.", "description: Sorts a folder."),
        (
            "Sorts: files # \"first\"",
            r##"description: "Sorts: files # \"first\"""##,
        ),
        ("yes", r#"description: "yes""#),
        ("größe\nzwei", r#"description: "größe\nzwei""#),
    ] {
        let env = TestEnv::new();
        assert_eq!(
            env.run(&["new", "a", "--dir", "skills", "--description", description])
                .data(),
            "skills/a/SKILL.md\n"
        );
        let text = read(&env, "skills/a/SKILL.md");
        assert_eq!(text.lines().nth(2), Some(line));
        let strict = env.run(&["check", "--strict", "skills"]);
        assert_eq!(
            (strict.exit, strict.stdout.as_str()),
            (Exit::Success, "1 skill checked: no problems\n")
        );
    }
}

#[test]
fn nothing_is_written_over() {
    let env = TestEnv::new();
    env.file("skills/tidy-up/notes.md", "Mine.\n");
    assert_data_eq!(
        env.run(&["new", "tidy-up", "--dir", "skills"]).failure(),
        str![[r#"
error: `skills/tidy-up` already exists
 |
 = help: `new` never overwrites

"#]]
    );
    assert!(!env.here().join("skills/tidy-up/SKILL.md").exists());
}

#[test]
fn invalid_names_are_refused_with_reasons() {
    let long = "a".repeat(65);
    for (name, reason) in [
        (
            "Tidy--up",
            "invalid skill name `Tidy--up`: it must be lowercase, and it cannot contain consecutive hyphens",
        ),
        (
            "-a",
            "invalid skill name `-a`: it cannot start or end with a hyphen",
        ),
        (
            "a b",
            "invalid skill name `a b`: it contains invalid characters; letters, digits and hyphens are allowed",
        ),
        (
            &long,
            &format!("invalid skill name `{long}`: it exceeds the limit of 64 characters"),
        ),
        ("../a", "name `../a` holds `/`; a name is not a path"),
        ("", "a name must not be blank"),
    ] {
        let env = TestEnv::new();
        let failure = env.run(&["new", "--", name]).failure();
        assert_eq!(
            failure.lines().next(),
            Some(&*format!("error: {reason}")),
            "{failure}"
        );
        assert_eq!(
            fs::read_dir(env.here()).expect("it is there").count(),
            0,
            "{name}"
        );
    }
}

#[test]
fn invalid_descriptions_are_refused() {
    for (description, reason) in [
        (" ", "field `description` must be a non-empty string"),
        (
            &*"a".repeat(1025),
            "description exceeds the limit of 1024 characters (1025); it is kept whole",
        ),
    ] {
        let env = TestEnv::new();
        let said = env
            .run(&["new", "a", "--description", description])
            .failure();
        assert!(
            said.starts_with(&format!("error: the skill would be invalid: {reason}")),
            "{said}"
        );
        assert_eq!(fs::read_dir(env.here()).expect("it is there").count(), 0);
    }
}
