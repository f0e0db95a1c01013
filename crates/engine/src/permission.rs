//! Who may do what: skills, tools and data, by role or by a host's own rules.

mod access;
mod grants;
mod policy;
mod skill_tools;

pub use access::{Access, Authorizer, Capability, Effect, Ruling};
pub(crate) use access::{governs, ruling};
pub use grants::Grants;
pub use policy::{PermissionPolicy, UnknownRole};
pub use skill_tools::{Offer, SkillTools, ToolClash};

#[cfg(test)]
mod tests;
