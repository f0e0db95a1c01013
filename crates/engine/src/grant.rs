//! What skills pre-approve while they are active.

mod grants;
mod pattern;
#[cfg(test)]
mod tests;

pub use grants::Grants;
pub use pattern::{ToolPattern, UnreadablePattern};
