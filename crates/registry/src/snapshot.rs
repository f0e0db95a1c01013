//! The immutable merged view.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

use hashbrown::hash_table::Entry as TableEntry;
use hashbrown::{DefaultHashBuilder, HashTable};
use repertoire_core::{Delta, DeltaError, Diagnostic, Digest, Id, Item, Severity};

use crate::entry::Claim;
use crate::merge::findings;
use crate::{Change, Entry, Layer, SourceDiagnostic};

/// The immutable merged view, with a generation. Cheap to clone; readers never wait.
#[derive(Debug, Clone)]
pub struct Snapshot<T: Item>(Arc<Inner<T>>);

#[derive(Debug)]
struct Inner<T: Item> {
    generation: u64,
    /// By tier, then position.
    layers: Vec<Layer<T>>,
    index: Index<T>,
    // Derived from the two above when first asked for.
    entries: OnceLock<Box<[Arc<Entry<T>>]>>,
    diagnostics: OnceLock<Box<[SourceDiagnostic]>>,
}

/// Entries by id, in shards that successive snapshots share.
#[derive(Debug, Clone)]
struct Index<T> {
    hasher: DefaultHashBuilder,
    shards: Vec<Arc<HashTable<Arc<Entry<T>>>>>,
    len: usize,
    /// How many entries have shadows.
    contested: usize,
}

/// A power of two. One change copies a shard: 1/256 of the entries.
const SHARDS: usize = 256;

impl<T: Item> Index<T> {
    fn new() -> Index<T> {
        Index { hasher: DefaultHashBuilder::default(), shards: vec![Arc::default(); SHARDS], len: 0, contested: 0 }
    }

    fn place(&self, id: &str) -> (usize, u64) {
        let hash = self.hasher.hash_one(id);
        // The table uses the top seven and the low bits: take the shard from between.
        ((hash >> 40) as usize % SHARDS, hash)
    }

    fn get(&self, id: &str) -> Option<&Arc<Entry<T>>> {
        let (shard, hash) = self.place(id);
        self.shards[shard].find(hash, |entry| entry.id.as_str() == id)
    }

    /// Puts what `next` makes of the entry of an id in its place, or takes the id out.
    fn update(&mut self, id: &Id, next: impl FnOnce(Option<&Entry<T>>) -> Option<Entry<T>>) {
        let (shard, hash) = self.place(id.as_str());
        let hasher = &self.hasher;
        let table = Arc::make_mut(&mut self.shards[shard]);
        let contested = |entry: &Entry<T>| usize::from(!entry.shadows.is_empty());
        match table.entry(hash, |old| old.id == *id, |entry| hasher.hash_one(entry.id.as_str())) {
            TableEntry::Occupied(mut place) => {
                self.contested -= contested(place.get());
                match next(Some(place.get())) {
                    Some(entry) => {
                        self.contested += contested(&entry);
                        *place.get_mut() = Arc::new(entry);
                    }
                    None => {
                        place.remove();
                        self.len -= 1;
                    }
                }
            }
            TableEntry::Vacant(place) => {
                if let Some(entry) = next(None) {
                    self.contested += contested(&entry);
                    place.insert(Arc::new(entry));
                    self.len += 1;
                }
            }
        }
    }

    /// Makes room for `more` entries, if they are so many that they come to nearly every shard.
    fn reserve(&mut self, more: usize) {
        let hasher = &self.hasher;
        if more >= 8 * SHARDS {
            for table in &mut self.shards {
                // Hashing spreads the entries so evenly that few shards get more than a quarter more than their share.
                Arc::make_mut(table).reserve(more / SHARDS * 5 / 4, |entry| hasher.hash_one(entry.id.as_str()));
            }
        }
    }
}

impl<T: Item> Snapshot<T> {
    /// Generation 0 of these layers. [`merge`](crate::merge) is the public door.
    pub(crate) fn of(layers: &[Layer<T>]) -> Snapshot<T> {
        let mut layers = layers.to_vec();
        layers.sort_by_key(|layer| (layer.origin.tier, layer.position));
        let mut claims: HashMap<Id, Vec<Claim<T>>> = HashMap::new();
        for layer in &layers {
            for row in layer.listing.iter() {
                claims.entry(layer.effective_id(row.item.id())).or_default().push(layer.claim(row));
            }
        }
        let mut index = Index::new();
        for (id, claims) in claims {
            index.update(&id, |_| Some(Entry::contest(id.clone(), claims)));
        }
        Snapshot::assemble(0, layers, index)
    }

    fn assemble(generation: u64, layers: Vec<Layer<T>>, index: Index<T>) -> Snapshot<T> {
        Snapshot(Arc::new(Inner { generation, layers, index, entries: OnceLock::new(), diagnostics: OnceLock::new() }))
    }

    /// The snapshot after `delta` of one source, of the same generation; equal to merging the new layers
    /// from scratch, and costs what changed.
    ///
    /// A source that is not composed changes nothing.
    ///
    /// # Errors
    /// [`DeltaError`] when the delta does not fit that source's listing.
    pub fn apply(&self, source: &str, delta: &Delta<T>) -> Result<Snapshot<T>, DeltaError> {
        let Some(layer) = self.layer(source) else { return Ok(self.clone()) };
        let old = &layer.listing;
        let layer = Layer { listing: old.apply(delta)?, ..layer.clone() };
        let gone: Vec<&Id> = delta.removed(old).map(|row| row.item.id()).collect();
        // Rows that only change come again.
        let stay = || delta.inserted().map(|row| row.item.id()).collect();
        let stay: HashSet<&Id> = if gone.is_empty() { HashSet::new() } else { stay() };
        let gone = gone.into_iter().filter(|id| !stay.contains(id)).map(|id| (layer.effective_id(id), None));
        let come = delta.inserted().map(|row| (layer.effective_id(row.item.id()), Some(layer.claim(row))));
        let more = delta.inserted().count().saturating_sub(stay.len());
        Ok(self.with_layer(&layer, gone.chain(come), more))
    }

    /// The same view, with what `digests` adds to what `source` knows of its content.
    pub(crate) fn with_digests(&self, source: &str, digests: &HashMap<Id, Digest>) -> Snapshot<T> {
        let Some(layer) = self.layer(source) else { return self.clone() };
        let listing = layer.listing.clone().with_digests(|id| digests.get(id).copied());
        let layer = Layer { listing, ..layer.clone() };
        let known = layer.listing.iter().filter(|row| digests.contains_key(row.item.id()));
        let rows = known.map(|row| (layer.effective_id(row.item.id()), Some(layer.claim(row))));
        self.with_layer(&layer, rows, 0)
    }

    /// Puts `layer` in place of the one of its source, whose claims changed as `rows` says, each id once.
    /// About `more` ids are new.
    fn with_layer(
        &self,
        layer: &Layer<T>,
        rows: impl Iterator<Item = (Id, Option<Claim<T>>)>,
        more: usize,
    ) -> Snapshot<T> {
        let mut index = self.0.index.clone();
        index.reserve(more);
        for (id, claim) in rows {
            index.update(&id, |old| match (old, claim) {
                (None, claim) => claim.map(|claim| Entry::uncontested(id.clone(), claim)),
                (Some(old), claim) => {
                    let others = old.claims().filter(|claim| claim.origin != layer.origin).cloned();
                    let claims: Vec<_> = others.chain(claim).collect();
                    (!claims.is_empty()).then(|| Entry::contest(id.clone(), claims))
                }
            });
        }
        let replaced = |old: &Layer<T>| if old.origin == layer.origin { layer.clone() } else { old.clone() };
        let layers = self.0.layers.iter().map(replaced).collect();
        Snapshot::assemble(self.0.generation, layers, index)
    }

    /// The same view as the successor of `older`.
    pub(crate) fn after(&self, older: &Snapshot<T>) -> Snapshot<T> {
        Snapshot::assemble(older.0.generation + 1, self.0.layers.clone(), self.0.index.clone())
    }

    /// Counts the published views of one registry. Equal generations of one registry are one view.
    pub fn generation(&self) -> u64 {
        self.0.generation
    }

    /// The entry with exactly this effective id. For what a person typed, see [`resolve`](Snapshot::resolve).
    pub fn get(&self, id: &str) -> Option<&Arc<Entry<T>>> {
        self.0.index.get(id)
    }

    /// All entries: by tier, then source, then the source's own order.
    pub fn entries(&self) -> &[Arc<Entry<T>>] {
        self.0.entries.get_or_init(|| {
            let mut entries = Vec::with_capacity(self.0.index.len);
            for layer in &self.0.layers {
                for row in layer.listing.iter() {
                    let entry = self.get(layer.effective_id(row.item.id()).as_str());
                    entries.extend(entry.filter(|entry| entry.claim.origin == layer.origin).cloned());
                }
            }
            entries.into()
        })
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.index.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an entry has shadows.
    pub(crate) fn is_contested(&self) -> bool {
        self.0.index.contested > 0
    }

    /// The layers, by tier, then order of composition.
    pub fn layers(&self) -> &[Layer<T>] {
        &self.0.layers
    }

    /// The layer of this source.
    pub fn layer(&self, source: &str) -> Option<&Layer<T>> {
        self.0.layers.iter().find(|layer| layer.origin.source.as_ref() == source)
    }

    /// Everything the operator should know: each source's findings, then the merge's.
    pub fn diagnostics(&self) -> &[SourceDiagnostic] {
        self.0.diagnostics.get_or_init(|| findings(self).into())
    }

    /// The error findings by path; those without a path under the source's name.
    pub fn errors(&self) -> std::collections::BTreeMap<Arc<str>, Vec<Diagnostic>> {
        let mut errors = std::collections::BTreeMap::<Arc<str>, Vec<Diagnostic>>::new();
        for SourceDiagnostic { source, diagnostic } in self.diagnostics() {
            if diagnostic.severity == Severity::Error {
                let key = diagnostic.path.as_ref().unwrap_or(source);
                errors.entry(Arc::clone(key)).or_default().push(diagnostic.clone());
            }
        }
        errors
    }

    /// What changed since `older`. Costs what changed when one came from the other.
    pub fn changes_since(&self, older: &Snapshot<T>) -> Change<T> {
        Change::between(older, self)
    }

    /// Whether [`changes_since`](Snapshot::changes_since) tells of nothing; costs less where it tells of much.
    pub(crate) fn is_like(&self, older: &Snapshot<T>) -> bool {
        let same = |entry: &Arc<Entry<T>>| older.get(entry.id.as_str()).is_some_and(|before| before.is_same(entry));
        self.len() == older.len() && self.differing(older).all(same) && self.has_diagnostics_of(older)
    }

    /// Whether each source says the same. What merging reports follows from the entries.
    pub(crate) fn has_diagnostics_of(&self, other: &Snapshot<T>) -> bool {
        let own = |snapshot: &Snapshot<T>| {
            let findings = |layer: &Layer<T>| layer.listing.diagnostics().clone();
            snapshot.layers().iter().map(findings).collect::<Vec<_>>()
        };
        own(self) == own(other)
    }

    /// Whether both are the very same view.
    pub(crate) fn is(&self, other: &Snapshot<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Entries of `self` whose id has another entry, or none, in `other`; shared shards are skipped.
    pub(crate) fn differing<'a>(&'a self, other: &'a Snapshot<T>) -> impl Iterator<Item = &'a Arc<Entry<T>>> {
        let shards = self.0.index.shards.iter().zip(&other.0.index.shards);
        let rows = shards.filter(|(mine, theirs)| !Arc::ptr_eq(mine, theirs)).flat_map(|(mine, _)| mine.iter());
        rows.filter(|entry| !other.get(entry.id.as_str()).is_some_and(|other| Arc::ptr_eq(entry, other)))
    }
}

impl<T: Item> PartialEq for Snapshot<T> {
    /// Same layers, entries and diagnostics, whatever the generation.
    fn eq(&self, other: &Snapshot<T>) -> bool {
        let same = |(a, b): (&Arc<Entry<T>>, &Arc<Entry<T>>)| a.is_same(b);
        self.len() == other.len()
            && self.0.layers == other.0.layers
            && self.entries().iter().zip(other.entries()).all(same)
            && self.diagnostics() == other.diagnostics()
    }
}
