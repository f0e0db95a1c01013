//! How one listing becomes the next.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::{Diagnostic, Id, Item, Listed, Listing, Revision};

/// One replaced run of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Splice<T> {
    /// The rows that go, by their position in the old listing.
    pub range: Range<usize>,
    /// The rows that come in their place.
    pub items: Vec<Listed<T>>,
}

impl<T> Splice<T> {
    /// How many rows go.
    pub fn removed(&self) -> usize {
        self.range.len()
    }
}

/// The difference between two listings of one source: an edit script over the old rows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Delta<T> {
    /// The revision of the new listing.
    pub revision: Revision,
    /// All diagnostics of the new listing.
    pub diagnostics: Arc<[Diagnostic]>,
    splices: Vec<Splice<T>>,
    /// The listings of which [`between`](Delta::between) made it.
    between: Option<(Listing<T>, Listing<T>)>,
}

impl<T: Item> PartialEq for Delta<T> {
    fn eq(&self, other: &Delta<T>) -> bool {
        (self.revision, &self.diagnostics, &self.splices) == (other.revision, &other.diagnostics, &other.splices)
    }
}

/// A delta that does not fit the listing it is applied to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeltaError {
    /// A splice reaches past the end, or splices are out of order or overlap.
    #[error("the delta does not fit a listing of {len} rows")]
    OutOfRange {
        /// Rows in the listing.
        len: usize,
    },
    /// The new listing would hold an id twice.
    #[error("the delta makes `{id}` come twice")]
    DuplicateId {
        /// The id.
        id: Id,
    },
    /// The revision would go down.
    #[error("the delta goes back from revision {from} to {to}")]
    Backwards {
        /// The listing's revision.
        from: u64,
        /// The delta's revision.
        to: u64,
    },
}

impl<T: Item> Delta<T> {
    /// An edit script; `splices` in ascending order, not overlapping.
    pub fn new(
        revision: Revision,
        splices: impl IntoIterator<Item = Splice<T>>,
        diagnostics: impl Into<Arc<[Diagnostic]>>,
    ) -> Delta<T> {
        Delta { revision, splices: splices.into_iter().collect(), diagnostics: diagnostics.into(), between: None }
    }

    /// The difference between two listings, as few replaced rows as a common head, a common tail
    /// and row-by-row comparison in between allow. A row that stays keeps the digest it had.
    pub fn between(old: &Listing<T>, new: &Listing<T>) -> Delta<T> {
        let same = |(a, b): &(&Listed<T>, &Listed<T>)| a.is_same(b);
        let head = old.iter().zip(new.iter()).take_while(same).count();
        let rest = old.len().min(new.len()) - head;
        let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(same).count();
        let (old_middle, new_middle) = (head..old.len() - tail, head..new.len() - tail);
        let mut splices: Vec<Splice<T>> = Vec::new();
        if old_middle.len() == new_middle.len() {
            for (at, (a, b)) in old_middle.clone().zip(old.slice(old_middle).zip(new.slice(new_middle))) {
                match splices.last_mut() {
                    _ if a.is_same(b) => {}
                    Some(last) if last.range.end == at => {
                        last.range.end += 1;
                        last.items.push(b.clone());
                    }
                    _ => splices.push(Splice { range: at..at + 1, items: vec![b.clone()] }),
                }
            }
        } else {
            splices.push(Splice { range: old_middle, items: new.slice(new_middle).cloned().collect() });
        }
        Delta {
            revision: new.revision(),
            diagnostics: new.diagnostics().clone(),
            splices,
            between: Some((old.clone(), new.clone())),
        }
    }

    /// Whether nothing changes, revision aside.
    pub fn is_empty_for(&self, old: &Listing<T>) -> bool {
        self.splices.is_empty() && self.diagnostics == *old.diagnostics()
    }

    /// The splices, ascending.
    pub fn splices(&self) -> &[Splice<T>] {
        &self.splices
    }

    /// The rows of `old` that go.
    pub fn removed<'a>(&'a self, old: &'a Listing<T>) -> impl Iterator<Item = &'a Listed<T>> {
        self.splices.iter().flat_map(|splice| old.slice(splice.range.clone()))
    }

    /// The rows that come.
    pub fn inserted(&self) -> impl Iterator<Item = &Listed<T>> {
        self.splices.iter().flat_map(|splice| &splice.items)
    }

    /// The whole next listing, when this delta is all of it and was made for `old`.
    pub(crate) fn whole(&self, old: &Listing<T>) -> Option<&Listing<T>> {
        let (made_for, new) = self.between.as_ref()?;
        // Where rows stay, they keep digests that the next listing need not know.
        (made_for.is(old) && old.is_empty()).then_some(new)
    }

    /// Whether this delta may be applied to `old`. Costs the changed rows, and all rows only when ids are new.
    pub(crate) fn check(&self, old: &Listing<T>) -> Result<(), DeltaError> {
        if self.revision < old.revision() {
            return Err(DeltaError::Backwards { from: old.revision().0, to: self.revision.0 });
        }
        if self.between.as_ref().is_some_and(|(made_for, _)| made_for.is(old)) {
            return Ok(());
        }
        let mut end = 0;
        for splice in &self.splices {
            if splice.range.start < end || splice.range.start > splice.range.end || splice.range.end > old.len() {
                return Err(DeltaError::OutOfRange { len: old.len() });
            }
            end = splice.range.end;
        }
        let gone: HashSet<&Id> = self.removed(old).map(|row| row.item.id()).collect();
        let mut fresh: HashSet<&Id> = HashSet::new();
        let mut come: HashSet<&Id> = HashSet::new();
        for row in self.inserted() {
            let id = row.item.id();
            if !come.insert(id) {
                return Err(DeltaError::DuplicateId { id: id.clone() });
            }
            if !gone.contains(id) {
                fresh.insert(id);
            }
        }
        if !fresh.is_empty()
            && let Some(row) = old.iter().find(|row| fresh.contains(row.item.id()))
        {
            return Err(DeltaError::DuplicateId { id: row.item.id().clone() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
