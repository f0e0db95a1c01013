//! Front matter as JSON, and a `SKILL.md` for skills that have no file.

use repertoire::Skill;
use repertoire::skill::{Value, skill_md};
use serde_json::{Map, Number, Value as Json};

pub(crate) fn front_matter(skill: &Skill, is_synthesized: bool) -> Map<String, Json> {
    let mut fields = Map::new();
    if is_synthesized {
        fields.insert("name".to_owned(), skill.id.as_str().into());
        fields.insert("description".to_owned(), skill.description.as_ref().into());
    }
    for (key, value) in &skill.fields {
        fields.entry(key.as_ref()).or_insert_with(|| {
            if is_synthesized {
                value.json()
            } else {
                as_read(value)
            }
        });
    }
    fields
}

pub(crate) fn synthesize(skill: &Skill, body: &str) -> String {
    let fields: Vec<_> = front_matter(skill, true)
        .into_iter()
        .map(|(key, json)| (key, Value::from(&json)))
        .collect();
    let front_matter = skill_md::write(fields.iter().map(|(key, value)| (key.as_str(), value)));
    format!("{front_matter}\n{body}")
}

pub(crate) fn as_read(value: &Value) -> Json {
    match value {
        Value::Scalar(scalar) if scalar.plain => plain(&scalar.text),
        Value::List(items) => items.iter().map(as_read).collect(),
        Value::Map(rows) => rows
            .iter()
            .map(|(key, value)| (key.to_string(), as_read(value)))
            .collect(),
        other => other.json(),
    }
}

fn plain(text: &str) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Json::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        _ => number(text).map_or_else(|| text.into(), Json::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let is_plain = digits.chars().all(|digit| digit.is_digit(radix));
            return is_plain
                .then(|| u64::from_str_radix(digits, radix).ok())
                .flatten()
                .map(Number::from);
        }
    }
    // Rust's grammar has `inf` and `nan` in addition to the numbers of YAML.
    if !text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
    {
        return None;
    }
    match (text.parse::<i64>(), text.parse::<u64>()) {
        (Ok(signed), _) => Some(signed.into()),
        (_, Ok(unsigned)) => Some(unsigned.into()),
        _ => text.parse().ok().and_then(Number::from_f64),
    }
}

#[cfg(test)]
mod tests;
