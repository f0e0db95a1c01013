//! Lines with several parts: `either: …` and `never: …`.

use super::{Previous, check, want, written};
use crate::cases::check::{Check, Field, Never, Subject};
use crate::cases::scan::{ParseError, Scan};

pub(super) fn either(text: &str, previous: &mut Previous) -> Result<Check, ParseError> {
    let alternatives: Vec<_> = outside_strings(text, " | ")
        .into_iter()
        .map(|text| alternative(text, previous))
        .collect();
    if alternatives.len() < 2 {
        return Err(format!(
            "expected alternatives on both sides of ` | `, found `{text}`"
        ));
    }
    alternatives
        .into_iter()
        .collect::<Result<_, _>>()
        .map(Check::Either)
}

/// Parses one side: a line, or a line without its start, which comes from the lines above. A note in parentheses is ignored.
fn alternative(text: &str, previous: &mut Previous) -> Result<Check, ParseError> {
    let text = outside_strings(text, " (")[0].trim();
    let scan = &mut Scan::new(text);
    if scan.take("the diagnostic says that") {
        let what = scan.word()?.to_owned();
        scan.expect("was dropped")?;
        scan.end()?;
        return Ok(Check::SaysDropped(what));
    }
    if let Some(path) = text.split(' ').next().and_then(written) {
        scan.word()?;
        let want = want(scan)?;
        scan.end()?;
        return Ok(Check::Field(Subject::Only, Field::Written(path), want));
    }
    if ["=", "has", "lacks"]
        .into_iter()
        .any(|verb| scan.take(verb))
    {
        let subject = previous
            .subject
            .as_ref()
            .ok_or("expected a line above with a subject")?;
        return check(&format!("{subject} {text}"), &mut Previous::default());
    }
    check(text, previous)
}

/// Splits `text` at separators outside JSON strings.
fn outside_strings<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut start, mut inside, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        if !inside && at >= start && text[at..].starts_with(separator) {
            parts.push(&text[start..at]);
            start = at + separator.len();
        }
        if c == '"' && !escaped {
            inside = !inside;
        }
        escaped = inside && c == '\\' && !escaped;
    }
    parts.push(&text[start..]);
    parts
}

/// Parses the known forms. Other text is kept, for a linked test.
pub(super) fn never(text: &str) -> Result<Vec<Never>, ParseError> {
    if text.is_empty() {
        return Err("expected what must not happen, found the end of the line".to_owned());
    }
    Ok(known_forms(&mut Scan::new(text)).unwrap_or_else(|| vec![Never::Plain(text.to_owned())]))
}

fn known_forms(scan: &mut Scan<'_>) -> Option<Vec<Never>> {
    let mut things = vec![thing(scan)?];
    while scan.take("or") {
        things.push(thing(scan)?);
    }
    scan.is_done().then_some(things)
}

fn thing(scan: &mut Scan<'_>) -> Option<Never> {
    if scan.take("the text") {
        Some(Never::Text(scan.name().ok()?))
    } else if scan.take("a file") {
        Some(Never::File(scan.name().ok()?))
    } else if scan.take("a process") {
        let lines = names(scan)?;
        scan.take("left behind")
            .then_some(Never::ProcessLeft(lines))
    } else if scan.take("a child process during") {
        let mut commands = Vec::new();
        loop {
            commands.push(scan.word().ok()?.trim_end_matches(',').to_owned());
            if scan.is_done() {
                return Some(Never::ChildDuring(commands));
            }
            scan.take("or");
        }
    } else if scan.take("a skill named") {
        let names = names(scan)?;
        let field = if scan.take("with") {
            Some(scan.name().ok()?)
        } else {
            None
        };
        Some(Never::Skill { names, field })
    } else if scan.take("a panic") {
        Some(Never::Panic)
    } else {
        scan.take("a non-empty exit of the whole scan")
            .then_some(Never::FailedScan)
    }
}

fn names(scan: &mut Scan<'_>) -> Option<Vec<String>> {
    let mut names = vec![scan.name().ok()?];
    while scan.take("or") {
        names.push(scan.name().ok()?);
    }
    Some(names)
}
