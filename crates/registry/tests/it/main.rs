//! The promises of the registry, tested through its public API.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod aliases;
mod callbacks;
mod changes;
mod composing;
mod conformance;
mod denied;
mod following;
mod kinds;
mod laws;
mod lookup;
mod memory;
mod overlay;
mod overlay_laws;
mod recomposing;
mod refreshing;
mod restricted;
mod rules;
mod skills;
mod unreliable;
mod verbs;
mod workflow;

/// Tests of the nextest profile `slow`.
mod slow {
    mod stress;
}
