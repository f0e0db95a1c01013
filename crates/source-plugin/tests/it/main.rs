//! The contract of plugins, and what they cannot do to a host.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod conformance;
mod hostile;
mod library;
mod lifetime;
mod trust;
mod versions;

/// Tests of the nextest profile `slow`.
mod slow {
    mod external;
    mod panicking;
}
