//! Front matter in JSON: parsed like that of a file, and compared with the file.

use repertoire_core::skill_md::{self, FileContext, Limits};
use repertoire_core::{Code, Diagnostic, Skill, Strictness, Value};
use serde_json::{Map, Value as Json};

use crate::error::excerpt;

pub(crate) type Fields = Map<String, Json>;

pub(crate) fn read(
    fields: &Fields,
    location: &str,
    folder: &str,
) -> (Option<Skill>, Vec<Diagnostic>) {
    let values: Vec<(&str, Value)> = fields
        .iter()
        .map(|(key, value)| (key.as_str(), Value::from(value)))
        .collect();
    let text = skill_md::write(values.iter().map(|(key, value)| (*key, value)));
    let site = FileContext::new(location).in_directory(folder);
    let parsed = skill_md::parse_with(
        text.as_bytes(),
        site,
        &Limits::default(),
        Strictness::Lenient,
    );
    let mut diagnostics = parsed.diagnostics;
    for diagnostic in &mut diagnostics {
        // The positions are in a text that only this function has.
        (diagnostic.line, diagnostic.column) = (None, None);
    }
    (
        parsed.skill.map(|skill| skill.from_location(location)),
        diagnostics,
    )
}

pub(crate) fn difference<'a>(listed: &'a Fields, file: &'a Skill) -> Option<&'a str> {
    let missing = listed.keys().find(|key| file.field(key).is_none());
    let mut fields = file.fields.iter();
    missing.map(String::as_str).or_else(|| {
        let other = fields.find(|(key, value)| {
            !listed
                .get(key.as_ref())
                .is_some_and(|listed| is_same(listed, value))
        });
        other.map(|(key, _)| key.as_ref())
    })
}

fn is_same(listed: &Json, written: &Value) -> bool {
    match (listed, written) {
        (Json::Array(listed), Value::List(written)) => {
            listed.len() == written.len()
                && listed
                    .iter()
                    .zip(written)
                    .all(|(listed, written)| is_same(listed, written))
        }
        (Json::Object(listed), Value::Map(written)) => {
            listed.len() == written.len()
                && written.iter().all(|(key, written)| {
                    listed
                        .get(key.as_ref())
                        .is_some_and(|listed| is_same(listed, written))
                })
        }
        (Json::String(listed), Value::Scalar(written)) => listed.as_str() == written.text.as_ref(),
        (Json::Bool(listed), Value::Scalar(scalar)) => {
            // No reader of YAML parses `1` as a boolean.
            scalar.plain && number(&scalar.text).is_none() && written.as_bool() == Some(*listed)
        }
        (Json::Number(listed), Value::Scalar(scalar)) => {
            scalar.plain && is_number(listed, &scalar.text)
        }
        (Json::Null, written) => written.is_null(),
        _ => false,
    }
}

fn is_number(listed: &serde_json::Number, written: &str) -> bool {
    // Integers are compared exactly: as floats, some different ones are equal.
    match (listed.as_i128(), written.parse::<i128>()) {
        (Some(listed), Ok(written)) => listed == written,
        _ => number(written).is_some_and(|number| listed.as_f64() == Some(number)),
    }
}

fn number(text: &str) -> Option<f64> {
    let text = text.replace('_', "");
    let radix = match text.get(..2) {
        Some("0x") => 16,
        Some("0o") => 8,
        _ => return text.parse().ok(),
    };
    i64::from_str_radix(&text[2..], radix)
        .ok()
        .map(|number| number as f64)
}

pub(crate) fn diagnostic(code: Code, message: impl Into<String>, location: &str) -> Diagnostic {
    Diagnostic::new(code, message).at_path(location)
}

pub(crate) fn mismatch(field: &str) -> String {
    format!(
        "the front matter of `SKILL.md` differs from what the server lists in `{}`",
        excerpt(field)
    )
}

#[cfg(test)]
mod tests;
