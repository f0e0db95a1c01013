//! The difference between two snapshots.

use std::sync::Arc;

use repertoire_core::{Item, Moved};

use crate::cause::causes;
use crate::{Cause, DiagnosticChange, Entry, Snapshot};

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
    /// The findings that came and went.
    pub diagnostics: DiagnosticChange,
    /// Why, each reason once. Nothing changes without one.
    pub causes: Vec<Cause>,
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
        let removed = old.differing(new).filter(|entry| new.get(entry.id.as_str()).is_none());
        let (mut added, mut removed, mut modified) = (Vec::new(), removed.cloned().collect::<Vec<_>>(), Vec::new());
        for entry in new.differing(old) {
            match old.get(entry.id.as_str()) {
                None => added.push(entry.clone()),
                Some(before) if before.is_same(entry) => {}
                Some(before) => modified.push(Modified { old: before.clone(), new: entry.clone() }),
            }
        }
        added.sort_by(|a, b| a.id.cmp(&b.id));
        removed.sort_by(|a, b| a.id.cmp(&b.id));
        modified.sort_by(|a, b| a.new.id.cmp(&b.new.id));

        let gone = removed.iter().chain(modified.iter().map(|id| &id.old));
        let come = added.iter().chain(modified.iter().map(|id| &id.new));
        let diagnostics = DiagnosticChange::between(old, new, gone, come);
        let (from, to) = (old.generation(), new.generation());
        let mut change = Change { from, to, added, removed, modified, diagnostics, causes: Vec::new() };
        if !change.is_empty() {
            change.causes = causes(old, new, &change);
        }
        change
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.modified.is_empty() && self.diagnostics.is_empty()
    }
}
