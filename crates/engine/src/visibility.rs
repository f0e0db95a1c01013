//! Who may see a skill.

mod limits;
mod modes;

use std::fmt;

use repertoire_core::Skill;
use repertoire_registry::{Claim, Standing};
use serde::{Deserialize, Serialize};

pub use modes::{Mode, Modes, UnknownMode};

/// Who asks: the two doors that a skill can be reached by. The operator sees everything and needs neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Audience {
    /// The model: catalog, tools, suggestions.
    Model,
    /// The user: menus and commands.
    User,
}

/// Why a skill is hidden.
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
    /// Why `claim` is hidden from this audience by what it is; `None` when it is visible. Every door asks
    /// [`Modes::hides`], which asks here and adds what the operator chose.
    ///
    /// The first of these that holds:
    /// 1. it is [`Disabled`](Standing::Disabled), then: its source is [`Pending`](Standing::Pending): hidden from both;
    /// 2. the skill itself excludes this audience;
    /// 3. only some workflows may use it: [`OtherWorkflow`](Hidden::OtherWorkflow), until one of them runs.
    ///
    /// Takes a claim and not an entry because a shadow can be asked for by its qualified id.
    pub fn hides(self, claim: &Claim<Skill>) -> Option<Hidden> {
        match claim.standing {
            Standing::Disabled => return Some(Hidden::Disabled),
            Standing::Pending => return Some(Hidden::Pending),
            Standing::Admitted => {}
        }
        let excluded = match self {
            Audience::Model => claim.item.disable_model_invocation.then_some(Hidden::ForUsersOnly),
            Audience::User => (!claim.item.user_invocable).then_some(Hidden::ForModelsOnly),
        };
        excluded.or_else(|| claim.item.allowed_workflows.is_some().then_some(Hidden::OtherWorkflow))
    }

    /// Whether `claim` is hidden from this audience whatever is chosen: a workflow may begin, nothing else changes.
    pub(crate) fn never_sees(self, claim: &Claim<Skill>) -> bool {
        self.hides(claim).is_some_and(|hidden| hidden != Hidden::OtherWorkflow)
    }

    /// Whether this audience may see `claim`, as far as the operator chose nothing.
    pub fn sees(self, claim: &Claim<Skill>) -> bool {
        self.hides(claim).is_none()
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

#[cfg(test)]
mod tests;
