//! Reads `SKILL.md`: one pass, two verdicts.
//!
//! [`parse`] never fails. It yields a skill wherever name and description can be understood, and diagnostics
//! for everything that other readers may trip over; [`Strictness::Strict`] raises their severities until they
//! agree with the reference validator of the Agent Skills standard. Fields that YAML cannot read are read from
//! their lines, and a limiting field that cannot be read at all counts as limiting.

mod assemble;
mod extensions;
mod fence;
mod findings;
mod format;
mod keys;
mod recovery;
mod report;
mod spelling;
mod strict;
mod subset;
mod table;
mod write;
mod yaml;

use std::borrow::Cow;

pub use self::format::{Formatted, format};
pub use self::write::write;

use self::assemble::Assembly;
use self::fence::{Block, Missing};
use self::findings::Findings;
use self::recovery::Recovered;
use self::table::Table;
use self::yaml::{Fault, Reason, Root};
use crate::{Code, Diagnostic, Skill, Strictness};

/// Bounds on what is read. Every one of them is reported when it is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of a `SKILL.md`, as far as it is given. Default 1 MiB; the largest real one measured has 294,426.
    pub file_bytes: u64,
    /// Depth of nested front-matter values. Default 64.
    pub depth: usize,
    /// Scalars, lists and maps in the front matter. Default 10,000.
    pub nodes: usize,
    /// Top-level keys. Default 256.
    pub keys: usize,
    /// Characters of a description before a warning. Default 1024, the standard's S-14.
    pub description_chars: usize,
    /// Characters of `compatibility` before a warning. Default 500, the standard's S-16.
    pub compatibility_chars: usize,
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

/// Where a file stands: its path for people, and the name of its directory.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    path: &'a str,
    directory: Option<&'a str>,
}

impl<'a> Site<'a> {
    /// A file at `path`, as the source spells it.
    pub fn new(path: &'a str) -> Site<'a> {
        Site { path, directory: None }
    }

    /// The same file in a directory of this name, which stands in for a missing name.
    #[must_use]
    pub fn in_directory(mut self, name: &'a str) -> Site<'a> {
        self.directory = Some(name);
        self
    }
}

/// What a file says. Parsing never fails: it yields an optional skill and diagnostics.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Parsed {
    /// The skill, unless an error diagnostic says why there is none.
    pub skill: Option<Skill>,
    /// What the author or the operator should know: about the file, then the fields in the reference
    /// validator's order.
    pub diagnostics: Vec<Diagnostic>,
}

/// How far a file has to be read to parse its front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// Everything up to this byte is enough.
    Complete(usize),
    /// The closing fence has not come yet; read more, up to the end of the file.
    NeedsMore,
}

/// Finds out whether `bytes`, the beginning of a file, holds the whole front matter.
///
/// [`parse_with`] says the same of the bytes up to [`Head::Complete`] as of the whole file, bodies that are
/// no UTF-8 aside, which only strict parsing looks at.
///
/// ```
/// use repertoire_core::skill_md::{Head, head};
///
/// assert_eq!(head(b"---\nname: tidy-up\n"), Head::NeedsMore);
/// assert_eq!(head(b"---\nname: tidy-up\n---\nSort it.\n"), Head::Complete(22));
/// ```
pub fn head(bytes: &[u8]) -> Head {
    match fence::find(bytes) {
        Ok(block) if fence::is_final(bytes, block.body) => Head::Complete(block.body),
        Err(Missing::NotFirst(at)) if fence::is_final(bytes, fence::line(bytes, at).1) => Head::Complete(bytes.len()),
        _ => Head::NeedsMore,
    }
}

/// Returns the front matter of a whole file, both fence lines included, or `None` where it has none.
///
/// Every reader that holds a whole file asks this one: [`Head::NeedsMore`] is about a beginning of which more may come.
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
pub fn place(file: &[u8], key: &str) -> Option<(u32, u32)> {
    let (block, limits) = (fence::find(file).ok()?, Limits::default());
    let source = std::str::from_utf8(&file[block.yaml.clone()]).ok()?;
    let table = match yaml::read(source, &limits, &mut { limits.nodes }) {
        Ok(Root::Map(table)) => table,
        _ => recovery::read(source, &limits).ok()?.table,
    };
    let nested = || table.get("metadata").filter(|(value, _)| value.get(key).is_some());
    let (_, mark) = table.get(key).or_else(nested)?;
    Some(Findings::new("", file, Strictness::Lenient).place(block.yaml.start + mark.key))
}

/// Parses with default limits, leniently. See [`parse_with`].
pub fn parse(bytes: &[u8], site: Site<'_>) -> Parsed {
    parse_with(bytes, site, &Limits::default(), Strictness::Lenient)
}

/// Parses a file, or its beginning up to [`Head::Complete`].
///
/// Lenient parsing looks at nothing behind the front matter.
pub fn parse_with(bytes: &[u8], site: Site<'_>, limits: &Limits, strictness: Strictness) -> Parsed {
    let mut findings = Findings::new(site.path, bytes, strictness);
    let skill = read(bytes, site, limits, &mut findings);
    Parsed { skill, diagnostics: findings.into_list() }
}

/// The instructions: what follows the closing fence line, without leading blank lines, `\r\n` as `\n`.
///
/// Everything else stays byte for byte, indentation too. A file without front matter is all body.
///
/// # Errors
/// The byte offset of the first byte that is not UTF-8.
pub fn body(bytes: &[u8]) -> Result<Cow<'_, str>, usize> {
    let start = fence::find(bytes).map_or_else(|_| fence::past_bom(bytes), |block| block.body);
    let start = fence::past_blank_lines(bytes, start);
    let text = std::str::from_utf8(&bytes[start..]).map_err(|error| start + error.valid_up_to())?;
    Ok(if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() })
}

/// Returns how many lines of a file stand above its [`body`].
pub(crate) fn lines_above_body(bytes: &[u8]) -> usize {
    let start = fence::find(bytes).map_or_else(|_| fence::past_bom(bytes), |block| block.body);
    let start = fence::past_blank_lines(bytes, start);
    let (mut at, mut lines) = (0, 0);
    while at < start {
        (_, at) = fence::line(bytes, at);
        lines += 1;
    }
    // A mark at the start of a file is no line of it.
    if start == fence::past_bom(bytes) { 0 } else { lines }
}

fn read<'a>(bytes: &'a [u8], site: Site<'a>, limits: &'a Limits, findings: &mut Findings<'a>) -> Option<Skill> {
    if bytes.len() as u64 > limits.file_bytes {
        let message = format!("the file has more than {} bytes", limits.file_bytes);
        findings.say(0, Code::TOO_LARGE, message);
        return None;
    }
    let block = fence::find(bytes);
    let needed = match &block {
        Ok(block) if !findings.is_strict() => &bytes[..block.body],
        _ => bytes,
    };
    let text = match std::str::from_utf8(needed) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to();
            let message = format!("the file is not UTF-8: byte {at} is 0x{:02x}", bytes[at]);
            findings.add(
                at,
                report::utf16(bytes, &message)
                    .unwrap_or_else(|| Diagnostic::new(Code::NOT_UTF8, message).help("save the file as UTF-8")),
            );
            return None;
        }
    };
    let block = match block {
        Ok(block) => block,
        Err(missing) => {
            report::missing(bytes, missing, findings);
            return None;
        }
    };
    report::fences(bytes, &block, findings);
    let table = fields(text, &block, limits, findings)?;
    report::duplicates(&table, findings);
    Assembly { text, block: &block, site, limits, findings }.skill(table)
}

/// The fields, by YAML or from their lines.
fn fields(text: &str, block: &Block, limits: &Limits, findings: &mut Findings<'_>) -> Option<Table> {
    let source = &text[block.yaml.clone()];
    let offset = block.yaml.start;
    let mut nodes = limits.nodes;
    let fault = match yaml::read(source, limits, &mut nodes) {
        Ok(Root::Map(table)) => {
            if findings.is_strict() {
                strict::check_subset(source, offset, limits, findings);
            }
            return Some(table.moved(offset));
        }
        Ok(Root::Empty) => {
            let message = "frontmatter must be a YAML mapping, found nothing";
            let help = "write `name` and `description` between the `---` lines";
            findings.add(block.opening, Diagnostic::new(Code::NOT_A_MAPPING, message).help(help));
            return None;
        }
        Ok(Root::Other) => Fault { at: 0, reason: Reason::NotAField },
        Err(fault) => fault,
    };
    let recovered = match fault.reason {
        Reason::Keys(_) => Err(fault.clone()),
        _ => recovery::read(source, limits),
    };
    match recovered {
        Err(fault) => {
            findings.say(offset + fault.at, Code::TOO_LARGE, format!("frontmatter is too large: {}", fault.reason));
            None
        }
        Ok(Recovered { table, .. }) if table.fields.is_empty() => {
            let message = format!("frontmatter must be a YAML mapping, but has no field: {}", fault.reason);
            let help = match source.contains(recovery::WIDE_COLON) {
                true => "write `:` and a blank in place of the full-width `：` behind each key",
                false => "write each field on a line of its own: its name, a colon, a blank and its value",
            };
            findings.add(offset + fault.at, Diagnostic::new(Code::NOT_A_MAPPING, message).help(help));
            None
        }
        Ok(Recovered { table, repairs }) => {
            if repairs.is_empty() {
                let message = format!("invalid YAML in frontmatter: {}; each field was read alone", fault.reason);
                findings.say(offset + fault.at, Code::INVALID_YAML, message);
            }
            for repair in repairs {
                report::repair(offset, &repair, findings);
            }
            Some(table.moved(offset))
        }
    }
}

/// Whether `text` is read without the YAML parser; if so, asserts that the parser reads the same.
#[cfg(any(test, fuzzing))]
pub fn reads_alike(text: &str) -> bool {
    let limits = Limits::default();
    let (mut quick, mut full) = (limits.nodes, limits.nodes);
    let Some(table) = subset::read(text, &limits, &mut quick) else { return false };
    match yaml::parse(text, &limits, &mut full) {
        Ok(Root::Map(parsed)) => assert_eq!((table, quick), (parsed, full), "of {text:?}"),
        other => panic!("{text:?} is {other:?} for the parser"),
    }
    true
}

#[cfg(test)]
mod tests;
