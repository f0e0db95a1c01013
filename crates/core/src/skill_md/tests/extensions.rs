//! Faults of extension fields.

use snapbox::{assert_data_eq, str};

use super::*;

/// Returns the diagnostics of a skill with these lines, as `code line: message`.
fn diagnostics_of(lines: &str) -> Vec<String> {
    let diagnostics = parse_text(front(&beside(lines))).diagnostics.into_iter();
    diagnostics
        .map(|diagnostic| {
            format!(
                "{} {}: {}",
                diagnostic.code,
                diagnostic.line.unwrap(),
                diagnostic.message
            )
        })
        .collect()
}

#[test]
fn every_fault_has_a_code_and_its_line() {
    let lines = "\
triggers:
  - deploy
  - keybord: release
  - regex: '(unclosed'
  - [a]
  - tool: {x: y}
  - always: perhaps
required_tools: {Bash: true}
category: rwa
tier: 7
functional-tier: pro
workflow:
  - step: One
    id: a
    on_error: retry
  - id: a
  - step: Two
    id: a
    params: none
verification:
  - It compiles.
  - command: make
references: {a: b}";
    assert_data_eq!(
        diagnostics_of(lines).join("\n"),
        str![[r#"
bad-trigger 6: item 2 of `triggers` is not a trigger: expected `keyword`, `task`, `tool`, `path`, `command`, `regex` or `always`, found the kind `keybord`
bad-trigger 7: item 3 of `triggers` is not a trigger: the regular expression is invalid: unclosed group
bad-trigger 8: item 4 of `triggers` is not a trigger: expected a text or a map with one of `keyword`, `task`, `tool`, `path`, `command`, `regex` or `always`
bad-trigger 9: item 5 of `triggers` is not a trigger: expected a text for `tool`
bad-trigger 10: item 6 of `triggers` is not a trigger: expected `true` for `always`
unreadable-field 11: `required_tools` must be a text or a list of names, found a map; it counts as absent
misspelt-limit 12: the category is neither `standard` nor `raw`; it counts as `raw`, which limits
unknown-level 13: `tier` must be 1, 2 or 3, found `7`; it counts as 2
unknown-tier 14: `pro` is not a functional tier that is known; it is kept as a label
bad-workflow 16: invalid `workflow`: the `on_error` of step 1 is unknown: expected `fail`, `continue` or `skip`
bad-workflow 19: invalid `workflow`: item 2 is not a step: expected a text, or a map with `step`
bad-workflow 20: invalid `workflow`: step 3 has the id `a` of an earlier one
bad-workflow 20: invalid `workflow`: the `params` of step 3 are not a map
bad-verification 25: item 2 of `verification` is not a check: expected a text, or a map with `kind`
unreadable-field 26: `references` must be a text or a list of names, found a map; it counts as absent
"#]]
    );
}

#[test]
fn faults_under_metadata_have_their_own_line() {
    let lines =
        "metadata:\n  author: me\n  triggers: {a: b}\n  category: databse\n  invoke-level: 9";
    assert_data_eq!(
        diagnostics_of(lines).join("\n"),
        str![[r#"
foreign-field 6: `triggers` must be a text or a list, found a map; it counts as absent
unknown-category 7: the category is neither `standard` nor `raw`; it counts as `raw`, which limits
unknown-level 8: `invoke-level` must be 1, 2 or 3, found `9`; it counts as 2
"#]]
    );
}

#[test]
fn sound_fields_are_not_reported() {
    for lines in [
        "triggers: plan, sprint",
        "triggers: [deploy, /release, 'task:review', mcp__github__*, {regex: 'v\\d+'}, {always: false}]",
        "required_tools: [Bash, mcp__x__*]\nworkflow:\n  - Look around.\n  - {step: Run, tool: Bash, params: {a: b}, on_error: skip}",
        "verification: security_reviewed",
        "verification: {kind: command, run: make}",
        "references: [a.md]\ntier: 3\ncategory: Standard",
        "tier: 'PM & Orchestration'\ninvoke-level: 1\ncategory: raw",
        "required_tools:\ntriggers:\nworkflow:\nreferences:\ntier:\ncategory:",
    ] {
        assert_eq!(diagnostics_of(lines), [""; 0], "{lines}");
    }
}
