use ToolPolicy::{Blocked, RequiresApproval, Safe};

use super::*;
use crate::skill_md;

/// A skill with this category and the tools `read`, `write` and `run`.
fn skill(category: &str) -> Skill {
    let text = format!(
        "---\nname: probe\ndescription: Probes.\ncategory: {category}\ntools: [read, write, run]\n---\n"
    );
    skill_md::parse(text.as_bytes(), skill_md::FileContext::new("SKILL.md"))
        .skill
        .unwrap()
}

#[test]
fn standard_skills_are_attached_as_they_are() {
    for category in ["standard", "Standard", ""] {
        let attachable = Attachable::new(skill(category)).unwrap();
        let tools: Vec<_> = attachable.tools().collect();
        assert_eq!(
            tools,
            [("read", Safe), ("write", Safe), ("run", Safe)],
            "{category}"
        );
    }
}

#[test]
fn raw_skills_need_policies_in_any_spelling() {
    for category in [
        "raw",
        "Raw",
        "\" RAW \"",
        "[raw]",
        "[database, raw]",
        "rwa",
        "productivity",
    ] {
        let raw = Attachable::new(skill(category)).unwrap_err();
        assert_eq!(
            raw.to_string(),
            "skill `probe` is raw and can be attached behind a gate only",
            "{category}"
        );
    }
}

#[test]
fn policies_block_unnamed_tools() {
    let gate = ToolPolicies::new()
        .with("read", Safe)
        .with("run", RequiresApproval)
        .with("elsewhere", Safe);
    let skill = Attachable::new(skill("raw"))
        .unwrap_err()
        .with_policies(gate);
    let tools: Vec<_> = skill.tools().collect();
    assert_eq!(tools, [("read", Safe), ("run", RequiresApproval)]);
    for (tool, policy) in [
        ("read", Safe),
        ("run", RequiresApproval),
        ("write", Blocked),
        ("Read", Blocked),
        ("", Blocked),
    ] {
        assert_eq!(skill.policy(tool), policy, "{tool}");
    }
}

#[test]
fn an_empty_gate_blocks_everything() {
    let skill = Attachable::new(skill("raw"))
        .unwrap_err()
        .with_policies(ToolPolicies::new());
    assert_eq!(skill.tools().count(), 0);
}

#[test]
fn the_stricter_policy_overrides() {
    for (first, second) in [(Safe, Blocked), (Blocked, Safe)] {
        assert_eq!(
            ToolPolicies::new()
                .with("run", first)
                .with("run", second)
                .policy("run"),
            Blocked
        );
    }
}
