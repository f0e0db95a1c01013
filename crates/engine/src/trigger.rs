//! What suggests a skill: declared in its front matter, or said by its name.

mod context;
mod declared;
mod folded;
mod keywords;
mod mention;
mod triggers;

pub use context::{Fired, FiredBy, MissedMention, Occasion, WhyMissed};
pub use declared::{RefusedTrigger, TriggerRefusal};
pub use triggers::Triggers;
