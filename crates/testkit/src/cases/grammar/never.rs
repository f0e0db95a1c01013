//! `never: …`

use crate::cases::check::Never;
use crate::cases::scan::{Scan, Unread};

/// Mechanical readings, or the words as they stand. Only nothing at all cannot be read.
pub(super) fn never(text: &str) -> Result<Vec<Never>, Unread> {
    if text.is_empty() {
        return Err("expected what must not happen, found the end of the line".to_owned());
    }
    Ok(mechanical(&mut Scan::new(text)).unwrap_or_else(|| vec![Never::Plain(text.to_owned())]))
}

/// One thing, or several with `or` between them.
fn mechanical(scan: &mut Scan<'_>) -> Option<Vec<Never>> {
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
        scan.take("left behind").then_some(Never::ProcessLeft(lines))
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
        let field = if scan.take("with") { Some(scan.name().ok()?) } else { None };
        Some(Never::Skill { names, field })
    } else if scan.take("a panic") {
        Some(Never::Panic)
    } else {
        scan.take("a non-empty exit of the whole scan").then_some(Never::FailedScan)
    }
}

/// `NAME or NAME`
fn names(scan: &mut Scan<'_>) -> Option<Vec<String>> {
    let mut names = vec![scan.name().ok()?];
    while scan.take("or") {
        names.push(scan.name().ok()?);
    }
    Some(names)
}
