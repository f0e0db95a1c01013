//! The server at its public door: by `rmcp`'s own client, and by bytes.

mod client;
mod denied;
mod drain;
mod envelopes;
mod extension;
mod features;
mod fixture;
mod forms;
mod garbage;
mod host_tools;
mod http;
mod indexing;
mod live;
mod log;
mod metrics;
mod modern;
mod prepared;
mod prompts;
mod resources;
mod roles;
mod roots;
mod server_tools;
mod surfaces;
mod tools;
mod typed;
mod unseen;
