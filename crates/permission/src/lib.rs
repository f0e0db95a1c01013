//! Visibility of skills, permissions by role or by a host's own rules, requirements, and pre-approved tool uses.
//!
//! [`VisibilityPolicy`] is the one place that decides which [`Audience`] sees a skill. Pass the same policy to every part of a
//! host, and ask it before offering skills in a menu or a command. Ask [`SkillTools::decision`] before running a tool.
//!
//! | type | decides |
//! |---|---|
//! | [`VisibilityPolicy`] | which audience sees which skill, and why not |
//! | [`VisibleItem`] | which audience sees an item of a different kind |
//! | [`PermissionPolicy`], [`Authorizer`] | the tools, skills and capabilities of a role, or by the rules of a host |
//! | [`SkillTools`] | the tools that are offered while skills are active, and the decision on each call |
//! | [`Grants`] | the tool uses that active skills pre-approve |
//! | [`Requirements`] | whether the machine and the host have what a skill needs |
#![cfg_attr(docsrs, feature(doc_cfg))]

mod access;
mod changes;
mod error;
mod grants;
mod policy;
mod requirements;
mod skill_tools;
mod visibility;

#[doc(hidden)]
pub use access::decide;
pub use access::{Access, AccessDecision, Authorizer, Capability, Effect};
pub use error::PermissionError;
pub use grants::Grants;
pub use policy::PermissionPolicy;
pub use requirements::{Requirement, RequirementCheck, RequirementKind, Requirements};
pub use skill_tools::SkillTools;
pub use visibility::{Audience, Exposure, HiddenReason, VisibilityPolicy, VisibleItem};

#[cfg(test)]
mod tests;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
