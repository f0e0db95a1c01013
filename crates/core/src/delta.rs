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
    between: Option<Between<T>>,
}

/// The listings of which [`Delta::between`] made a difference.
#[derive(Debug, Clone)]
struct Between<T> {
    old: Listing<T>,
    new: Listing<T>,
    /// Whether a row that stays knows something that the new listing does not.
    forgets: bool,
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

    /// The difference between two listings: between the blocks that both share, as few replaced rows as a common head,
    /// a common tail and row-by-row comparison in between allow. Costs the blocks, and the rows that are not shared.
    ///
    /// A row that says the same stays and keeps what it knew of its content, unless the new one knows more.
    pub fn between(old: &Listing<T>, new: &Listing<T>) -> Delta<T> {
        let mut gaps = Gaps { splices: Vec::new(), forgets: false };
        let (mut from, mut to) = (0, 0);
        for (at, came_to, len) in old.shared_with(new) {
            gaps.add(from, old.rows(from..at), new.rows(to..came_to));
            (from, to) = (at + len, came_to + len);
        }
        gaps.add(from, old.rows(from..old.len()), new.rows(to..new.len()));
        Delta {
            revision: new.revision(),
            diagnostics: new.diagnostics().clone(),
            splices: gaps.splices,
            between: Some(Between { old: old.clone(), new: new.clone(), forgets: gaps.forgets }),
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
        self.splices.iter().flat_map(|splice| old.rows(splice.range.clone()))
    }

    /// The rows that come.
    pub fn inserted(&self) -> impl Iterator<Item = &Listed<T>> {
        self.splices.iter().flat_map(|splice| &splice.items)
    }

    /// The next listing, when this delta was made of it and `old` and nothing is lost by taking it as it is.
    pub(crate) fn whole(&self, old: &Listing<T>) -> Option<&Listing<T>> {
        self.between.as_ref().filter(|between| between.old.is(old) && !between.forgets).map(|between| &between.new)
    }

    /// Whether this delta may be applied to `old`. Costs the changed rows, and all rows only when ids are new.
    pub(crate) fn check(&self, old: &Listing<T>) -> Result<(), DeltaError> {
        if self.revision < old.revision() {
            return Err(DeltaError::Backwards { from: old.revision().0, to: self.revision.0 });
        }
        if self.between.as_ref().is_some_and(|between| between.old.is(old)) {
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

/// The rows between shared ones, and what becomes of them.
struct Gaps<T> {
    splices: Vec<Splice<T>>,
    forgets: bool,
}

impl<T: Item> Gaps<T> {
    /// The rows `old`, the first of them at `from`, become `new`.
    fn add<'a>(
        &mut self,
        from: usize,
        old: impl Iterator<Item = &'a Listed<T>>,
        new: impl Iterator<Item = &'a Listed<T>>,
    ) {
        let (old, new): (Vec<_>, Vec<_>) = (old.collect(), new.collect());
        let head = old.iter().zip(&new).take_while(|(old, new)| self.stays(old, new)).count();
        let (old, new, from) = (&old[head..], &new[head..], from + head);
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| self.stays(old, new)).count();
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        if old.len() != new.len() {
            let items = new.iter().map(|row| (*row).clone()).collect();
            return self.splices.push(Splice { range: from..from + old.len(), items });
        }
        for (at, (old, new)) in (from..).zip(old.iter().zip(new)) {
            if self.stays(old, new) {
                continue;
            }
            match self.splices.last_mut() {
                Some(last) if last.range.end == at => {
                    last.range.end += 1;
                    last.items.push((*new).clone());
                }
                _ => self.splices.push(Splice { range: at..at + 1, items: vec![(*new).clone()] }),
            }
        }
    }

    /// Whether `old` stays when the new listing has `new` in its place.
    fn stays(&mut self, old: &Listed<T>, new: &Listed<T>) -> bool {
        let stays = old.is_same(new) && !old.learns_from(new);
        self.forgets |= stays && new.learns_from(old);
        stays
    }
}

#[cfg(test)]
mod tests;
