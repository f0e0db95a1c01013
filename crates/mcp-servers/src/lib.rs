//! The tools of MCP servers, and calls to them.
//!
//! A [`ToolProvider`] lists the [tools](ServerTool) of its servers and calls them. A host lists them for its clients under their
//! [full names](ServerTool::full_name), `mcp__SERVER__TOOL`. An [`AuditLog`] records what was called and refused.
//!
//! With the feature `supervisor`, a `Supervisor` is the provider of the servers that it starts. The feature `client` has what
//! `repertoire-source-mcp` shares with it.
//!
//! # Inside this crate
//! - `supervisor.rs` has the set of servers, `server_run.rs` the life of one of them.
//! - `resolution.rs` resolves references to secrets when a server starts. `redaction.rs` removes secrets from texts.
//! - `connection.rs` sends requests, and `tool_calls.rs` calls of tools. `program.rs` starts programs and `http.rs` connects to URLs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    all(feature = "client", not(feature = "supervisor")),
    allow(dead_code, reason = "the supervisor uses all of a connection")
)]

mod audit;
mod audit_store;
#[cfg(feature = "client")]
mod connection;
#[cfg(feature = "client")]
mod endpoint;
#[cfg(feature = "client")]
mod error;
mod exposed_name;
#[cfg(feature = "client")]
mod http;
#[cfg(feature = "client")]
mod message_limit;
#[cfg(feature = "client")]
mod pages;
#[cfg(feature = "client")]
mod program;
mod provider;
#[cfg(feature = "client")]
mod redaction;
#[cfg(feature = "supervisor")]
mod resolution;
#[cfg(feature = "supervisor")]
mod server_run;
mod server_tool;
#[cfg(feature = "client")]
mod standard_streams;
mod state;
#[cfg(feature = "supervisor")]
mod status;
#[cfg(feature = "supervisor")]
mod supervised_server;
#[cfg(feature = "supervisor")]
mod supervisor;
#[cfg(feature = "supervisor")]
mod supervisor_options;
#[cfg(feature = "client")]
mod tls;
mod tool_access;
#[cfg(feature = "client")]
mod tool_calls;
#[cfg(feature = "supervisor")]
mod tool_list;
mod tool_rules;
mod tool_selector;
mod tool_table;
mod value;
#[cfg(feature = "client")]
mod waiting_calls;

pub use audit::{AuditEvent, AuditKind, AuditLog, AuditRow};
pub use audit_store::AuditStore;
pub use provider::{CallError, ToolProvider};
pub use server_tool::ServerTool;
pub use state::ServerState;
#[cfg(feature = "supervisor")]
pub use status::{AppliedServers, ServerStatus};
#[cfg(feature = "supervisor")]
pub use supervised_server::SupervisedServer;
#[cfg(feature = "supervisor")]
pub use supervisor::Supervisor;
#[cfg(feature = "supervisor")]
pub use supervisor_options::SupervisorOptions;
pub use tool_access::ToolAccess;
pub use tool_rules::{ToolOffer, ToolRules};
pub use tool_table::{BroughtTools, ListedTool, ToolTable};
pub use value::ServerValue;

// For `repertoire-source-mcp` only: they may change in any version.
#[cfg(feature = "client")]
#[doc(hidden)]
pub use connection::{Connection, ConnectionOptions, FollowedList};
#[cfg(feature = "client")]
#[doc(hidden)]
pub use endpoint::{ServerEndpoint, ServerProgram, ServerUrl};
#[cfg(feature = "client")]
#[doc(hidden)]
pub use message_limit::message_excess;
#[cfg(feature = "client")]
#[doc(hidden)]
pub use pages::ListPages;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
