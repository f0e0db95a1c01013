//! What the facade brings, used under its name alone.

mod agent_loop;
mod agents;
mod configured_host;
mod inventory;
mod minimal_host;
