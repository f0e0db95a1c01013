//! Triggers that match.

use std::ops::Range;
use std::sync::Arc;

use repertoire_core::{Skill, SkillTrigger};
use repertoire_registry::{Candidate, Entry, Trust};
use serde::Serialize;

/// A trigger that matches.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TriggerMatch {
    /// The skill.
    pub entry: Arc<Entry<Skill>>,
    /// The matched candidate: the entry's winner, unless a mention names a different source.
    pub candidate: Candidate<Skill>,
    /// The trigger.
    pub by: MatchedBy,
    /// The matches in the message, in bytes on edges of characters, from the first to the last. Empty for what the message does
    /// not contain.
    pub spans: Arc<[Range<usize>]>,
}

impl TriggerMatch {
    /// Returns whether this activates the skill: the user named it, or its source is [`Trusted`](Trust::Trusted). Every other
    /// trigger only suggests it.
    pub fn activates(&self) -> bool {
        self.by == MatchedBy::Mention || self.candidate.trust == Trust::Trusted
    }
}

/// The trigger that matched.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MatchedBy {
    /// The user named the skill: `$name` or `/name`.
    Mention,
    /// A trigger that it declares. The globs under `paths` are triggers too.
    Declared(SkillTrigger),
}
