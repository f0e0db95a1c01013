//! `session: …`

use super::text_want;
use crate::cases::check::{SessionCall, SessionLine};
use crate::cases::scan::{Scan, Unread};

/// ` active list = [NAME, ...]`, or calls and what the last one answers.
pub(super) fn session(scan: &mut Scan<'_>) -> Result<SessionLine, Unread> {
    if scan.take("active list") {
        scan.expect("=")?;
        return scan.json().map(SessionLine::Active);
    }
    let mut calls = vec![call(scan)?];
    while scan.take(",") {
        calls.push(call(scan)?);
    }
    if calls.last() == Some(&SessionCall::Reset) {
        return Err("expected `activate` as the last call, which answers".to_owned());
    }
    scan.expect("->")?;
    Ok(SessionLine::Calls(calls, text_want(scan)?))
}

fn call(scan: &mut Scan<'_>) -> Result<SessionCall, Unread> {
    if !scan.take("activate") {
        scan.expect("reset")?;
        return Ok(SessionCall::Reset);
    }
    let name = scan.name()?;
    let is_forced = scan.take("force");
    // `again` is for people: the call is the same.
    let _ = !is_forced && scan.take("again");
    Ok(if is_forced { SessionCall::Force(name) } else { SessionCall::Activate(name) })
}
