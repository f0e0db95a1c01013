//! The skills that come with the program.

use std::fs;
use std::path::{Path, PathBuf};

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::test_env::{TestEnv, checkout};

#[test]
fn builtin_skills_come_with_standard_folders() {
    let env = TestEnv::new();
    env.skill("mine", "steady", "Mine.");
    let sources = |arguments: &[&str]| {
        let list =
            serde_json::from_str::<serde_json::Value>(&env.run(arguments).data()).expect("JSON");
        let rows = list["skills"].as_array().expect("rows").iter();
        rows.map(|row| format!("{} {} {}", row["tier"], row["source"], row["id"]).replace('"', ""))
            .collect::<Vec<_>>()
    };
    let builtin = [
        "builtin builtin use-repertoire",
        "builtin builtin write-a-skill",
        "builtin builtin write-a-source",
    ];
    assert_eq!(sources(&["list", "--json"]), builtin);
    let steady = ["user mine steady"];
    assert_eq!(sources(&["list", "mine", "--json"]), steady);
    assert_eq!(
        sources(&["list", "--root", "mine", "--no-defaults", "--json"]),
        steady
    );
    env.file(
        "repertoire.toml",
        "[[source]]\nkind = \"fs\"\nname = \"mine\"\nroots = [\"mine\"]\n",
    );
    assert_eq!(
        sources(&["list", "--config", "repertoire.toml", "--json"]),
        steady
    );
}

#[test]
fn a_folder_may_be_called_like_their_source() {
    let env = TestEnv::new();
    env.skill("builtin", "steady", "Mine.");
    let ran = env.run(&["why", "steady", "--root", "builtin"]).data();
    assert!(ran.contains("builtin-2"), "{ran}");
}

#[test]
fn they_are_read_from_the_program() {
    let env = TestEnv::new();
    let body = env.run(&["body", "write-a-skill"]).data();
    assert!(body.starts_with("# Write a skill\n"), "{body}");
    let path = "references/front-matter.md";
    let file = fs::read_to_string(skills().join("write-a-skill").join(path))
        .expect("it is in the checkout");
    assert_eq!(env.run(&["files", "write-a-skill", path]).data(), file);
}

#[test]
fn the_strictest_judge_finds_nothing_in_them() {
    let folder = skills();
    let ran = TestEnv::new().run(&["check", folder.to_str().expect("UTF-8"), "--strict"]);
    assert_data_eq!(
        ran.data(),
        str![[r#"
3 skills checked: no problems

"#]]
    );
}

#[test]
fn every_command_in_them_is_one() {
    let env = TestEnv::new();
    let mut checked = 0;
    for file in files(&skills()) {
        let text = fs::read_to_string(&file).expect("it is in the checkout");
        for line in commands(&text) {
            let arguments: Vec<_> = line.split_whitespace().skip(1).chain(["--help"]).collect();
            // Arguments that are not known fail before help is asked for.
            assert_eq!(
                env.run(&arguments).exit,
                Exit::Success,
                "{}: {line}",
                file.display()
            );
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked}");
}

/// Returns the commands of a text: code that starts with the program's name, up to a pipe or a comment.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    let spans = text
        .split('`')
        .flat_map(str::lines)
        .map(|line| line.trim().trim_start_matches("$ "));
    let commands = spans.filter(|line| line.starts_with("repertoire "));
    commands.map(|line| line.split([';', '|', '#']).next().unwrap_or_default())
}

fn skills() -> PathBuf {
    checkout("crates/cli/skills")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .expect("it is in the checkout")
        .map(|entry| entry.expect("an entry").path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}
