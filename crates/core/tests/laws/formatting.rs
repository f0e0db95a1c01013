//! The laws of the formatter for any bytes. Shared with the fuzz target.

use std::collections::BTreeMap;
use std::sync::Arc;

use repertoire_core::skill_md::{self, FileContext, Parsed};
use repertoire_core::{Code, Severity, Skill, Value};

/// Asserts every law.
pub(crate) fn hold(bytes: &[u8]) {
    let (before, formatted) = (
        skill_md::parse(bytes, site()),
        skill_md::format(bytes, site()),
    );
    let Some(text) = formatted.text else {
        let whys = formatted
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error);
        assert!(whys.count() > 0, "what is left as it is has a reason");
        return;
    };
    assert_eq!(formatted.diagnostics, [], "what is formatted has none");

    let after = skill_md::parse(&text, site());
    assert_eq!(
        skill_and_fields(&after),
        skill_and_fields(&before),
        "the same skill"
    );
    assert_eq!(rest(&text), rest(bytes), "the body, byte for byte");
    let is_new = |code: &Code| !codes(&before).any(|old| old == *code);
    assert_eq!(codes(&after).find(is_new), None, "no diagnostic is new");
    assert_eq!(codes(&after).find(is_no_yaml), None, "YAML can read it");

    assert_eq!(
        comments(&text, <[u8]>::trim_ascii_end),
        comments(bytes, <[u8]>::trim_ascii_end),
        "comments stay"
    );
    if !codes(&before).any(|code| is_no_yaml(&code)) {
        assert_eq!(
            comments(&text, <[u8]>::trim_ascii),
            comments(bytes, <[u8]>::trim_ascii),
            "so do indented ones"
        );
    }
    assert!(signs(&text) >= signs(bytes), "so do those behind a value");

    let again = skill_md::format(&text, site()).text;
    assert_eq!(
        again.as_deref(),
        Some(&*text),
        "formatting twice is formatting once"
    );
}

fn is_no_yaml(code: &Code) -> bool {
    [Code::INVALID_YAML, Code::INVALID_DESCRIPTION].contains(code)
}

fn site() -> FileContext<'static> {
    FileContext::new("skills/some-skill/SKILL.md").in_directory("some-skill")
}

/// The value of a field and, if it is one, the text that it was written as.
type Field = (serde_json::Value, Option<String>);

/// Returns the typed part of a skill and every field, sorted.
fn skill_and_fields(parsed: &Parsed) -> Option<(Skill, BTreeMap<String, Field>)> {
    let mut skill = parsed.skill.clone()?;
    let fields = std::mem::take(&mut skill.fields);
    let field = |(key, value): (Arc<str>, Value)| {
        (
            key.to_string(),
            (value.json(), value.as_text().map(str::to_owned)),
        )
    };
    Some((skill, fields.into_iter().map(field).collect()))
}

fn codes(parsed: &Parsed) -> impl Iterator<Item = Code> {
    parsed.diagnostics.iter().map(|diagnostic| diagnostic.code)
}

/// Returns the text after the front matter.
fn rest(bytes: &[u8]) -> &[u8] {
    match skill_md::find_front_matter_end(bytes) {
        Some(end) => &bytes[end..],
        other => panic!("a skill has a whole head: {other:?}"),
    }
}

/// The lines that begin with a number sign when they are `trimmed`.
fn comments(bytes: &[u8], trimmed: fn(&[u8]) -> &[u8]) -> Vec<&[u8]> {
    let lines = bytes
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .map(trimmed);
    let mut lines: Vec<_> = lines.filter(|line| line.starts_with(b"#")).collect();
    lines.sort_unstable();
    lines
}

/// Returns the number of number signs.
fn signs(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'#').count()
}
