//! A name that the user gave and that brings nothing.

use std::ops::Range;

use repertoire_core::Id;
use serde::Serialize;

use crate::Hidden;

/// A skill that the user named, `$name` or `/name`, and that is not suggested. For the host: never tell a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MissedMention {
    /// The skill; the bare name where several have it.
    pub id: Id,
    /// Why it is not suggested.
    pub why: WhyMissed,
    /// Where the message has it first.
    pub span: Range<usize>,
}

/// Why a skill that the user named is not suggested.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WhyMissed {
    /// Several that the user may see are called so: these are their full names.
    Ambiguous(Vec<Id>),
    /// It is hidden from the user.
    Hidden(Hidden),
}
