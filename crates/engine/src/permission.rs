//! Visibility of skills, permissions by role or by a host's own rules, and pre-approved tool uses.

mod access;
mod grants;
mod policy;
mod skill_tools;

pub use crate::visibility::{Audience, Exposure, HiddenReason, VisibilityPolicy};
pub use access::{Access, Authorizer, Capability, Effect, Ruling};
pub(crate) use access::{governs, ruling};
pub use grants::Grants;
pub use policy::PermissionPolicy;
pub use skill_tools::SkillTools;

#[cfg(test)]
mod tests;
