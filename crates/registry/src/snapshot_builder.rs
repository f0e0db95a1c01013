//! Building the next snapshot from the current one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use repertoire_core::{Digest, Id, Item, Listing, ListingEntry};

use crate::entry::Candidate;
use crate::index::Index;
use crate::layers::{Layers, moved};
use crate::{Entry, Layer, RuleStack, Target};

/// The rows that differ between two listings of one source.
#[derive(Debug)]
pub(crate) struct RowChanges<T> {
    removed: Vec<Id>,
    pub(crate) inserted: Vec<ListingEntry<T>>,
    is_reordered: bool,
}

impl<T: Item> RowChanges<T> {
    /// Compares two listings. Costs the rows that they do not share.
    pub(crate) fn between(old: &Listing<T>, new: &Listing<T>) -> RowChanges<T> {
        let gaps = old.differences(new);
        let before = gaps
            .iter()
            .flat_map(|(before, _)| old.rows().iter_from(before.start).take(before.len()));
        let after = gaps
            .iter()
            .flat_map(|(_, after)| new.rows().iter_from(after.start).take(after.len()));
        let is_reordered = !before
            .clone()
            .map(|row| row.item.id())
            .eq(after.clone().map(|row| row.item.id()));
        let mut gone: HashMap<&Id, &ListingEntry<T>> =
            before.map(|row| (row.item.id(), row)).collect();
        let inserted = after
            .filter(|row: &&ListingEntry<T>| {
                let old = gone.remove(row.item.id());
                !old.is_some_and(|old| old.is_same(row) && !old.adds_information(row))
            })
            .cloned()
            .collect();
        RowChanges {
            removed: gone.into_keys().cloned().collect(),
            inserted,
            is_reordered,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.is_reordered && self.removed.is_empty() && self.inserted.is_empty()
    }
}

/// The next listing of one source, compared with the one before.
#[derive(Debug)]
pub(crate) struct SourceUpdate<T: Item> {
    pub(crate) source: Arc<str>,
    old: Listing<T>,
    pub(crate) new: Listing<T>,
    pub(crate) changes: RowChanges<T>,
}

impl<T: Item> SourceUpdate<T> {
    pub(crate) fn new(source: &str, old: Listing<T>, new: Listing<T>) -> SourceUpdate<T> {
        let new = new.with_known(&old);
        let changes = RowChanges::between(&old, &new);
        SourceUpdate {
            source: source.into(),
            old,
            new,
            changes,
        }
    }

    /// Applies this update, unless the source has a later listing in `builder`.
    pub(crate) fn apply(&self, builder: &mut SnapshotBuilder<T>) {
        let Some(Layer { listing, .. }) = builder.layers.get(&self.source) else {
            return;
        };
        if listing.rows().ptr_eq(self.old.rows()) {
            builder.set_listing(&self.source, self.new.clone(), &self.changes);
        } else if listing.revision() <= self.new.revision() {
            let update = SourceUpdate::new(&self.source, listing.clone(), self.new.clone());
            builder.set_listing(&self.source, update.new, &update.changes);
        }
    }
}

/// The next snapshot while it is built. Changes that are applied one after another copy what they touch once.
#[derive(Debug, Clone)]
pub(crate) struct SnapshotBuilder<T: Item> {
    pub(crate) layers: Layers<T>,
    pub(crate) rules: RuleStack,
    pub(crate) index: Index<T>,
}

impl<T: Item> SnapshotBuilder<T> {
    pub(crate) fn merge(layers: &[Layer<T>], rules: &RuleStack) -> SnapshotBuilder<T> {
        let layers = Layers::new(layers.to_vec());
        let mut candidates: HashMap<Id, Vec<Candidate<T>>> = HashMap::new();
        for layer in layers.as_slice() {
            for row in layer.listing.iter() {
                candidates
                    .entry(layer.effective_id(row.item.id()))
                    .or_default()
                    .push(layer.candidate(row, rules));
            }
        }
        let mut index = Index::default();
        index.reserve(candidates.len());
        for (id, candidates) in candidates {
            let entry = Entry::resolve(id.clone(), candidates, &layers);
            index.set(&id, Some(entry));
        }
        SnapshotBuilder {
            layers,
            rules: rules.clone(),
            index,
        }
        .finish()
    }

    /// Replaces the listing of `source`. `changes` are those between its present listing and `listing`.
    pub(crate) fn set_listing(
        &mut self,
        source: &str,
        listing: Listing<T>,
        changes: &RowChanges<T>,
    ) {
        let Some(place) = self.layers.place(source) else {
            return;
        };
        self.layers.set_listing(place, listing);
        let layer = &self.layers.as_slice()[place];
        for id in &changes.removed {
            self.index
                .upsert(&layer.origin, id, layer.effective_id(id), None);
        }
        self.index.reserve(changes.inserted.len());
        insert(&mut self.index, layer, &changes.inserted, &self.rules);
    }

    pub(crate) fn finish(mut self) -> SnapshotBuilder<T> {
        self.index.resolve_conflicts(&self.layers);
        self
    }

    /// Resolves `id` again if the rules disable, enable or restrict one of the candidates for it otherwise now.
    fn update_status(&mut self, id: Id) {
        let Some(entry) = self.index.get(id.as_str()) else {
            return;
        };
        let mut candidates: Vec<_> = entry.all_candidates().cloned().collect();
        let mut differs = false;
        for candidate in &mut candidates {
            let before = (candidate.trust, candidate.status);
            if let Some(layer) = self.layers.get(&candidate.origin.source) {
                candidate.trust = self.rules.trust_of(layer.trust, candidate.item.location());
            }
            candidate.status = candidate.status_under(&self.rules);
            differs |= before != (candidate.trust, candidate.status);
        }
        if differs {
            self.index.mark_conflict(id, candidates);
        }
    }

    pub(crate) fn set_rules(&mut self, rules: &RuleStack) {
        let targets = self.rules.differing(rules);
        let mut ids: BTreeSet<Id> = targets
            .iter()
            .flat_map(|target| touched(&self.layers, target))
            .collect();
        if !self.rules.restricts_as(rules) {
            let layers = self.layers.as_slice().iter();
            ids.extend(layers.flat_map(|layer| restricted_otherwise(layer, &self.rules, rules)));
        }
        self.rules = rules.clone();
        self.index.resolve_conflicts(&self.layers);
        ids.into_iter().for_each(|id| self.update_status(id));
    }

    pub(crate) fn set_digests(&mut self, source: &str, digests: &HashMap<Id, Digest>) {
        let Some(place) = self.layers.place(source) else {
            return;
        };
        let listing = self.layers.as_slice()[place].listing.clone();
        self.layers
            .set_listing(place, listing.with_digests(|id| digests.get(id).copied()));
        let layer = &self.layers.as_slice()[place];
        let rows = layer
            .listing
            .iter()
            .filter(|row| digests.contains_key(row.item.id()));
        insert(&mut self.index, layer, rows, &self.rules);
    }

    /// Replaces all layers. The cost is proportional to the rows of layers that come, go, or are composed differently.
    ///
    /// The listings of layers that stay are those of this builder, except where `is_fresh` returns `true`.
    pub(crate) fn set_layers(&mut self, layers: Vec<Layer<T>>, is_fresh: impl Fn(&str) -> bool) {
        let next = Layers::new(layers);
        let old = std::mem::replace(&mut self.layers, next.clone());
        let kept: Vec<Arc<str>> = sources(old.as_slice().iter().filter(|layer| {
            let next = next
                .get(&layer.origin.source)
                .filter(|_| !is_fresh(&layer.origin.source));
            next.is_some_and(|next| next.is_composed_like(layer))
        }));
        let is_kept: HashSet<&str> = kept.iter().map(AsRef::as_ref).collect();
        let SnapshotBuilder { rules, index, .. } = self;
        for layer in old
            .as_slice()
            .iter()
            .filter(|layer| !is_kept.contains(&*layer.origin.source))
        {
            for row in layer.listing.iter() {
                index.upsert(
                    &layer.origin,
                    row.item.id(),
                    layer.effective_id(row.item.id()),
                    None,
                );
            }
        }
        let (stay, come): (Vec<_>, Vec<_>) = next
            .as_slice()
            .iter()
            .partition(|layer| is_kept.contains(&*layer.origin.source));
        for layer in moved(&kept, sources(stay))
            .iter()
            .filter_map(|source| next.get(source))
        {
            for row in layer.listing.iter() {
                let id = layer.effective_id(row.item.id());
                if let Some(entry) = index
                    .get(id.as_str())
                    .filter(|entry| entry.all_candidates().nth(1).is_some())
                {
                    let candidates = entry.all_candidates().cloned().collect();
                    index.mark_conflict(id, candidates);
                }
            }
        }
        requalify(index, &next, &is_kept, rules);
        index.reserve(come.iter().map(|layer| layer.listing.len()).sum());
        come.into_iter()
            .for_each(|layer| insert(index, layer, layer.listing.iter(), rules));
    }
}

fn insert<'r, T: Item>(
    index: &mut Index<T>,
    layer: &Layer<T>,
    rows: impl IntoIterator<Item = &'r ListingEntry<T>>,
    rules: &RuleStack,
) {
    for row in rows {
        let id = row.item.id();
        index.upsert(
            &layer.origin,
            id,
            layer.effective_id(id),
            Some(layer.candidate(row, rules)),
        );
    }
}

fn sources<'l, T: Item>(layers: impl IntoIterator<Item = &'l Layer<T>>) -> Vec<Arc<str>> {
    layers
        .into_iter()
        .map(|layer| layer.origin.source.clone())
        .collect()
}

/// Moves the candidates of sources that stay to a different id if their own begins with the name of a source that came or went.
fn requalify<T: Item>(
    index: &mut Index<T>,
    layers: &Layers<T>,
    is_kept: &HashSet<&str>,
    rules: &RuleStack,
) {
    for id in Arc::clone(index.qualified()).iter() {
        let candidates: Vec<_> = index
            .get(id.as_str())
            .into_iter()
            .flat_map(|entry| entry.all_candidates())
            .cloned()
            .collect();
        for mut candidate in candidates
            .into_iter()
            .filter(|candidate| is_kept.contains(&*candidate.origin.source))
        {
            let layer = layers
                .get(&candidate.origin.source)
                .expect("a source that stays has a layer");
            let (origin, item) = (&layer.origin, Arc::clone(&candidate.item));
            let is_posing = layer.is_posing(item.id());
            if std::mem::replace(&mut candidate.is_posing, is_posing) != is_posing {
                candidate.status = candidate.status_under(rules);
                index.upsert(origin, item.id(), id.clone(), None);
                index.upsert(
                    origin,
                    item.id(),
                    layer.effective_id(item.id()),
                    Some(candidate),
                );
            }
        }
    }
}

/// Returns the ids of the entries that `target` may be about.
pub(crate) fn touched<'l, T: Item>(
    layers: &'l Layers<T>,
    target: &Target,
) -> Box<dyn Iterator<Item = Id> + 'l> {
    match target {
        Target::All => Box::new(layers.as_slice().iter().flat_map(effective_ids)),
        Target::Source(source) => Box::new(layers.get(source).into_iter().flat_map(effective_ids)),
        Target::Id(id) => {
            let in_one = id.as_str().split_once(':').and_then(|(source, id)| {
                let layer = layers.get(source)?;
                Some(layer.effective_id(&id.parse().ok()?))
            });
            let id = id.clone();
            let namespaced = layers.as_slice().iter().filter(|layer| layer.namespaced);
            let ids = std::iter::once(id.clone()).chain(in_one);
            Box::new(ids.chain(namespaced.map(move |layer| layer.effective_id(&id))))
        }
    }
}

/// Returns the ids of the rows of a layer that only one of the rules restricts.
fn restricted_otherwise<T: Item>(
    layer: &Layer<T>,
    before: &RuleStack,
    now: &RuleStack,
) -> impl Iterator<Item = Id> {
    let rows = layer.listing.iter().filter(move |row| {
        let [before, now] =
            [before, now].map(|rules| rules.trust_of(layer.trust, row.item.location()));
        before != now
    });
    rows.map(|row| layer.effective_id(row.item.id()))
}

fn effective_ids<T: Item>(layer: &Layer<T>) -> impl Iterator<Item = Id> {
    layer
        .listing
        .iter()
        .map(|row| layer.effective_id(row.item.id()))
}
