use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use repertoire_core::{Id, Skill, SurfaceMode, Value, skill_md};

use super::front_matter;

fn read(skill: &Skill) -> Skill {
    let text = front_matter(skill);
    let parsed = skill_md::parse(text.as_bytes(), skill_md::FileContext::new("SKILL.md"));
    parsed
        .skill
        .unwrap_or_else(|| panic!("{text}{:?}", parsed.diagnostics))
}

#[test]
fn declared_fields_round_trip_through_front_matter() {
    let mut skill = Skill::new("greet".parse().unwrap(), "Greets: people #1.");
    skill.surface = Some(SurfaceMode::Both);
    skill.allowed_tools = Some(vec!["Read".into(), "Bash(git:*)".into()]);
    skill.disable_model_invocation = true;
    skill.user_invocable = false;
    skill.allowed_workflows = Some(Vec::new());
    let read = read(&skill);
    assert_eq!(read.id, skill.id);
    assert_eq!(read.description, skill.description);
    assert_eq!(read.surface, skill.surface);
    assert_eq!(read.allowed_tools, skill.allowed_tools);
    assert_eq!(
        (read.disable_model_invocation, read.user_invocable),
        (true, false)
    );
    assert_eq!(read.allowed_workflows, skill.allowed_workflows);
}

#[test]
fn the_spelling_of_a_number_stays() {
    let mut skill = Skill::new("greet".parse().unwrap(), "Greets people.");
    let map = Value::Map(vec![
        ("no".into(), Value::plain("no")),
        ("empty".into(), Value::plain("")),
    ]);
    skill.fields = vec![
        ("version".into(), Value::plain("1.10")),
        ("metadata".into(), map),
    ];
    let read = read(&skill);
    assert_eq!(read.field("version"), Some(&Value::plain("1.10")));
    assert_eq!(
        read.field("metadata").unwrap().get("no"),
        Some(&Value::plain("no"))
    );
    assert!(
        read.field("metadata")
            .unwrap()
            .get("empty")
            .unwrap()
            .is_null()
    );
}

fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        "\\PC{0,12}".prop_map(Value::text),
        "[a-z0-9.]{1,8}".prop_map(Value::plain)
    ];
    scalar.prop_recursive(3, 16, 4, |inner| {
        let rows = vec((any::<String>(), inner.clone()), 0..4).prop_map(|rows| {
            let mut known = std::collections::BTreeSet::new();
            let fresh = rows
                .into_iter()
                .filter(|(key, _)| !key.trim().is_empty() && known.insert(key.clone()));
            Value::Map(fresh.map(|(key, value)| (Arc::from(key), value)).collect())
        });
        prop_oneof![vec(inner, 0..4).prop_map(Value::List), rows]
    })
}

/// The value without what quotes hide from a reader: whether a word stood without them.
fn texts(value: &Value) -> Value {
    match value {
        Value::Scalar(scalar) if scalar.plain && value.is_null() => Value::plain("null"),
        Value::Scalar(scalar) => Value::text(scalar.text.clone()),
        Value::List(items) => Value::List(items.iter().map(texts).collect()),
        Value::Map(rows) => Value::Map(
            rows.iter()
                .map(|(key, value)| (key.clone(), texts(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn any_skill_is_read_back(name in "\\PC{1,20}", description in any::<String>(), value in values()) {
        let Ok(id) = Id::new(&name) else { return Ok(()) };
        prop_assume!(!description.trim().is_empty());
        let mut skill = Skill::new(id, description.trim());
        skill.fields = vec![("custom".into(), value)];
        let read = read(&skill);
        prop_assert_eq!(&read.id, &skill.id);
        prop_assert_eq!(&read.description, &skill.description);
        prop_assert_eq!(read.field("custom").map(texts), skill.field("custom").map(texts));
    }
}
