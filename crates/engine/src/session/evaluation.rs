//! The result of an evaluation: what is active in a turn, and what is not and why.

use std::fmt;
use std::sync::Arc;

use repertoire_core::{Flavor, Id, Skill};
use repertoire_registry::Candidate;
use repertoire_render::{DirectiveOutcome, Warning};
use serde::Serialize;

use super::activation::{ActivatedBy, RenderedBody};
use super::options::Host;
use super::slots::ConversationEnd;
use super::turn::TurnFact;
use crate::permission::{Audience, Authorizer, HiddenReason};
use crate::tools::Instructions;
use crate::trigger::{MatchedBy, TriggerRefusal};
use crate::workflow::{CheckResult, Checker, ToolCheck, verify};

/// The result of an evaluation: the host's injections in their order, then skills in the order of their first activation.
/// Nothing is in two of the lists; what is simply not active is in none.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Evaluation {
    /// The active injections.
    pub active: Vec<Active>,
    /// The skipped injections.
    pub skipped: Vec<Skipped>,
    /// Skills that a trigger of a source suggests that is not trusted. They are not active: a catalog
    /// [marks](crate::catalog::CatalogOptions::suggesting) them, and so do the tools that list and search.
    pub suggested: Vec<Suggested>,
    /// Reports on the bodies that were [read](crate::session::Session::read) for it, if there is something to report.
    pub remarks: Vec<BodyReport>,
    pub(super) tail: ConversationEnd,
    pub(super) tokens: TokensSoFar,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum TokensSoFar {
    Known(u64),
    /// More tokens than before.
    More(u64),
}

/// An active injection.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Active {
    /// Its id; for a skill the one that a model reaches it by.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// The description.
    pub description: Arc<str>,
    /// The reason.
    pub by: ActiveBy,
    pub(super) what: What,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    /// With its text for the system prompt.
    Host(Arc<Host>, Option<Arc<str>>),
    Skill(Box<ActiveClaim>),
}

#[derive(Debug, Clone)]
pub(super) struct ActiveClaim {
    pub(super) candidate: Candidate<Skill>,
    pub(super) arguments: Arc<str>,
    pub(super) audience: Audience,
    pub(super) by: ActivatedBy,
    pub(super) rendered: Option<Arc<RenderedBody>>,
}

/// The reason why an injection is active.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ActiveBy {
    /// It always is.
    Always,
    /// The host's rule of this name holds.
    Rule(Arc<str>),
    /// This tool returned.
    AfterTool(Arc<str>),
    /// It was activated before.
    Activated,
    /// A trigger that it declares holds, or the user named it.
    Trigger(MatchedBy),
}

/// A skill that a trigger suggests and does not activate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Suggested {
    /// The id that a model reaches it by.
    pub id: Id,
    /// The source it is of.
    pub source: Arc<str>,
    /// The trigger.
    pub by: MatchedBy,
}

/// An injection that is skipped. For the host, not for a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skipped {
    /// The injection.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// The reason.
    pub why: SkipReason,
}

/// The reason why an injection is skipped.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SkipReason {
    /// The host has no rule of this name.
    NoSuchRule(Arc<str>),
    /// The rule panicked, and said this.
    RulePanicked(Arc<str>),
    /// Its trigger is of a kind that this version does not know.
    UnknownTrigger,
    /// Its template names this fact, which the turn does not have.
    UnknownFact(TurnFact),
    /// An injection of the host is a skill of this id.
    Taken,
    /// Its source has it no more.
    Gone,
    /// It is hidden.
    Hidden(HiddenReason),
    /// A trigger activated it, and its source is not trusted, or not any more.
    Untrusted,
    /// The user named it, and several are called so: these are their full names.
    Ambiguous(Vec<Id>),
    /// A trigger holds, or the user named it; but it was ended since the user's message.
    Ended,
    /// The trigger that it declares never holds.
    TriggerRefused(TriggerRefusal),
    /// Triggers activated the most skills for one message already.
    TooMany(usize),
    /// The most skills of its source are suggested already.
    TooManySuggested(usize),
    /// The skills that triggers activated since the user's message may have so many tokens.
    TooLong(usize),
    /// Its source could not give its instructions.
    Unreadable(Arc<str>),
}

impl Evaluation {
    /// The ids of the active skills: for offering their tools.
    pub fn skills(&self) -> impl Iterator<Item = &Id> {
        self.active.iter().filter(|active| active.flavor == Flavor::Skill).map(|active| &active.id)
    }

    /// Returns, for each active skill that requires tools, which of them are `available` and allowed by `authorizers`: for
    /// telling the user before the model is called.
    pub fn check_tools(&self, available: &[&str], authorizers: &[Arc<dyn Authorizer>]) -> Vec<(Id, ToolCheck)> {
        let skills = self.active.iter().filter_map(|active| Some((&active.id, active.candidate()?)));
        let requiring = skills.filter(|(_, candidate)| !candidate.item.required_tools().is_empty());
        requiring.map(|(id, candidate)| (id.clone(), ToolCheck::of(&candidate.item, available, authorizers))).collect()
    }

    /// Returns, for each active skill that declares a `verification`, what came of its checks: for the end of a turn.
    ///
    /// # Cancel safety
    /// May be dropped: the check that runs is dropped with it, and no later one is begun.
    pub async fn verify(&self, checker: &dyn Checker) -> Vec<(Id, Vec<CheckResult>)> {
        let mut verified = Vec::new();
        for active in &self.active {
            let Some(candidate) = active.candidate() else { continue };
            let checked = verify(candidate, checker).await;
            if !checked.is_empty() {
                verified.push((active.id.clone(), checked));
            }
        }
        verified
    }

    pub(super) fn skip(&mut self, flavor: Flavor, id: Id, why: SkipReason) {
        self.skipped.push(Skipped { id, flavor, why });
    }
}

impl Active {
    fn candidate(&self) -> Option<&Candidate<Skill>> {
        match &self.what {
            What::Host(..) => None,
            What::Skill(skill) => Some(&skill.candidate),
        }
    }

    pub(super) fn reason(&self) -> Arc<str> {
        if self.description.trim().is_empty() {
            return format!("{} `{}` is active", self.flavor, self.id).into();
        }
        self.description.clone()
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SkipReason::NoSuchRule(name) => write!(f, "there is no rule `{name}`"),
            SkipReason::RulePanicked(said) => write!(f, "its rule panicked: {said}"),
            SkipReason::UnknownTrigger => f.write_str("its trigger is of an unknown kind"),
            SkipReason::UnknownFact(fact) => write!(f, "the turn does not tell `{fact}`, which its text asks for"),
            SkipReason::Taken => f.write_str("an injection of the host is a skill of its id"),
            SkipReason::Ambiguous(names) => {
                let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "several are called so; give the full name: {}", names.join(", "))
            }
            SkipReason::Ended => f.write_str("it was ended since the user's message"),
            SkipReason::Gone => f.write_str("its source has it no more"),
            SkipReason::Hidden(hidden) => hidden.fmt(f),
            SkipReason::Untrusted => f.write_str("a trigger activated it, and its source is not trusted"),
            SkipReason::TriggerRefused(why) => write!(f, "its trigger never holds: {why}"),
            SkipReason::TooMany(most) => write!(f, "triggers activate at most {most} skills for one message"),
            SkipReason::TooManySuggested(most) => {
                write!(f, "a source that is not trusted suggests at most {most} skills for one message")
            }
            SkipReason::TooLong(most) => write!(f, "triggers activate skills of at most {most} tokens for one message"),
            SkipReason::Unreadable(why) => write!(f, "it cannot be read: {why}"),
        }
    }
}

/// A report on reading a body, besides its text. For the host, not for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BodyReport {
    /// The skill: the id that a model reaches it by.
    pub id: Id,
    /// The outcomes of its commands and scripts, in their order.
    pub outcomes: Vec<DirectiveOutcome>,
    /// Warnings for its author.
    pub warnings: Vec<Warning>,
}

impl BodyReport {
    pub(super) fn of(id: &Id, read: &mut Instructions) -> Option<BodyReport> {
        let (outcomes, warnings) = (std::mem::take(&mut read.outcomes), std::mem::take(&mut read.warnings));
        (!outcomes.is_empty() || !warnings.is_empty()).then(|| BodyReport { id: id.clone(), outcomes, warnings })
    }
}

impl fmt::Display for BodyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ran = self.outcomes.iter().filter(|outcome| matches!(outcome, DirectiveOutcome::Ran(_))).count();
        let mut parts = Vec::new();
        if !self.outcomes.is_empty() {
            parts.push(format!("{ran} of {} commands and scripts ran", self.outcomes.len()));
        }
        for outcome in &self.outcomes {
            let why = match outcome {
                DirectiveOutcome::Refused { by } => by.to_string(),
                DirectiveOutcome::Failed { reason } => reason.to_string(),
                _ => continue,
            };
            if !parts.contains(&why) {
                parts.push(why);
            }
        }
        parts.extend(self.warnings.iter().map(ToString::to_string));
        write!(f, "skill `{}`: {}", self.id, parts.join("; "))
    }
}
