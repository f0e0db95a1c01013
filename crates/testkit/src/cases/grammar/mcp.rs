//! Lines for the MCP server.

use crate::cases::check::{Check, McpLine};
use crate::cases::scan::{Scan, Unread};

use super::want;

pub(super) fn mcp(scan: &mut Scan<'_>) -> Result<Check, Unread> {
    let line = if scan.take("list") {
        McpLine::List(want(scan)?)
    } else if scan.take("initialize:") {
        McpLine::Initialize { path: scan.word()?.to_owned(), value: scan.json()? }
    } else if scan.take("stdout:") {
        scan.expect("every line is one JSON-RPC message, from start to end, with RUST_LOG=debug")?;
        McpLine::StdoutIsMessages
    } else {
        scan.expect(": exactly one")?;
        let notice = scan.word()?.to_owned();
        scan.expect("per announced list within")?;
        McpLine::ToldOnce { notice, within: scan.duration()? }
    };
    Ok(Check::Mcp(line))
}
