//! Tools of the host.

use async_trait::async_trait;
use futures_util::stream::BoxStream;
use repertoire::skill::ToolSpec;
use serde_json::{Map, Value};

use crate::Caller;

/// The tools of a host, which are listed after those about skills.
///
/// A tool with the name of a tool about skills is neither listed nor called.
#[async_trait]
#[doc(hidden)]
pub trait HostTools: Send + Sync {
    /// Returns the tools that the caller is offered, always the same.
    fn tools(&self, caller: &Caller) -> Vec<ToolSpec>;

    /// Returns whether [`tools`](HostTools::tools) has this tool for the caller.
    fn has_tool(&self, caller: &Caller, tool: &str) -> bool;

    /// Returns `true` if the tool changes nothing.
    fn is_read_only(&self, tool: &str) -> bool;

    /// Calls a tool that the caller is offered. The model reads the result as well as the error.
    async fn call(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, Value>;

    /// Returns the messages for the caller, which each of its sessions gets as log messages.
    fn messages(&self, caller: &Caller) -> BoxStream<'static, Value>;
}
