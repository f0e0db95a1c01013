//! What a model call is made of.

use std::fmt;
use std::sync::Arc;

use repertoire_core::{Flavor, Id, Role, Slot, Surface, ToolSpec};
use serde::{Deserialize, Serialize};

use super::cannot_compose::Undelivered;
use super::delta::{SlotChange, SlotDelta};

/// What a model call is made of, beside the conversation itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Slots {
    /// For the system prompt: what is active, in order, a blank line between. Empty when nothing is.
    pub system_prompt: String,
    /// What goes into the conversation.
    pub messages: Vec<SlotMessage>,
    /// Tools to offer beside the host's own; each name once.
    pub tools: Vec<ToolSpec>,
    /// What of each active injection is where, and why: in the order of the evaluation.
    pub placements: Vec<Placement>,
    /// What the host should know, and the model need not.
    pub notices: Vec<Notice>,
}

/// A message and where it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SlotMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub text: Arc<str>,
    /// Where it goes.
    pub place: Place,
    /// Whose text it is.
    pub ids: Vec<Id>,
}

/// Where a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Before what the user said last, for this call alone: not part of the conversation.
    BeforeMessage,
    /// At the start of what the user said last, for this call alone: where two messages of one role in a row are refused.
    InMessage,
    /// At the end of the conversation, to stay there. It is handed out once.
    End,
}

/// How a conversation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// Nothing was said.
    Nothing,
    /// With a message of the user.
    User,
    /// With a message of the model.
    Assistant,
    /// With calls of tools that did not return yet: nothing may come between.
    Calls,
    /// With what tools returned.
    Results,
}

/// What of an injection is where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Placement {
    /// The injection.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// The slot. A tool's result is part of the messages.
    pub slot: Slot,
    /// Whether it is there.
    pub delivery: Delivery,
    /// For the body of a skill: where it goes, and who decided.
    pub surface: Option<Surface>,
    /// The injection's description, or what it is.
    pub reason: Arc<str>,
}

/// Whether something is in its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// It is in these slots.
    Now,
    /// It is in the conversation: these slots do not repeat it.
    Earlier,
    /// It waits until the conversation can take it.
    Deferred,
    /// There was no room for it, or no place: a [notice](Slots::notices) says which.
    LeftOut,
}

/// Why a message waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deferral {
    /// It would come between a call and its result.
    SplitsCall,
    /// The message before is of the same role, which the provider refuses.
    SameRole,
    /// It waits since a call of another provider, and this one has no such role.
    NoSuchRole,
}

/// What the host should know about slots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Notice {
    /// A skill that is active reaches the model nowhere in this call.
    Undelivered(Undelivered),
    /// The cascade left the body to a tool's result, and no tool was called for it: it is in the system prompt.
    Raised {
        /// The skill.
        id: Id,
        /// What was resolved.
        surface: Surface,
    },
    /// The body goes elsewhere than for the last model.
    Moved {
        /// The skill.
        id: Id,
        /// Where it went.
        from: Surface,
        /// Where it goes.
        to: Surface,
    },
    /// A message waits for the next call.
    Waits {
        /// The injection.
        id: Id,
        /// Who would speak.
        role: Role,
        /// Why.
        why: Deferral,
    },
    /// There was not room for all of a body that is given again.
    Shortened {
        /// The skill.
        id: Id,
        /// Tokens of what is given; nothing where there was no room at all.
        tokens: usize,
        /// Tokens of all of it.
        of: usize,
    },
    /// A tool is not offered, because another one has its name.
    ToolTaken {
        /// The injection that brings it.
        id: Id,
        /// The name.
        tool: Arc<str>,
    },
}

impl Slots {
    /// The ids in `slot`, in order, whether they are delivered now or were before.
    pub fn ids(&self, slot: Slot) -> Vec<&Id> {
        let is_there = |placement: &&Placement| matches!(placement.delivery, Delivery::Now | Delivery::Earlier);
        let placed = self.placements.iter().filter(|placement| placement.slot == slot).filter(is_there);
        let mut ids: Vec<&Id> = Vec::new();
        placed.for_each(|placement| {
            if !ids.contains(&&placement.id) {
                ids.push(&placement.id);
            }
        });
        ids
    }

    /// What changed in each slot since `before`.
    pub fn since(&self, before: &Slots) -> SlotDelta {
        let change = |slot| SlotChange::between(&before.ids(slot), &self.ids(slot));
        SlotDelta {
            system_prompt: change(Slot::SystemPrompt),
            messages: change(Slot::Messages),
            tools: change(Slot::Tools),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Undelivered(Undelivered { id, flavor, by, why }) => {
                write!(f, "{flavor} `{id}` ({by}) is left out: {why}")
            }
            Notice::Raised { id, surface } => write!(
                f,
                "skill `{id}` is in the system prompt: no tool read it, and `{}` was decided by {}",
                surface.mode, surface.decided_by
            ),
            Notice::Moved { id, from, to } => write!(
                f,
                "skill `{id}` moved from `{}` ({}) to `{}` ({})",
                from.mode, from.decided_by, to.mode, to.decided_by
            ),
            Notice::Waits { id, role, why } => {
                let role = format!("{role:?}").to_lowercase();
                write!(f, "a message of `{id}` in the role `{role}` waits: {why}")
            }
            Notice::Shortened { id, tokens, of } => {
                write!(f, "skill `{id}` is given again with {tokens} of its {of} tokens")
            }
            Notice::ToolTaken { id, tool } => {
                write!(f, "tool `{tool}` of `{id}` is not offered: another tool has its name")
            }
        }
    }
}

impl fmt::Display for Deferral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Deferral::SplitsCall => "it would come between a call and its result",
            Deferral::SameRole => "the message before is of the same role",
            Deferral::NoSuchRole => "the provider has no such role",
        })
    }
}
