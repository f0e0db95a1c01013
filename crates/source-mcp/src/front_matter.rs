//! Front matter that came as JSON: read by the rules for every file, and compared with the file itself.

use repertoire_core::skill_md::{self, Limits, Site};
use repertoire_core::{Code, Diagnostic, Skill, Strictness, Value};
use serde_json::{Map, Value as Json};

use crate::told::told;

/// What a server says of a skill: fields as the author wrote them, in JSON's types.
pub(crate) type Fields = Map<String, Json>;

/// What `fields` say, by the parser for every `SKILL.md` and within its limits. `location` is where it comes from.
pub(crate) fn read(fields: &Fields, location: &str, folder: &str) -> (Option<Skill>, Vec<Diagnostic>) {
    let values: Vec<(&str, Value)> = fields.iter().map(|(key, value)| (key.as_str(), Value::from(value))).collect();
    let text = skill_md::write(values.iter().map(|(key, value)| (*key, value)));
    let site = Site::new(location).in_directory(folder);
    let parsed = skill_md::parse_with(text.as_bytes(), site, &Limits::default(), Strictness::Lenient);
    let mut diagnostics = parsed.diagnostics;
    for diagnostic in &mut diagnostics {
        // A place in a text that nobody has seen.
        (diagnostic.line, diagnostic.column) = (None, None);
    }
    (parsed.skill.map(|skill| skill.from_location(location)), diagnostics)
}

/// The first field in which a file and what was said of it differ.
pub(crate) fn difference<'a>(said: &'a Fields, file: &'a Skill) -> Option<&'a str> {
    let missing = said.keys().find(|key| file.field(key).is_none());
    let other =
        || file.fields.iter().find(|(key, value)| !said.get(key.as_ref()).is_some_and(|said| is_same(said, value)));
    missing.map(String::as_str).or_else(|| other().map(|(key, _)| key.as_ref()))
}

/// Whether `said` is what some reader of YAML makes of `written`.
///
/// Readers type plain scalars by different schemas: `no` is a text or a boolean, `1.10` a text or a number.
fn is_same(said: &Json, written: &Value) -> bool {
    match (said, written) {
        (Json::Array(said), Value::List(written)) => {
            said.len() == written.len() && said.iter().zip(written).all(|(said, written)| is_same(said, written))
        }
        (Json::Object(said), Value::Map(written)) => {
            said.len() == written.len()
                && written
                    .iter()
                    .all(|(key, written)| said.get(key.as_ref()).is_some_and(|said| is_same(said, written)))
        }
        (Json::String(said), Value::Scalar(written)) => said.as_str() == written.text.as_ref(),
        (Json::Bool(said), Value::Scalar(scalar)) => {
            // `1` is a flag where one is looked for, and a boolean to no reader.
            scalar.plain && number(&scalar.text).is_none() && written.as_bool() == Some(*said)
        }
        (Json::Number(said), Value::Scalar(scalar)) => scalar.plain && is_number(said, &scalar.text),
        (Json::Null, written) => written.is_null(),
        _ => false,
    }
}

/// Whether `said` is the number that is `written`.
fn is_number(said: &serde_json::Number, written: &str) -> bool {
    // Whole numbers exactly: as fractions, some that differ would be the same.
    match (said.as_i128(), written.parse::<i128>()) {
        (Some(said), Ok(written)) => said == written,
        _ => number(written).is_some_and(|number| said.as_f64() == Some(number)),
    }
}

/// The number that a plain scalar is in YAML.
fn number(text: &str) -> Option<f64> {
    let text = text.replace('_', "");
    let radix = |digits: &str, radix| i64::from_str_radix(digits, radix).ok().map(|number| number as f64);
    match text.get(..2) {
        Some("0x") => radix(&text[2..], 16),
        Some("0o") => radix(&text[2..], 8),
        _ => text.parse().ok(),
    }
}

/// A finding about what a server lists.
pub(crate) fn finding(code: Code, message: impl Into<String>, location: &str) -> Diagnostic {
    Diagnostic::new(code, message).at_path(location)
}

/// The refusal of a file that says something else than its server.
pub(crate) fn mismatch(field: &str) -> String {
    format!("the front matter of `SKILL.md` differs from what the server lists in `{}`", told(field))
}

#[cfg(test)]
mod tests;
