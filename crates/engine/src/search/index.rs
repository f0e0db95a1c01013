//! The full-text index of a snapshot, and the one that follows a registry.

use std::sync::Arc;

use arc_swap::ArcSwap;
use repertoire_core::{ChunkedVec, Id, Skill};
use repertoire_registry::{Entry, SkillRegistry, Snapshot};

use super::document::{Doc, HitField, SkillTerms};
use super::mask::{MaskCache, VisibilityMask};
use super::postings::{BlockTable, Dictionary};
use super::query_term::QueryTerm;
use super::ranking::TopK;
use super::tokenize::{Stems, normalized};
use super::vocabulary::NameVocabulary;
use super::{MatchKind, Query, SearchHit, ranking};

/// A full-text index over the front matter of a snapshot's skills.
///
/// Immutable and cheap to clone. No body is read for it, and no text is taken apart again for a query.
///
/// ```
/// use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
/// use repertoire_engine::search::{SearchIndex, Query};
/// use repertoire_registry::{Layer, Origin, Tier, merge};
///
/// let skills = [("fill-form", "Fills PDF forms."), ("pdf", "Reads PDF files."), ("mail", "Writes letters.")];
/// let rows = skills.map(|(id, about)| ListingEntry::new(Skill::new(id.parse().unwrap(), about), Stamp::of(about)));
/// let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, Listing::new(Revision(0), rows, []))]);
///
/// let hits = SearchIndex::of(&snapshot).search(&Query::new("PDF"));
/// let found: Vec<_> = hits.iter().map(|hit| (hit.entry.id.as_str(), hit.why.to_string())).collect();
/// assert_eq!(found, [("pdf", "its name".to_owned()), ("fill-form", "description: `pdf`".to_owned())]);
/// ```
#[derive(Debug, Clone)]
pub struct SearchIndex(pub(super) Arc<IndexData>);

#[derive(Debug, Clone)]
pub(super) struct IndexData {
    snapshot: Snapshot<Skill>,
    pub(super) dictionary: Dictionary,
    pub(super) vocabulary: NameVocabulary,
    /// Normalized names, each with the number of its skill.
    pub(super) names: ChunkedVec<(Arc<str>, u32)>,
    pub(super) docs: BlockTable<Option<Doc>>,
    sights: MaskCache,
    /// Numbers below `next` that are not in use.
    free: Vec<u32>,
    next: u32,
}

impl SearchIndex {
    /// Builds the index of `snapshot`.
    pub fn of(snapshot: &Snapshot<Skill>) -> SearchIndex {
        let mut inner = IndexData {
            snapshot: snapshot.clone(),
            dictionary: Dictionary::default(),
            vocabulary: NameVocabulary::default(),
            names: ChunkedVec::default(),
            docs: BlockTable::default(),
            sights: MaskCache::default(),
            free: Vec::new(),
            next: 0,
        };
        let stems = Stems::new();
        for entry in snapshot.entries() {
            inner.insert(entry, &stems);
        }
        SearchIndex(Arc::new(inner))
    }

    /// Returns the index of `snapshot`, built from this one. Costs what changed, if the snapshot came from the one indexed here.
    #[must_use]
    pub fn updated(&self, snapshot: &Snapshot<Skill>) -> SearchIndex {
        let change = snapshot.changes_since(&self.0.snapshot);
        let mut inner = IndexData::clone(&self.0);
        inner.snapshot = snapshot.clone();
        let stems = Stems::new();
        for entry in &change.removed {
            inner.remove(entry, &stems);
        }
        for modified in &change.modified {
            inner.remove(&modified.old, &stems);
            inner.insert(&modified.new, &stems);
        }
        for entry in &change.added {
            inner.insert(entry, &stems);
        }
        SearchIndex(Arc::new(inner))
    }

    /// Returns the indexed snapshot.
    pub fn snapshot(&self) -> &Snapshot<Skill> {
        &self.0.snapshot
    }

    /// Returns the skills that fit `query`, the best first.
    ///
    /// 1. By [`MatchKind`](super::MatchKind): the name itself, the name but for its accents, its beginning, every word in the name, some words anywhere.
    /// 2. By the words: rare ones count more, and a word counts most in a name, then in a trigger, a tag, a description
    ///    (BM25F). Accents are folded: a word counts a little less where they differ from those typed. The forms of an English word are one word. A word that no skill has is taken for the nearest
    ///    words of names; the last word also for the beginning of one.
    /// 3. By tier, then id.
    ///
    /// The same snapshot and query give the same hits, however the index came about.
    pub fn search(&self, query: &Query) -> Vec<SearchHit> {
        ranking::search(&self.0, query)
    }

    /// Returns at most three skills that the text of `query` may have been meant for, if it is not the name of one.
    ///
    /// At least half of the words are in the name of each, slips forgiven.
    pub fn near(&self, query: &Query) -> Vec<Arc<Entry<Skill>>> {
        let words = QueryTerm::all(&self.0, &query.text, None).len();
        let hits = self.search(query).into_iter();
        let near = hits.filter(|hit| {
            let in_name = hit.why.words.iter().filter(|word| word.fields.contains(&HitField::Name)).count();
            hit.why.fit < MatchKind::Words || in_name > 0 && in_name * 2 >= words
        });
        near.map(|hit| hit.entry).take(3).collect()
    }

    pub(super) fn allows(&self, query: &Query, id: &Id) -> bool {
        let Some(number) = self.0.number_of(id) else { return false };
        let Some(doc) = self.0.docs.get(number) else { return false };
        let sight = self.0.sight(query);
        TopK::none_of(&self.0, query, sight.as_deref()).is_some_and(|best| best.allows(number, doc))
    }
}

impl IndexData {
    pub(super) fn len(&self) -> usize {
        self.next as usize - self.free.len()
    }

    pub(super) fn sight(&self, query: &Query) -> Option<Arc<VisibilityMask>> {
        self.sights.of(&self.docs, query).filter(|sight| sight.count() < self.len())
    }

    pub(super) fn docs(&self) -> impl Iterator<Item = (u32, &Doc)> {
        (0..).zip(self.docs.blocks().flatten()).filter_map(|(number, doc)| Some((number, doc.as_ref()?)))
    }

    fn insert(&mut self, entry: &Arc<Entry<Skill>>, stems: &Stems) {
        let number = self.free.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        });
        let terms = SkillTerms::of(entry, stems);
        for (term, posting) in terms.postings(number) {
            self.dictionary.insert(term, posting);
        }
        terms.name_words.iter().for_each(|word| self.vocabulary.insert(word));
        for name in terms.names {
            let at = self.name_place(&name, number);
            self.names.splice(at..at, [(name.into(), number)]);
        }
        let doc = Doc::of(entry);
        self.sights.insert(number, &doc);
        self.docs.set(number, Some(doc));
    }

    fn remove(&mut self, entry: &Arc<Entry<Skill>>, stems: &Stems) {
        let number = self.number_of(&entry.id).expect("what is removed was inserted");
        let terms = SkillTerms::of(entry, stems);
        for (term, posting) in terms.postings(number) {
            self.dictionary.remove(term, posting);
        }
        terms.name_words.iter().for_each(|word| self.vocabulary.remove(word));
        for name in terms.names {
            let at = self.name_place(&name, number);
            self.names.splice(at..at + 1, []);
        }
        self.sights.remove(number, &Doc::of(entry));
        self.docs.set(number, None);
        self.free.push(number);
    }

    fn name_place(&self, name: &str, number: u32) -> usize {
        self.names.partition_point(|(other, owner)| (&**other, *owner) < (name, number))
    }

    fn number_of(&self, id: &Id) -> Option<u32> {
        let has = |number: &u32| self.docs.get(*number).as_ref().is_some_and(|doc| doc.entry.id == *id);
        let name = normalized(id.as_str());
        if name.is_empty() {
            // A name of signs alone: rare enough to be looked for everywhere.
            return (0..self.next).find(has);
        }
        let names = self
            .names
            .iter_from(self.names.partition_point(|(other, _)| **other < *name))
            .take_while(|(other, _)| **other == *name);
        names.map(|(_, number)| *number).find(has)
    }
}

/// The index of a registry, updated when it is used. Cheap to clone; clones share the index.
///
/// Nothing runs in the background: the first to ask after a change pays for what changed. It is a value of its own and no method
/// of the registry, because somebody has to keep the index: make it once and ask it often.
#[derive(Debug, Clone)]
pub struct LiveIndex(Arc<LiveIndexState>);

#[derive(Debug)]
struct LiveIndexState {
    registry: SkillRegistry,
    index: ArcSwap<SearchIndex>,
}

impl LiveIndex {
    /// Builds the index of `registry`.
    pub fn of(registry: SkillRegistry) -> LiveIndex {
        let index = ArcSwap::from_pointee(SearchIndex::of(&registry.snapshot()));
        LiveIndex(Arc::new(LiveIndexState { registry, index }))
    }

    /// Returns the indexed registry.
    pub fn registry(&self) -> &SkillRegistry {
        &self.0.registry
    }

    /// Returns the index of the registry's current snapshot.
    pub fn current(&self) -> SearchIndex {
        let snapshot = self.0.registry.snapshot();
        let index = self.0.index.load();
        // Generations of one registry only rise. A caller with an older snapshot keeps the newer index.
        if index.snapshot().generation() >= snapshot.generation() {
            return SearchIndex::clone(&index);
        }
        let updated = Arc::new(index.updated(&snapshot));
        self.0.index.rcu(|now| {
            let newer = now.snapshot().generation() >= updated.snapshot().generation();
            if newer { Arc::clone(now) } else { Arc::clone(&updated) }
        });
        SearchIndex::clone(&updated)
    }

    /// Searches the registry's current snapshot.
    pub fn search(&self, query: &Query) -> Vec<SearchHit> {
        self.current().search(query)
    }
}
