//! Entries by id.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use repertoire_core::text::has_lookalikes;
use repertoire_core::{ChunkedMap, Id, Item, Keyed};

use crate::layer::source_skeleton;
use crate::layers::Layers;
use crate::{Candidate, Entry, Origin};

impl<T> Keyed for Entry<T> {
    fn key(&self) -> &str {
        self.id.as_str()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Index<T> {
    entries: ChunkedMap<Arc<Entry<T>>>,
    contested: usize,
    /// The ids of the entries with a candidate whose own id begins with the name of a source, if there is one of that name.
    qualified: Arc<BTreeSet<Id>>,
    lookalikes: usize,
    /// The candidates for ids with a conflict that is not resolved yet. Empty in a snapshot.
    open: HashMap<Id, Vec<Candidate<T>>>,
}

impl<T> Default for Index<T> {
    fn default() -> Index<T> {
        Index {
            entries: ChunkedMap::default(),
            contested: 0,
            qualified: Arc::default(),
            lookalikes: 0,
            open: HashMap::new(),
        }
    }
}

impl<T: Item> Index<T> {
    pub(crate) fn get(&self, id: &str) -> Option<&Arc<Entry<T>>> {
        self.entries.get(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn is_contested(&self) -> bool {
        self.contested > 0
    }

    pub(crate) fn has_lookalikes(&self) -> bool {
        self.lookalikes > 0
    }

    pub(crate) fn qualified(&self) -> &Arc<BTreeSet<Id>> {
        &self.qualified
    }

    pub(crate) fn unsorted(&self) -> impl Iterator<Item = &Entry<T>> {
        self.entries.iter().map(AsRef::as_ref)
    }

    /// Replaces the candidate of `origin` for `id` for its `item`.
    ///
    /// A conflict with other candidates is resolved by [`resolve_conflicts`](Index::resolve_conflicts), so that several changes
    /// to one id are resolved once.
    pub(crate) fn upsert(
        &mut self,
        origin: &Origin,
        item: &Id,
        id: Id,
        candidate: Option<Candidate<T>>,
    ) {
        if let Some(candidates) = self.open.get_mut(&id) {
            candidates.retain(|candidate| !candidate.is_of(origin, item));
            candidates.extend(candidate);
            return;
        }
        match self.entries.get(id.as_str()) {
            Some(entry)
                if entry
                    .all_candidates()
                    .any(|candidate| !candidate.is_of(origin, item)) =>
            {
                let others = entry
                    .all_candidates()
                    .filter(|candidate| !candidate.is_of(origin, item))
                    .cloned();
                self.open.insert(id, others.chain(candidate).collect());
            }
            _ => self.set(
                &id,
                candidate.map(|candidate| Entry::single(id.clone(), candidate)),
            ),
        }
    }

    /// Marks `id` for being resolved again with `candidates`.
    pub(crate) fn mark_conflict(&mut self, id: Id, candidates: Vec<Candidate<T>>) {
        self.open.entry(id).or_insert(candidates);
    }

    pub(crate) fn resolve_conflicts(&mut self, layers: &Layers<T>) {
        for (id, candidates) in std::mem::take(&mut self.open) {
            let entry =
                (!candidates.is_empty()).then(|| Entry::resolve(id.clone(), candidates, layers));
            self.set(&id, entry);
        }
    }

    pub(crate) fn set(&mut self, id: &Id, next: Option<Entry<T>>) {
        let is_qualified = next.as_ref().is_some_and(|entry: &Entry<T>| {
            entry
                .all_candidates()
                .any(|candidate| source_skeleton(candidate.bare_id()).is_some())
        });
        if is_qualified != self.qualified.contains(id) {
            let qualified = Arc::make_mut(&mut self.qualified);
            if is_qualified {
                qualified.insert(id.clone())
            } else {
                qualified.remove(id)
            };
        }
        let (contested, lookalikes) = next.as_ref().map_or((0, 0), counts);
        let old = match next {
            Some(entry) => self.entries.insert(Arc::new(entry)),
            None => self.entries.remove(id.as_str()),
        };
        let (was_contested, were_lookalikes) = old.as_deref().map_or((0, 0), counts);
        self.contested = self.contested + contested - was_contested;
        self.lookalikes = self.lookalikes + lookalikes - were_lookalikes;
    }

    pub(crate) fn reserve(&mut self, more: usize) {
        self.entries.reserve(more);
    }

    /// Returns the entries that are only in one of both, or in different versions: those of `self`, and those of `other`.
    pub(crate) fn differences<'a>(&'a self, other: &'a Index<T>) -> [Vec<&'a Arc<Entry<T>>>; 2] {
        let mine: Vec<_> = self.entries.unshared(&other.entries).collect();
        let theirs: Vec<_> = other.entries.unshared(&self.entries).collect();
        // Addresses are compared, so that entries that both share are not read.
        let (of_mine, of_theirs) = (addresses(&mine), addresses(&theirs));
        let mine = mine
            .into_iter()
            .filter(|entry| of_theirs.binary_search(&Arc::as_ptr(entry)).is_err());
        let theirs = theirs
            .into_iter()
            .filter(|entry| of_mine.binary_search(&Arc::as_ptr(entry)).is_err());
        [mine.collect(), theirs.collect()]
    }
}

fn addresses<T>(entries: &[&Arc<Entry<T>>]) -> Vec<*const Entry<T>> {
    let mut addresses: Vec<_> = entries.iter().map(|entry| Arc::as_ptr(entry)).collect();
    addresses.sort_unstable();
    addresses
}

/// Returns what an entry adds to the numbers of contested ids and of ids with letters of other scripts.
fn counts<T>(entry: &Entry<T>) -> (usize, usize) {
    (
        usize::from(!entry.shadows.is_empty()),
        usize::from(has_lookalikes(entry.id.as_str())),
    )
}
