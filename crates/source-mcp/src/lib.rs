//! Sources fed by other MCP servers: skills that somebody else serves.
//!
//! ```no_run
//! use repertoire_core::Source;
//! use repertoire_source_mcp::{McpOptions, McpSource};
//!
//! # async fn compose() -> Result<(), Box<dyn std::error::Error>> {
//! let acme = McpSource::new("acme", McpOptions::url("https://skills.acme.example/mcp"))?;
//! println!("{} skills", acme.list().await?.len());
//! # Ok(())
//! # }
//! ```
//!
//! # For hosts
//! A server is a program that you start ([`McpOptions::command`]) or an address that you connect to ([`McpOptions::url`]); both
//! come from your configuration alone. Compose it with `Mount::plugin(..).namespaced()`: last in precedence, restricted, and
//! under the name that you give it, whatever the server calls itself or its skills.
//!
//! A digest says that what is read is what was listed. It does not say that either is harmless: what a server lists, it may
//! list with any content, and change it at any time. A change is seen as one, so what you approved by its digest you are
//! asked for again.
//!
//! # For whoever changes this crate
//! Bytes come in through `link.rs` alone, and a program is started in `launch.rs` alone. `face.rs` has the ways in which servers
//! show skills, and the bounds of lists; `entry.rs` and `uri.rs` decide what an entry may say. `source.rs` reads, verifies and
//! compares. Everything that a server wrote passes `told.rs` before it stands in a message.

mod entry;
mod face;
mod front_matter;
mod http;
mod ids;
mod launch;
mod level;
mod limits;
mod link;
mod options;
mod shelf;
mod source;
mod tls;
mod token;
mod told;
mod wire;

pub use face::Face;
pub use limits::McpLimits;
pub use options::{InvalidOption, McpOptions, Unverified};
pub use source::McpSource;
pub use token::Token;
