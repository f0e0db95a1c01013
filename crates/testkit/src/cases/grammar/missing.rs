//! Lines for what is not built yet: read in full, so that junk is refused, and kept as the name of what they need.

use serde_json::Value;

use crate::cases::check::Feature;
use crate::cases::scan::{Scan, Unread};

use super::want;

pub(super) fn missing(scan: &mut Scan<'_>) -> Result<Feature, Unread> {
    if scan.take("mcp") {
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
