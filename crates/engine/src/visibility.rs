//! Who may see a skill.

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
}

impl Audience {
    /// Why `claim` is hidden from this audience by what it is; `None` when it is visible. Every door asks
    /// [`Modes::hides`], which asks here and adds what the operator chose.
    ///
    /// The first of these that holds:
    /// 1. it is [`Disabled`](Standing::Disabled), then: its source is [`Pending`](Standing::Pending): hidden from both;
    /// 2. the skill itself excludes this audience.
    ///
    /// Takes a claim and not an entry because a shadow can be asked for by its qualified id.
    pub fn hides(self, claim: &Claim<Skill>) -> Option<Hidden> {
        match claim.standing {
            Standing::Disabled => return Some(Hidden::Disabled),
            Standing::Pending => return Some(Hidden::Pending),
            Standing::Admitted => {}
        }
        match self {
            Audience::Model => claim.item.disable_model_invocation.then_some(Hidden::ForUsersOnly),
            Audience::User => (!claim.item.user_invocable).then_some(Hidden::ForModelsOnly),
        }
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
        })
    }
}

#[cfg(test)]
mod tests;
