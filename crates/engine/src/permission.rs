//! Who may do what: skills, tools and data, by role or by a host's own rules.

mod access;
mod authorizer;
mod policy;
mod ruling;
mod skill_tools;
#[cfg(test)]
mod tests;

pub use access::{Access, Capability};
pub use authorizer::Authorizer;
pub(crate) use authorizer::{governs, ruling};
pub use policy::{PermissionPolicy, UnknownRole};
pub use ruling::{Effect, Ruling};
pub use skill_tools::{Offer, SkillTools, ToolClash};
