//! What hides skills beside the operator's choice for each.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::RwLock;
use repertoire_core::{FunctionalTier, Id, InvokeLevel, Skill};
use repertoire_registry::Candidate;

use super::{Audience, Hidden};
use crate::permission::{Access, Authorizer, Capability, governs, ruling};
use crate::requirements::{Probe, Readiness};

#[derive(Debug, Default)]
pub(super) struct Limits {
    pub(super) workflow: Option<Arc<str>>,
    pub(super) tiers: Option<Vec<FunctionalTier>>,
    pub(super) level: Option<InvokeLevel>,
    pub(super) authorizers: Vec<Arc<dyn Authorizer>>,
    pub(super) probe: Option<Arc<dyn Probe>>,
    /// The last two states of each claim, because changes compare two.
    known: RwLock<HashMap<(Arc<str>, Id), Vec<Known>>>,
}

#[derive(Debug)]
struct Known {
    candidate: Candidate<Skill>,
    withheld: Option<Withheld>,
}

#[derive(Debug, Clone)]
pub(super) struct Withheld {
    pub(super) hidden: Hidden,
    pub(super) why: Arc<str>,
}

impl Limits {
    pub(super) fn with(&self, add: impl FnOnce(&mut Limits)) -> Arc<Limits> {
        let mut limits = Limits {
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
        self.tiers.is_none() && self.level.is_none() && self.authorizers.is_empty() && self.probe.is_none()
    }

    /// Returns whether both hide alike, as far as that can be known without asking.
    pub(super) fn are_same(one: &Arc<Limits>, other: &Arc<Limits>) -> bool {
        Arc::ptr_eq(one, other) || one.authorizers.is_empty() && one.probe.is_none() && one == other
    }

    pub(super) fn govern_skills(&self) -> bool {
        governs(&self.authorizers, Capability::SkillRead)
    }

    pub(super) fn is_in_workflow_of(&self, skill: &Skill) -> bool {
        let allowed = skill.allowed_workflows.as_deref().unwrap_or_default();
        self.workflow.as_ref().is_some_and(|workflow| allowed.contains(workflow))
    }

    pub(super) fn hides(&self, audience: Audience, candidate: &Candidate<Skill>) -> Option<Hidden> {
        if self.is_open() {
            return None;
        }
        self.filtered(audience, &candidate.item).or_else(|| Some(self.withheld(candidate)?.hidden))
    }

    pub(super) fn explain(&self, candidate: &Candidate<Skill>) -> Option<Arc<str>> {
        Some(self.withheld(candidate)?.why)
    }

    fn filtered(&self, audience: Audience, skill: &Skill) -> Option<Hidden> {
        // Levels are about agents: a person stands above all of them.
        let reaches = |level: InvokeLevel| audience == Audience::User || skill.invoke_level() <= level;
        let stays =
            self.tiers.as_ref().is_none_or(|tiers| skill.has_functional_tier(tiers)) && self.level.is_none_or(reaches);
        (!stays).then_some(Hidden::Filtered)
    }

    /// Asks the authorizers and the probe about `claim`, once for each state of it.
    fn withheld(&self, candidate: &Candidate<Skill>) -> Option<Withheld> {
        if self.authorizers.is_empty() && self.probe.is_none() {
            return None;
        }
        let key = (candidate.origin.source.clone(), candidate.item.id.clone());
        let told = |known: &Vec<Known>| Some(known.iter().find(|known| known.is_of(candidate))?.withheld.clone());
        if let Some(withheld) = self.known.read().get(&key).and_then(told) {
            return withheld;
        }
        // Asked without a lock: whoever answers may look at skills itself.
        let withheld = self.asked(candidate);
        let mut known = self.known.write();
        let known = known.entry(key).or_default();
        // Somebody else may have asked at the same time, and have been told first.
        told(known).unwrap_or_else(|| {
            if known.len() == 2 {
                known.remove(0);
            }
            known.push(Known { candidate: candidate.clone(), withheld: withheld.clone() });
            withheld
        })
    }

    fn asked(&self, candidate: &Candidate<Skill>) -> Option<Withheld> {
        if let Some(ruling) = ruling(&self.authorizers, &Access::Skill(candidate)).filter(|ruling| !ruling.is_allowed())
        {
            let why = format!("{}: {}", ruling.rule, ruling.rationale).into();
            return Some(Withheld { hidden: Hidden::Denied, why });
        }
        let readiness = Readiness::of(&candidate.item, self.probe.as_deref()?);
        let hidden = match (readiness.missing.as_slice(), readiness.stood_in_for.as_slice()) {
            ([], []) => return None,
            ([], _) => Hidden::NotNeeded,
            _ => Hidden::NotReady,
        };
        Some(Withheld { hidden, why: readiness.to_string().into() })
    }
}

impl Known {
    fn is_of(&self, candidate: &Candidate<Skill>) -> bool {
        let state = |candidate: &Candidate<Skill>| (candidate.trust, candidate.stamp, candidate.digest);
        let (mine, theirs) = (&self.candidate.item, &candidate.item);
        state(&self.candidate) == state(candidate) && (Arc::ptr_eq(mine, theirs) || mine == theirs)
    }
}

impl PartialEq for Limits {
    fn eq(&self, other: &Limits) -> bool {
        let data = |limits: &Limits| (limits.workflow.clone(), limits.tiers.clone(), limits.level);
        let are = |a: &[Arc<dyn Authorizer>], b: &[Arc<dyn Authorizer>]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let is = match (&self.probe, &other.probe) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        data(self) == data(other) && are(&self.authorizers, &other.authorizers) && is
    }
}

impl Eq for Limits {}

impl Hash for Limits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.workflow, &self.tiers, self.level, self.authorizers.len(), self.probe.is_some()).hash(state);
    }
}
