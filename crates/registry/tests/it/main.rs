//! What the registry promises, at its public door.

mod following;
mod kinds;
mod laws;
mod lookup;
mod memory;
mod refreshing;
mod skills;
mod verbs;
mod workflow;
