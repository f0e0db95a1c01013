//! Parses `SKILL.md` files in lenient or strict mode.
//!
//! - [`parse`] never fails. It returns a skill if name and description can be read, and diagnostics for everything that other
//!   readers may refuse.
//! - [`Strictness::Strict`] raises their severities to those of the reference validator of the Agent Skills standard.
//! - A field that YAML cannot read is read from its lines. A limiting field that cannot be read at all counts as limiting.

mod assemble;
mod extensions;
mod fence;
mod format;
mod recovery;
mod report;
mod spelling;
mod strict;
mod subset;
mod table;
mod write;
mod yaml;

use std::borrow::Cow;
use std::sync::Arc;

pub use self::format::{Formatted, format};
pub use self::write::write;

use self::assemble::Assembly;
use self::fence::{Block, Missing};
use self::recovery::Recovered;
use self::report::DiagnosticSink;
use self::table::FieldTable;
use self::yaml::{YamlDocument, YamlError, YamlFault};
use crate::{Code, Diagnostic, InvalidValue, Skill, Strictness, Value};

/// The limits of parsing. Every limit that is met is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a `SKILL.md`, as far as it is given. Default 1 MiB; the largest real one measured has 294,426.
    pub file_bytes: u64,
    /// Depth of nested front-matter values. Default 64.
    pub(crate) depth: usize,
    /// Scalars, lists and maps in the front matter. Default 10,000.
    pub(crate) nodes: usize,
    /// Top-level keys. Default 256.
    pub(crate) keys: usize,
    /// Characters of a description before a warning. Default 1024, the standard's S-14.
    pub(crate) description_chars: usize,
    /// Characters of `compatibility` before a warning. Default 500, the standard's S-16.
    pub(crate) compatibility_chars: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            file_bytes: 1 << 20,
            depth: 64,
            nodes: 10_000,
            keys: 256,
            description_chars: 1024,
            compatibility_chars: 500,
        }
    }
}

/// The path of a file, for messages, and the name of its directory.
#[derive(Debug, Clone, Copy)]
pub struct FileContext<'a> {
    path: &'a str,
    directory: Option<&'a str>,
}

impl<'a> FileContext<'a> {
    /// Creates the context of a file at `path`, as the source spells it.
    pub fn new(path: &'a str) -> FileContext<'a> {
        FileContext {
            path,
            directory: None,
        }
    }

    /// Sets the name of the directory, which is the fallback for a missing name.
    #[must_use]
    pub fn in_directory(mut self, name: &'a str) -> FileContext<'a> {
        self.directory = Some(name);
        self
    }
}

/// The result of parsing, which never fails: an optional skill and diagnostics.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Parsed {
    /// The skill, unless an error diagnostic says why there is none.
    pub skill: Option<Skill>,
    /// The diagnostics about the file, then about its fields in the reference validator's order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Finds the end of the front matter in `bytes`, the beginning of a file. `None` if more of the file is needed.
///
/// [`parse_with`] returns the same for the bytes up to there as for the whole file. Strict parsing also
/// reads the body, which may not be UTF-8.
///
/// ```
/// use repertoire_core::skill_md::find_front_matter_end;
///
/// assert_eq!(find_front_matter_end(b"---\nname: tidy-up\n"), None);
/// assert_eq!(find_front_matter_end(b"---\nname: tidy-up\n---\nSort it.\n"), Some(22));
/// ```
pub fn find_front_matter_end(bytes: &[u8]) -> Option<usize> {
    match fence::find(bytes) {
        Ok(block) if fence::is_final(bytes, block.body) => Some(block.body),
        Err(Missing::NotFirst(at)) if fence::is_final(bytes, fence::line(bytes, at).1) => {
            Some(bytes.len())
        }
        _ => None,
    }
}

/// Returns the front matter of a whole file, both fence lines included, or `None` where it has none.
///
/// Use it if the whole file is there, and [`find_front_matter_end`] for its beginning.
///
/// ```
/// use repertoire_core::skill_md::front_matter;
///
/// let whole = b"---\nname: tidy-up\n---";
/// assert_eq!(front_matter(whole), Some(&whole[..]));
/// assert_eq!(front_matter(b"Sort it.\n"), None);
/// ```
pub fn front_matter(file: &[u8]) -> Option<&[u8]> {
    fence::find(file).ok().map(|block| &file[..block.body])
}

/// Returns the line and the column of a field in a whole file, both from 1: at the top level, else where `metadata` is, if
/// the field is there.
#[doc(hidden)]
pub fn place(file: &[u8], key: &str) -> Option<(u32, u32)> {
    let (block, limits) = (fence::find(file).ok()?, Limits::default());
    let source = std::str::from_utf8(&file[block.yaml.clone()]).ok()?;
    let table = match yaml::read(source, &limits, &mut { limits.nodes }) {
        Ok(YamlDocument::Map(table)) => table,
        _ => recovery::read(source, &limits).ok()?.table,
    };
    let (_, mark) = table.get(key).or_else(|| {
        table
            .get("metadata")
            .filter(|(value, _)| value.get(key).is_some())
    })?;
    Some(DiagnosticSink::new("", file, Strictness::Lenient).place(block.yaml.start + mark.key))
}

/// Reads the front matter of a file or of its beginning: each field with the line of its key, and the line of the first
/// fault of YAML, if fields had to be recovered.
///
/// # Errors
/// The line of the fault, if there is no front matter or it has no field.
#[doc(hidden)]
pub fn fields_with_lines(file: &[u8]) -> Result<FieldsWithLines, u32> {
    let line = |at: usize| 1 + file[..at].iter().filter(|byte| **byte == b'\n').count() as u32;
    let block = fence::find(file).map_err(|missing| match missing {
        Missing::Empty => 1,
        Missing::OpenComment(at) | Missing::NotFirst(at) | Missing::Unclosed(at) => line(at),
    })?;
    let (limits, at) = (Limits::default(), block.yaml.start);
    let source = std::str::from_utf8(&file[block.yaml.clone()])
        .map_err(|error| line(at + error.valid_up_to()))?;
    let (table, fault) = match yaml::read(source, &limits, &mut { limits.nodes }) {
        Ok(YamlDocument::Map(table)) => (table, None),
        Ok(_) => return Err(line(at)),
        Err(fault) => match recovery::read(source, &limits) {
            Ok(found) if !found.table.fields.is_empty() => (found.table, Some(line(at + fault.at))),
            _ => return Err(line(at + fault.at)),
        },
    };
    let marks = table.marks.iter().map(|mark| line(at + mark.key));
    let fields = table.fields.into_iter().zip(marks);
    let fields = fields
        .map(|((key, value), line)| (key, value, line))
        .collect();
    Ok((fields, fault))
}

/// Fields with their lines, and the line of the first fault of YAML.
#[doc(hidden)]
pub type FieldsWithLines = (Vec<(Arc<str>, Value, u32)>, Option<u32>);

/// Parses leniently and with default limits, as [`parse_with`] does.
pub fn parse(bytes: &[u8], site: FileContext<'_>) -> Parsed {
    parse_with(bytes, site, &Limits::default(), Strictness::Lenient)
}

/// Parses a file, or its beginning up to the end of the [front matter](find_front_matter_end).
///
/// Lenient parsing ignores everything behind the front matter.
pub fn parse_with(
    bytes: &[u8],
    site: FileContext<'_>,
    limits: &Limits,
    strictness: Strictness,
) -> Parsed {
    let mut sink = DiagnosticSink::new(site.path, bytes, strictness);
    let skill = read(bytes, site, limits, &mut sink);
    Parsed {
        skill,
        diagnostics: sink.into_list(),
    }
}

/// Returns the instructions: the text behind the front matter, without leading blank lines and with `\n` for `\r\n`.
///
/// All other bytes stay as they are. A file without front matter consists of instructions.
///
/// # Errors
/// [`InvalidValue`] with the offset of the first byte that is not UTF-8.
pub fn body(bytes: &[u8]) -> Result<Cow<'_, str>, InvalidValue> {
    let start = fence::find(bytes).map_or_else(|_| fence::past_bom(bytes), |block| block.body);
    let start = fence::past_blank_lines(bytes, start);
    let text = std::str::from_utf8(&bytes[start..]).map_err(|error| {
        InvalidValue::new(format!("not UTF-8 at byte {}", start + error.valid_up_to()))
    })?;
    Ok(if text.contains("\r\n") {
        text.replace("\r\n", "\n").into()
    } else {
        text.into()
    })
}

/// Returns how many lines of a file stand above its [`body`].
pub(crate) fn lines_above_body(bytes: &[u8]) -> usize {
    let start = fence::find(bytes).map_or_else(|_| fence::past_bom(bytes), |block| block.body);
    let start = fence::past_blank_lines(bytes, start);
    // A mark at the start of a file is no line of it.
    if start == fence::past_bom(bytes) {
        0
    } else {
        fence::lines(bytes, 0)
            .take_while(|(at, ..)| *at < start)
            .count()
    }
}

fn read<'a>(
    bytes: &'a [u8],
    site: FileContext<'a>,
    limits: &'a Limits,
    sink: &mut DiagnosticSink<'a>,
) -> Option<Skill> {
    if bytes.len() as u64 > limits.file_bytes {
        let message = format!("the file has more than {} bytes", limits.file_bytes);
        sink.emit(0, Code::TOO_LARGE, message);
        return None;
    }
    let block = fence::find(bytes);
    let needed = match &block {
        Ok(block) if !sink.is_strict() => &bytes[..block.body],
        _ => bytes,
    };
    let text = match std::str::from_utf8(needed) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let message = format!("the file is not UTF-8: byte {at} is 0x{:02x}", bytes[at]);
            sink.add(
                at,
                report::utf16(bytes, &message).unwrap_or_else(|| {
                    Diagnostic::new(Code::NOT_UTF8, message).help("save the file as UTF-8")
                }),
            );
            return None;
        }
    };
    let block = match block {
        Ok(block) => block,
        Err(missing) => {
            report::missing(bytes, missing, sink);
            return None;
        }
    };
    if sink.is_strict() {
        strict::check_start(bytes, sink);
    }
    report::fences(bytes, &block, sink);
    let table = fields(text, &block, limits, sink)?;
    report::duplicates(&table, sink);
    Assembly {
        text,
        block: &block,
        site,
        limits,
        sink,
        may_hide: crate::text::may_hide(text) || text.contains('\\'),
    }
    .skill(table)
}

fn fields(
    text: &str,
    block: &Block,
    limits: &Limits,
    sink: &mut DiagnosticSink<'_>,
) -> Option<FieldTable> {
    let source = &text[block.yaml.clone()];
    let offset = block.yaml.start;
    let mut nodes = limits.nodes;
    let fault = match yaml::read(source, limits, &mut nodes) {
        Ok(YamlDocument::Map(table)) => {
            if sink.is_strict() {
                strict::check_subset(source, offset, limits, sink);
            }
            return Some(table.moved(offset));
        }
        Ok(YamlDocument::Empty) => {
            let message = "frontmatter must be a YAML mapping, but is empty";
            let help = "write `name` and `description` between the `---` lines";
            let diagnostic = Diagnostic::new(Code::NOT_A_MAPPING, message).help(help);
            sink.add(block.opening, diagnostic);
            return None;
        }
        Ok(YamlDocument::Other) => YamlError {
            at: 0,
            reason: YamlFault::NotAField,
        },
        Err(fault) => fault,
    };
    let recovered = match fault.reason {
        YamlFault::Keys(_) => Err(fault.clone()),
        _ => recovery::read(source, limits),
    };
    match recovered {
        Err(fault) => {
            let message = format!("frontmatter is too large: {}", fault.reason);
            sink.emit(offset + fault.at, Code::TOO_LARGE, message);
            None
        }
        Ok(Recovered { table, .. }) if table.fields.is_empty() => {
            let diagnostic = report::no_field(source, &fault);
            sink.add(offset + fault.at, diagnostic);
            None
        }
        Ok(Recovered { table, repairs }) => {
            if repairs.is_empty() {
                let message = format!(
                    "invalid YAML in frontmatter: {}; each field was read alone",
                    fault.reason
                );
                sink.emit(offset + fault.at, Code::INVALID_YAML, message);
            }
            for repair in repairs {
                report::repair(offset, &repair, sink);
            }
            Some(table.moved(offset))
        }
    }
}

/// Returns `true` if `text` is read without the YAML parser, and asserts that the parser reads the same.
#[cfg(any(test, fuzzing))]
pub fn reads_alike(text: &str) -> bool {
    let limits = Limits::default();
    let (mut quick, mut full) = (limits.nodes, limits.nodes);
    let Some(table) = subset::read(text, &limits, &mut quick) else {
        return false;
    };
    match yaml::parse(text, &limits, &mut full) {
        Ok(YamlDocument::Map(parsed)) => assert_eq!((table, quick), (parsed, full), "of {text:?}"),
        other => panic!("{text:?} is {other:?} for the parser"),
    }
    true
}

#[cfg(test)]
mod tests;
