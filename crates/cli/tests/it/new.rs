//! `new`.

use std::fs;

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::world::World;

fn read(world: &World, path: &str) -> String {
    fs::read_to_string(world.here().join(path)).expect("the file was written")
}

#[test]
fn a_new_skill_is_strictly_valid_and_found_at_once() {
    let world = World::new();
    assert_data_eq!(
        world.run(&["new", "tidy-up"]).data(),
        str![[r#"
.agents/skills/tidy-up/SKILL.md

"#]]
    );
    assert_data_eq!(
        read(&world, ".agents/skills/tidy-up/SKILL.md"),
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
        world.run(&["check", "--strict"]).data(),
        str![[r#"
no findings; 4 skills listed

"#]]
    );
}

#[test]
fn a_description_is_quoted_where_it_must_be() {
    for (description, line) in [
        ("Sorts a folder.", "description: Sorts a folder."),
        ("Sorts: files # \"first\"", r##"description: "Sorts: files # \"first\"""##),
        ("yes", r#"description: "yes""#),
        ("größe\nzwei", r#"description: "größe\nzwei""#),
    ] {
        let world = World::new();
        assert_eq!(
            world.run(&["new", "a", "--in", "skills", "--description", description]).data(),
            "skills/a/SKILL.md\n"
        );
        let text = read(&world, "skills/a/SKILL.md");
        assert_eq!(text.lines().nth(2), Some(line));
        let strict = world.run(&["check", "--strict", "skills"]);
        assert_eq!((strict.exit, strict.stdout.as_str()), (Exit::Success, "no findings; 1 skill listed\n"));
    }
}

#[test]
fn nothing_is_written_over() {
    let world = World::new();
    world.file("skills/tidy-up/notes.md", "Mine.\n");
    assert_data_eq!(
        world.run(&["new", "tidy-up", "--in", "skills"]).failure(),
        str![[r#"
error: `skills/tidy-up` is there already
 |
 = help: `new` writes over nothing

"#]]
    );
    assert!(!world.here().join("skills/tidy-up/SKILL.md").exists());
}

#[test]
fn a_name_that_the_standard_refuses_is_refused_with_the_reason() {
    let long = "a".repeat(65);
    for (name, reason) in [
        (
            "Tidy--up",
            "`Tidy--up` is no name for a skill: it must be lowercase, and it cannot contain consecutive hyphens",
        ),
        ("-a", "`-a` is no name for a skill: it cannot start or end with a hyphen"),
        (
            "a b",
            "`a b` is no name for a skill: it contains invalid characters; letters, digits and hyphens are allowed",
        ),
        (&long, &format!("`{long}` is no name for a skill: it exceeds the limit of 64 characters")),
        ("../a", "name `../a` holds `/`; a name is not a path"),
        ("", "a name must not be blank"),
    ] {
        let world = World::new();
        assert_eq!(world.run(&["new", "--", name]).failure(), format!("error: {reason}\n"));
        assert_eq!(fs::read_dir(world.here()).expect("it is there").count(), 0, "{name}");
    }
}

#[test]
fn a_description_that_no_skill_may_have_is_refused() {
    for (description, reason) in [
        (" ", "field `description` must be a non-empty string"),
        (&*"a".repeat(1025), "description exceeds the limit of 1024 characters (1025); it is kept whole"),
    ] {
        let world = World::new();
        let said = world.run(&["new", "a", "--description", description]).failure();
        assert!(said.starts_with(&format!("error: the skill would not be valid: {reason}")), "{said}");
        assert_eq!(fs::read_dir(world.here()).expect("it is there").count(), 0);
    }
}
