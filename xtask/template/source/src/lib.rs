//! Skills for AI agents: acme as a source.

mod source;

pub use source::AcmeSource;
