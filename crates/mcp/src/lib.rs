//! An MCP server for the skills of a registry.
//!
//! ```
//! use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
//! use repertoire_mcp::{McpFeatures, Server, ServerOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let home = MemorySource::new("home");
//! home.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it."))?;
//! let registry = SkillRegistry::builder().user(home).start(&tokio::runtime::Handle::current()).await?;
//!
//! let options = ServerOptions::default().features(McpFeatures::ALL.without(McpFeatures::INSTRUCTIONS));
//! let server = Server::new(registry, options);
//!
//! // One client over a pipe. Most hosts call `serve_stdio` or `serve_http`.
//! let question = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#.as_slice();
//! let (mut client, pipe) = tokio::io::duplex(4096);
//! // The client left before it sent `initialize`.
//! assert!(server.serve(std::io::Cursor::new([question, b"\n"].concat()), pipe).await.is_err());
//!
//! let mut answer = String::new();
//! tokio::io::AsyncReadExt::read_to_string(&mut client, &mut answer).await?;
//! assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! A [`Server`] serves any number of clients over a registry that the host composed and started:
//!
//! - [`Server::serve_stdio`]: one client over standard input and output.
//! - [`Server::serve`]: one client over a pipe.
//! - [`Server::serve_http`]: many clients over streamable HTTP, with the checks, limits and metrics of [`HttpOptions`].
//! - `Server::router`, with the feature `axum`: the routes, for a host's own HTTP server.
//!
//! [`ServerOptions`] set which [`McpFeatures`] are exposed, what is hidden, and the reader of bodies. A reader of the host may
//! run commands. The default one does not.
//!
//! # For authors of sources
//! A skill without a file is served with a `SKILL.md` that is synthesized from its fields. Files are served by size and digest,
//! so a source has to list what it serves. If files change while the stamp of their row stays the same, reading them fails.
//!
//! # Inside this crate
//! - `served_view.rs`: everything that clients see of one snapshot, and the generation in which each list last changed.
//! - `tools.rs`, `prompts.rs`, `resources.rs` and `extension.rs` answer requests from a view. `client_session.rs` passes requests on.
//! - `prepared_answers.rs` puts responses together from rows that are JSON text. Its transport sends them without the handler.
//! - `session_tools.rs` has the active skills of a session, and `server_tools.rs` calls the tools that they bring.
//! - `host_tool_calls.rs` lists and calls the tools of the host for a [`Caller`].
//! - `served_files.rs` reads files and compares them with their digests. `notifications.rs` notifies clients of changes.
//! - `line_transport.rs` and `http` carry messages. `http/access_control.rs` checks every HTTP request.
//!
//! # Features
//! - `http`, on by default: streamable HTTP.
//! - `axum`: the routes of the HTTP server as a router of axum.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod batches;
mod caller;
mod client_session;
mod conformance;
mod error;
mod extension;
mod features;
mod given_skills;
mod host_tool_calls;
mod host_tools;
#[cfg(feature = "http")]
mod http;
mod incoming;
mod instructions;
mod line_transport;
mod load_span;
mod meta;
mod notifications;
mod options;
mod page;
mod params;
mod pipe;
mod prepared_answers;
mod prompts;
mod resources;
mod response_text;
mod roots;
mod row_texts;
mod served_files;
mod served_view;
mod server;
mod server_tools;
mod session_log;
mod session_messages;
mod session_tools;
mod synthesize;
mod tools;

pub use caller::Caller;
pub use error::ServeError;
pub use features::McpFeatures;
pub use host_tools::HostTools;
#[cfg(feature = "http")]
pub use http::{AccessToken, HttpLimits, HttpOptions};
pub use options::ServerOptions;
pub use server::Server;
pub use session_log::{GivenSkill, SessionLog, SessionRecord};

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Server>();
    shared::<ServerOptions>();
    shared::<client_session::ClientSession>();
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
