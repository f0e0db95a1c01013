//! Canonical front matter: the same values in one order, each as plain as it can be.

mod field;

use std::borrow::Cow;
use std::sync::Arc;

use self::field::{FieldText, Pieces};
use super::fence::{self, Block};
use super::recovery::{self, How, Recovered, Repair};
use super::report::DiagnosticSink;
use super::table::FieldTable;
use super::yaml::{self, YamlDocument};
use super::{FileContext, Limits, Parsed, parse};
use crate::declared::LIMITING;
use crate::{Code, Diagnostic, Severity, Skill, Strictness, Value};

/// The order of fields: those of the standard, then the rest as its author wrote it.
const ORDER: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "allowed-tools",
    "metadata",
];

/// The result of formatting, which never fails: an optional text and diagnostics.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Formatted<'a> {
    /// The whole file in its canonical form, borrowed if it has that form already.
    pub text: Option<Cow<'a, [u8]>>,
    /// The reason if there is no text: every error of the parser, or one of the code `not-formatted`.
    pub diagnostics: Vec<Diagnostic>,
}

/// Brings the front matter of a file into its canonical form.
///
/// - Fields stand in the standard's order, and those it does not know behind them in the order of the file. Each takes along the
///   comments above it; a comment that a blank line sets apart from the first field stays on top.
/// - A value of one line loses quotes that it does not need. A value that YAML cannot read gets the quotes that make it
///   what [`parse`] takes it for. Every other value keeps its spelling.
/// - Fences are `---` alone and the first one comes first, without a byte-order mark or blank lines ahead of it.
///
/// The body and all line ends stay byte for byte. [`parse`] reads every value as before and finds nothing new; where that cannot
/// be promised the file is left to its author: a key that is written twice, and a limiting field that YAML cannot read.
///
/// ```
/// use repertoire_core::skill_md::{FileContext, format};
///
/// let file = b"---\ndescription: Tidies up: files, folders.\nname: \"tidy-up\"\n---\nSort it.\n";
/// let formatted = format(file, FileContext::new("tidy-up/SKILL.md"));
/// let canonical = b"---\nname: tidy-up\ndescription: \"Tidies up: files, folders.\"\n---\nSort it.\n";
/// assert_eq!(formatted.text.as_deref(), Some(canonical.as_slice()));
/// ```
pub fn format<'a>(bytes: &'a [u8], site: FileContext<'a>) -> Formatted<'a> {
    let before = parse(bytes, site);
    if before.skill.is_none() {
        let errors = before
            .diagnostics
            .into_iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error);
        return Formatted {
            text: None,
            diagnostics: errors.collect(),
        };
    }
    let edited = edit(bytes).and_then(|edited| {
        let kept = has_same_meaning(&before, &parse(&edited, site));
        if kept {
            Ok(edited)
        } else {
            Err(Left::at(0, "no other spelling is sure to mean the same"))
        }
    });
    match edited {
        Ok(edited) if edited == bytes => Formatted {
            text: Some(Cow::Borrowed(bytes)),
            diagnostics: Vec::new(),
        },
        Ok(edited) => Formatted {
            text: Some(Cow::Owned(edited)),
            diagnostics: Vec::new(),
        },
        Err(left) => {
            let mut sink = DiagnosticSink::new(site.path, bytes, Strictness::Lenient);
            let message = format!("the front matter was left as it is: {}", left.reason);
            sink.add(left.at, Diagnostic::new(Code::NOT_FORMATTED, message));
            Formatted {
                text: None,
                diagnostics: sink.into_list(),
            }
        }
    }
}

#[derive(Debug)]
struct Left {
    at: usize,
    reason: String,
}

impl Left {
    fn at(at: usize, reason: impl Into<String>) -> Left {
        Left {
            at,
            reason: reason.into(),
        }
    }
}

fn edit(bytes: &[u8]) -> Result<Vec<u8>, Left> {
    let Ok(block) = fence::find(bytes) else {
        return Err(Left::at(0, "it has no end"));
    };
    let Ok(source) = std::str::from_utf8(&bytes[block.yaml.clone()]) else {
        return Err(Left::at(0, "it is not UTF-8"));
    };
    let source = canonical(source).map_err(|left| Left {
        at: left.at + block.yaml.start,
        ..left
    })?;
    Ok(assemble(bytes, &block, &source))
}

fn assemble(bytes: &[u8], block: &Block, source: &str) -> Vec<u8> {
    const FENCE: &[u8] = b"---";
    let ahead = fence::past_blank_lines(bytes, fence::past_bom(bytes)).min(block.opening);
    [
        &bytes[ahead..block.opening],
        FENCE,
        line_end(bytes, block.opening),
        source.as_bytes(),
        FENCE,
        line_end(bytes, block.yaml.end),
        &bytes[block.body..],
    ]
    .concat()
}

fn canonical(source: &str) -> Result<String, Left> {
    let limits = Limits::default();
    let (table, repairs) = read(source, &limits)?;
    if let Some(twice) = table.duplicates.first() {
        let reason = format!("`{}` is written twice", crate::text::quoted(&twice.key));
        return Err(Left::at(twice.again, reason));
    }
    let Pieces {
        header,
        mut fields,
        tail,
    } = Pieces::cut(source, &table)?;
    fields.sort_by_key(|field| rank(field.key));
    let mut text = header.to_owned();
    for field in &fields {
        text.push_str(field.lead);
        text.push_str(&written(source, field, &repairs)?);
    }
    text.push_str(tail);
    match yaml::read(&text, &limits, &mut { limits.nodes }) {
        Ok(YamlDocument::Map(_)) => Ok(text),
        _ => Err(Left::at(0, "it holds lines that belong to no field")),
    }
}

fn rank(key: &str) -> usize {
    ORDER
        .iter()
        .position(|name| *name == key)
        .unwrap_or(ORDER.len())
}

fn read(source: &str, limits: &Limits) -> Result<(FieldTable, Vec<Repair>), Left> {
    if let Ok(YamlDocument::Map(table)) = yaml::read(source, limits, &mut { limits.nodes }) {
        return Ok((table, Vec::new()));
    }
    match recovery::read(source, limits) {
        Ok(Recovered { table, repairs }) => Ok((table, repairs)),
        Err(fault) => Err(Left::at(fault.at, fault.reason.to_string())),
    }
}

fn written<'a>(
    source: &'a str,
    field: &FieldText<'a>,
    repairs: &[Repair],
) -> Result<Cow<'a, str>, Left> {
    let Some(repair) = repairs
        .iter()
        .find(|repair| repair.key.as_ref() == field.key)
    else {
        return Ok(field.canonical(source));
    };
    let why = match &repair.how {
        How::TabsAsBlanks => return Ok(field.without_tabs()),
        How::WideColon => "whose colon is a full-width one",
        How::Limiting => "which limits",
        How::AsText(_) if LIMITING.contains(&field.key) => "which limits",
        How::AsText(text) => match field.repaired(text) {
            Some(text) => return Ok(text.into()),
            None => "and no other spelling means the same",
        },
    };
    let key = crate::text::quoted(&repair.key);
    Err(Left::at(
        repair.fault.at,
        format!("YAML cannot read `{key}`, {why}"),
    ))
}

fn has_same_meaning(before: &Parsed, after: &Parsed) -> bool {
    let (Some((one, fields)), Some((other, others))) = (parts(before), parts(after)) else {
        return false;
    };
    let mut rows = fields.iter().zip(&others);
    let mut codes = after.diagnostics.iter().map(|diagnostic| diagnostic.code);
    one == other
        && fields.len() == others.len()
        && rows.all(|((key, one), (other_key, other))| key == other_key && is_equal(one, other))
        && codes.all(|code| before.diagnostics.iter().any(|other| other.code == code))
}

type Fields = Vec<(Arc<str>, Value)>;

/// Returns the skill without its fields, and the fields in their canonical order.
fn parts(parsed: &Parsed) -> Option<(Skill, Fields)> {
    let mut skill = parsed.skill.clone()?;
    let mut fields = std::mem::take(&mut skill.fields);
    fields.sort_by_key(|(key, _)| rank(key));
    Some((skill, fields))
}

fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Scalar(a), Value::Scalar(b)) => a.text == b.text && one.json() == other.json(),
        _ => one == other,
    }
}

fn line_end(bytes: &[u8], line: usize) -> &[u8] {
    let (end, next) = fence::line(bytes, line);
    &bytes[end..next]
}

#[cfg(test)]
mod tests;
