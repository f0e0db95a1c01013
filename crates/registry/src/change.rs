//! The difference between two snapshots.

use std::sync::Arc;

use repertoire_core::{Item, Moved};

use crate::{Entry, Snapshot};

/// What was added, removed and modified between two snapshots; each list by id.
///
/// An id is in at most one list. When a winner goes and a shadow steps forward, the id is *modified*.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Change<T: Item> {
    /// The generation before.
    pub from: u64,
    /// The generation after.
    pub to: u64,
    /// New ids.
    pub added: Vec<Arc<Entry<T>>>,
    /// Ids that are gone, as they were.
    pub removed: Vec<Arc<Entry<T>>>,
    /// Ids whose winner, content or shadows differ.
    pub modified: Vec<Modified<T>>,
    /// Whether the diagnostics differ.
    pub diagnostics: bool,
}

/// One id before and after.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Modified<T> {
    /// As it was.
    pub old: Arc<Entry<T>>,
    /// As it is.
    pub new: Arc<Entry<T>>,
}

impl<T: Item> Modified<T> {
    /// Which parts of the winner changed; nothing when only its shadows or its rights did.
    pub fn moved(&self) -> Moved {
        self.old.claim.moved(&self.new.claim)
    }
}

impl<T: Item> Change<T> {
    pub(crate) fn between(old: &Snapshot<T>, new: &Snapshot<T>) -> Change<T> {
        let mut change = Change {
            from: old.generation(),
            to: new.generation(),
            added: Vec::new(),
            removed: old.differing(new).filter(|entry| new.get(entry.id.as_str()).is_none()).cloned().collect(),
            modified: Vec::new(),
            diagnostics: false,
        };
        for entry in new.differing(old) {
            match old.get(entry.id.as_str()) {
                None => change.added.push(entry.clone()),
                Some(before) if before.is_same(entry) => {}
                Some(before) => change.modified.push(Modified { old: before.clone(), new: entry.clone() }),
            }
        }
        change.added.sort_by(|a, b| a.id.cmp(&b.id));
        change.removed.sort_by(|a, b| a.id.cmp(&b.id));
        change.modified.sort_by(|a, b| a.new.id.cmp(&b.new.id));

        // Shadows are what merging reports; the rest is each source's own.
        let merged = |entry: &Arc<Entry<T>>| !entry.shadows.is_empty();
        change.diagnostics = change.added.iter().chain(&change.removed).any(merged)
            || change.modified.iter().any(|id| merged(&id.old) || merged(&id.new))
            || !new.has_diagnostics_of(old);
        change
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.modified.is_empty() && !self.diagnostics
    }
}
