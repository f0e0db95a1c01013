//! A `SKILL.md` for skills that have none.

use repertoire::Skill;
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

/// The file that `skill` would be read from: its front matter as JSON, which is YAML, and its instructions.
pub(crate) fn compose(skill: &Skill, body: &str) -> String {
    let fields = front_matter(skill, true);
    let fields = fields.iter().map(|(key, value)| format!("{}: {value}\n", Value::from(key.as_str())));
    format!("---\n{}---\n\n{body}", fields.collect::<String>())
}

#[cfg(test)]
mod tests;
