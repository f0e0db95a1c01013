//! The input and output of triggers.

use std::ops::Range;
use std::sync::Arc;

use repertoire_core::{Id, Skill, SkillTrigger};
use repertoire_registry::{Candidate, Entry, Trust};
use serde::Serialize;

use crate::permission::{HiddenReason, VisibilityPolicy};

/// The input of triggers: what one turn brought. Empty by default.
///
/// ```
/// use repertoire_engine::trigger::TriggerContext;
///
/// let occasion = TriggerContext::of("Fix the build, please").tools(&["bash"]).paths(&["src/main.rs"]);
/// # assert_eq!(format!("{occasion:?}").matches("main.rs").count(), 1);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct TriggerContext<'a> {
    pub(super) message: &'a str,
    pub(super) task: Option<&'a str>,
    pub(super) tools: &'a [&'a str],
    pub(super) paths: &'a [&'a str],
    pub(super) command: Option<&'a str>,
    pub(super) modes: Option<&'a VisibilityPolicy>,
}

impl<'a> TriggerContext<'a> {
    /// Creates the context of a message of the user.
    pub fn of(message: &'a str) -> TriggerContext<'a> {
        TriggerContext { message, ..TriggerContext::default() }
    }

    /// Sets the type of the task.
    #[must_use]
    pub fn task(self, task: &'a str) -> TriggerContext<'a> {
        TriggerContext { task: Some(task), ..self }
    }

    /// Sets the names of the tools that were called.
    #[must_use]
    pub fn tools(self, tools: &'a [&'a str]) -> TriggerContext<'a> {
        TriggerContext { tools, ..self }
    }

    /// The files that are worked on: relative to the folder of the project, with slashes.
    #[must_use]
    pub fn paths(self, paths: &'a [&'a str]) -> TriggerContext<'a> {
        TriggerContext { paths, ..self }
    }

    /// Sets the command that the user gave, if the host took it out of the message. A slash before it does not matter.
    #[must_use]
    pub fn command(self, command: &'a str) -> TriggerContext<'a> {
        TriggerContext { command: Some(command), ..self }
    }

    /// Omits what the operator hides.
    #[must_use]
    pub fn modes(self, modes: &'a VisibilityPolicy) -> TriggerContext<'a> {
        TriggerContext { modes: Some(modes), ..self }
    }
}

/// A trigger that matches.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TriggerMatch {
    /// The skill.
    pub entry: Arc<Entry<Skill>>,
    /// The candidate that is meant: the entry's winner, unless a mention names another source.
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

/// A skill that the user named, `$name` or `/name`, and that does not match. For the host, not for a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct UnresolvedMention {
    /// The skill; the bare name where several have it.
    pub id: Id,
    /// The reason.
    pub why: UnresolvedReason,
    /// The first place in the message.
    pub span: Range<usize>,
}

/// The reason why a skill that the user named does not match.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum UnresolvedReason {
    /// Several visible skills have the name: these are their full names.
    Ambiguous(Vec<Id>),
    /// It is hidden from the user.
    Hidden(HiddenReason),
}
