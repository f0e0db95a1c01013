//! The contract of a provider of tools, and the error of a call.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::{ServerState, ServerTool};

/// The tools of MCP servers, and calls to them.
#[async_trait]
pub trait ToolProvider: Debug + Send + Sync + 'static {
    /// Returns the tools that are known now, sorted by server and name. May start servers, which then list theirs.
    fn tools(&self) -> Arc<[ServerTool]>;

    /// Returns the same tools, and starts no server. By default those of [`tools`](ToolProvider::tools).
    fn known_tools(&self) -> Arc<[ServerTool]> {
        self.tools()
    }

    /// Returns whether the tools of `server` are not known yet, because it has not listed them for the first time.
    fn is_listing(&self, server: &str) -> bool {
        let _ = server;
        false
    }

    /// Returns a receiver of a number that changes whenever `tools` or the state of a server does.
    fn revision(&self) -> watch::Receiver<u64>;

    /// Calls a tool. The answer is the result object of `tools/call`, with `content`, `isError` and `structuredContent`.
    ///
    /// # Errors
    /// A [`CallError`] if no answer arrived. An answer with `isError` is not an error of this kind.
    ///
    /// # Cancel safety
    /// May be dropped at any await. A request that was sent is cancelled.
    async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError>;
}

/// The error returned when a tool was not called, or did not answer. No message contains a value of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// No server has this id.
    #[error("there is no MCP server `{server}`")]
    UnknownServer {
        /// The id.
        server: Arc<str>,
    },
    /// The server has no tool of this name.
    #[error("the MCP server `{server}` has no tool `{tool}`")]
    UnknownTool {
        /// The id of the server.
        server: Arc<str>,
        /// The name of the tool.
        tool: Arc<str>,
    },
    /// The server does not run, and was not started in time. The tool was not called.
    #[error("the MCP server `{server}` is {state}: {reason}; `{tool}` was not called")]
    NotRunning {
        /// The id of the server.
        server: Arc<str>,
        /// The name of the tool.
        tool: Arc<str>,
        /// The state of the server.
        state: ServerState,
        /// The last error of the server, or the reason for which it is not started.
        reason: Arc<str>,
    },
    /// The server has not answered in time. The tool may have been called.
    #[error("the tool `{tool}` of the MCP server `{server}` has not answered in time")]
    Timeout {
        /// The id of the server.
        server: Arc<str>,
        /// The name of the tool.
        tool: Arc<str>,
    },
    /// The server ended before it answered. The tool may have been called.
    #[error("the MCP server `{server}` ended before `{tool}` answered: {reason}")]
    Ended {
        /// The id of the server.
        server: Arc<str>,
        /// The name of the tool.
        tool: Arc<str>,
        /// The error of the connection.
        reason: Arc<str>,
    },
    /// The server answered with an error of the protocol, or with something that is not an answer.
    #[error("the tool `{tool}` of the MCP server `{server}` failed: {reason}")]
    Protocol {
        /// The id of the server.
        server: Arc<str>,
        /// The name of the tool.
        tool: Arc<str>,
        /// The error.
        reason: Arc<str>,
    },
    /// A policy refuses the call. The tool was not called.
    #[error("the tool `{tool}` of the MCP server `{server}` is denied: {reason}")]
    Denied {
        /// The id of the server.
        server: Arc<str>,
        /// The name of the tool.
        tool: Arc<str>,
        /// The rule that denies it.
        reason: Arc<str>,
    },
}
