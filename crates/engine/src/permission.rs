//! Visibility of skills, permissions by role or by a host's own rules, and pre-approved tool uses.

mod access;
mod grants;
mod policy;
mod skill_tools;

pub use crate::visibility::{Audience, Exposure, HiddenReason, UnknownExposure, VisibilityPolicy};
pub use access::{Access, Authorizer, Capability, Effect, Ruling};
pub(crate) use access::{governs, ruling};
pub use grants::Grants;
pub use policy::{PermissionPolicy, UnknownRole};
pub use skill_tools::{Offer, SkillTools, ToolClash};

#[cfg(test)]
mod tests;
