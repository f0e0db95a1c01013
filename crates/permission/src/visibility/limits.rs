//! Limits that hide skills besides the operator's choice for each.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::RwLock;
use repertoire_core::{FunctionalTier, Id, InvokeLevel, Skill};
use repertoire_registry::Candidate;

use super::{Audience, HiddenReason};
use crate::access::{Access, Authorizer, Capability, decide, governs};
use crate::requirements::{RequirementCheck, Requirements};

#[derive(Debug, Default)]
pub(super) struct VisibilityLimits {
    pub(super) workflow: Option<Arc<str>>,
    pub(super) tiers: Option<Vec<FunctionalTier>>,
    pub(super) level: Option<InvokeLevel>,
    pub(super) authorizers: Vec<Arc<dyn Authorizer>>,
    pub(super) probe: Option<Arc<dyn RequirementCheck>>,
    /// The last two states of each candidate, because changes compare two.
    known: RwLock<KnownStates>,
}

/// The known states of candidates, by source and id.
type KnownStates = HashMap<(Arc<str>, Id), Vec<KnownState>>;

#[derive(Debug)]
struct KnownState {
    candidate: Candidate<Skill>,
    withheld: Option<Withheld>,
}

#[derive(Debug, Clone)]
pub(super) struct Withheld {
    pub(super) hidden: HiddenReason,
    pub(super) why: Arc<str>,
}

impl VisibilityLimits {
    pub(super) fn with(&self, add: impl FnOnce(&mut VisibilityLimits)) -> Arc<VisibilityLimits> {
        let mut limits = VisibilityLimits {
            workflow: self.workflow.clone(),
            tiers: self.tiers.clone(),
            level: self.level,
            authorizers: self.authorizers.clone(),
            probe: self.probe.clone(),
            known: RwLock::default(),
        };
        add(&mut limits);
        Arc::new(limits)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.workflow.is_none() && self.is_open()
    }

    fn is_open(&self) -> bool {
        self.tiers.is_none()
            && self.level.is_none()
            && self.authorizers.is_empty()
            && self.probe.is_none()
    }

    /// Returns whether both hide alike, as far as that can be known without asking.
    pub(super) fn are_same(one: &Arc<VisibilityLimits>, other: &Arc<VisibilityLimits>) -> bool {
        Arc::ptr_eq(one, other) || one.authorizers.is_empty() && one.probe.is_none() && one == other
    }

    pub(super) fn govern_skills(&self) -> bool {
        governs(&self.authorizers, &Capability::SKILL_READ)
    }

    pub(super) fn is_in_workflow_of(&self, skill: &Skill) -> bool {
        let allowed = skill.allowed_workflows.as_deref().unwrap_or_default();
        self.workflow
            .as_ref()
            .is_some_and(|workflow| allowed.contains(workflow))
    }

    pub(super) fn hidden_reason(
        &self,
        audience: Audience,
        candidate: &Candidate<Skill>,
    ) -> Option<HiddenReason> {
        if self.is_open() {
            return None;
        }
        self.filtered(audience, &candidate.item)
            .or_else(|| Some(self.withheld(candidate)?.hidden))
    }

    pub(super) fn explain(&self, candidate: &Candidate<Skill>) -> Option<Arc<str>> {
        Some(self.withheld(candidate)?.why)
    }

    fn filtered(&self, audience: Audience, skill: &Skill) -> Option<HiddenReason> {
        // Levels are about agents: a person stands above all of them.
        let stays = self
            .tiers
            .as_ref()
            .is_none_or(|tiers| skill.has_functional_tier(tiers))
            && self.level.is_none_or(|level: InvokeLevel| {
                audience == Audience::User || skill.invoke_level() <= level
            });
        (!stays).then_some(HiddenReason::Filtered)
    }

    /// Asks the authorizers and the probe about `candidate`, once for each state of it.
    fn withheld(&self, candidate: &Candidate<Skill>) -> Option<Withheld> {
        if self.authorizers.is_empty() && self.probe.is_none() {
            return None;
        }
        let key = (candidate.origin.source.clone(), candidate.item.id.clone());
        if let Some(known) = self
            .known
            .read()
            .get(&key)
            .and_then(|known| known.iter().find(|one| one.is_of(candidate)))
        {
            return known.withheld.clone();
        }
        // Without the lock, because an authorizer may look at skills itself.
        let withheld = self.asked(candidate);
        let mut known = self.known.write();
        let known = known.entry(key).or_default();
        // A second thread may have asked at the same time.
        if let Some(first) = known.iter().find(|one| one.is_of(candidate)) {
            return first.withheld.clone();
        }
        if known.len() == 2 {
            known.remove(0);
        }
        known.push(KnownState {
            candidate: candidate.clone(),
            withheld: withheld.clone(),
        });
        withheld
    }

    fn asked(&self, candidate: &Candidate<Skill>) -> Option<Withheld> {
        if let Some(decision) = decide(&self.authorizers, &Access::Skill(candidate))
            .filter(|decision| !decision.is_allowed())
        {
            let why = format!("{}: {}", decision.rule, decision.rationale).into();
            return Some(Withheld {
                hidden: HiddenReason::Denied,
                why,
            });
        }
        let readiness = Requirements::new(&candidate.item, self.probe.as_deref()?);
        let hidden = match (
            readiness.missing.as_slice(),
            readiness.superseded_by.as_slice(),
        ) {
            ([], []) => return None,
            ([], _) => HiddenReason::NotNeeded,
            _ => HiddenReason::NotReady,
        };
        Some(Withheld {
            hidden,
            why: readiness.to_string().into(),
        })
    }
}

impl KnownState {
    fn is_of(&self, candidate: &Candidate<Skill>) -> bool {
        let mine = &self.candidate;
        (mine.trust, mine.stamp, mine.digest)
            == (candidate.trust, candidate.stamp, candidate.digest)
            && (Arc::ptr_eq(&mine.item, &candidate.item) || mine.item == candidate.item)
    }
}

impl PartialEq for VisibilityLimits {
    fn eq(&self, other: &VisibilityLimits) -> bool {
        let has_same_probe = match (&self.probe, &other.probe) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        (&self.workflow, &self.tiers, self.level) == (&other.workflow, &other.tiers, other.level)
            && self.authorizers.len() == other.authorizers.len()
            && self
                .authorizers
                .iter()
                .zip(&other.authorizers)
                .all(|(a, b)| Arc::ptr_eq(a, b))
            && has_same_probe
    }
}

impl Eq for VisibilityLimits {}

impl Hash for VisibilityLimits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (
            &self.workflow,
            &self.tiers,
            self.level,
            self.authorizers.len(),
            self.probe.is_some(),
        )
            .hash(state);
    }
}
