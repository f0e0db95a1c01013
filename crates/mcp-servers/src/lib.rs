//! The tools of MCP servers, and calls to them.
//!
//! A [`ToolProvider`] lists the [tools](ServerTool) of its servers and calls them. A host lists them for its clients under their
//! [full names](ServerTool::full_name), `mcp__SERVER__TOOL`.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod provider;
mod server_tool;
mod state;

pub use provider::{CallError, ToolProvider};
pub use server_tool::ServerTool;
pub use state::ServerState;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
