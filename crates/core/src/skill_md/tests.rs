#![expect(
    clippy::disallowed_methods,
    reason = "the macros of snapbox look for their source file"
)]

use super::*;
use crate::{Severity, SurfaceMode, Value};

mod extensions;
mod fences;
mod limits;
mod messages;
mod recovery;
mod repeated;
mod strict;
mod values;

/// A file in a directory called `some-skill`.
fn parse_text(text: impl AsRef<[u8]>) -> Parsed {
    parse(
        text.as_ref(),
        FileContext::new("some-skill/SKILL.md").in_directory("some-skill"),
    )
}

/// The skill of a file with these front-matter lines and nothing else.
#[track_caller]
fn skill(lines: &str) -> Skill {
    let parsed = parse_text(front(lines));
    parsed
        .skill
        .unwrap_or_else(|| panic!("no skill in {lines:?}: {:?}", parsed.diagnostics))
}

/// A skill with a valid name and description and these lines beside them.
#[track_caller]
fn skill_with(lines: &str) -> Skill {
    skill(&beside(lines))
}

fn front(lines: &str) -> String {
    format!("---\n{lines}\n---\nBody.\n")
}

fn beside(lines: &str) -> String {
    format!("name: some-skill\ndescription: Does it.\n{lines}")
}

/// DiagnosticSink above info, as `severity code line:column`.
fn found(parsed: &Parsed) -> Vec<String> {
    let above_info = parsed
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity > Severity::Info);
    above_info
        .map(|diagnostic| {
            let (line, column) = (diagnostic.line.unwrap_or(0), diagnostic.column.unwrap_or(0));
            format!(
                "{} {} {line}:{column}",
                diagnostic.severity, diagnostic.code
            )
        })
        .collect()
}

/// Returns the diagnostics of a file with these front-matter lines.
fn found_in(lines: &str) -> Vec<String> {
    found(&parse_text(front(lines)))
}

fn names(list: &Option<Vec<std::sync::Arc<str>>>) -> Option<Vec<&str>> {
    list.as_ref()
        .map(|names| names.iter().map(AsRef::as_ref).collect())
}
