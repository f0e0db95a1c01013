//! A tool of an MCP server.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

/// A tool that an MCP server lists. Cheap to clone, unless it has annotations.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct ServerTool {
    /// The id of the server.
    pub server: Arc<str>,
    /// The name that the server gives it.
    pub name: Arc<str>,
    /// The description, or an empty text. It is text of the server.
    pub description: Arc<str>,
    /// The JSON schema of the arguments.
    pub input_schema: Arc<Map<String, Value>>,
    /// The annotations, such as `readOnlyHint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
}

impl ServerTool {
    /// Creates a tool without annotations.
    pub fn new(
        server: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
        description: impl Into<Arc<str>>,
        input_schema: impl Into<Arc<Map<String, Value>>>,
    ) -> ServerTool {
        ServerTool {
            server: server.into(),
            name: name.into(),
            description: description.into(),
            input_schema: input_schema.into(),
            annotations: None,
        }
    }

    /// Returns the name by which skills and clients refer to it: `mcp__SERVER__TOOL`.
    pub fn full_name(&self) -> String {
        format!("mcp__{}__{}", self.server, self.name)
    }
}
