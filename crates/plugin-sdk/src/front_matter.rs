//! A skill as the front matter that a host reads it from.

use std::fmt::Write;

use repertoire_core::{Scalar, Skill, Value};

/// What the fields below are written from: the typed ones, whether or not there is a field behind them.
const TYPED: [&str; 10] = [
    "name",
    "id",
    "description",
    "surface",
    "surface-mode",
    "surfaceMode",
    "allowed-tools",
    "disable-model-invocation",
    "user-invocable",
    "allowedWorkflows",
];

/// A `SKILL.md` without a body that reads as `skill`.
pub(crate) fn front_matter(skill: &Skill) -> String {
    let mut text = String::from("---\n");
    let mut field = |key: &str, value: &str| {
        scalar(&mut text, key, true);
        text.push_str(": ");
        text.push_str(value);
        text.push('\n');
    };
    field("name", &quoted(skill.id.as_str()));
    field("description", &quoted(&skill.description));
    if let Some(mode) = skill.surface {
        field("surface", &mode.to_string());
    }
    if let Some(tools) = &skill.allowed_tools {
        field("allowed-tools", &list(tools));
    }
    if skill.disable_model_invocation {
        field("disable-model-invocation", "true");
    }
    if !skill.user_invocable {
        field("user-invocable", "false");
    }
    if let Some(workflows) = &skill.allowed_workflows {
        field("allowedWorkflows", &list(workflows));
    }
    for (key, written) in skill.fields.iter().filter(|(key, _)| !TYPED.contains(&key.as_ref())) {
        let mut shown = String::new();
        value(&mut shown, written);
        field(key, &shown);
    }
    text.push_str("---\n");
    text
}

fn list(names: &[std::sync::Arc<str>]) -> String {
    let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    format!("[{}]", names.join(", "))
}

/// A value in YAML's flow style, on one line.
fn value(out: &mut String, written: &Value) {
    match written {
        Value::Scalar(Scalar { text, plain, .. }) => scalar(out, text, *plain),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                value(out, item);
            }
            out.push(']');
        }
        Value::Map(rows) => {
            out.push('{');
            for (at, (key, item)) in rows.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                out.push_str(&quoted(key));
                out.push_str(": ");
                value(out, item);
            }
            out.push('}');
        }
        // A form of values that this crate does not know yet says nothing.
        _ => out.push_str("null"),
    }
}

/// A scalar as it was written, where that is safe anywhere in YAML; else between quotes.
fn scalar(out: &mut String, text: &str, plain: bool) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-');
    if plain && text.is_empty() {
        out.push_str("null");
    } else if plain && text.chars().all(is_word) && !text.starts_with(['-', '.']) {
        out.push_str(text);
    } else {
        out.push_str(&quoted(text));
    }
}

/// A text between double quotes, everything escaped that does not stand for itself in every YAML.
fn quoted(text: &str) -> String {
    let mut shown = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => shown.push_str("\\\""),
            '\\' => shown.push_str("\\\\"),
            '\n' => shown.push_str("\\n"),
            ' '..='~' | '\u{A0}'..='\u{2027}' | '\u{202A}'..='\u{D7FF}' | '\u{E000}'..='\u{FEFE}' => shown.push(c),
            _ => {
                write!(shown, "\\U{:08x}", u32::from(c)).expect("a String takes everything");
            }
        }
    }
    shown.push('"');
    shown
}

#[cfg(test)]
mod tests;
