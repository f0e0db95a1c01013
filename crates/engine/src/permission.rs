//! Who may do what: skills, tools and data, by role or by a host's own rules.

mod access;
mod check_tools;
mod checker;
mod policy;
mod ruling;
mod skill_tools;
#[cfg(test)]
mod tests;

pub use access::{Access, Capability};
pub use check_tools::{ToolCheck, check_tools};
pub use checker::Checker;
pub(crate) use checker::{governs, ruling};
pub use policy::{PermissionPolicy, UnknownRole};
pub use ruling::{Effect, Ruling};
pub use skill_tools::{Offer, SkillTools, ToolClash};
