//! The features of the facade, used under its name alone.

mod agent_loop;
mod agents;
mod configured_host;
mod custom_source;
mod embeddings;
mod full_host;
mod inventory;
mod minimal_host;
mod plugin_host;
