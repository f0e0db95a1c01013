//! The result of an evaluation.

use std::sync::Arc;

use repertoire_core::{Check, Flavor, Id, Skill};
use repertoire_registry::Candidate;
use serde::Serialize;

use super::activation::{ActivatedBy, LoadedBody};
use super::notice::{Notice, NoticeReason};
use super::options::Host;
use super::turn::ConversationEnd;
use crate::trigger::MatchedBy;
use crate::workflow::{CheckOutcome, Checker, ToolCheck, verify};
use repertoire_permission::{Audience, Authorizer};

/// The result of an evaluation: the host's injections in their order, then skills in the order of their first activation.
/// No injection is in two of the first three lists.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Evaluation {
    /// The active injections.
    pub active: Vec<Active>,
    /// The skipped injections.
    pub skipped: Vec<Notice>,
    /// The skills that triggers of untrusted sources suggest. They are not active. A catalog
    /// [marks](crate::catalog::CatalogOptions::suggesting) them, and so do the tools that list and search.
    pub suggested: Vec<Active>,
    /// Notices on the bodies that were [read](crate::session::Session::read).
    pub notices: Vec<Notice>,
    pub(super) tail: ConversationEnd,
    pub(super) tokens: TokensSoFar,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum TokensSoFar {
    Known(u64),
    /// More tokens than before.
    More(u64),
}

/// An active or suggested injection.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Active {
    /// Its id; for a skill, the id for models.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// The description.
    pub description: Arc<str>,
    /// The reason why it is active.
    pub by: ActiveBy,
    pub(super) what: What,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    /// With its text for the system prompt.
    Host(Arc<Host>, Option<Arc<str>>),
    Skill(Box<ActiveCandidate>),
}

#[derive(Debug, Clone)]
pub(super) struct ActiveCandidate {
    pub(super) candidate: Candidate<Skill>,
    pub(super) arguments: Arc<str>,
    pub(super) audience: Audience,
    pub(super) by: ActivatedBy,
    pub(super) rendered: Option<Arc<LoadedBody>>,
}

/// The reason why an injection is active.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ActiveBy {
    /// It is always active.
    Always,
    /// The host's rule of this name holds.
    Rule(Arc<str>),
    /// This tool returned.
    AfterTool(Arc<str>),
    /// It was activated before.
    Activated,
    /// A trigger that it declares matches, or the user named it.
    Trigger(MatchedBy),
}

impl Evaluation {
    /// Returns the ids of the active skills.
    pub fn skills(&self) -> impl Iterator<Item = &Id> {
        self.active
            .iter()
            .filter(|active| active.flavor == Flavor::Skill)
            .map(|active| &active.id)
    }

    /// Returns, for each active skill that requires tools, which of them are `available` and allowed by `authorizers`.
    pub fn check_tools(
        &self,
        available: &[&str],
        authorizers: &[Arc<dyn Authorizer>],
    ) -> Vec<(Id, ToolCheck)> {
        let skills = self
            .active
            .iter()
            .filter_map(|active| Some((&active.id, active.candidate()?)));
        let requiring = skills.filter(|(_, candidate)| !candidate.item.required_tools().is_empty());
        requiring
            .map(|(id, candidate)| {
                (
                    id.clone(),
                    ToolCheck::new(&candidate.item, available, authorizers),
                )
            })
            .collect()
    }

    /// Runs the `verification` of each active skill that declares one, at the end of a turn. Typed checks of a source that is not
    /// trusted are skipped, and texts need judgement.
    ///
    /// # Cancel safety
    /// May be dropped: the running check is dropped with it, and no later one begins.
    pub async fn verify(&self, checker: &dyn Checker) -> Vec<(Id, Vec<(Check, CheckOutcome)>)> {
        let mut verified = Vec::new();
        for active in &self.active {
            let Some(candidate) = active.candidate() else {
                continue;
            };
            let checked = verify(candidate, checker).await;
            if !checked.is_empty() {
                verified.push((active.id.clone(), checked));
            }
        }
        verified
    }

    pub(super) fn skip(&mut self, flavor: Flavor, id: Id, why: NoticeReason) {
        self.skipped.push(Notice::new(id, flavor, why));
    }
}

impl Active {
    /// Returns the candidate of a skill; `None` for an injection of the host.
    pub fn candidate(&self) -> Option<&Candidate<Skill>> {
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
