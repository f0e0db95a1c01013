//! Reads front matter that is no valid YAML, a field at a time.

use std::ops::Range;
use std::sync::Arc;

use super::table::{FieldTable, Mark};
use super::yaml::{self, YamlDocument, YamlError, YamlFault};
use super::{Limits, fence};
use crate::Value;
use crate::declared::{CATEGORY, LIMITING};

#[derive(Debug, Default)]
pub(super) struct Recovered {
    pub(super) table: FieldTable,
    pub(super) repairs: Vec<Repair>,
}

/// A field that YAML could not read.
#[derive(Debug)]
pub(super) struct Repair {
    pub(super) key: Arc<str>,
    pub(super) fault: YamlError,
    pub(super) how: How,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum How {
    /// It was read as plain text.
    AsText(String),
    /// It was read with blanks in place of tabs.
    TabsAsBlanks,
    /// It was read with a colon in place of a full-width one.
    WideColon,
    /// It limits, and stands inside another field that could not be read: it counts as limiting.
    Limiting,
}

/// Reads every field on its own: by YAML where that works, else from its lines.
///
/// A field begins at a key at column 0 and ends before the next one. Before the first key at column 0, keys
/// may be indented. What this finds never widens rights: see [`How::Limiting`].
///
/// # Errors
/// More keys than the limit.
pub(super) fn read(text: &str, limits: &Limits) -> Result<Recovered, YamlError> {
    let mut found = Recovered::default();
    let mut hidden = Vec::new();
    let mut nodes = limits.nodes;
    for field in fields(text) {
        if found.table.written() == limits.keys {
            return Err(YamlError {
                at: field.key.start,
                reason: YamlFault::Keys(limits.keys),
            });
        }
        let key: Arc<str> = text[field.key.clone()].into();
        let wide = field.wide_colon(text);
        let whole = wide.as_deref().unwrap_or(&text[field.whole.clone()]);
        let fault = match read_alone(whole, &key, limits, &mut nodes) {
            Ok((value, mark)) => {
                if wide.is_some() {
                    let text = value.as_text();
                    let text = text.filter(|_| !LIMITING.contains(&key.as_ref()));
                    found.repairs.push(Repair {
                        key: key.clone(),
                        fault: field.wide_colon_fault(),
                        how: text.map_or(How::WideColon, |text| How::AsText(text.to_owned())),
                    });
                }
                found
                    .table
                    .insert(key, value, mark.moved(field.whole.start));
                continue;
            }
            Err(_) if wide.is_some() => field.wide_colon_fault(),
            Err(fault) => YamlError {
                at: fault.at + field.whole.start,
                ..fault
            },
        };
        let value = &text[field.value..field.whole.end];
        let start = field.value + (value.len() - value.trim_start_matches([' ', '\t']).len());
        let mark = Mark::new(field.key.start, start..start, false);
        let untabbed = untabbed(&text[field.whole.clone()]);
        let again = untabbed.and_then(|text| read_alone(&text, &key, limits, &mut nodes).ok());
        let (value, how) = match again {
            Some((value, _)) => (value, How::TabsAsBlanks),
            None => {
                limits_in(text, &field, &mut hidden);
                let raw = raw_text(value, &key);
                (Value::plain(raw.as_str()), How::AsText(raw))
            }
        };
        found.table.insert(key.clone(), value, mark);
        found.repairs.push(Repair { key, fault, how });
    }
    for (key, at) in hidden {
        if found.table.get(key).is_none() {
            found.limit(key, at);
        }
    }
    Ok(found)
}

impl Recovered {
    /// Adds the field `key`, which another field hides at `at`, with the value that limits most.
    fn limit(&mut self, key: &'static str, at: usize) {
        // Nothing would be no category at all.
        let value = if key == CATEGORY {
            Value::text("")
        } else {
            Value::plain("")
        };
        let key: Arc<str> = key.into();
        let mark = Mark::new(at, at..at, false);
        self.table.insert(key.clone(), value, mark);
        self.repairs.push(Repair {
            key,
            fault: YamlError {
                at,
                reason: YamlFault::Misplaced,
            },
            how: How::Limiting,
        });
    }
}

struct RawField {
    key: Range<usize>,
    /// Past the colon.
    value: usize,
    whole: Range<usize>,
}

/// The colon of a Chinese, Japanese or Korean keyboard.
pub(super) const WIDE_COLON: char = '：';

impl RawField {
    fn wide_colon_fault(&self) -> YamlError {
        YamlError {
            at: self.value - WIDE_COLON.len_utf8(),
            reason: YamlFault::WideColon,
        }
    }

    fn wide_colon(&self, text: &str) -> Option<String> {
        let colon = self.value - WIDE_COLON.len_utf8().min(self.value);
        text.get(colon..self.value)
            .filter(|colon| colon.chars().eq([WIDE_COLON]))?;
        Some(format!(
            "{}:  {}",
            &text[self.whole.start..colon],
            &text[self.value..self.whole.end]
        ))
    }
}

fn fields(text: &str) -> Vec<RawField> {
    let mut fields: Vec<RawField> = Vec::new();
    let mut flush = false;
    for (at, end, _) in fence::lines(text.as_bytes(), 0) {
        let line = &text[at..end];
        let indent = line.len() - line.trim_start_matches(' ').len();
        if (indent == 0 || !flush)
            && let Some((key, value)) = key_of(&line[indent..])
        {
            flush |= indent == 0;
            if let Some(last) = fields.last_mut() {
                last.whole.end = at;
            }
            let start = at + indent;
            let key = start + key.start..start + key.end;
            fields.push(RawField {
                key,
                value: start + value,
                whole: at..text.len(),
            });
        }
    }
    fields
}

const SURE: [&str; 6] = [
    "name",
    "id",
    "description",
    "license",
    "compatibility",
    "metadata",
];

fn key_of(line: &str) -> Option<(Range<usize>, usize)> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    let start = quote.map_or(0, char::len_utf8);
    let length = line[start..]
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')))?;
    let end = start + length;
    let rest = &line[end..];
    let rest = quote
        .map_or(Some(rest), |quote| rest.strip_prefix(quote))?
        .trim_start_matches([' ', '\t']);
    let (rest, wide) = match rest.strip_prefix(':') {
        Some(rest) => (rest, false),
        None => (rest.strip_prefix(WIDE_COLON)?, true),
    };
    let key = &line[start..end];
    let blank_follows = !wide && (rest.is_empty() || rest.starts_with([' ', '\t']));
    let is_key = key.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && (blank_follows && quote.is_none() || SURE.contains(&key) || LIMITING.contains(&key));
    is_key.then_some((start..end, line.len() - rest.len()))
}

pub(super) fn read_alone(
    text: &str,
    key: &str,
    limits: &Limits,
    nodes: &mut usize,
) -> Result<(Value, Mark), YamlError> {
    if let YamlDocument::Map(mut table) = yaml::read(text, limits, nodes)?
        && table.written() == 1
        && let Some((found, value)) = table.fields.pop()
        && let Some(mark) = table.marks.pop()
        && found.as_ref() == key
    {
        return Ok((value, mark));
    }
    Err(YamlError {
        at: 0,
        reason: YamlFault::NotAField,
    })
}

pub(super) fn untabbed(text: &str) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches([' ', '\t']);
        for c in line[..line.len() - content.len()].chars() {
            result.push_str(if c == '\t' { "  " } else { " " });
        }
        result.push_str(content);
    }
    (result != text).then_some(result)
}

fn limits_in(text: &str, field: &RawField, found: &mut Vec<(&'static str, usize)>) {
    let below = fence::lines(text.as_bytes(), field.key.start)
        .skip(1)
        .take_while(|(at, ..)| *at < field.whole.end);
    for (at, end, _) in below {
        let line = text[at..end].trim_start().trim_start_matches(['"', '\'']);
        if let Some(key) = LIMITING.iter().find(|key: &&&str| {
            let rest = line
                .strip_prefix(**key)
                .map(|rest| rest.trim_start_matches(['"', '\'', ' ', '\t']));
            rest.is_some_and(|rest| rest.starts_with([':', WIDE_COLON]))
        }) {
            found.push((key, end - line.len()));
        }
    }
}

fn raw_text(value: &str, key: &str) -> String {
    let mut lines = lines(value);
    let first = lines.next().unwrap_or_default().trim();
    let lines: Vec<&str> = lines
        .filter(|line| !line.starts_with('#'))
        .map(str::trim_end)
        .collect();
    let (first, literal) = match block_mark(first) {
        Some(literal) => ("", literal),
        None => (first, key != "description"),
    };
    let text = if literal {
        dedented(first, &lines)
    } else {
        folded(first, &lines)
    };
    let text = text.trim();
    unquoted(if is_name(key) {
        text.lines().next().unwrap_or_default().trim_end()
    } else {
        text
    })
}

pub(super) fn is_name(key: &str) -> bool {
    matches!(key, "name" | "id")
}

pub(super) fn block_mark(first: &str) -> Option<bool> {
    let mark = first.split(" #").next().unwrap_or_default().trim_end();
    let rest = mark.strip_prefix(['|', '>'])?;
    rest.chars()
        .all(|c| matches!(c, '+' | '-' | '0'..='9'))
        .then(|| mark.starts_with('|'))
}

fn folded(first: &str, lines: &[&str]) -> String {
    let mut text = first.to_owned();
    for line in lines.iter().map(|line| line.trim()) {
        if line.is_empty() {
            text.push('\n');
        } else {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    text
}

fn dedented(first: &str, lines: &[&str]) -> String {
    let shared = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    let mut text = first.to_owned();
    for line in lines {
        text.push('\n');
        text.push_str(line.get(shared..).unwrap_or_default());
    }
    text
}

fn unquoted(text: &str) -> String {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return text.to_owned();
    };
    let Some(inner) = text[1..].strip_suffix(quote) else {
        return text.to_owned();
    };
    if inner.find(quote).is_some_and(|at: usize| {
        !inner[..at].ends_with('\\') && !inner[at + 1..].starts_with(char::is_alphanumeric)
    }) {
        return text.to_owned();
    }
    let escaped = if quote == '"' { "\\\"" } else { "''" };
    inner.replace(escaped, quote.encode_utf8(&mut [0; 4]))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    fence::lines(text.as_bytes(), 0).map(|(start, end, _)| &text[start..end])
}
