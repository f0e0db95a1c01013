//! Immutable snapshots.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

use repertoire_core::{Diagnostic, Item, Listing, Severity};

use crate::layers::Layers;
use crate::snapshot_builder::{SnapshotBuilder, SourceUpdate};
use crate::{Change, DiagnosticChange, Entry, Layer, RuleStack, SourceDiagnostic, diagnostics};

/// An immutable merged snapshot with a generation. Cheap to clone. Readers never wait.
#[derive(Debug, Clone)]
pub struct Snapshot<T: Item>(Arc<Inner<T>>);

#[derive(Debug)]
struct Inner<T: Item> {
    generation: u64,
    builder: SnapshotBuilder<T>,
    // Derived from it when first asked for.
    entries: OnceLock<Box<[Arc<Entry<T>>]>>,
    diagnostics: OnceLock<Box<[SourceDiagnostic]>>,
    composed: OnceLock<Box<[SourceDiagnostic]>>,
    /// The changes since the snapshot for which a caller asked first: most often the one before, for every client alike.
    changes: OnceLock<(Weak<Inner<T>>, Change<T>)>,
}

impl<T: Item> Snapshot<T> {
    pub(crate) fn of(layers: &[Layer<T>], rules: &RuleStack) -> Snapshot<T> {
        Snapshot::assemble(0, SnapshotBuilder::merge(layers, rules))
    }

    fn assemble(generation: u64, builder: SnapshotBuilder<T>) -> Snapshot<T> {
        Snapshot(Arc::new(Inner {
            generation,
            builder,
            entries: OnceLock::new(),
            diagnostics: OnceLock::new(),
            composed: OnceLock::new(),
            changes: OnceLock::new(),
        }))
    }

    /// Returns the snapshot after `source` has `listing`, of the same generation. A source that is not composed changes
    /// nothing.
    ///
    /// Equal to merging from scratch. What is known about the content of unchanged rows stays known. Costs the rows of which
    /// the present listing and `listing` do not share the chunk.
    #[doc(hidden)]
    #[must_use]
    pub fn with_listing(&self, source: &str, listing: Listing<T>) -> Snapshot<T> {
        let Some(layer) = self.layer(source) else {
            return self.clone();
        };
        let mut builder = self.builder();
        SourceUpdate::new(source, layer.listing.clone(), listing).apply(&mut builder);
        self.revised(builder)
    }

    /// Returns the same snapshot under different rules, of the same generation. Equal to merging from scratch. The cost is
    /// proportional to the number of entries that they switch differently.
    #[doc(hidden)]
    #[must_use]
    pub fn with_rules(&self, rules: &RuleStack) -> Snapshot<T> {
        let mut builder = self.builder();
        builder.set_rules(rules);
        self.revised(builder)
    }

    pub(crate) fn builder(&self) -> SnapshotBuilder<T> {
        self.0.builder.clone()
    }

    pub(crate) fn revised(&self, builder: SnapshotBuilder<T>) -> Snapshot<T> {
        Snapshot::assemble(self.0.generation, builder.finish())
    }

    pub(crate) fn of_generation(self, generation: u64) -> Snapshot<T> {
        if self.0.generation == generation {
            self
        } else {
            Snapshot::assemble(generation, self.builder())
        }
    }

    /// Returns the number of this snapshot among those that one registry published. Equal generations of one registry are equal.
    pub fn generation(&self) -> u64 {
        self.0.generation
    }

    /// Returns the entry with exactly this effective id. For what a person typed, see [`resolve`](Snapshot::resolve).
    pub fn get(&self, id: &str) -> Option<&Arc<Entry<T>>> {
        self.0.builder.index.get(id)
    }

    /// Returns all entries by tier, then source, then the source's own order.
    pub fn entries(&self) -> &[Arc<Entry<T>>] {
        self.0.entries.get_or_init(|| {
            let mut entries = Vec::with_capacity(self.0.builder.index.len());
            for layer in self.layers() {
                for row in layer.listing.iter() {
                    let entry = self.get(layer.effective_id(row.item.id()).as_str());
                    entries.extend(
                        entry
                            .filter(|entry| entry.candidate.is_of(&layer.origin, row.item.id()))
                            .cloned(),
                    );
                }
            }
            entries.into()
        })
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.0.builder.index.len()
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn is_contested(&self) -> bool {
        self.0.builder.index.is_contested()
    }

    pub(crate) fn has_lookalikes(&self) -> bool {
        self.0.builder.index.has_lookalikes()
    }

    pub(crate) fn unsorted(&self) -> impl Iterator<Item = &Entry<T>> {
        self.0.builder.index.unsorted()
    }

    /// Returns the layers by tier, then order of composition.
    pub fn layers(&self) -> &[Layer<T>] {
        self.0.builder.layers.as_slice()
    }

    /// Returns the layer of this source.
    pub fn layer(&self, source: &str) -> Option<&Layer<T>> {
        self.0.builder.layers.get(source)
    }

    /// Returns the rules.
    pub fn rules(&self) -> &RuleStack {
        &self.0.builder.rules
    }

    /// Returns the diagnostics of each source, then those of merging.
    pub fn diagnostics(&self) -> &[SourceDiagnostic] {
        self.0
            .diagnostics
            .get_or_init(|| diagnostics::of_view(self).into())
    }

    /// Returns the errors by path, those without a path under the name of the source.
    pub fn errors(&self) -> BTreeMap<Arc<str>, Vec<Diagnostic>> {
        let mut errors = BTreeMap::<Arc<str>, Vec<Diagnostic>>::new();
        for SourceDiagnostic { source, diagnostic } in self.diagnostics() {
            if diagnostic.severity == Severity::Error {
                let key = diagnostic.path.as_ref().unwrap_or(source);
                errors
                    .entry(Arc::clone(key))
                    .or_default()
                    .push(diagnostic.clone());
            }
        }
        errors
    }

    /// Returns the changes since `older`. Costs what changed if one snapshot was made from the other.
    pub fn changes_since(&self, older: &Snapshot<T>) -> Change<T> {
        match self
            .0
            .changes
            .get_or_init(|| (Arc::downgrade(&older.0), Change::between(older, self)))
        {
            (known, change) if known.as_ptr() == Arc::as_ptr(&older.0) => change.clone(),
            _ => Change::between(older, self),
        }
    }

    /// Returns whether both snapshots have entries of the same ids, from the same sources and in the same order.
    ///
    /// Costs what changed if one snapshot was made from the other. `false` may also mean that only hidden rows moved.
    #[doc(hidden)]
    pub fn has_order_of(&self, older: &Snapshot<T>) -> bool {
        let change = self.changes_since(older);
        change.added.is_empty()
            && change.removed.is_empty()
            && change
                .modified
                .iter()
                .all(|id| id.old.origin() == id.new.origin())
            && self.layers().len() == older.layers().len()
            && self
                .layers()
                .iter()
                .zip(older.layers())
                .all(|(new, old)| new.has_order_of(old))
    }

    pub(crate) fn is_like(&self, older: &Snapshot<T>) -> bool {
        self.len() == older.len()
            && self.differences(older)[0].iter().all(|entry| {
                older
                    .get(entry.id.as_str())
                    .is_some_and(|before| before.is_same(entry))
            })
            && DiagnosticChange::of_sources(older, self).is_empty()
    }

    pub(crate) fn composed(&self) -> &[SourceDiagnostic] {
        self.0
            .composed
            .get_or_init(|| diagnostics::of_composition(self).into())
    }

    pub(crate) fn all_layers(&self) -> &Layers<T> {
        &self.0.builder.layers
    }

    /// Returns whether both handles refer to the same snapshot. A cache of what is derived from a snapshot compares with this.
    pub fn ptr_eq(&self, other: &Snapshot<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn differences<'a>(&'a self, other: &'a Snapshot<T>) -> [Vec<&'a Arc<Entry<T>>>; 2] {
        self.0.builder.index.differences(&other.0.builder.index)
    }
}

impl<T: Item> PartialEq for Snapshot<T> {
    fn eq(&self, other: &Snapshot<T>) -> bool {
        self.len() == other.len()
            && self.layers() == other.layers()
            && self.rules() == other.rules()
            && self
                .entries()
                .iter()
                .zip(other.entries())
                .all(|(a, b): (&Arc<Entry<T>>, &Arc<Entry<T>>)| a.is_same(b))
            && self.diagnostics() == other.diagnostics()
    }
}
