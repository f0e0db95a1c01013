//! The tools of MCP servers, and calls to them.
//!
//! A [`ToolProvider`] lists the [tools](ServerTool) of its servers and calls them. A host lists them for its clients under their
//! [full names](ServerTool::full_name), `mcp__SERVER__TOOL`. An [`AuditLog`] records what was called and refused.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod audit;
mod provider;
mod server_tool;
mod state;

pub use audit::{AuditEvent, AuditKind, AuditLog, AuditRow};
pub use provider::{CallError, ToolProvider};
pub use server_tool::ServerTool;
pub use state::ServerState;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
