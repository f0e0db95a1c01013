//! What the facade brings, used under its name alone.

mod agent_loop;
mod configured_host;
mod inventory;
