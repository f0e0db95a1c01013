//! The whole system.
