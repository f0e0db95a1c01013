//! A trigger that holds.

use std::ops::Range;
use std::sync::Arc;

use repertoire_core::{Skill, SkillTrigger};
use repertoire_registry::{Claim, Entry, Trust};
use serde::Serialize;

/// A trigger that holds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fired {
    /// The skill.
    pub entry: Arc<Entry<Skill>>,
    /// The claim that is meant: the entry's winner, unless a mention names another source.
    pub claim: Claim<Skill>,
    /// Which trigger it is.
    pub by: FiredBy,
    /// Where in the message it holds, in bytes on the edges of characters: every place, from the first to the last. Empty
    /// for what the message does not say.
    pub spans: Arc<[Range<usize>]>,
}

impl Fired {
    /// Returns whether this activates the skill: the user named it, or its source is [`Trusted`](Trust::Trusted). Every other
    /// trigger only suggests it.
    pub fn activates(&self) -> bool {
        self.by == FiredBy::Mention || self.claim.trust == Trust::Trusted
    }
}

/// What made a skill be suggested.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FiredBy {
    /// The user named the skill: `$name` or `/name`.
    Mention,
    /// A trigger that it declares. The globs under `paths` are triggers too.
    Declared(SkillTrigger),
}
