//! The parts of a model call, and what it left out.

use std::fmt;
use std::sync::Arc;

use repertoire_core::{Flavor, Id, Role, Slot, Surface, ToolSpec};
use serde::{Deserialize, Serialize};

/// The parts of a model call besides the conversation.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[non_exhaustive]
pub struct Slots {
    /// For the system prompt: what is active, in order, a blank line between. Empty when nothing is.
    pub system_prompt: String,
    /// Messages for the conversation.
    pub messages: Vec<SlotMessage>,
    /// Tools to offer beside the host's own; each name once.
    pub tools: Vec<ToolSpec>,
    /// The places of each active injection, in the order of the evaluation.
    pub placements: Vec<Placement>,
    /// Notices for the host.
    pub notices: Vec<Notice>,
}

/// A message and where it goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SlotMessage {
    /// The role.
    pub role: Role,
    /// The text.
    pub text: Arc<str>,
    /// The place.
    pub place: MessagePlace,
    /// The injections whose text it is.
    pub ids: Vec<Id>,
}

/// The place of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessagePlace {
    /// Before what the user said last, for this call alone: not part of the conversation.
    BeforeMessage,
    /// At the start of what the user said last, for this call alone: where two messages of one role in a row are refused.
    InMessage,
    /// At the end of the conversation, to stay there. It is handed out once.
    End,
}

/// The last message of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConversationEnd {
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

/// The place of one part of an injection in the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Placement {
    /// The injection.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// The slot. A tool's result is part of the messages.
    pub slot: Slot,
    /// The state of its delivery.
    pub delivery: Delivery,
    /// For the body of a skill: where it goes, and who decided.
    pub surface: Option<Surface>,
    /// The injection's description, or what it is.
    pub reason: Arc<str>,
}

/// The state of a delivery.
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

/// The reason why a message waits.
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

/// A notice about slots for the host.
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
        /// The surface that was resolved.
        surface: Surface,
    },
    /// The body goes elsewhere than for the last model.
    Moved {
        /// The skill.
        id: Id,
        /// The surface before.
        from: Surface,
        /// The place.
        to: Surface,
    },
    /// A message waits for the next call.
    Waits {
        /// The injection.
        id: Id,
        /// The role.
        role: Role,
        /// The reason.
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
        let placed = self
            .placements
            .iter()
            .filter(|placement| placement.slot == slot)
            .filter(|placement: &&Placement| matches!(placement.delivery, Delivery::Now | Delivery::Earlier));
        let mut ids: Vec<&Id> = Vec::new();
        placed.for_each(|placement| {
            if !ids.contains(&&placement.id) {
                ids.push(&placement.id);
            }
        });
        ids
    }

    /// Returns the changes in each slot since `before`.
    pub fn since(&self, before: &Slots) -> SlotDelta {
        let [system_prompt, messages, tools] = [Slot::SystemPrompt, Slot::Messages, Slot::Tools]
            .map(|slot| SlotChange::between(&before.ids(slot), &self.ids(slot)));
        SlotDelta { system_prompt, messages, tools }
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

/// The changes in each slot from one model call to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct SlotDelta {
    /// In the system prompt.
    pub system_prompt: SlotChange,
    /// In the messages.
    pub messages: SlotChange,
    /// In the tools.
    pub tools: SlotChange,
}

/// The changes in a slot. Now are `added` and `kept`; before were `removed` and `kept`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct SlotChange {
    /// There now and not before, in the order of now.
    pub added: Vec<Id>,
    /// There before and not now, in the order of before.
    pub removed: Vec<Id>,
    /// There all the time, in the order of now.
    pub kept: Vec<Id>,
}

impl SlotChange {
    /// Returns the changes from `before` to `now`, in which each id occurs once.
    pub fn between(before: &[&Id], now: &[&Id]) -> SlotChange {
        let (kept, added) = now.iter().map(|id| (*id).clone()).partition(|id| before.contains(&id));
        let removed = before.iter().filter(|id| !now.contains(id)).map(|id| (*id).clone()).collect();
        SlotChange { added, removed, kept }
    }
}

/// The injections of the host that a model call cannot carry: all of them, in the order of the evaluation. Never holds a body.
///
/// What a skill or the user brought never makes a call impossible: it is [left out](crate::session::Notice::Undelivered).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("these injections of the host would reach the model nowhere: {}", list(.offenders))]
#[non_exhaustive]
pub struct CannotCompose {
    /// Each with the reason; one whose messages have several roles, once for each role.
    pub offenders: Vec<Undelivered>,
}

/// An injection that would reach the model nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Undelivered {
    /// The injection.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// The cause of its activation, in words.
    pub by: String,
    /// The reason.
    pub why: UndeliveredReason,
}

/// The reason why an injection would reach the model nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum UndeliveredReason {
    /// It is for the result of a tool only, and no tool read it.
    NoToolRead(Surface),
    /// It was not read.
    NotRead,
    /// The provider carries no message of this role.
    Role {
        /// The provider.
        provider: String,
        /// The role.
        role: Role,
    },
}

impl fmt::Display for Undelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}` ({}): {}", self.flavor, self.id, self.by, self.why)
    }
}

impl fmt::Display for UndeliveredReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UndeliveredReason::NoToolRead(surface) => write!(
                f,
                "`{}`, decided by {}, and no tool read it; declare `both` or `system-prompt`",
                surface.mode, surface.decided_by
            ),
            UndeliveredReason::NotRead => {
                f.write_str("its body is missing; hand the evaluation to `Session::read` first")
            }
            UndeliveredReason::Role { provider, role } => {
                let role = format!("{role:?}").to_lowercase();
                write!(f, "provider `{provider}` carries no message of the role `{role}`")
            }
        }
    }
}

fn list(offenders: &[Undelivered]) -> String {
    offenders.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
