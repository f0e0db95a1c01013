//! A `SKILL.md` for skills that have none.

use repertoire::Skill;
use repertoire::skill::{Value as Field, skill_md};
use serde_json::{Map, Value};

use crate::yaml::as_read;

/// The front matter of a skill as JSON, every field as a reader of its `SKILL.md` finds it.
///
/// What was registered in code has no author's name and description, so its own stand for them. Where the file is composed
/// of this, a text that looks like a number is between quotes there, and keeps its spelling.
pub(crate) fn front_matter(skill: &Skill, is_composed: bool) -> Map<String, Value> {
    let mut fields = Map::new();
    if is_composed {
        fields.insert("name".to_owned(), skill.id.as_str().into());
        fields.insert("description".to_owned(), skill.description.as_ref().into());
    }
    for (key, value) in &skill.fields {
        fields.entry(key.as_ref()).or_insert_with(|| if is_composed { value.json() } else { as_read(value) });
    }
    fields
}

/// Returns the file from which `skill` would be read, with `body` as its instructions.
pub(crate) fn compose(skill: &Skill, body: &str) -> String {
    let fields: Vec<_> = front_matter(skill, true).into_iter().map(|(key, json)| (key, Field::from(&json))).collect();
    let front_matter = skill_md::write(fields.iter().map(|(key, value)| (key.as_str(), value)));
    format!("{front_matter}\n{body}")
}

#[cfg(test)]
mod tests;
