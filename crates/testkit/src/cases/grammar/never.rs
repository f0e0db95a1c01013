//! `never: …`

use crate::cases::check::Never;
use crate::cases::scan::{Scan, Unread};

/// A mechanical reading, or the words as they stand. Only nothing at all cannot be read.
pub(super) fn never(text: &str) -> Result<Never, Unread> {
    if text.is_empty() {
        return Err("expected what must not happen, found the end of the line".to_owned());
    }
    Ok(mechanical(&mut Scan::new(text)).unwrap_or_else(|| Never::Plain(text.to_owned())))
}

fn mechanical(scan: &mut Scan<'_>) -> Option<Never> {
    let never = if scan.take("the text") {
        Never::Text(scan.name().ok()?)
    } else if scan.take("a file") {
        Never::File(scan.name().ok()?)
    } else if scan.take("a process") {
        let mut lines = vec![scan.name().ok()?];
        while scan.take("or") {
            lines.push(scan.name().ok()?);
        }
        scan.take("left behind").then_some(())?;
        Never::ProcessLeft(lines)
    } else if scan.take("a child process during") {
        let commands = scan.rest().replace(" or ", ", ");
        return Some(Never::ChildDuring(commands.split(", ").map(str::to_owned).collect()));
    } else if scan.take("a panic") {
        Never::Panic
    } else {
        return None;
    };
    scan.is_done().then_some(never)
}
