//! The immutable merged view.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use repertoire_core::{Diagnostic, Item, Listing, Severity};

use crate::draft::Draft;
use crate::findings;
use crate::layers::Layers;
use crate::refresh::SourceUpdate;
use crate::{Change, DiagnosticChange, Entry, Layer, Rules, SourceDiagnostic};

/// The immutable merged view, with a generation. Cheap to clone; readers never wait.
#[derive(Debug, Clone)]
pub struct Snapshot<T: Item>(Arc<Inner<T>>);

#[derive(Debug)]
struct Inner<T: Item> {
    generation: u64,
    draft: Draft<T>,
    // Derived from it when first asked for.
    entries: OnceLock<Box<[Arc<Entry<T>>]>>,
    diagnostics: OnceLock<Box<[SourceDiagnostic]>>,
    composed: OnceLock<Box<[SourceDiagnostic]>>,
}

impl<T: Item> Snapshot<T> {
    /// Generation 0 of these layers. [`merge`](crate::merge) is the public door.
    pub(crate) fn of(layers: &[Layer<T>], rules: &Rules) -> Snapshot<T> {
        Snapshot::assemble(0, Draft::merge(layers, rules))
    }

    fn assemble(generation: u64, draft: Draft<T>) -> Snapshot<T> {
        Snapshot(Arc::new(Inner {
            generation,
            draft,
            entries: OnceLock::new(),
            diagnostics: OnceLock::new(),
            composed: OnceLock::new(),
        }))
    }

    /// Returns the snapshot after `source` has `listing`, of the same generation. A source that is not composed changes
    /// nothing.
    ///
    /// Equal to merging from scratch. What is known about the content of unchanged rows stays known. Costs the rows of which
    /// the present listing and `listing` do not share the chunk.
    #[must_use]
    pub fn with_listing(&self, source: &str, listing: Listing<T>) -> Snapshot<T> {
        let Some(layer) = self.layer(source) else { return self.clone() };
        let mut draft = self.draft();
        SourceUpdate::new(source, layer.listing.clone(), listing).apply(&mut draft);
        self.revised(draft)
    }

    /// The same view under other rules, of the same generation; equal to merging from scratch, and costs what they do not
    /// switch alike.
    #[must_use]
    pub fn with_rules(&self, rules: &Rules) -> Snapshot<T> {
        let mut draft = self.draft();
        draft.set_rules(rules);
        self.revised(draft)
    }

    /// This view to go on from.
    pub(crate) fn draft(&self) -> Draft<T> {
        self.0.draft.clone()
    }

    /// What a draft of this view has become, of the same generation.
    pub(crate) fn revised(&self, draft: Draft<T>) -> Snapshot<T> {
        Snapshot::assemble(self.0.generation, draft.finish())
    }

    /// The same view, counted as `generation`.
    pub(crate) fn of_generation(self, generation: u64) -> Snapshot<T> {
        if self.0.generation == generation { self } else { Snapshot::assemble(generation, self.draft()) }
    }

    /// Counts the published views of one registry. Equal generations of one registry are one view.
    pub fn generation(&self) -> u64 {
        self.0.generation
    }

    /// The entry with exactly this effective id. For what a person typed, see [`resolve`](Snapshot::resolve).
    pub fn get(&self, id: &str) -> Option<&Arc<Entry<T>>> {
        self.0.draft.index.get(id)
    }

    /// All entries: by tier, then source, then the source's own order.
    pub fn entries(&self) -> &[Arc<Entry<T>>] {
        self.0.entries.get_or_init(|| {
            let mut entries = Vec::with_capacity(self.0.draft.index.len());
            for layer in self.layers() {
                for row in layer.listing.iter() {
                    let entry = self.get(layer.effective_id(row.item.id()).as_str());
                    entries.extend(entry.filter(|entry| entry.claim.is_of(&layer.origin, row.item.id())).cloned());
                }
            }
            entries.into()
        })
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.draft.index.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether an entry has shadows.
    pub(crate) fn is_contested(&self) -> bool {
        self.0.draft.index.is_contested()
    }

    /// Returns whether a name has letters that are taken for others.
    pub(crate) fn has_lookalikes(&self) -> bool {
        self.0.draft.index.has_lookalikes()
    }

    /// Returns all entries in no order.
    pub(crate) fn unsorted(&self) -> impl Iterator<Item = &Entry<T>> {
        self.0.draft.index.unsorted()
    }

    /// The layers, by tier, then order of composition.
    pub fn layers(&self) -> &[Layer<T>] {
        self.0.draft.layers.as_slice()
    }

    /// The layer of this source.
    pub fn layer(&self, source: &str) -> Option<&Layer<T>> {
        self.0.draft.layers.get(source)
    }

    /// What is switched off.
    pub fn rules(&self) -> &Rules {
        &self.0.draft.rules
    }

    /// Everything the operator should know: each source's findings, then the merge's.
    pub fn diagnostics(&self) -> &[SourceDiagnostic] {
        self.0.diagnostics.get_or_init(|| findings::of_view(self).into())
    }

    /// The error findings by path; those without a path under the source's name.
    pub fn errors(&self) -> BTreeMap<Arc<str>, Vec<Diagnostic>> {
        let mut errors = BTreeMap::<Arc<str>, Vec<Diagnostic>>::new();
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
        self.len() == older.len()
            && self.differing(older).all(same)
            && DiagnosticChange::of_sources(older, self).is_empty()
    }

    /// What is odd about the composition and the rules.
    pub(crate) fn composed(&self) -> &[SourceDiagnostic] {
        self.0.composed.get_or_init(|| findings::of_composition(self).into())
    }

    pub(crate) fn all_layers(&self) -> &Layers<T> {
        &self.0.draft.layers
    }

    /// Whether both are the very same view: told at once, for what was derived from one to be kept.
    pub fn is(&self, other: &Snapshot<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Entries of `self` whose id has another entry, or none, in `other`.
    pub(crate) fn differing<'a>(&'a self, other: &'a Snapshot<T>) -> impl Iterator<Item = &'a Arc<Entry<T>>> {
        self.0.draft.index.differing(&other.0.draft.index)
    }
}

impl<T: Item> PartialEq for Snapshot<T> {
    /// Same layers, rules, entries and diagnostics, whatever the generation.
    fn eq(&self, other: &Snapshot<T>) -> bool {
        let same = |(a, b): (&Arc<Entry<T>>, &Arc<Entry<T>>)| a.is_same(b);
        self.len() == other.len()
            && self.layers() == other.layers()
            && self.rules() == other.rules()
            && self.entries().iter().zip(other.entries()).all(same)
            && self.diagnostics() == other.diagnostics()
    }
}
