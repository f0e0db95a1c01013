//! `activate …`, `tools …` and `with …`

use repertoire_engine::Audience;

use super::{Above, check, text_want};
use crate::cases::check::{Activation, ActivationWant, Asked, Check};
use crate::cases::scan::{Scan, Unread};

/// `model|user NAME`, and how it ends.
pub(super) fn activate(scan: &mut Scan<'_>, above: &mut Above) -> Result<Check, Unread> {
    let start = scan.rest();
    let by = if scan.take("model") {
        Audience::Model
    } else if scan.take("user") {
        Audience::User
    } else {
        return Err(scan.unread("`model` or `user`"));
    };
    let asked = if scan.take("the absolute path of") { Asked::PathOf(scan.name()?) } else { Asked::Name(scan.name()?) };
    above.subject = Some(format!("activate {}", scan.since(start)));
    Ok(Check::Activate(Box::new(Activation { by, asked, want: want(scan)? })))
}

fn want(scan: &mut Scan<'_>) -> Result<ActivationWant, Unread> {
    if scan.take("result") {
        scan.expect("<=")?;
        let most = scan.number()?;
        scan.expect("bytes")?;
        return Ok(ActivationWant::AtMost(most));
    }
    if scan.take("= ok") {
        return Ok(ActivationWant::Ok);
    }
    if scan.take("= error") {
        return if scan.is_done() { Ok(ActivationWant::Error) } else { text_want(scan).map(ActivationWant::ErrorText) };
    }
    if scan.take("has the absolute path of") {
        return scan.name().map(ActivationWant::PathOf);
    }
    text_want(scan).map(ActivationWant::Text)
}

/// `: [NAME, ...]` for the tools, ` enum: [NAME, ...]` for the skills in their schemas.
pub(super) fn tools(scan: &mut Scan<'_>) -> Result<Check, Unread> {
    if scan.take("enum:") {
        return scan.json().map(Check::ToolsEnum);
    }
    scan.expect(":")?;
    scan.json().map(Check::Tools)
}

/// `disabled=[NAME, ...] CHECK`
pub(super) fn with(scan: &mut Scan<'_>, above: &mut Above) -> Result<Check, Unread> {
    scan.expect("disabled=")?;
    let names = scan.json()?;
    let inner = check(scan.rest(), above)?;
    *scan = Scan::new("");
    Ok(Check::Disabled(names, Box::new(inner)))
}
