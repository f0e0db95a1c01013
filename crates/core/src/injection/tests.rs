use super::*;
use crate::{Skill, SurfaceMode};

fn id(name: &str) -> Id {
    Id::new(name).unwrap()
}

fn injection(content: Content) -> Result<Injection, InvalidValue> {
    Injection::new(
        id("tone"),
        Flavor::Steering,
        Trigger::Always,
        "How to speak.",
        content,
    )
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec::new(name, "Does it.", serde_json::json!({"type": "object"})).unwrap()
}

#[test]
fn content_returns_the_slots_it_fills() {
    let slots = |content: Content| content.slots();
    assert_eq!(slots(Content::default()), []);
    assert_eq!(
        slots(Content::system_prompt("Be brief.")),
        [Slot::SystemPrompt]
    );
    assert_eq!(
        slots(Content::message(Role::User, "Hello")),
        [Slot::Messages]
    );
    assert_eq!(
        slots(Content::default().with_tools([tool("search")])),
        [Slot::Tools]
    );
    assert_eq!(
        slots(Content::system_prompt("Be brief.").with_tools([tool("search")])),
        [Slot::SystemPrompt, Slot::Tools]
    );
}

#[test]
fn an_injection_without_content_is_refused() {
    for content in [
        Content::default(),
        Content::system_prompt(" \n"),
        Content::message(Role::System, ""),
    ] {
        let message = "steering `tone` has nothing to say: give it a text, a message or a tool";
        assert_eq!(injection(content).unwrap_err().to_string(), message);
    }
}

#[test]
fn two_tools_of_one_name_are_refused() {
    let content = Content::default().with_tools([tool("search"), tool("fetch"), tool("search")]);
    assert_eq!(
        injection(content).unwrap_err().to_string(),
        "steering `tone` offers two tools called `search`"
    );
}

#[test]
fn tools_need_a_name_and_a_schema() {
    let refused = |name: &str, schema: serde_json::Value| {
        ToolSpec::new(name, "", schema).unwrap_err().to_string()
    };
    assert_eq!(
        refused(" ", serde_json::json!({})).to_string(),
        "tool ` ` cannot be offered: its name is not made of at most 64 ASCII letters, digits, `_` and `-`, or begins with a digit or `-`"
    );
    assert_eq!(
        refused("search", serde_json::json!(["query"])).to_string(),
        "tool `search` cannot be offered: its input schema is not a JSON object"
    );
}

#[test]
fn skill_injections_become_skills_again() {
    let text = b"---\nname: tidy-up\ndescription: Sorts a folder.\nallowed-tools: Read Bash(ls:*)\nsurface: both\n\
        disable-model-invocation: yes\nuser-invocable: ture\nallowedWorkflows: [nightly]\nmetadata: {a: 1.0}\n---\nSort.\n";
    let skill: Skill = crate::skill_md::parse(text, crate::skill_md::FileContext::new("SKILL.md"))
        .skill
        .unwrap();
    assert_eq!(skill.surface, Some(SurfaceMode::Both));
    let content = Content::system_prompt("Sort.");
    let injection = Injection::new(
        id("tidy-up"),
        Flavor::Skill,
        Trigger::Activated,
        "Sorts a folder.",
        content,
    );
    let injection = injection
        .unwrap()
        .with_metadata(skill.fields.iter().cloned());
    assert_eq!(Skill::try_from(injection), Ok(skill));
}

#[test]
fn a_blank_body_is_not_injected() {
    let content = Content::system_prompt(" \n");
    let error = Injection::new(
        id("tidy-up"),
        Flavor::Skill,
        Trigger::Activated,
        "Sorts.",
        content,
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "skill `tidy-up` has nothing to say: give it a text, a message or a tool"
    );
}

#[test]
fn only_the_skill_flavor_converts_to_skill() {
    let steering = injection(Content::system_prompt("Be brief.")).unwrap();
    let error = Skill::try_from(steering).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected a skill, but `tone` has the flavor `steering`"
    );
}
