//! The laws of the formatter on real files.

use std::collections::BTreeMap;
use std::fmt;

use repertoire_core::skill_md::{self, FileContext, Parsed};
use repertoire_core::{Code, Skill};
use serde_json::Value;

/// The results for the files that give a skill.
#[derive(Debug, Default)]
pub(super) struct Formatting {
    canonical: usize,
    changed: usize,
    /// Of the changed ones, those that YAML could not read before and can now.
    repaired: usize,
    left: usize,
    pub(super) broken: usize,
}

impl Formatting {
    /// Formats a file, and returns the law that this breaks.
    pub(super) fn take(&mut self, bytes: &[u8], site: FileContext<'_>) -> Option<&'static str> {
        let before = skill_md::parse(bytes, site);
        before.skill.as_ref()?;
        let Some(text) = skill_md::format(bytes, site).text else {
            self.left += 1;
            return None;
        };
        let after = skill_md::parse(&text, site);
        let laws = [
            (
                skill_md::format(&text, site).text.as_deref() == Some(&*text),
                "formatting twice is not formatting once",
            ),
            (
                skill_md::body(&text) == skill_md::body(bytes),
                "the body is another one",
            ),
            (
                fields_and_body(&after) == fields_and_body(&before),
                "a value is another one",
            ),
            (comments(&text) == comments(bytes), "a comment is lost"),
            (is_valid(&after), "YAML cannot read it"),
        ];
        let broken = laws
            .into_iter()
            .find(|(holds, _)| !holds)
            .map(|(_, law)| law);
        self.broken += usize::from(broken.is_some());
        if *text == *bytes {
            self.canonical += 1;
        } else {
            self.changed += 1;
            self.repaired += usize::from(!is_valid(&before));
        }
        broken
    }
}

impl fmt::Display for Formatting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Formatting {
            canonical,
            changed,
            repaired,
            left,
            broken,
        } = self;
        write!(
            f,
            "{canonical} canonical, {changed} changed ({repaired} repaired), {left} left, {broken} against a law"
        )
    }
}

/// Returns every field and the body of a skill, in sorted order.
fn fields_and_body(parsed: &Parsed) -> Option<(Skill, BTreeMap<String, Value>)> {
    let mut skill = parsed.skill.clone()?;
    let fields = std::mem::take(&mut skill.fields);
    Some((
        skill,
        fields
            .into_iter()
            .map(|(key, value)| (key.to_string(), value.json()))
            .collect(),
    ))
}

/// The lines of a file that are comments or headings.
fn comments(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<_> = bytes
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .filter(|line| line.starts_with(b"#"))
        .collect();
    lines.sort_unstable();
    lines
}

fn is_valid(parsed: &Parsed) -> bool {
    let is_no_yaml = |code| [Code::INVALID_YAML, Code::INVALID_DESCRIPTION].contains(&code);
    !parsed
        .diagnostics
        .iter()
        .any(|diagnostic| is_no_yaml(diagnostic.code))
}
