//! Skills over MCP: one live catalog behind five faces.
//!
//! See [`Server`].

mod client;
mod composed;
mod extension;
mod faces;
#[cfg(feature = "http")]
mod http;
mod instructions;
mod lines;
mod notices;
mod options;
mod origin;
mod page;
mod prompts;
mod resources;
mod server;
mod session;
mod shelf;
mod tools;
mod uri;
mod view;

pub use client::ClientPreset;
pub use faces::{Face, Faces, UnknownFace};
#[cfg(feature = "http")]
pub use http::{HttpError, HttpOptions, Limits, Token, WeakToken};
pub use options::ServerOptions;
pub use server::{ServeError, Server};
pub use session::Session;
