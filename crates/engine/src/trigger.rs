//! What suggests a skill: declared in its front matter, or said by its name.

mod declared;
mod fired;
mod folded;
mod keywords;
mod mention;
mod mentions;
mod missed;
mod names;
mod occasion;
mod part;
mod regexes;
mod triggers;

pub use declared::{RefusedTrigger, TriggerRefusal};
pub use fired::{Fired, FiredBy};
pub use missed::{MissedMention, WhyMissed};
pub use occasion::Occasion;
pub use triggers::Triggers;
