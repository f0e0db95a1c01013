//! `check`.

use repertoire_cli::Exit;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

use crate::world::World;

fn broken() -> World {
    let world = World::new();
    world.file("root/broken/SKILL.md", "---\nname: broken\n");
    world.file(
        "root/spot-me/SKILL.md",
        "---\nname: spot-me\ndescription: Collects run data: progress, errors.\n---\nA.\n",
    );
    world.file("root/bytes/SKILL.md", b"---\nname: bytes\ndescription: \xff\n---\n");
    world.skill("root", "steady", "A plain, valid neighbour.");
    world.skill("clean", "steady", "A plain, valid neighbour.");
    world.file("warned/surveyor/SKILL.md", "---\nname: Surveyor\ndescription: Case differs.\n---\nA\n");
    world
}

#[test]
fn every_finding_is_shown_with_the_line_that_it_is_about() {
    let ran = broken().run(&["check", "root"]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Findings, ""));
    assert_data_eq!(
        ran.stdout,
        str![[r#"
error[unclosed-front-matter]: frontmatter is not properly closed: no closing `---` line
 --> root/broken/SKILL.md:1:1
  |
1 | ---
  | ^^^
  |
  = help: put a line `---` between the fields and the body

error[not-utf8]: the file is not UTF-8: byte 29 is 0xff
 --> root/bytes/SKILL.md:3:14
  |
3 | description: �
  |              ^
  |
  = help: save the file as UTF-8

warning[invalid-yaml]: invalid YAML in `description`: unquoted text must not hold a colon before a blank; its text was taken as it stands
 --> root/spot-me/SKILL.md:3:31
  |
3 | description: Collects run data: progress, errors.
  |                               ^
  |
  = help: quote this value: `description: "Collects run data: progress, errors."`

2 errors, 1 warning; 2 skills listed

"#]]
    );
}

#[test]
fn warnings_fail_only_a_strict_check() {
    let world = broken();
    assert_eq!(world.run(&["check", "warned"]).exit, Exit::Success);
    assert_eq!(world.run(&["check", "--strict", "warned"]).exit, Exit::Findings);
    assert_data_eq!(
        world.run(&["check", "clean"]).data(),
        str![[r#"
no findings; 1 skill listed

"#]]
    );
    assert_data_eq!(
        world.run(&["validate", "--strict", "clean"]).data(),
        str![[r#"
no findings; 1 skill listed

"#]]
    );
}

#[test]
fn the_strict_verdict_is_the_reference_validators() {
    let world = World::new();
    world.file("root/tidy/SKILL.md", "---\nname: tidy\ndescription: Sorts.\nflavour: sweet\n---\nSort.\n");
    assert_data_eq!(
        world.run(&["check", "root"]).data(),
        str![[r#"
no findings; 1 skill listed

"#]]
    );
    let ran = world.run(&["check", "--strict", "root"]);
    assert_eq!(ran.exit, Exit::Findings);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
error[unexpected-fields]: unexpected fields in frontmatter: `flavour`; only `allowed-tools`, `compatibility`, `description`, `license`, `metadata`, `name` are allowed
 --> root/tidy/SKILL.md:4:1
  |
4 | flavour: sweet
  | ^^^^^^^

1 error; 1 skill listed

"#]]
    );
}

#[test]
fn shadows_are_findings_too() {
    let world = World::new();
    world.skill("project", "review", "Project copy.").skill("user", "review", "User copy.");
    assert_data_eq!(
        world.run(&["check", "project", "user"]).data(),
        str![[r#"
warning[shadowed]: skill `review` is hidden by the one from user source `project`
--> user/review/SKILL.md
::: project/review/SKILL.md
 = help: ask for it as `user:review`, rename it, or prefer its source

1 warning; 1 skill listed

"#]]
    );
}

#[test]
fn two_files_of_one_name_are_both_shown_as_they_were_typed() {
    let world = World::new();
    world.skill("root", "review", "First.");
    world.file("root/zz/SKILL.md", "---\nname: review\ndescription: Second.\n---\n");
    let ran = world.run(&["check", "root"]);
    let found = ran.stdout.split("\n\n").find(|finding| finding.contains("duplicate-id"));
    assert_eq!(
        found,
        Some(
            "warning[duplicate-id]: skill `review` is defined twice; the first one stays\n\
             --> root/zz/SKILL.md\n\
             ::: root/review/SKILL.md\n\
             \x20= help: rename one of them"
        )
    );
}

#[test]
fn counts_agree_with_the_list() {
    let ran = broken().run(&["check", "--format", "json", "root"]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Findings, ""));
    let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    let diagnostics = document["diagnostics"].as_array().expect("a list");
    let count = |severity: &str| diagnostics.iter().filter(|finding| finding["severity"] == severity).count();
    assert_eq!(document["errors"], count("error"));
    assert_eq!(document["warnings"], count("warning"));
    assert_eq!((count("error"), count("warning")), (2, 1));
    assert_eq!(document["skills"], 2);
}
