//! The one place that decides which audience sees a skill.

mod limits;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use repertoire_core::{FunctionalTier, InvokeLevel, Item, Skill};
use repertoire_registry::{Candidate, Status, Target};
use serde::{Deserialize, Serialize};

use crate::Authorizer;
use crate::error::PermissionError;
use crate::requirements::RequirementCheck;
use limits::VisibilityLimits;

/// The audience that asks for a skill. The operator sees everything and needs no audience.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Audience {
    /// The model: catalog, tools, suggestions.
    Model,
    /// The user: menus and commands.
    User,
}

/// The reason why a skill is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum HiddenReason {
    /// A rule of the operator, a project or a session disables it.
    Disabled,
    /// Its source is not admitted yet.
    Pending,
    /// It declares `disable-model-invocation: true`, or the operator says so.
    ForUsersOnly,
    /// It declares `user-invocable: false`.
    ForModelsOnly,
    /// It declares `allowedWorkflows`, and none of these runs.
    OtherWorkflow,
    /// It does not have one of the requested labels, or it demands a higher level.
    Filtered,
    /// Permissions deny it.
    Denied,
    /// A requirement is not met.
    NotReady,
    /// It replaces something that is available.
    NotNeeded,
}

impl Audience {
    /// Returns the reason why `candidate` is hidden from this audience by what it declares; `None` when it is visible.
    /// [`VisibilityPolicy::hidden_reason`] calls this and adds the operator's policy.
    ///
    /// The first of these that holds:
    /// 1. it is [`Disabled`](Status::Disabled), then: its source is [`Pending`](Status::Pending): hidden from both;
    /// 2. the skill itself excludes this audience;
    /// 3. only some workflows may use it: [`OtherWorkflow`](HiddenReason::OtherWorkflow), until one of them runs.
    ///
    /// Takes a candidate and not an entry because a shadow can be asked for by its qualified id.
    pub fn hidden_reason(self, candidate: &Candidate<Skill>) -> Option<HiddenReason> {
        match candidate.status {
            Status::Disabled => return Some(HiddenReason::Disabled),
            Status::Pending => return Some(HiddenReason::Pending),
            Status::Active => {}
        }
        let excluded = match self {
            Audience::Model => candidate
                .item
                .disable_model_invocation
                .then_some(HiddenReason::ForUsersOnly),
            Audience::User => {
                (!candidate.item.user_invocable).then_some(HiddenReason::ForModelsOnly)
            }
        };
        excluded.or_else(|| {
            candidate
                .item
                .allowed_workflows
                .is_some()
                .then_some(HiddenReason::OtherWorkflow)
        })
    }

    #[doc(hidden)]
    pub fn never_sees(self, candidate: &Candidate<Skill>) -> bool {
        self.hidden_reason(candidate)
            .is_some_and(|hidden| hidden != HiddenReason::OtherWorkflow)
    }
}

impl fmt::Display for HiddenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            HiddenReason::Disabled => "it is disabled",
            HiddenReason::Pending => "its source is not trusted yet",
            HiddenReason::ForUsersOnly => "only the user may invoke it",
            HiddenReason::ForModelsOnly => "only the model may invoke it",
            HiddenReason::OtherWorkflow => "it is for other workflows",
            HiddenReason::Filtered => "it is not among what was asked for",
            HiddenReason::Denied => "permissions deny it",
            HiddenReason::NotReady => "something that it needs is missing",
            HiddenReason::NotNeeded => "what it stands in for is there",
        })
    }
}

/// The operator's choice of how a skill is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Exposure {
    /// In the catalog in full; other skills are shortened first.
    Pinned,
    /// In the catalog as far as the budget allows.
    #[default]
    Auto,
    /// In the catalog by its name alone.
    NameOnly,
    /// For the user alone.
    ManualOnly,
    /// Hidden from both audiences. [`RuleStack`](repertoire_registry::RuleStack) of the registry also take its id away.
    Off,
}

/// The visibility rules for skills. Cheap to clone.
///
/// Of several rules that match, the most specific decides, as in the registry's
/// [`RuleStack`](repertoire_registry::RuleStack): the one for `source:id`, then for the id, then for the source, then for
/// everything; of two for the same, the later. [Permissions](VisibilityPolicy::permitted_by),
/// [requirements](VisibilityPolicy::ready_by), the running workflow and labels apply in addition.
///
/// ```
/// use repertoire_permission::{Exposure, VisibilityPolicy};
///
/// let modes = VisibilityPolicy::default().with("acme:*".parse()?, Exposure::ManualOnly).with("acme:release-notes".parse()?, Exposure::Pinned);
/// assert_ne!(modes, VisibilityPolicy::default());
/// # Ok::<(), repertoire_core::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct VisibilityPolicy {
    rules: Arc<BTreeMap<Target, Exposure>>,
    #[serde(skip)]
    limits: Arc<VisibilityLimits>,
}

impl VisibilityPolicy {
    /// Adds the choice `mode` for `target`.
    #[must_use]
    pub fn with(mut self, target: Target, mode: Exposure) -> VisibilityPolicy {
        Arc::make_mut(&mut self.rules).insert(target, mode);
        self
    }

    /// Hides every skill that `authorizer` does not allow, including one that a person would have to be asked about. Of several
    /// authorizers, all have to allow it.
    ///
    /// The result for a skill is cached until the skill changes. Create a new policy for a different role, or to ask again.
    #[must_use]
    pub fn permitted_by(self, authorizer: Arc<dyn Authorizer>) -> VisibilityPolicy {
        self.limited(|limits| limits.authorizers.push(authorizer))
    }

    /// Hides every skill whose requirements `probe` does not find, and every fallback whose replacement it does find. It is
    /// asked once for each state of a skill; create a new policy to ask again.
    #[must_use]
    pub fn ready_by(self, probe: Arc<dyn RequirementCheck>) -> VisibilityPolicy {
        self.limited(|limits| limits.probe = Some(probe))
    }

    /// Sets the running workflow. Skills with `allowedWorkflows` are visible only if they list it.
    #[must_use]
    pub fn in_workflow(self, workflow: impl Into<Arc<str>>) -> VisibilityPolicy {
        self.limited(|limits| limits.workflow = Some(workflow.into()))
    }

    /// Hides every skill without one of these labels.
    #[must_use]
    pub fn functional_tiers(
        self,
        tiers: impl IntoIterator<Item = FunctionalTier>,
    ) -> VisibilityPolicy {
        self.limited(|limits| limits.tiers = Some(tiers.into_iter().collect()))
    }

    /// Hides every skill that demands a higher level than this one from models.
    #[must_use]
    pub fn invoke_level(self, level: InvokeLevel) -> VisibilityPolicy {
        self.limited(|limits| limits.level = Some(level))
    }

    fn limited(self, add: impl FnOnce(&mut VisibilityLimits)) -> VisibilityPolicy {
        VisibilityPolicy {
            limits: self.limits.with(add),
            ..self
        }
    }

    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.limits.is_empty()
    }

    #[doc(hidden)]
    pub fn is(&self, other: &VisibilityPolicy) -> bool {
        self.rules == other.rules && VisibilityLimits::are_same(&self.limits, &other.limits)
    }

    /// Returns whether an authorizer decides which role sees which skill. Texts that all roles share then name no skill.
    #[doc(hidden)]
    pub fn depend_on_role(&self) -> bool {
        self.limits.govern_skills()
    }

    /// Returns how `candidate` is offered.
    pub fn exposure<T: Item>(&self, candidate: &Candidate<T>) -> Exposure {
        if self.rules.is_empty() {
            return Exposure::Auto;
        }
        candidate
            .targets()
            .find_map(|target| self.rules.get(&target).copied())
            .unwrap_or_default()
    }

    /// Returns the reason why `candidate` is hidden from `audience`; `None` when it is visible. No other function decides that.
    ///
    /// The first of these that holds:
    /// 1. it is switched off, waits for admission, or excludes the audience itself: see [`Audience::hidden_reason`];
    /// 2. only some workflows may use it, and [none of them runs](VisibilityPolicy::in_workflow);
    /// 3. it is [`Off`](Exposure::Off);
    /// 4. the model asks, and it is [`ManualOnly`](Exposure::ManualOnly);
    /// 5. it has not [the label](VisibilityPolicy::functional_tiers), or the model asks and is of [too low a level](VisibilityPolicy::invoke_level);
    /// 6. it is [denied](VisibilityPolicy::permitted_by);
    /// 7. something that it needs [is missing](VisibilityPolicy::ready_by);
    /// 8. what it only stands in for [is there](VisibilityPolicy::ready_by).
    pub fn hidden_reason(
        &self,
        audience: Audience,
        candidate: &Candidate<Skill>,
    ) -> Option<HiddenReason> {
        match audience.hidden_reason(candidate) {
            Some(HiddenReason::OtherWorkflow) if self.limits.is_in_workflow_of(&candidate.item) => {
            }
            Some(hidden) => return Some(hidden),
            None => {}
        }
        match (self.exposure(candidate), audience) {
            (Exposure::Off, _) => Some(HiddenReason::Disabled),
            (Exposure::ManualOnly, Audience::Model) => Some(HiddenReason::ForUsersOnly),
            _ => self.limits.hidden_reason(audience, candidate),
        }
    }

    /// Returns whether `audience` may see `candidate`.
    pub fn sees(&self, audience: Audience, candidate: &Candidate<Skill>) -> bool {
        self.hidden_reason(audience, candidate).is_none()
    }

    /// Returns the [`hidden_reason`](VisibilityPolicy::hidden_reason) as text for the operator, with the rule or the missing
    /// requirement.
    pub fn explain(&self, audience: Audience, candidate: &Candidate<Skill>) -> Option<String> {
        let hidden = self.hidden_reason(audience, candidate)?;
        Some(match hidden {
            HiddenReason::Denied | HiddenReason::NotReady | HiddenReason::NotNeeded => {
                match self.limits.explain(candidate) {
                    Some(why) => format!("{hidden}: {why}"),
                    None => hidden.to_string(),
                }
            }
            _ => hidden.to_string(),
        })
    }
}

/// An item that an audience may see or not: a skill, an agent, a workflow. Catalogs list such items, and an index finds them.
pub trait VisibleItem: Item {
    /// Returns whether `policy` hides `candidate` from `audience`.
    ///
    /// By default an item is hidden if it is not active, and by the exposures [`Off`](Exposure::Off) and
    /// [`ManualOnly`](Exposure::ManualOnly).
    fn is_hidden(
        candidate: &Candidate<Self>,
        audience: Audience,
        policy: &VisibilityPolicy,
    ) -> bool {
        match policy.exposure(candidate) {
            Exposure::Off => true,
            Exposure::ManualOnly if audience == Audience::Model => true,
            _ => candidate.status != Status::Active,
        }
    }
}

impl VisibleItem for Skill {
    fn is_hidden(
        candidate: &Candidate<Skill>,
        audience: Audience,
        policy: &VisibilityPolicy,
    ) -> bool {
        policy.hidden_reason(audience, candidate).is_some()
    }
}

const ALL: [Exposure; 5] = [
    Exposure::Pinned,
    Exposure::Auto,
    Exposure::NameOnly,
    Exposure::ManualOnly,
    Exposure::Off,
];

impl fmt::Display for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Exposure::Pinned => "pinned",
            Exposure::Auto => "auto",
            Exposure::NameOnly => "name-only",
            Exposure::ManualOnly => "manual-only",
            Exposure::Off => "off",
        })
    }
}

impl FromStr for Exposure {
    type Err = PermissionError;

    fn from_str(text: &str) -> Result<Exposure, PermissionError> {
        let named = ALL.into_iter().find(|mode| mode.to_string() == text);
        named.ok_or_else(|| PermissionError::UnknownExposure(text.to_owned()))
    }
}

#[cfg(test)]
mod tests;
