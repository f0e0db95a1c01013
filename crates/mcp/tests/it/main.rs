//! The server at its public door: by `rmcp`'s own client, and by bytes.

mod client;
mod extension;
mod faces;
mod fixture;
mod garbage;
mod http;
mod live;
mod modern;
mod prompts;
mod resources;
mod tools;
