//! What the operator allows each skill.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use repertoire_core::{FunctionalTier, InvokeLevel, Skill};
use repertoire_registry::{Claim, Target};
use serde::{Deserialize, Serialize};

use super::limits::Limits;
use super::{Audience, Hidden};
use crate::permission::Authorizer;
use crate::readiness::Probe;

/// How a skill is offered, by the operator's choice.
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
    /// For nobody. Where it shall not win its id either, [`Rules`](repertoire_registry::Rules) of the registry switch it off.
    Off,
}

/// Which skill is offered how, and what else hides skills. Cheap to clone.
///
/// Of several rules that match, the most specific decides, as in the registry's
/// [`Rules`](repertoire_registry::Rules): the one for `source:id`, then for the id, then for the source, then for
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
    /// The same modes, and `mode` for `target`.
    #[must_use]
    pub fn with(mut self, target: Target, mode: Mode) -> Modes {
        Arc::make_mut(&mut self.rules).insert(target, mode);
        self
    }

    /// The same modes, under which a skill that `authorizer` does not allow is hidden; one that a person would have to be
    /// asked about too. Of several authorizers, all have to allow it.
    ///
    /// It is asked once for each skill, until that changes; for another role, or to ask again, make other modes.
    #[must_use]
    pub fn permitted_by(self, authorizer: Arc<dyn Authorizer>) -> Modes {
        self.limited(|limits| limits.authorizers.push(authorizer))
    }

    /// The same modes, under which a skill whose needs `probe` does not find is hidden, as is one that stands in for what it does
    /// find. Asked once for each skill, until that changes; make other modes to look again.
    #[must_use]
    pub fn ready_by(self, probe: Arc<dyn Probe>) -> Modes {
        self.limited(|limits| limits.probe = Some(probe))
    }

    /// The same modes while `workflow` runs: skills that only some workflows may use are there if it is one of these. While none
    /// runs, they are hidden.
    #[must_use]
    pub fn in_workflow(self, workflow: impl Into<Arc<str>>) -> Modes {
        self.limited(|limits| limits.workflow = Some(workflow.into()))
    }

    /// The same modes, under which only skills with one of these labels are there.
    #[must_use]
    pub fn functional_tiers(self, tiers: impl IntoIterator<Item = FunctionalTier>) -> Modes {
        self.limited(|limits| limits.tiers = Some(tiers.into_iter().collect()))
    }

    /// The same modes for an agent of this level: what demands a higher one is hidden from it.
    #[must_use]
    pub fn invoke_level(self, level: InvokeLevel) -> Modes {
        self.limited(|limits| limits.level = Some(level))
    }

    fn limited(self, add: impl FnOnce(&mut Limits)) -> Modes {
        Modes { limits: self.limits.with(add), ..self }
    }

    /// Whether nothing was chosen.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.limits.is_empty()
    }

    /// Whether these are the same modes, made once: who was asked about a skill need not be asked again.
    pub(crate) fn is(&self, other: &Modes) -> bool {
        self.rules == other.rules && Limits::are_same(&self.limits, &other.limits)
    }

    /// Whether an authorizer decides who sees which skill. What is written for every role alike then names none.
    pub fn depend_on_role(&self) -> bool {
        self.limits.govern_skills()
    }

    /// How `claim` is offered.
    pub fn of(&self, claim: &Claim<Skill>) -> Mode {
        if self.rules.is_empty() {
            return Mode::Auto;
        }
        claim.targets().find_map(|target| self.rules.get(&target).copied()).unwrap_or_default()
    }

    /// Why `claim` is hidden from `audience`; `None` when it is visible. The one place that decides it.
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
    pub fn hides(&self, audience: Audience, claim: &Claim<Skill>) -> Option<Hidden> {
        match audience.hides(claim) {
            Some(Hidden::OtherWorkflow) if self.limits.is_in_workflow_of(&claim.item) => {}
            Some(hidden) => return Some(hidden),
            None => {}
        }
        match (self.of(claim), audience) {
            (Mode::Off, _) => Some(Hidden::Disabled),
            (Mode::ManualOnly, Audience::Model) => Some(Hidden::ForUsersOnly),
            _ => self.limits.hides(audience, claim),
        }
    }

    /// Whether `audience` may see `claim`.
    pub fn sees(&self, audience: Audience, claim: &Claim<Skill>) -> bool {
        self.hides(audience, claim).is_none()
    }

    /// The same as [`hides`](Modes::hides) in words for the operator: the rule that denies, or what is missing.
    pub fn explain(&self, audience: Audience, claim: &Claim<Skill>) -> Option<String> {
        let hidden = self.hides(audience, claim)?;
        Some(match hidden {
            Hidden::Denied | Hidden::NotReady | Hidden::NotNeeded => match self.limits.explain(claim) {
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
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_read_as_it_is_written() {
        for mode in ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        let error = "on".parse::<Mode>().unwrap_err().to_string();
        assert_eq!(error, "unknown mode `on`: expected `pinned`, `auto`, `name-only`, `manual-only` or `off`");
    }
}
