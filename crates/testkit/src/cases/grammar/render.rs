//! `render …`

use crate::cases::check::{Check, RenderLine, RenderWant, Shell};
use crate::cases::scan::{Scan, Unread};

use super::{Above, text_want};

/// `NAME [args=JSON] [shell=on|off] [timeout=T] [within T]`, and what the text is to be.
pub(super) fn render(scan: &mut Scan<'_>, above: &mut Above) -> Result<Check, Unread> {
    let start = scan.rest();
    let name = scan.name()?;
    let (mut arguments, mut shell, mut timeout, mut within) = (String::new(), Shell::Off, None, None);
    loop {
        if scan.take("args=") {
            arguments = scan.json()?;
        } else if scan.take("timeout=") {
            timeout = Some(scan.duration()?);
        } else if scan.take("within") {
            within = Some(scan.duration()?);
        } else if scan.take("shell=on") {
            shell = Shell::On;
        } else if scan.take("shell=off") {
            shell = Shell::Off;
        } else {
            break;
        }
    }
    above.subject = Some(format!("render {}", scan.since(start)));
    let want = want(scan)?;
    Ok(Check::Render(Box::new(RenderLine { name, arguments, shell, timeout, within, want })))
}

/// `= / has / lacks JSON`, or `has the absolute path of PATH [followed by JSON]`.
fn want(scan: &mut Scan<'_>) -> Result<RenderWant, Unread> {
    if scan.take("has the absolute path of") {
        let path = scan.name()?;
        let followed_by = if scan.take("followed by") { scan.json()? } else { String::new() };
        return Ok(RenderWant::PathOf { path, followed_by });
    }
    text_want(scan).map(RenderWant::Text)
}
