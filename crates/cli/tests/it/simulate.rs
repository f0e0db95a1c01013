//! `simulate`.

use repertoire_cli::Exit;
use snapbox::{assert_data_eq, str};

use crate::world::{World, checkout};

/// Two skills: one for every model's own place, one for the results of tools alone.
fn skills() -> World {
    let world = World::new();
    world.file("root/tidy/SKILL.md", "---\nname: tidy\ndescription: Sorts.\n---\nSort $ARGUMENTS by name.\n");
    world.file(
        "root/minutes/SKILL.md",
        "---\nname: minutes\ndescription: Writes minutes.\nsurface: tool-only\ntriggers: [minutes]\n---\nDecisions first.\n",
    );
    world
}

fn arguments(model: &str) -> [&str; 8] {
    ["simulate", "--script", "turns.yaml", "--root", "root", "--no-defaults", "--model", model]
}

const TURNS: &str = "\
injections:
  - {id: careful, flavor: steering, when: always, system-prompt: Ask first.}
  - {id: late, flavor: instructions, when: {rule: at-night}, system-prompt: Be short.}
  - {id: lost, flavor: instructions, when: {rule: nobodys}, system-prompt: No.}
  - {id: run, flavor: fact, when: {after-tool: run}, message: It ran.}
turns:
  - user: Tidy my desk and take the minutes.
    calls:
      - {tool: read_skill, arguments: {id: tidy, arguments: my desk}}
      - {tool: run, result: nothing to do, failed: true}
  - rules: [at-night]
    says: Done.
";

#[test]
fn every_turn_tells_what_a_model_gets_who_decided_and_what_was_left_out() {
    let world = skills();
    world.file("turns.yaml", TURNS);
    let ran = world.run(&arguments("anthropic/claude-sonnet-4-5"));
    assert_eq!(ran.exit, Exit::Success);
    assert_data_eq!(
        ran.stdout,
        str![[r##"
# turn 1
the user says:
  | Tidy my desk and take the minutes.

active   kind      because  surface  where
careful  steering  always            system-prompt
skipped: instructions `lost`: there is no rule `nobodys`
skipped: skill `minutes`: `tool-only`, decided by skill, and no tool read it; declare `both` or `system-prompt`

system prompt:
  | Ask first.

tools: list_skills, search_skills, read_skill, read_skill_resource

the model calls read_skill {"id":"tidy","arguments":"my desk"}: ok:
  | <skill_content name="tidy">
  | Sort my desk by name.
  |
  | This skill lies in [WORLD]/here/root/tidy
  | Relative paths in it start there.
  | </skill_content>

the model calls run {}: failed:
  | nothing to do

# turn 2

active   kind          because         surface                         where
careful  steering      always                                          system-prompt
late     instructions  rule at-night                                   system-prompt
run      fact          after-tool run                                  messages
tidy     skill         activated       both, rule claude-3.5-or-later  system-prompt, messages (earlier)
skipped: instructions `lost`: there is no rule `nobodys`
skipped: skill `minutes`: `tool-only`, decided by skill, and no tool read it; declare `both` or `system-prompt`

system prompt:
  | Ask first.
  |
  | Be short.
  |
  | <skill_content name="tidy">
  | Sort my desk by name.
  |
  | This skill lies in [WORLD]/here/root/tidy
  | Relative paths in it start there.
  | </skill_content>

message, user, end, from run:
  | It ran.

tools: list_skills, search_skills, read_skill, read_skill_resource

the model says:
  | Done.

"##]]
    );
}

#[test]
fn another_model_gets_it_elsewhere() {
    let world = skills();
    world.file("turns.yaml", TURNS);
    let ran = world.run(&[&arguments("openai/gpt-5")[..], &["--json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one JSON document");
    let second = &document["turns"][1];
    let tidy = &second["active"].as_array().expect("a list")[3];
    assert_eq!(
        tidy,
        &serde_json::json!({
            "id": "tidy",
            "flavor": "skill",
            "cause": "activated",
            "surface": {"mode": "tool-only", "decided_by": "fallback"},
            "placements": [{"slot": "messages", "delivery": "earlier"}],
        })
    );
    assert_eq!(second["system_prompt"], "Ask first.\n\nBe short.");
}

#[test]
fn bodies_come_in_the_dialect_of_their_source() {
    let world = World::new();
    world.file("root/tidy/SKILL.md", "---\nname: tidy\ndescription: Sorts.\n---\nLook in {baseDir}/shelf.\n");
    world.file("turns.yaml", "turns:\n  - user: Tidy.\n    calls: [{tool: read_skill, arguments: {id: tidy}}]\n");
    let source = "[[source]]\nkind = \"fs\"\nname = \"team\"\nroots = [\"root\"]\ndialect = \"openclaw\"\n";
    world.file("repertoire.toml", source);
    let model = "openai/gpt-5";
    let told =
        world.run(&["simulate", "--script", "turns.yaml", "--config", "repertoire.toml", "--model", model]).data();
    assert!(told.contains("/root/tidy/shelf.") && !told.contains("{baseDir}"), "{told}");
}

#[test]
fn what_is_hidden_from_a_model_stays_hidden() {
    let world = skills();
    world.file("turns.yaml", TURNS);
    let ran = world.run(&[&arguments("openai/gpt-5")[..], &["--mode", "*=off"]].concat());
    assert!(ran.stdout.contains("\ntools: none\n"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("Decisions first") && !ran.stdout.contains("by name"), "{}", ran.stdout);
}

#[test]
fn a_script_that_cannot_be_played_says_where_and_why() {
    for (script, expected) in [
        (
            "turns: [{usr: Hello.}]\n",
            str![[r#"
error: unknown field `usr`, expected one of user, task, paths, command, rules, says, calls
 --> turns.yaml:1:10
  |
1 | turns: [{usr: Hello.}]
  |          ^^^

"#]],
        ),
        (
            "turns:\n  - user: Hello\n    calls: [{tool: bash}]\n",
            str![[r#"
error: turn 1: nobody here answers for `bash`
 |
 = help: give the call a `result`

"#]],
        ),
        (
            "turns:\n  - calls: [{tool: list_skills, result: none}]\n",
            str![[r#"
error: turn 1: `list_skills` answers for itself
 |
 = help: take its `result` out of the script

"#]],
        ),
        (
            "turns: []\n",
            str![[r#"
error: `turns.yaml` has no turn

"#]],
        ),
        (
            "turns:\n  - user: [\n",
            str![[r#"
error: expected string scalar
 --> turns.yaml:2:11
  |
2 |   - user: [
  |           ^

"#]],
        ),
        (
            "injections: [{id: a, flavor: fact, when: always}]\nturns: [{}]\n",
            str![[r#"
error: fact `a` has nothing to say: give it a text, a message or a tool

"#]],
        ),
    ] {
        let world = skills();
        world.file("turns.yaml", script);
        assert_data_eq!(world.run(&arguments("openai/gpt-5")).failure(), expected);
    }
    let ran = skills().run(&arguments("openai/gpt-5"));
    assert!(ran.failure().starts_with("error: cannot read `turns.yaml`: "));
}

#[test]
fn the_example_is_played_to_its_end() {
    let (script, root) = (checkout("examples/turns.yaml"), checkout("examples/skills"));
    let (script, root) = (script.to_str().expect("a path"), root.to_str().expect("a path"));
    let ran = World::new().run(&["simulate", "--script", script, "--root", root, "--no-defaults"]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (Exit::Success, ""));
    assert_eq!(ran.stdout.matches("\n# turn ").count() + 1, 6);
    for seen in
        ["Did you mean `review`?", "only the user may invoke it", "Publish 1.2:", "no tool read it; declare `both`"]
    {
        assert!(ran.stdout.contains(seen), "{seen}");
    }
}
