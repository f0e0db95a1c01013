//! What is said about a file's fences and its YAML.

use super::fence::{self, Block, Missing};
use super::findings::Findings;
use super::recovery::{How, Repair};
use super::strict;
use super::table::Table;
use crate::text::quoted;
use crate::{Code, Diagnostic};

/// Why there is no front matter.
pub(super) fn missing(bytes: &[u8], missing: Missing, findings: &mut Findings<'_>) {
    const START: &str = "put `---`, `name`, `description` and `---` on the first lines";
    let (at, finding) = match missing {
        Missing::Empty => {
            (0, Diagnostic::new(Code::EMPTY_FILE, "the file is empty; it must start with YAML frontmatter"))
        }
        Missing::OpenComment(at) => (
            at,
            Diagnostic::new(
                Code::NO_FRONT_MATTER,
                "the file must start with YAML frontmatter, found a comment without end",
            ),
        ),
        Missing::Unclosed(at) => (
            at,
            Diagnostic::new(Code::UNCLOSED_FRONT_MATTER, "frontmatter is not properly closed: no closing `---` line")
                .help("put a line `---` between the fields and the body"),
        ),
        Missing::NotFirst(at) => match fence::find_later(bytes, at) {
            Some(later) => {
                let (line, _) = findings.place(later.opening);
                let message = format!("the file must start with YAML frontmatter, found it on line {line}");
                let help = "move the block between the `---` lines to the top of the file";
                (later.opening, Diagnostic::new(Code::NO_FRONT_MATTER, message).help(help))
            }
            None => {
                let (end, _) = fence::line(bytes, at);
                let found = quoted(&String::from_utf8_lossy(&bytes[at..end]));
                let message = format!("the file must start with YAML frontmatter, found `{found}`");
                (at, Diagnostic::new(Code::NO_FRONT_MATTER, message).help(START))
            }
        },
    };
    findings.add(at, finding);
}

/// What other readers may not accept about the fences.
pub(super) fn fences(bytes: &[u8], block: &Block, findings: &mut Findings<'_>) {
    if findings.is_strict() {
        strict::check_start(bytes, findings);
    }
    if block.opening > fence::past_bom(bytes) {
        let message =
            "frontmatter does not begin on the first line; the file must start with YAML frontmatter for other clients";
        findings.add(block.opening, Diagnostic::new(Code::NOT_FIRST_LINE, message).help("move `---` to line 1"));
    }
    if block.dots {
        let message = "frontmatter is not properly closed: `...` stands for `---`";
        findings.add(block.yaml.end, Diagnostic::new(Code::CLOSED_BY_DOTS, message).help("close it with `---`"));
    }
}

/// Fields that are written twice.
pub(super) fn duplicates(table: &Table, findings: &mut Findings<'_>) {
    for duplicate in &table.duplicates {
        let (first, _) = findings.place(duplicate.first);
        let (again, _) = findings.place(duplicate.again);
        let key = quoted(&duplicate.key);
        let message = format!("`{key}` is written on line {first} and again on line {again}; the last value is taken");
        findings.add(duplicate.again, Diagnostic::new(Code::DUPLICATE_KEY, message).help("remove one of them"));
    }
}

/// A field that YAML could not read.
pub(super) fn repair(offset: usize, repair: &Repair, findings: &mut Findings<'_>) {
    let Repair { key, fault, how } = repair;
    let shown = quoted(key);
    let (outcome, help) = match how {
        How::AsText(text) => ("its text was taken as it stands", quote_advice(&shown, text)),
        How::TabsAsBlanks => ("tabs were read as blanks", "indent with blanks".to_owned()),
        How::Limiting => ("it counts as limiting", format!("put `{shown}` at the start of a line")),
    };
    let message = format!("invalid YAML in `{shown}`: {}; {outcome}", fault.reason);
    findings.add(offset + fault.at, Diagnostic::new(Code::INVALID_YAML, message).help(help));
}

/// What to type for a text that YAML cannot read without quotes.
fn quote_advice(key: &str, text: &str) -> String {
    let shown = quoted(text);
    if shown == text {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        format!("quote this value: `{key}: \"{escaped}\"`")
    } else {
        format!("quote this value: put it between `\"`, or write `{key}: |-` and indent the text below it")
    }
}
