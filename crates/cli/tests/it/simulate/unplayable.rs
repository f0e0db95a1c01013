//! Scripts that cannot be played.

use super::*;

#[test]
fn invalid_scripts_are_located() {
    for (script, expected) in [
        (
            "turns: [{usr: Hello.}]\n",
            str![[r#"
error: unknown field `usr`, expected one of compact, user, task, paths, command, rules, activate, deactivate, ends-with, says, calls
 --> turns.yaml:1:10
  |
1 | turns: [{usr: Hello.}]
  |          ^^^

"#]],
        ),
        (
            "turns:\n  - user: Hello\n    calls: [{tool: bash}]\n",
            str![[r#"
error: turn 1: `bash` has no result
 |
 = help: add a `result` to the call

"#]],
        ),
        (
            "turns:\n  - calls: [{tool: list_skills, result: none}]\n",
            str![[r#"
error: turn 1: the result of `list_skills` is computed
 |
 = help: remove its `result` from the script

"#]],
        ),
        (
            "turns: []\n",
            str![[r#"
error: `turns.yaml` has no turns

"#]],
        ),
        (
            "turns:\n  - user: [\n",
            str![[r#"
error: expected a text
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
        (
            "roles: {a: {}}\nturns: [{}]\n",
            str![[r#"
error: the script has `roles` and no active role
 |
 = help: name one under `role`

"#]],
        ),
        (
            "roles: {a: {}}\nrole: b\nturns: [{}]\n",
            str![[r#"
error: unknown role `b`: expected `a`

"#]],
        ),
        (
            "roles: {a: {skills: ['']}}\nrole: a\nturns: [{}]\n",
            str![[r#"
error: a name must not be blank
 --> turns.yaml:1:22
  |
1 | roles: {a: {skills: ['']}}
  |                      ^^

"#]],
        ),
        (
            "roles: {a: {invoke-level: 7}}\nrole: a\nturns: [{}]\n",
            str![[r#"
error: the role `a` has the level 7: expected 1, 2 or 3

"#]],
        ),
        (
            "tools: [{name: sort, of: tydi}]\nturns: [{}]\n",
            str![[r#"
error: no skill `tydi`
 |
 = help: did you mean `tidy`?

"#]],
        ),
        (
            "tools: [{name: read_skill}]\nturns: [{}]\n",
            str![[r#"
error: two tools are called `read_skill`

"#]],
        ),
        (
            "turns: [{}, {activate: [nobody]}]\n",
            str![[r#"
error: turn 2: no skill `nobody`
 |
 = help: `activate` accepts skills, and injections with `when: activated`

"#]],
        ),
        (
            "turns: [{compact: true}]\n",
            str![[r#"
error: expected a map
 --> turns.yaml:1:19
  |
1 | turns: [{compact: true}]
  |                   ^^^^

"#]],
        ),
        (
            "turns: [{user: a, user: b}]\n",
            str![[r#"
error: duplicate mapping key: user
 --> turns.yaml:1:19
  |
1 | turns: [{user: a, user: b}]
  |                   ^^^^

"#]],
        ),
        (
            "injections: [{id: a, flavor: fact, when: {after-tool-matching: '('}, message: A.}]\nturns: [{}]\n",
            str![[r#"
error: fact `a` is not valid: its trigger is not a regular expression: regex parse error:/n    ^(?:()/n     ^/nerror: unclosed group

"#]],
        ),
    ] {
        let world = skills();
        world.file("turns.yaml", script);
        assert_data_eq!(world.run(&arguments("openai/gpt-5")).failure(), expected);
    }
    let ran = skills().run(&arguments("openai/gpt-5"));
    assert!(
        ran.failure()
            .starts_with("error: cannot read `turns.yaml`: ")
    );
}

#[test]
fn too_long_scripts_are_not_read() {
    let world = skills();
    world.file(
        "turns.yaml",
        format!("turns: [{{says: '{}'}}]\n", "a".repeat(1 << 20)),
    );
    let ran = world.run(&arguments("openai/gpt-5"));
    assert_eq!(
        ran.failure(),
        "error: `turns.yaml` is too long: expected at most 1048576 bytes\n"
    );
}
