//! What hides skills beside the operator's choice for each.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::{Equivalent, HashMap};
use repertoire_core::{FunctionalTier, Id, InvokeLevel, Skill};
use repertoire_registry::Claim;

use super::{Audience, Hidden};
use crate::permission::{Access, Authorizer, Capability, governs, ruling};
use crate::readiness::{Probe, Readiness};

/// What hides skills beside the operator's choice for each.
#[derive(Debug, Default)]
pub(super) struct Limits {
    pub(super) workflow: Option<Arc<str>>,
    pub(super) tiers: Option<Vec<FunctionalTier>>,
    pub(super) level: Option<InvokeLevel>,
    pub(super) authorizers: Vec<Arc<dyn Authorizer>>,
    pub(super) probe: Option<Arc<dyn Probe>>,
    /// Of the last two states of each claim: news compare two.
    known: RwLock<HashMap<Key, Vec<Known>>>,
}

/// Source and id.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key(Arc<str>, Id);

#[derive(Hash)]
struct KeyRef<'a>(&'a str, &'a Id);

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        *self.0 == *key.0 && *self.1 == key.1
    }
}

/// What was found out about a claim, and what it was then.
#[derive(Debug)]
struct Known {
    claim: Claim<Skill>,
    withheld: Option<Withheld>,
}

/// Why a skill is withheld, in the words of whoever decided.
#[derive(Debug, Clone)]
pub(super) struct Withheld {
    pub(super) hidden: Hidden,
    pub(super) why: Arc<str>,
}

impl Limits {
    /// These limits and one more, which nothing is known of yet.
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

    /// Whether both are one, or the same where nobody is asked, who may answer otherwise when asked anew.
    pub(super) fn are_same(one: &Arc<Limits>, other: &Arc<Limits>) -> bool {
        Arc::ptr_eq(one, other) || one.authorizers.is_empty() && one.probe.is_none() && one == other
    }

    /// Whether somebody decides about skills.
    pub(super) fn govern_skills(&self) -> bool {
        governs(&self.authorizers, Capability::SkillRead)
    }

    /// Whether the running workflow may use `skill`, which says that not all may.
    pub(super) fn is_in_workflow_of(&self, skill: &Skill) -> bool {
        let allowed = skill.allowed_workflows.as_deref().unwrap_or_default();
        self.workflow.as_ref().is_some_and(|workflow| allowed.contains(workflow))
    }

    pub(super) fn hides(&self, audience: Audience, claim: &Claim<Skill>) -> Option<Hidden> {
        if self.is_open() {
            return None;
        }
        self.filtered(audience, &claim.item).or_else(|| Some(self.withheld(claim)?.hidden))
    }

    /// Why [`hides`](Limits::hides) does, in the words of whoever decided, if anybody did.
    pub(super) fn explain(&self, claim: &Claim<Skill>) -> Option<Arc<str>> {
        Some(self.withheld(claim)?.why)
    }

    fn filtered(&self, audience: Audience, skill: &Skill) -> Option<Hidden> {
        // Levels are about agents: a person stands above all of them.
        let reaches = |level: InvokeLevel| audience == Audience::User || skill.invoke_level() <= level;
        let stays =
            self.tiers.as_ref().is_none_or(|tiers| skill.has_functional_tier(tiers)) && self.level.is_none_or(reaches);
        (!stays).then_some(Hidden::Filtered)
    }

    /// What the authorizers and the probe say of `claim`, asked once as long as it stays as it is: whoever answers otherwise later
    /// moves no text.
    fn withheld(&self, claim: &Claim<Skill>) -> Option<Withheld> {
        if self.authorizers.is_empty() && self.probe.is_none() {
            return None;
        }
        let key = KeyRef(&claim.origin.source, &claim.item.id);
        let told = |known: &Vec<Known>| Some(known.iter().find(|known| known.is_of(claim))?.withheld.clone());
        if let Some(withheld) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key).and_then(told) {
            return withheld;
        }
        // Asked without a lock: whoever answers may look at skills itself.
        let withheld = self.asked(claim);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let known = known.entry(Key(claim.origin.source.clone(), claim.item.id.clone())).or_default();
        // Somebody else may have asked at the same time, and have been told first.
        told(known).unwrap_or_else(|| {
            if known.len() == 2 {
                known.remove(0);
            }
            known.push(Known { claim: claim.clone(), withheld: withheld.clone() });
            withheld
        })
    }

    fn asked(&self, claim: &Claim<Skill>) -> Option<Withheld> {
        if let Some(ruling) = ruling(&self.authorizers, &Access::Skill(claim)).filter(|ruling| !ruling.is_allowed()) {
            let why = format!("{}: {}", ruling.rule, ruling.rationale).into();
            return Some(Withheld { hidden: Hidden::Denied, why });
        }
        let readiness = Readiness::of(&claim.item, self.probe.as_deref()?);
        let hidden = match (readiness.missing.as_slice(), readiness.stood_in_for.as_slice()) {
            ([], []) => return None,
            ([], _) => Hidden::NotNeeded,
            _ => Hidden::NotReady,
        };
        Some(Withheld { hidden, why: readiness.to_string().into() })
    }
}

impl Known {
    fn is_of(&self, claim: &Claim<Skill>) -> bool {
        let state = |claim: &Claim<Skill>| (claim.trust, claim.stamp, claim.digest);
        let (mine, theirs) = (&self.claim.item, &claim.item);
        state(&self.claim) == state(claim) && (Arc::ptr_eq(mine, theirs) || mine == theirs)
    }
}

/// The same limits: those of whom nobody can tell whether they decide alike are the very same.
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
