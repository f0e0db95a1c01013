//! Skills over MCP: one live catalog behind five features.
//!
//! ```
//! use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
//! use repertoire_mcp::{McpFeature, McpFeatures, Server, ServerOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let home = MemorySource::named("home");
//! home.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it."))?;
//! let registry = SkillRegistry::builder().user(home).start(&tokio::runtime::Handle::current()).await?;
//!
//! let options = ServerOptions::default().features(McpFeatures::ALL.without(McpFeature::Instructions));
//! let server = Server::new(registry, options);
//!
//! // One client, over a pipe; `serve_stdio` and `serve_http` are the usual ones.
//! let question = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#.as_slice();
//! let (mut client, pipe) = tokio::io::duplex(4096);
//! // It leaves without having introduced itself, which a server says.
//! assert!(server.serve_lines(std::io::Cursor::new([question, b"\n"].concat()), pipe).await.is_err());
//!
//! let mut answer = String::new();
//! tokio::io::AsyncReadExt::read_to_string(&mut client, &mut answer).await?;
//! assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! A [`Server`] is over a registry that you synthesized and started, and serves any number of clients: [`Server::serve_stdio`] one over
//! standard input and output, [`Server::serve_lines`] and [`Server::serve`] one over any pipe or transport, [`Server::serve_http`]
//! many over streamable HTTP, with the checks, limits and metrics of [`HttpOptions`]. [`Server::router`] are its routes, for a
//! server of your own, and [`Server::session`] is a handler for `rmcp`'s ways of serving.
//!
//! [`ServerOptions`] say which [`McpFeatures`] there are, what is hidden, and what reads bodies. A reader of your own may run commands; the one
//! that is there does not.
//!
//! # For authors of sources
//! Skills without a file are served too: a `SKILL.md` is put together from what your rows say. The files that you list are served by size
//! and digest, so list what you hand out. A row whose stamp stays the same while its files change is served as an error.
//!
//! # For whoever changes this crate
//! What clients see is a `View` of one snapshot: what may be seen is decided there, by `Modes::hides`, and when each list became another. McpFeatures
//! read views and nothing else; what they say of files comes from the `ServedFiles`, which hands out no bytes that it did not compare. Every
//! question of who may ask over HTTP is answered at the gate.
//!
//! # Features
//! `http`, on by default: everything for HTTP.

mod batches;
mod extension;
mod fastmcp_compat;
mod features;
#[cfg(feature = "http")]
mod http;
mod incoming;
mod line_transport;
mod meta;
mod notifications;
mod options;
mod page;
mod params;
mod prompts;
mod resources;
mod served_files;
mod server;
mod session;
mod synthesize;
mod tools;
mod view;

pub use features::{ClientPreset, McpFeature, McpFeatures, UnknownFeature};
#[cfg(feature = "http")]
pub use http::{HttpError, HttpOptions, Limits, Token, WeakToken};
pub use options::ServerOptions;
pub use server::{ServeError, Server};
pub use session::Session;

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Server>();
    shared::<ServerOptions>();
    shared::<Session>();
};
