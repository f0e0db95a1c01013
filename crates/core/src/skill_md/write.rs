//! Writes front matter.

use std::fmt::Write;

use crate::{Scalar, Value, text};

/// Writes front matter with these fields, both fence lines included. Each field is on one line.
///
/// Every reader of YAML reads the same values from it, and [`parse`](super::parse) keeps the spelling of plain scalars.
///
/// ```
/// use repertoire_core::{Value, skill_md};
///
/// let (name, tools) = (Value::text("tidy"), Value::List(vec![Value::plain("Read"), Value::text("Bash(git *)")]));
/// let text = skill_md::write([("name", &name), ("allowed-tools", &tools)]);
/// assert_eq!(text, "---\nname: \"tidy\"\nallowed-tools: [Read, \"Bash(git *)\"]\n---\n");
/// ```
pub fn write<'v>(fields: impl IntoIterator<Item = (&'v str, &'v Value)>) -> String {
    let mut out = String::from("---\n");
    for (key, value) in fields {
        scalar(&mut out, key, true);
        out.push_str(": ");
        flow(&mut out, value);
        out.push('\n');
    }
    out.push_str("---\n");
    out
}

/// Writes a value in YAML's flow style.
fn flow(out: &mut String, value: &Value) {
    match value {
        Value::Scalar(Scalar { text, plain }) => scalar(out, text, *plain),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                flow(out, item);
            }
            out.push(']');
        }
        Value::Map(rows) => {
            out.push('{');
            for (at, (key, item)) in rows.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                quoted(out, key);
                out.push_str(": ");
                flow(out, item);
            }
            out.push('}');
        }
    }
}

/// Writes a plain scalar without quotes where that is safe anywhere in YAML.
fn scalar(out: &mut String, text: &str, plain: bool) {
    // `-` and `---` mean something else, `-7` is a number.
    let is_sign = |text: &str| {
        text.strip_prefix(['-', '.'])
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    if plain && text.is_empty() {
        out.push_str("null");
    } else if plain
        && text
            .chars()
            .all(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-'))
        && !is_sign(text)
    {
        out.push_str(text);
    } else {
        quoted(out, text);
    }
}

/// Writes a text between double quotes. Escapes what some version of YAML does not allow there.
fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            ' '..='~'
            | '\u{A0}'..='\u{2027}'
            | '\u{202A}'..='\u{D7FF}'
            | '\u{E000}'..='\u{FEFE}' => out.push(c),
            _ => write!(out, "\\U{:08x}", u32::from(c)).expect("a String takes everything"),
        }
    }
    out.push('"');
}

/// Returns whether every YAML reader reads `text` without quotes as this text: no number, date, flag, mark or comment.
pub(super) fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(char::is_alphabetic)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(|c| c == ' ' || !c.is_whitespace())
        && text::is_clean(text)
        && !text.contains(['\u{61C}', '\u{200E}', '\u{200F}'])
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
}
