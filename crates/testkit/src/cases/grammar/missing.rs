//! Lines for what is not built yet: read in full, so that junk is refused, and kept as the name of what they need.

use serde_json::Value;

use crate::cases::check::Feature;
use crate::cases::scan::{Scan, Unread};

use super::{Above, text_want, want, wrapped};

pub(super) fn missing(scan: &mut Scan<'_>, above: &mut Above) -> Result<Feature, Unread> {
    let start = scan.rest();
    if scan.take("activate") {
        asker(scan)?;
        activated(scan)?;
        above.subject = Some(before(start, scan));
        outcome(scan)?;
        Ok(Feature::Activation)
    } else if scan.take("session:") {
        session(scan)?;
        Ok(Feature::Sessions)
    } else if scan.take("with") {
        scan.expect("disabled=")?;
        scan.json::<Vec<String>>()?;
        wrapped(scan, above)?;
        Ok(Feature::Disabling)
    } else if scan.take("tools:") || scan.take("tools enum:") {
        scan.json::<Vec<String>>()?;
        Ok(Feature::Tools)
    } else if scan.take("mcp") {
        mcp(scan)?;
        Ok(Feature::Mcp)
    } else {
        Err(scan.unread("a check"))
    }
}

/// What of `start` was read so far.
pub(super) fn before(start: &str, scan: &Scan<'_>) -> String {
    start[..start.len() - scan.rest().len()].trim_end().to_owned()
}

fn asker(scan: &mut Scan<'_>) -> Result<(), Unread> {
    if scan.take("model") || scan.take("user") { Ok(()) } else { Err(scan.unread("`model` or `user`")) }
}

fn activated(scan: &mut Scan<'_>) -> Result<(), Unread> {
    scan.take("the absolute path of");
    scan.name().map(drop)
}

fn outcome(scan: &mut Scan<'_>) -> Result<(), Unread> {
    if scan.take("result") {
        scan.expect("<=")?;
        scan.number::<usize>()?;
        return scan.expect("bytes");
    }
    if scan.take("= ok") {
        return Ok(());
    }
    if scan.take("= error") && scan.is_done() {
        return Ok(());
    }
    text(scan)
}

/// `= / has / lacks JSON`, or `has the absolute path of PATH [followed by JSON]`.
fn text(scan: &mut Scan<'_>) -> Result<(), Unread> {
    if scan.take("has the absolute path of") {
        scan.name()?;
        return if scan.take("followed by") { scan.json::<String>().map(drop) } else { Ok(()) };
    }
    text_want(scan).map(drop)
}

fn session(scan: &mut Scan<'_>) -> Result<(), Unread> {
    if scan.take("active list") {
        scan.expect("=")?;
        return scan.json::<Vec<String>>().map(drop);
    }
    loop {
        if scan.take("activate") {
            scan.name()?;
            let _way = scan.take("again") || scan.take("force");
        } else {
            scan.expect("reset")?;
        }
        if !scan.take(",") {
            break;
        }
    }
    scan.expect("->")?;
    text_want(scan).map(drop)
}

fn mcp(scan: &mut Scan<'_>) -> Result<(), Unread> {
    if scan.take("list") {
        want(scan).map(drop)
    } else if scan.take("initialize:") {
        scan.word()?;
        scan.json::<Value>().map(drop)
    } else if scan.take("stdout:") {
        scan.expect("every line is one JSON-RPC message, from start to end, with RUST_LOG=debug")
    } else {
        scan.expect(": exactly one")?;
        scan.word()?;
        scan.expect("per announced list within")?;
        scan.duration().map(drop)
    }
}
