//! Listing the tools of a server.

use std::sync::Arc;

use repertoire_core::SourceError;
use rmcp::model::{ClientRequest, ListToolsRequest};
use serde_json::Value;

use crate::connection::to_json;
use crate::error::too_large;
use crate::redaction::Redaction;
use crate::{Connection, ListPages, ServerTool};

/// The most tools of a server.
const MOST_TOOLS: usize = 2000;

/// The most pages of a list.
const MOST_PAGES: usize = 200;

/// The most bytes of all tools of a server as JSON.
const MOST_BYTES: usize = 8 << 20;

/// The most bytes of a name, so that the full name fits into the names that models accept.
const MOST_NAME_BYTES: usize = 128;

/// The tools of a server, sorted by name, and the reasons for which others are left out.
#[derive(Debug, Default)]
pub(crate) struct ToolList {
    pub(crate) tools: Vec<ServerTool>,
    pub(crate) warnings: Vec<Arc<str>>,
}

impl ToolList {
    /// Reads all pages. A server without tools has an empty list.
    pub(crate) async fn read(
        connection: &Connection,
        server: &Arc<str>,
        redaction: &Redaction,
    ) -> Result<ToolList, SourceError> {
        let info = connection.info();
        if info.is_some_and(|info| info.capabilities.tools.is_none()) {
            return Ok(ToolList::default());
        }
        let (mut list, mut pages, mut bytes) = (ToolList::default(), ListPages::default(), 0);
        let mut left_out = 0;
        loop {
            let request = ListToolsRequest {
                params: pages.params(),
                ..ListToolsRequest::default()
            };
            let request = ClientRequest::ListToolsRequest(request);
            let mut page = to_json(&connection.ask(request).await?)?;
            let Some(Value::Array(rows)) = page.get_mut("tools").map(Value::take) else {
                let message = "the answer to `tools/list` has no `tools`";
                return Err(SourceError::invalid(message));
            };
            for mut row in rows {
                bytes += row.to_string().len();
                if bytes > MOST_BYTES || list.tools.len() == MOST_TOOLS {
                    return Err(too_large(format!(
                        "the server lists more than {MOST_TOOLS} tools, or {MOST_BYTES} bytes of them"
                    )));
                }
                redaction.of_value(&mut row);
                match parse(row, server) {
                    Some(tool) => list.tools.push(tool),
                    None => left_out += 1,
                }
            }
            if !pages.advance(&page, MOST_PAGES)? {
                break;
            }
        }
        let count = list.tools.len();
        list.tools.sort_by(|a, b| a.name.cmp(&b.name));
        list.tools.dedup_by(|a, b| a.name == b.name);
        left_out += count - list.tools.len();
        if left_out > 0 {
            let warning = format!(
                "{left_out} tools are left out: a name that is twice or cannot be used, or no `inputSchema`"
            );
            list.warnings.push(warning.into());
        }
        Ok(list)
    }
}

fn parse(row: Value, server: &Arc<str>) -> Option<ServerTool> {
    let Value::Object(mut row) = row else {
        return None;
    };
    let name = row.get("name")?.as_str()?;
    if name.is_empty() || name.len() > MOST_NAME_BYTES || !name.bytes().all(may_be_in_name) {
        return None;
    }
    let name: Arc<str> = name.into();
    let Some(Value::Object(schema)) = row.remove("inputSchema") else {
        return None;
    };
    let description = row.get("description").and_then(Value::as_str);
    let mut tool = ServerTool::new(
        Arc::clone(server),
        name,
        description.unwrap_or_default(),
        schema,
    );
    tool.annotations = row.remove("annotations");
    Some(tool)
}

fn may_be_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/')
}

/// Returns a result of `tools/call` without secrets.
pub(crate) fn call_result(answer: Value, redaction: &Redaction) -> Result<Value, &'static str> {
    let Value::Object(mut result) = answer else {
        return Err("the answer cannot be read");
    };
    if result
        .remove("resultType")
        .is_some_and(|kind| kind != "complete")
    {
        return Err("the server asks for input, which is not supported");
    }
    if !result.get("content").is_some_and(Value::is_array) {
        if !result.contains_key("structuredContent") {
            return Err("the answer to `tools/call` has no `content`");
        }
        result.insert("content".to_owned(), Value::Array(Vec::new()));
    }
    let mut result = Value::Object(result);
    redaction.of_value(&mut result);
    Ok(result)
}
