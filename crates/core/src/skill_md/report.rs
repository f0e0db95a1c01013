//! Diagnostics of one file, with their places.

use std::sync::Arc;

use super::fence::{self, Block, Missing};
use super::recovery::{self, How, Repair};
use super::table::FieldTable;
use super::yaml::YamlError;
use super::{Limits, write::is_plain};
use crate::declared::LIMITING;
use crate::text::quoted;
use crate::{Code, Diagnostic, Strictness};

/// The diagnostics of one file.
pub(super) struct DiagnosticSink<'a> {
    strictness: Strictness,
    path: &'a str,
    bytes: &'a [u8],
    shared_path: Option<Arc<str>>,
    lines: Vec<usize>,
    list: Vec<Diagnostic>,
}

impl<'a> DiagnosticSink<'a> {
    pub(super) fn new(
        path: &'a str,
        bytes: &'a [u8],
        strictness: Strictness,
    ) -> DiagnosticSink<'a> {
        DiagnosticSink {
            strictness,
            path,
            bytes,
            shared_path: None,
            lines: Vec::new(),
            list: Vec::new(),
        }
    }

    pub(super) fn is_strict(&self) -> bool {
        self.strictness == Strictness::Strict
    }

    /// Adds a diagnostic about the byte at `offset` of the file.
    pub(super) fn add(&mut self, offset: usize, diagnostic: Diagnostic) {
        let (line, column) = self.place(offset);
        let path = self
            .shared_path
            .get_or_insert_with(|| self.path.into())
            .clone();
        if self.list.is_empty() {
            // Most files have one at most, and thousands are kept.
            self.list.reserve_exact(1);
        }
        self.list.push(
            diagnostic
                .at_path(path)
                .at(line, column)
                .under(self.strictness),
        );
    }

    /// Adds a diagnostic without advice.
    pub(super) fn emit(&mut self, offset: usize, code: Code, message: impl Into<String>) {
        self.add(offset, Diagnostic::new(code, message));
    }

    pub(super) fn place(&mut self, offset: usize) -> (u32, u32) {
        if self.lines.is_empty() {
            self.lines.reserve(32);
            self.lines.push(fence::past_bom(self.bytes));
            let ended = fence::lines(self.bytes, 0).filter(|(_, end, next)| next > end);
            self.lines.extend(ended.map(|(.., next)| next));
        }
        let index = self
            .lines
            .partition_point(|start| *start <= offset)
            .saturating_sub(1);
        let start = self.lines[index].min(offset);
        let before = &self.bytes[start..offset.min(self.bytes.len())];
        // Every byte that is no continuation byte begins a character; this holds for broken UTF-8 too.
        let column = before.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        (count(index) + 1, count(column) + 1)
    }

    pub(super) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns the diagnostic for a file in UTF-16, as PowerShell's `>` writes it; `None` for any other.
pub(super) fn utf16(bytes: &[u8], message: &str) -> Option<Diagnostic> {
    let order = match bytes {
        [0xFF, 0xFE, ..] | [b' '..=b'~', 0, b' '..=b'~', 0, ..] => "little-endian",
        [0xFE, 0xFF, ..] | [0, b' '..=b'~', 0, b' '..=b'~', ..] => "big-endian",
        _ => return None,
    };
    let help = "save the file as UTF-8; in PowerShell write it with `Set-Content -Encoding utf8` instead of `>`";
    Some(
        Diagnostic::new(
            Code::NOT_UTF8,
            format!("{message}; it looks like UTF-16, {order}"),
        )
        .help(help),
    )
}

pub(super) fn missing(bytes: &[u8], missing: Missing, sink: &mut DiagnosticSink<'_>) {
    if let Some(diagnostic) = utf16(bytes, "the file is not UTF-8") {
        return sink.add(0, diagnostic);
    }
    const START: &str = "start the file with front matter: a `---` line, `name:`, `description:`, and another `---` line";
    let (at, diagnostic) = match missing {
        Missing::Empty => (
            0,
            Diagnostic::new(
                Code::EMPTY_FILE,
                "the file is empty; it must start with YAML frontmatter",
            ),
        ),
        Missing::OpenComment(at) => (
            at,
            Diagnostic::new(
                Code::NO_FRONT_MATTER,
                "the file must start with YAML frontmatter, found a comment without end",
            ),
        ),
        Missing::Unclosed(at) => (
            at,
            Diagnostic::new(
                Code::UNCLOSED_FRONT_MATTER,
                "frontmatter is not properly closed: no closing `---` line",
            )
            .help("put a line `---` between the fields and the body"),
        ),
        Missing::NotFirst(at) => match fence::find_later(bytes, at) {
            Some(later) => {
                let (line, _) = sink.place(later.opening);
                let message =
                    format!("the file must start with YAML frontmatter, found it on line {line}");
                let help = "move the block between the `---` lines to the top of the file";
                (
                    later.opening,
                    Diagnostic::new(Code::NO_FRONT_MATTER, message).help(help),
                )
            }
            None => {
                let (end, _) = fence::line(bytes, at);
                let found = quoted(&String::from_utf8_lossy(&bytes[at..end]));
                let message = format!("the file must start with YAML frontmatter, found `{found}`");
                (
                    at,
                    Diagnostic::new(Code::NO_FRONT_MATTER, message).help(START),
                )
            }
        },
    };
    sink.add(at, diagnostic);
}

pub(super) fn fences(bytes: &[u8], block: &Block, sink: &mut DiagnosticSink<'_>) {
    if block.opening > fence::past_bom(bytes) {
        let message = "frontmatter does not begin on the first line; the file must start with YAML frontmatter for other clients";
        sink.add(
            block.opening,
            Diagnostic::new(Code::NOT_FIRST_LINE, message).help("move `---` to line 1"),
        );
    }
    if block.dots {
        let message = "frontmatter is not properly closed: `...` stands for `---`";
        sink.add(
            block.yaml.end,
            Diagnostic::new(Code::CLOSED_BY_DOTS, message).help("close it with `---`"),
        );
    }
}

pub(super) fn duplicates(table: &FieldTable, sink: &mut DiagnosticSink<'_>) {
    for duplicate in &table.duplicates {
        let (first, _) = sink.place(duplicate.first);
        let (again, _) = sink.place(duplicate.again);
        let key = quoted(&duplicate.key);
        let counts = match LIMITING.contains(&duplicate.key.as_ref()) {
            true => "the stricter value counts",
            false => "the last value is taken",
        };
        let message =
            format!("`{key}` is written on line {first} and again on line {again}; {counts}");
        sink.add(
            duplicate.again,
            Diagnostic::new(Code::DUPLICATE_KEY, message).help("remove one of them"),
        );
    }
}

/// Returns the diagnostic for front matter in which no field was found.
pub(super) fn no_field(source: &str, fault: &YamlError) -> Diagnostic {
    let message = format!(
        "frontmatter must be a YAML mapping, but has no field: {}",
        fault.reason
    );
    let help = if source.contains(recovery::WIDE_COLON) {
        "write `:` and a blank in place of the full-width `：` behind each key"
    } else {
        "write each field on a line of its own: its name, a colon, a blank and its value"
    };
    Diagnostic::new(Code::NOT_A_MAPPING, message).help(help)
}

pub(super) fn repair(offset: usize, repair: &Repair, sink: &mut DiagnosticSink<'_>) {
    let Repair { key, fault, how } = repair;
    let shown = quoted(key);
    let (outcome, help) = match how {
        How::AsText(text) => ("it was read as plain text", quote_advice(key, text)),
        How::WideColon => (
            "it was read as a colon",
            format!("write `:` and a blank behind `{shown}`"),
        ),
        How::TabsAsBlanks => ("tabs were read as blanks", "indent with blanks".to_owned()),
        How::Limiting => (
            "it counts as limiting",
            format!("put `{shown}` at the start of a line"),
        ),
    };
    let message = format!("invalid YAML in `{shown}`: {}; {outcome}", fault.reason);
    let code = if key.as_ref() == "description" {
        Code::INVALID_DESCRIPTION
    } else {
        Code::INVALID_YAML
    };
    sink.add(offset + fault.at, Diagnostic::new(code, message).help(help));
}

fn quote_advice(key: &str, text: &str) -> String {
    match in_yaml(key, text) {
        Some(line) => format!("quote this value: `{line}`"),
        None => {
            let shown = quoted(key);
            format!(
                "quote this value: put it between `\"`, or write `{shown}: |-` and indent the text below it"
            )
        }
    }
}

/// Returns `key: value` as every YAML reader reads it with this `text` as the value, with quotes if it needs them.
///
/// `None` for what a message cannot repeat: text that is long or holds characters that are not seen.
pub(super) fn in_yaml(key: &str, text: &str) -> Option<String> {
    if quoted(key) != key || quoted(text) != text || text.is_empty() {
        return None;
    }
    let limits = Limits::default();
    let bare = is_plain(text).then(|| format!("{key}: {text}"));
    bare.into_iter()
        .chain([format!("{key}: {}", serde_json::Value::from(text))])
        .find(|line: &String| {
            let read =
                recovery::read_alone(&format!("{line}\n"), key, &limits, &mut { limits.nodes });
            read.is_ok_and(|(value, _)| value.as_text() == Some(text))
        })
}
