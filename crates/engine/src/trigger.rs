//! Triggers: declared in front matter, or mentions of a skill in a message.

mod context;
mod declared;
mod folded;
mod keywords;
mod mention;
mod triggers;

pub use context::{MatchedBy, TriggerContext, TriggerMatch, UnresolvedMention, UnresolvedReason};
pub use declared::{RefusedTrigger, TriggerRefusal};
pub use triggers::Triggers;
