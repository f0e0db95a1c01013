//! Lines for what is not built yet: read in full, so that junk is refused, and kept as the name of what they need.

use crate::cases::check::Feature;
use crate::cases::scan::{Scan, Unread};

use super::text_want;

pub(super) fn missing(scan: &mut Scan<'_>) -> Result<Feature, Unread> {
    if scan.take("session:") {
        session(scan)?;
        Ok(Feature::Sessions)
    } else {
        Err(scan.unread("a check"))
    }
}

/// What of `start` was read so far.
pub(super) fn before(start: &str, scan: &Scan<'_>) -> String {
    start[..start.len() - scan.rest().len()].trim_end().to_owned()
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
