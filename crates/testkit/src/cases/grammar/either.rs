//! `either: … | …`

use crate::cases::check::{Check, Field, Subject};
use crate::cases::scan::{Scan, Unread};

use super::{Above, check, want, written};

/// One side or another.
pub(super) fn either(text: &str, above: &mut Above) -> Result<Check, Unread> {
    let alternatives: Vec<_> = outside_strings(text, " | ").into_iter().map(|text| alternative(text, above)).collect();
    if alternatives.len() < 2 {
        return Err(format!("expected alternatives on both sides of ` | `, found `{text}`"));
    }
    alternatives.into_iter().collect::<Result<_, _>>().map(Check::Either)
}

/// One side of an `either:`: a line, or one that leaves out what the lines above say, and maybe a note in parentheses.
fn alternative(text: &str, above: &mut Above) -> Result<Check, Unread> {
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
    if ["=", "has", "lacks"].into_iter().any(|verb| scan.take(verb)) {
        let subject = above.subject.as_ref().ok_or("expected a line above that says of what")?;
        return check(&format!("{subject} {text}"), &mut Above::default());
    }
    check(text, above)
}

/// The parts of `text` between separators that stand outside JSON strings.
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
