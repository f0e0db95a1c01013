//! Text of strangers at a terminal, and in JSON.

use serde_json::Value;

use crate::world::World;

/// Sets colours, the title, rings, turns text around, and hides some; in every place that a skill can write to.
const PAINT: &str = "\\e[2J\\e]0;owned\\a \\x7f\\x9b31m \\u202E\\U000E0041";

fn painter() -> World {
    let world = World::new();
    world.file(
        "root/painter/SKILL.md",
        format!(
            "---\nname: painter\ndescription: \"Hello {PAINT}\"\nallowed-tools: [\"Read {PAINT}\"]\n\"key {PAINT}\": \"{PAINT}\"\n---\nA.\n"
        ),
    );
    let raw = "\u{1b}[31m\u{7f}\u{9b}\u{202e}\u{e0041}";
    world.file("root/broken/SKILL.md", format!("---\nname: broken{raw}\n{raw}: [\ndescription\n---\n"));
    world.skill("second", "painter", "Another.").file("empty \u{1b}[31m\u{202e}/notes", "No skill.");
    world.file("root/name/SKILL.md", format!("---\nname: \"na{PAINT}me\"\ndescription: Odd.\n---\nA.\n"));
    world
}

#[test]
fn no_command_lets_a_skill_paint() {
    let world = painter();
    for arguments in [
        &["list", "root", "second", "--all"][..],
        &["check", "root", "second"],
        &["check", "root", "second", "--strict"],
        &["show", "painter", "--root", "root"],
        &["which", "painter", "--root", "root"],
        &["roots", "--root", "root"],
        &["show", "no \u{1b}[31m such\u{9b}"],
        &["list", "missing \u{1b}[31m\u{202e}"],
        &["list", "empty \u{1b}[31m\u{202e}"],
        &["list", "--source", "fs:a\u{1b}[31m:\u{1b}"],
    ] {
        let ran = world.run(arguments);
        for c in ran.stdout.chars().chain(ran.stderr.chars()) {
            let obeyed = c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{e0041}');
            assert!(!obeyed, "{arguments:?} lets {c:?} through: {ran:?}");
        }
    }
}

#[test]
fn json_is_valid_and_holds_the_text_as_it_is() {
    let world = painter();
    let ran = world.run(&["list", "root", "--json"]);
    assert_eq!(ran.stderr, "");
    assert!(ran.stdout.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'), "{}", ran.stdout);
    let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    let skills = document["skills"].as_array().expect("a list");
    let description = skills.iter().find(|skill| skill["id"] == "painter").map(|skill| &skill["description"]);
    assert_eq!(description, Some(&Value::from("Hello \u{1b}[2J\u{1b}]0;owned\u{7} \u{7f}\u{9b}31m \u{202e}\u{e0041}")));
}
