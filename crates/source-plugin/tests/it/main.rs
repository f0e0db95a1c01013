//! The contract of plugins, and what they cannot do to a host.

mod conformance;
mod hostile;
mod library;
mod lifetime;
mod trust;
