//! What a line asks of the MCP server.

use std::time::Duration;

use serde_json::Value;

use super::Want;

/// What a line asks of the MCP server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum McpLine {
    /// Of the names in every list of skills that the server has: the extension's, the resources, the prompts.
    List(Want),
    /// The answer to `initialize` has this value wherever the dotted path leads; `*` is every key.
    Initialize { path: String, value: Value },
    /// Whatever a client asks, each line that the server writes is a message of JSON-RPC.
    StdoutIsMessages,
    /// A client is told so once, for each list that was announced to tell of changes; `*` stands for the list.
    ToldOnce { notice: String, within: Duration },
}
