//! One source's entries and diagnostics at a revision.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use foldhash::quality::RandomState;
use serde::{Deserialize, Serialize};

use crate::{ChunkedVec, Code, Diagnostic, Digest, Id, Item, Manifest, Stamp};

/// A source's position in its own history. Never goes down.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Revision(pub u64);

/// One row of a [`Listing`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ListingEntry<T> {
    /// The item.
    pub item: Arc<T>,
    /// A cheap fingerprint of everything behind the item, its body included.
    pub stamp: Stamp,
    /// Identity of the raw content, where it is already known.
    pub digest: Option<Digest>,
    /// The digests of the parts of the content, if they are known.
    pub parts: Option<Arc<ContentDigests>>,
}

/// The digests of the parts of an item's content, by which the changed part is found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentDigests {
    /// A fingerprint of the body's text.
    pub body: Stamp,
    /// The digest of the [`Manifest`] of the files beside it.
    pub resources: Digest,
}

impl ContentDigests {
    /// A body and the files beside it.
    pub fn new(body: &str, resources: &Manifest) -> ContentDigests {
        ContentDigests {
            body: Stamp::of(body),
            resources: resources.digest(),
        }
    }
}

/// The parts of an item that changed. ContentDigests that cannot be compared are reported as changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangedParts {
    /// The item itself, or how it is written down.
    pub metadata: bool,
    /// Its body.
    pub body: bool,
    /// The files beside it.
    pub resources: bool,
}

impl ChangedParts {
    /// Returns whether any part changed.
    pub fn is_any(self) -> bool {
        self.metadata || self.body || self.resources
    }
}

impl<T: Item> ListingEntry<T> {
    /// A row whose content is not known yet.
    pub fn new(item: impl Into<Arc<T>>, stamp: Stamp) -> ListingEntry<T> {
        ListingEntry {
            item: item.into(),
            stamp,
            digest: None,
            parts: None,
        }
    }

    /// The same row with a known digest.
    #[must_use]
    pub fn with_digest(mut self, digest: Digest) -> ListingEntry<T> {
        self.digest = Some(digest);
        self
    }

    /// The same row with known parts.
    #[must_use]
    pub fn with_parts(mut self, parts: impl Into<Arc<ContentDigests>>) -> ListingEntry<T> {
        self.parts = Some(parts.into());
        self
    }

    /// Returns whether both rows are copies of one row.
    fn is_copy_of(&self, other: &ListingEntry<T>) -> bool {
        let parts = self.parts.as_ref().map(Arc::as_ptr);
        Arc::ptr_eq(&self.item, &other.item)
            && (self.stamp, self.digest) == (other.stamp, other.digest)
            && parts == other.parts.as_ref().map(Arc::as_ptr)
    }

    /// Returns whether both rows describe the same content, ignoring fields that are unknown in one of them.
    #[doc(hidden)]
    pub fn is_same(&self, new: &ListingEntry<T>) -> bool {
        self.stamp == new.stamp && !self.is_modified_by(new)
    }

    /// Returns whether `new` knows something about the content that this row does not.
    #[doc(hidden)]
    pub fn adds_information(&self, new: &ListingEntry<T>) -> bool {
        self.digest.is_none() && new.digest.is_some() || self.parts.is_none() && new.parts.is_some()
    }

    /// Returns whether `new` has a different item or content. The stamps decide if the item and the digest are the same.
    #[doc(hidden)]
    pub fn is_modified_by(&self, new: &ListingEntry<T>) -> bool {
        self.changed_parts(new).is_any()
    }

    /// Returns the parts that `new` changes.
    #[doc(hidden)]
    pub fn changed_parts(&self, new: &ListingEntry<T>) -> ChangedParts {
        let item = !Arc::ptr_eq(&self.item, &new.item) && self.item != new.item;
        let content = match (self.digest, new.digest) {
            (Some(old), Some(new)) => old != new,
            _ => self.stamp != new.stamp,
        };
        match (&self.parts, &new.parts) {
            (Some(a), Some(b)) => {
                let (body, resources) = (a.body != b.body, a.resources != b.resources);
                // Another file with the same body: its front matter was written in another way.
                let is_rewritten =
                    self.digest.is_some() && new.digest.is_some() && content && !body;
                ChangedParts {
                    metadata: item || is_rewritten,
                    body,
                    resources,
                }
            }
            _ => {
                // A stamp covers the files too, so they changed if nothing else did.
                let resources = content || !item && self.stamp != new.stamp;
                ChangedParts {
                    metadata: item,
                    body: content,
                    resources,
                }
            }
        }
    }
}

/// Everything one source has, in the source's own stable order, ids unique. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Listing<T> {
    revision: Revision,
    rows: ChunkedVec<ListingEntry<T>>,
    diagnostics: Arc<[Diagnostic]>,
}

impl<T: Item> Listing<T> {
    /// Creates a listing of `items` in the source's stable order.
    ///
    /// When an id comes twice the first row stays and the other becomes a warning that names both places.
    pub fn new(
        revision: Revision,
        items: impl IntoIterator<Item = ListingEntry<T>>,
        diagnostics: impl IntoIterator<Item = Diagnostic>,
    ) -> Listing<T> {
        let mut diagnostics: Vec<Diagnostic> = diagnostics.into_iter().collect();
        let mut rows: Vec<ListingEntry<T>> = items.into_iter().collect();
        let mut first: HashMap<&Id, &T, _> =
            HashMap::with_capacity_and_hasher(rows.len(), RandomState::default());
        let mut again = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            match first.entry(row.item.id()) {
                Entry::Vacant(place) => {
                    place.insert(&row.item);
                }
                Entry::Occupied(kept) => {
                    diagnostics.push(duplicate(*kept.get(), &row.item));
                    again.push(at);
                }
            }
        }
        let (mut again, mut at) = (again.into_iter().peekable(), 0..);
        rows.retain(|_| at.next().is_none_or(|at| again.next_if_eq(&at).is_none()));
        Listing {
            revision,
            rows: rows.into_iter().collect(),
            diagnostics: diagnostics.into(),
        }
    }

    /// Creates a listing without rows.
    pub fn empty(revision: Revision) -> Listing<T> {
        Listing {
            revision,
            rows: ChunkedVec::default(),
            diagnostics: Arc::default(),
        }
    }

    /// Returns the revision, taken before the source was read.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the rows in the source's order.
    #[doc(hidden)]
    pub fn rows(&self) -> &ChunkedVec<ListingEntry<T>> {
        &self.rows
    }

    /// Returns an iterator over the rows in the source's order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &ListingEntry<T>> + Clone {
        self.rows.iter()
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the diagnostics of the source and of its files.
    pub fn diagnostics(&self) -> &Arc<[Diagnostic]> {
        &self.diagnostics
    }

    /// Returns the ranges of rows that differ, here and in `new`: those of chunks that both do not share, without the rows at
    /// both ends that are the same.
    #[doc(hidden)]
    pub fn differences(&self, new: &Listing<T>) -> Vec<(Range<usize>, Range<usize>)> {
        let mut gaps = self.rows.unshared(&new.rows);
        for (before, after) in &mut gaps {
            let most = before.len().min(after.len());
            let pairs = self
                .rows
                .iter_from(before.start)
                .zip(new.rows.iter_from(after.start));
            let head = pairs
                .take(most)
                .take_while(|(old, now)| old.is_copy_of(now))
                .count();
            let rest = most - head;
            let old: Vec<_> = self.rows.iter_from(before.end - rest).take(rest).collect();
            let now: Vec<_> = new.rows.iter_from(after.end - rest).take(rest).collect();
            let pairs = old.iter().rev().zip(now.iter().rev());
            let tail = pairs.take_while(|(old, now)| old.is_copy_of(now)).count();
            *before = before.start + head..before.end - tail;
            *after = after.start + head..after.end - tail;
        }
        gaps
    }

    /// Returns whether both listings have the same diagnostics. Costs nothing if they share them.
    #[doc(hidden)]
    pub fn has_diagnostics_of(&self, other: &Listing<T>) -> bool {
        // Slices are compared item by item otherwise.
        Arc::ptr_eq(&self.diagnostics, &other.diagnostics) || self.diagnostics == other.diagnostics
    }

    /// Returns the next listing: these rows after `splices`, which ascend and do not overlap, under a new revision and with
    /// other diagnostics. Chunks of rows that no splice touches are shared.
    ///
    /// An id that comes twice is handled as by [`new`](Listing::new).
    ///
    /// # Panics
    /// If a splice reaches beyond the last row.
    #[must_use]
    #[doc(hidden)]
    pub fn spliced(
        &self,
        revision: Revision,
        splices: impl IntoIterator<Item = (Range<usize>, Vec<ListingEntry<T>>)>,
        diagnostics: impl Into<Arc<[Diagnostic]>>,
    ) -> Listing<T> {
        let splices: Vec<_> = splices.into_iter().collect();
        let mut ids: HashSet<&Id, RandomState> = HashSet::default();
        let is_repeated = splices
            .iter()
            .flat_map(|(_, rows)| rows)
            .any(|row| !ids.insert(row.item.id()));
        for row in splices
            .iter()
            .flat_map(|(range, _)| self.rows.iter_from(range.start).take(range.len()))
        {
            ids.remove(row.item.id());
        }
        let is_repeated =
            is_repeated || !ids.is_empty() && self.iter().any(|row| ids.contains(row.item.id()));
        let mut rows = self.rows.clone();
        // From the back, so that the positions of earlier splices stay true.
        splices
            .into_iter()
            .rev()
            .for_each(|(range, items)| rows.splice(range, items));
        let diagnostics = diagnostics.into();
        if is_repeated {
            return Listing::new(revision, rows.iter().cloned(), diagnostics.iter().cloned());
        }
        Listing {
            revision,
            rows,
            diagnostics,
        }
    }

    /// Returns the same rows under other diagnostics.
    #[must_use]
    #[doc(hidden)]
    pub fn with_diagnostics(self, diagnostics: impl Into<Arc<[Diagnostic]>>) -> Listing<T> {
        Listing {
            diagnostics: diagnostics.into(),
            ..self
        }
    }

    /// Returns the same rows, each with the digest that `digest` returns for it.
    #[must_use]
    #[doc(hidden)]
    pub fn with_digests(mut self, digest: impl Fn(&Id) -> Option<Digest>) -> Listing<T> {
        let known = self
            .iter()
            .enumerate()
            .filter_map(|(at, row)| Some((at, digest(row.item.id())?)));
        for (at, digest) in known.collect::<Vec<_>>() {
            if let Some(row) = self.rows.get_mut(at) {
                row.digest = Some(digest);
            }
        }
        self
    }

    /// Returns the same rows, with what `old` knows about the content of each row that did not change.
    #[must_use]
    #[doc(hidden)]
    pub fn with_known(mut self, old: &Listing<T>) -> Listing<T> {
        let gaps = old.differences(&self);
        let before = gaps
            .iter()
            .flat_map(|(before, _)| old.rows.iter_from(before.start).take(before.len()));
        let known: HashMap<&Id, &ListingEntry<T>, RandomState> = before
            .filter(|row| row.digest.is_some() || row.parts.is_some())
            .map(|row| (row.item.id(), row))
            .collect();
        if known.is_empty() {
            return self;
        }
        let after = gaps
            .into_iter()
            .flat_map(|(_, after)| after.clone().zip(self.rows.iter_from(after.start)));
        let more = after.filter_map(|(at, row)| {
            let old = known
                .get(row.item.id())
                .filter(|old| row.adds_information(old) && old.is_same(row))?;
            let (digest, parts) = (
                row.digest.or(old.digest),
                row.parts.clone().or_else(|| old.parts.clone()),
            );
            Some((
                at,
                ListingEntry {
                    digest,
                    parts,
                    ..row.clone()
                },
            ))
        });
        for (at, row) in more.collect::<Vec<_>>() {
            self.rows.splice(at..at + 1, [row]);
        }
        self
    }
}

impl<T: Item> PartialEq for Listing<T> {
    fn eq(&self, other: &Listing<T>) -> bool {
        self.revision == other.revision && self.has_diagnostics_of(other) && self.rows == other.rows
    }
}

fn duplicate<T: Item>(kept: &T, dropped: &T) -> Diagnostic {
    let message = format!(
        "{} `{}` is defined twice; the first one is used",
        T::KIND,
        kept.id()
    );
    let mut diagnostic = Diagnostic::new(Code::DUPLICATE_ID, message).help("rename one of them");
    diagnostic.path = dropped.location().map(Into::into);
    diagnostic.other = kept.location().map(Into::into);
    diagnostic
}

#[cfg(test)]
mod tests;
