//! Triggers: declared in front matter, or mentions of a skill in a message.

mod declared;
mod folded;
mod keywords;
mod mention;
mod trigger_match;
mod triggers;

pub use declared::RefusedTrigger;
pub use trigger_match::{MatchedBy, TriggerMatch};
pub use triggers::Triggers;
