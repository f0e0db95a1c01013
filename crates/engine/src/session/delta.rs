//! What changed from one model call to the next.

use repertoire_core::Id;
use serde::Serialize;

/// What changed in each slot from one model call to the next.
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

/// What changed in a slot: what was added and kept is what is there, what was removed and kept is what was.
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
    /// What changed from `before` to `now`, in which each id comes once.
    pub fn between(before: &[&Id], now: &[&Id]) -> SlotChange {
        let (kept, added) = now.iter().map(|id| (*id).clone()).partition(|id| before.contains(&id));
        let removed = before.iter().filter(|id| !now.contains(id)).map(|id| (*id).clone()).collect();
        SlotChange { added, removed, kept }
    }
}
