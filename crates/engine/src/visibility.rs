//! The one place that decides which audience sees a skill.

mod limits;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use repertoire_core::{FunctionalTier, InvokeLevel, Skill};
use repertoire_registry::{Candidate, Status, Target};
use serde::{Deserialize, Serialize};

use crate::permission::Authorizer;
use crate::requirements::Probe;
use limits::Limits;

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
pub enum Hidden {
    /// The operator's rules, a project's or a session's switch it off.
    Disabled,
    /// Its source is not admitted yet.
    Pending,
    /// It declares `disable-model-invocation: true`, or the operator says so.
    ForUsersOnly,
    /// It declares `user-invocable: false`.
    ForModelsOnly,
    /// It declares `allowedWorkflows`, and none of these runs.
    OtherWorkflow,
    /// It has another label than those that were asked for, or demands a higher level.
    Filtered,
    /// Permissions deny it.
    Denied,
    /// Something that it needs is missing.
    NotReady,
    /// It only stands in for something, and that is there.
    NotNeeded,
}

impl Audience {
    /// Returns the reason why `claim` is hidden from this audience by what it declares; `None` when it is visible.
    /// [`Modes::hides`] calls this and adds the operator's policy.
    ///
    /// The first of these that holds:
    /// 1. it is [`Disabled`](Status::Disabled), then: its source is [`Pending`](Status::Pending): hidden from both;
    /// 2. the skill itself excludes this audience;
    /// 3. only some workflows may use it: [`OtherWorkflow`](Hidden::OtherWorkflow), until one of them runs.
    ///
    /// Takes a claim and not an entry because a shadow can be asked for by its qualified id.
    pub fn hides(self, candidate: &Candidate<Skill>) -> Option<Hidden> {
        match candidate.status {
            Status::Disabled => return Some(Hidden::Disabled),
            Status::Pending => return Some(Hidden::Pending),
            Status::Active => {}
        }
        let excluded = match self {
            Audience::Model => candidate.item.disable_model_invocation.then_some(Hidden::ForUsersOnly),
            Audience::User => (!candidate.item.user_invocable).then_some(Hidden::ForModelsOnly),
        };
        excluded.or_else(|| candidate.item.allowed_workflows.is_some().then_some(Hidden::OtherWorkflow))
    }

    pub(crate) fn never_sees(self, candidate: &Candidate<Skill>) -> bool {
        self.hides(candidate).is_some_and(|hidden| hidden != Hidden::OtherWorkflow)
    }

    /// Returns whether this audience may see `claim`, without an operator's policy.
    pub fn sees(self, candidate: &Candidate<Skill>) -> bool {
        self.hides(candidate).is_none()
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Hidden::Disabled => "it is disabled",
            Hidden::Pending => "its source is not trusted yet",
            Hidden::ForUsersOnly => "only the user may invoke it",
            Hidden::ForModelsOnly => "only the model may invoke it",
            Hidden::OtherWorkflow => "it is for other workflows",
            Hidden::Filtered => "it is not among what was asked for",
            Hidden::Denied => "permissions deny it",
            Hidden::NotReady => "something that it needs is missing",
            Hidden::NotNeeded => "what it stands in for is there",
        })
    }
}

/// The operator's choice of how a skill is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// In the catalog in full, whatever else has to give way.
    Pinned,
    /// In the catalog as far as there is room.
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
/// everything; of two for the same, the later. Whatever else is asked for is asked for on top of that: permissions
/// ([`permitted_by`](Modes::permitted_by)), needs ([`ready_by`](Modes::ready_by)), the running workflow, labels.
///
/// ```
/// use repertoire_engine::{Mode, Modes};
///
/// let modes = Modes::default().with("acme:*".parse()?, Mode::ManualOnly).with("acme:release-notes".parse()?, Mode::Pinned);
/// assert_ne!(modes, Modes::default());
/// # Ok::<(), repertoire_core::InvalidId>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Modes {
    rules: Arc<BTreeMap<Target, Mode>>,
    #[serde(skip)]
    limits: Arc<Limits>,
}

impl Modes {
    /// Adds the choice `mode` for `target`.
    #[must_use]
    pub fn with(mut self, target: Target, mode: Mode) -> Modes {
        Arc::make_mut(&mut self.rules).insert(target, mode);
        self
    }

    /// Hides every skill that `authorizer` does not allow, including one that a person would have to be asked about. Of several
    /// authorizers, all have to allow it.
    ///
    /// It is asked once for each skill, until that changes; for another role, or to ask again, make other modes.
    #[must_use]
    pub fn permitted_by(self, authorizer: Arc<dyn Authorizer>) -> Modes {
        self.limited(|limits| limits.authorizers.push(authorizer))
    }

    /// Hides every skill whose requirements `probe` does not find, and every fallback whose replacement it does find. It is
    /// asked once for each state of a skill; create a new policy to ask again.
    #[must_use]
    pub fn ready_by(self, probe: Arc<dyn Probe>) -> Modes {
        self.limited(|limits| limits.probe = Some(probe))
    }

    /// Sets the running workflow. Skills with `allowedWorkflows` are visible only if they list it.
    #[must_use]
    pub fn in_workflow(self, workflow: impl Into<Arc<str>>) -> Modes {
        self.limited(|limits| limits.workflow = Some(workflow.into()))
    }

    /// Hides every skill without one of these labels.
    #[must_use]
    pub fn functional_tiers(self, tiers: impl IntoIterator<Item = FunctionalTier>) -> Modes {
        self.limited(|limits| limits.tiers = Some(tiers.into_iter().collect()))
    }

    /// Hides every skill that demands a higher level than this one from models.
    #[must_use]
    pub fn invoke_level(self, level: InvokeLevel) -> Modes {
        self.limited(|limits| limits.level = Some(level))
    }

    fn limited(self, add: impl FnOnce(&mut Limits)) -> Modes {
        Modes { limits: self.limits.with(add), ..self }
    }

    /// Returns whether the policy has no rules and no limits.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.limits.is_empty()
    }

    pub(crate) fn is(&self, other: &Modes) -> bool {
        self.rules == other.rules && Limits::are_same(&self.limits, &other.limits)
    }

    /// Returns whether an authorizer decides which role sees which skill. Texts that all roles share then name no skill.
    pub fn depend_on_role(&self) -> bool {
        self.limits.govern_skills()
    }

    /// Returns how `claim` is offered.
    pub fn of(&self, candidate: &Candidate<Skill>) -> Mode {
        if self.rules.is_empty() {
            return Mode::Auto;
        }
        candidate.targets().find_map(|target| self.rules.get(&target).copied()).unwrap_or_default()
    }

    /// Returns the reason why `claim` is hidden from `audience`; `None` when it is visible. No other function decides that.
    ///
    /// The first of these that holds:
    /// 1. it is switched off, waits for admission, or excludes the audience itself: see [`Audience::hides`];
    /// 2. only some workflows may use it, and [none of them runs](Modes::in_workflow);
    /// 3. it is [`Off`](Mode::Off);
    /// 4. the model asks, and it is [`ManualOnly`](Mode::ManualOnly);
    /// 5. it has not [the label](Modes::functional_tiers), or the model asks and is of [too low a level](Modes::invoke_level);
    /// 6. it is [denied](Modes::permitted_by);
    /// 7. something that it needs [is missing](Modes::ready_by);
    /// 8. what it only stands in for [is there](Modes::ready_by).
    pub fn hides(&self, audience: Audience, candidate: &Candidate<Skill>) -> Option<Hidden> {
        match audience.hides(candidate) {
            Some(Hidden::OtherWorkflow) if self.limits.is_in_workflow_of(&candidate.item) => {}
            Some(hidden) => return Some(hidden),
            None => {}
        }
        match (self.of(candidate), audience) {
            (Mode::Off, _) => Some(Hidden::Disabled),
            (Mode::ManualOnly, Audience::Model) => Some(Hidden::ForUsersOnly),
            _ => self.limits.hides(audience, candidate),
        }
    }

    /// Returns whether `audience` may see `claim`.
    pub fn sees(&self, audience: Audience, candidate: &Candidate<Skill>) -> bool {
        self.hides(audience, candidate).is_none()
    }

    /// Returns what [`hides`](Modes::hides) does in words for the operator: the rule that denies, or the missing requirement.
    pub fn explain(&self, audience: Audience, candidate: &Candidate<Skill>) -> Option<String> {
        let hidden = self.hides(audience, candidate)?;
        Some(match hidden {
            Hidden::Denied | Hidden::NotReady | Hidden::NotNeeded => match self.limits.explain(candidate) {
                Some(why) => format!("{hidden}: {why}"),
                None => hidden.to_string(),
            },
            _ => hidden.to_string(),
        })
    }
}

const ALL: [Mode; 5] = [Mode::Pinned, Mode::Auto, Mode::NameOnly, Mode::ManualOnly, Mode::Off];

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mode::Pinned => "pinned",
            Mode::Auto => "auto",
            Mode::NameOnly => "name-only",
            Mode::ManualOnly => "manual-only",
            Mode::Off => "off",
        })
    }
}

/// A text that names no [`Mode`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown mode `{0}`: expected `pinned`, `auto`, `name-only`, `manual-only` or `off`")]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Mode, UnknownMode> {
        let named = ALL.into_iter().find(|mode| mode.to_string() == text);
        named.ok_or_else(|| UnknownMode(repertoire_core::text::terminal_line(text).into_owned()))
    }
}

#[cfg(test)]
mod tests;
