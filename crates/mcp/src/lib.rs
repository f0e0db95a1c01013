//! Skills over MCP: one live catalog behind five faces.
//!
//! See [`Server`].

mod client;
mod composed;
mod extension;
mod faces;
mod instructions;
mod notices;
mod options;
mod origin;
mod page;
mod prompts;
mod reader;
mod resources;
mod server;
mod session;
mod shelf;
mod tools;
mod uri;
mod view;

pub use client::ClientPreset;
pub use faces::{Face, Faces, UnknownFace};
pub use options::ServerOptions;
pub use server::{ServeError, Server};
pub use session::Session;
