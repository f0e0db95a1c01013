//! The parts of a model call.

use std::sync::Arc;

use repertoire_core::{Flavor, Id, Role, Slot, Surface, ToolSpec};
use serde::Serialize;

use super::notice::Notice;

/// The parts of a model call besides the conversation.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Slots {
    /// The texts for the system prompt, in order, with a blank line between them.
    pub system_prompt: String,
    /// Messages for the conversation.
    pub messages: Vec<SlotMessage>,
    /// Tools to offer besides the host's own; each name once.
    pub tools: Vec<ToolSpec>,
    /// The places of each active injection, in the order of the evaluation.
    pub placements: Vec<Placement>,
    /// Notices for the host.
    pub notices: Vec<Notice>,
}

/// A message and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SlotMessage {
    /// The role.
    pub role: Role,
    /// The text.
    pub text: Arc<str>,
    /// The place.
    pub place: MessagePlace,
    /// The injections in the text.
    pub ids: Vec<Id>,
}

/// The place of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MessagePlace {
    /// Before the last message of the user, for this call alone: not part of the conversation.
    BeforeMessage,
    /// At the start of the last message of the user, for this call alone, because the provider refuses two messages of one role
    /// in a row.
    InMessage,
    /// At the end of the conversation, where it stays. It is returned once.
    End,
}

/// The place of one part of an injection in the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Placement {
    /// The injection.
    pub id: Id,
    /// Its flavor.
    pub flavor: Flavor,
    /// The slot. A tool result is part of the messages.
    pub slot: Slot,
    /// The state of its delivery.
    pub delivery: Delivery,
    /// The surface of a skill's body, and the rule that decided it.
    pub surface: Option<Surface>,
    /// The injection's description, or its kind.
    pub reason: Arc<str>,
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Delivery {
    /// It is in these slots.
    Now,
    /// It is in the conversation. These slots do not repeat it.
    Earlier,
    /// It waits until the conversation can take it.
    Deferred,
    /// It had no room or no place; a [notice](Slots::notices) has the reason.
    LeftOut,
}

impl Slots {
    /// Returns the ids in `slot`, in order, whether they are delivered now or were before.
    pub fn ids(&self, slot: Slot) -> Vec<&Id> {
        let mut ids: Vec<&Id> = Vec::new();
        for placement in self
            .placements
            .iter()
            .filter(|placement| placement.slot == slot)
        {
            if matches!(placement.delivery, Delivery::Now | Delivery::Earlier)
                && !ids.contains(&&placement.id)
            {
                ids.push(&placement.id);
            }
        }
        ids
    }
}
