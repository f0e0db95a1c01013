//! The full-text index of a snapshot.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;
use repertoire_core::{ChunkedVec, Id, Item, Skill};
use repertoire_registry::{Change, Entry, Modified, Snapshot};

use super::block_table::BlockTable;
use super::document::{Doc, ItemTerms, Posting};
use super::item::SearchItem;
use super::lexicon::Lexicon;
use super::mask::{Bits, MaskCache, VisibilityMask};
use super::postings::{CountedTerms, Dictionary};
use super::query::Query;
use super::synonyms::Synonyms;
use super::term_table::TermId;
use super::text::{SkillText, TextRows, TextTerms, most_terms};
use super::text_part::{JoinedParts, TextPart};
use super::tokenize::normalized;
use super::vocabulary::NameVocabulary;

/// A full-text index over a snapshot's skills, or other [items](SearchItem): their front matter, and their bodies and example
/// prompts where [`with_texts`](SearchIndex::with_texts) gave them.
///
/// Immutable and cheap to clone. No text is taken apart again for a query.
///
/// ```
/// use repertoire_core::{ListingEntry, Listing, Revision, Skill, Stamp};
/// use repertoire_search::{SearchIndex, Query};
/// use repertoire_registry::{Layer, Origin, Tier, merge};
///
/// let skills = [("fill-form", "Fills PDF forms."), ("pdf", "Reads PDF files."), ("mail", "Writes letters.")];
/// let rows = skills.map(|(id, about)| ListingEntry::new(Skill::new(id.parse().unwrap(), about), Stamp::of(about)));
/// let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, Listing::new(Revision(0), rows, []))]);
///
/// let hits = SearchIndex::new(&snapshot).search(&Query::new("PDF"));
/// let found: Vec<_> = hits.iter().map(|hit| (hit.entry.id.as_str(), hit.why.to_string())).collect();
/// assert_eq!(found, [("pdf", "its name".to_owned()), ("fill-form", "description: `pdf`".to_owned())]);
/// ```
#[derive(Debug, Clone)]
pub struct SearchIndex<T: Item = Skill>(pub(super) Arc<IndexData<T>>);

#[derive(Debug, Clone)]
pub(super) struct IndexData<T: Item> {
    snapshot: Snapshot<T>,
    pub(super) dictionary: Dictionary,
    pub(super) vocabulary: NameVocabulary,
    /// Normalized names, each with the number of its skill.
    pub(super) names: ChunkedVec<(Arc<str>, u32)>,
    pub(super) docs: BlockTable<Option<Doc<T>>>,
    sights: MaskCache,
    /// Numbers below `next` that are not in use.
    free: Vec<u32>,
    next: u32,
    /// Skills with a body.
    bodies: usize,
    /// Skills without a text, by number.
    unread: Bits,
    pub(super) synonyms: Arc<Synonyms>,
}

impl<T: SearchItem> SearchIndex<T> {
    /// Builds the index of `snapshot`, of front matter alone.
    pub fn new(snapshot: &Snapshot<T>) -> SearchIndex<T> {
        let mut build = IndexBuilder::new();
        for entry in snapshot.entries() {
            build.add(entry, None);
        }
        SearchIndex(Arc::new(build.finish(snapshot)))
    }

    /// Returns the index with these synonyms in place of its own.
    #[must_use]
    pub fn with_synonyms(&self, synonyms: impl Into<Arc<Synonyms>>) -> SearchIndex<T> {
        let synonyms = synonyms.into();
        SearchIndex(Arc::new(IndexData {
            synonyms,
            ..IndexData::clone(&self.0)
        }))
    }

    /// Returns the index with the bodies and example prompts of these skills, by effective id. Unknown ids are skipped.
    ///
    /// Of a body, the 512 terms are kept that identify it best; 256 of them where the index has more than 4,096 skills.
    #[must_use]
    pub fn with_texts<'t>(
        &self,
        texts: impl IntoIterator<Item = (&'t Id, &'t SkillText)>,
    ) -> SearchIndex<T> {
        let texts = texts.into_iter();
        let texts: HashMap<u32, &SkillText> = texts
            .filter_map(|(id, text)| Some((self.0.number_of(id)?, text)))
            .collect();
        if self.0.are_few(texts.len()) {
            return self.with_few_texts(texts);
        }
        let mut part = TextPart::new(self.0.most_terms());
        for (number, text) in texts {
            part.add(number, self.0.entry(number), text);
        }
        let (joined, counted) = self.joined(vec![part]);
        let dictionary = Dictionary::of(joined.postings(), counted);
        self.with_joined(dictionary, joined.texts())
    }

    /// Returns the index with these texts, added one after the other.
    pub(super) fn with_few_texts<'t>(
        &self,
        texts: impl IntoIterator<Item = (u32, &'t SkillText)>,
    ) -> SearchIndex<T> {
        let mut inner = IndexData::clone(&self.0);
        let mut lexicon = Lexicon::default();
        for (number, text) in texts {
            let text = TextRows::of(text, self.0.most_terms(), &mut lexicon);
            let text = Arc::new(TextTerms::of_words(&text, &lexicon));
            inner.set(
                number,
                Some((self.0.entry(number), Some(text))),
                &mut lexicon,
            );
        }
        SearchIndex(Arc::new(inner))
    }

    /// Joins the parts, whose items have the numbers of this index, with the items that are in none of them.
    pub(super) fn joined(&self, mut parts: Vec<TextPart>) -> (JoinedParts, CountedTerms) {
        let known: Bits = parts.iter().flat_map(TextPart::numbers).collect();
        let mut others = TextPart::new(self.0.most_terms());
        for (number, doc) in self.0.docs().filter(|(number, _)| !known.has(*number)) {
            others.add_kept(number, doc, self.0.dictionary.terms());
        }
        parts.push(others);
        JoinedParts::of(parts)
    }

    /// Returns the index with these postings and these texts of its items, in their order.
    pub(super) fn with_joined(
        &self,
        dictionary: Dictionary,
        texts: Vec<Option<Arc<TextTerms>>>,
    ) -> SearchIndex<T> {
        let mut inner = IndexData {
            dictionary,
            sights: self.0.sights.without_masks(),
            bodies: 0,
            unread: Bits::default(),
            ..IndexData::clone(&self.0)
        };
        for ((number, doc), text) in self.0.docs().zip(texts) {
            let doc = doc.with_text(text);
            inner.bodies += usize::from(doc.has_body());
            if doc.text.is_none() {
                inner.unread.insert(number);
            }
            inner.docs.set(number, Some(doc));
        }
        SearchIndex(Arc::new(inner))
    }

    /// Returns the index of `snapshot`, built from this one. Costs what changed, if the snapshot came from the one indexed here.
    ///
    /// The text of a skill is kept until its body or resources change.
    #[must_use]
    pub fn updated(&self, snapshot: &Snapshot<T>) -> SearchIndex<T> {
        let change = snapshot.changes_since(&self.0.snapshot);
        let changed = change.added.len() + change.modified.len() + change.removed.len();
        if changed > MANY_CHANGED && changed > snapshot.len() / 8 {
            return self.rebuilt(snapshot, &change);
        }
        let mut inner = IndexData::clone(&self.0);
        inner.snapshot = snapshot.clone();
        let mut lexicon = Lexicon::default();
        for entry in &change.removed {
            let number = inner.known_number_of(&entry.id);
            inner.set(number, None, &mut lexicon);
            inner.free.push(number);
        }
        for modified in &change.modified {
            let number = inner.known_number_of(&modified.old.id);
            let text = inner.docs.get(number).as_ref();
            let text = text.and_then(|doc| doc.text.clone());
            let text = text.filter(|_| keeps_text(modified));
            inner.set(number, Some((&modified.new, text)), &mut lexicon);
        }
        for entry in &change.added {
            let number = inner.free.pop().unwrap_or(inner.next);
            inner.next = inner.next.max(number + 1);
            inner.set(number, Some((entry, None)), &mut lexicon);
        }
        SearchIndex(Arc::new(inner))
    }

    /// Builds the index of `snapshot` at once, with the texts that `change` keeps.
    fn rebuilt(&self, snapshot: &Snapshot<T>, change: &Change<T>) -> SearchIndex<T> {
        let lost = change
            .modified
            .iter()
            .filter(|modified| !keeps_text(modified));
        let lost: HashSet<&Id> = lost.map(|modified| &modified.new.id).collect();
        let mut build = IndexBuilder::new();
        for entry in snapshot.entries() {
            let number = self.0.number_of(&entry.id);
            let doc = number.and_then(|number| self.0.docs.get(number).as_ref());
            let text = doc.and_then(|doc| doc.text.as_ref());
            let text = text.filter(|_| !lost.contains(&entry.id));
            let terms = self.0.dictionary.terms();
            let rows = text.map(|text| text.rows(terms, &mut build.lexicon));
            build.add(entry, rows);
        }
        SearchIndex(Arc::new(IndexData {
            synonyms: self.0.synonyms.clone(),
            ..build.finish(snapshot)
        }))
    }

    /// Returns the skills whose text is not in the index.
    pub fn without_text(&self) -> impl Iterator<Item = &Arc<Entry<T>>> {
        self.0.unread().map(|(_, entry)| entry)
    }

    /// Returns whether both are one index, with the same texts.
    #[doc(hidden)]
    pub fn is(&self, other: &SearchIndex<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the indexed snapshot.
    pub fn snapshot(&self) -> &Snapshot<T> {
        &self.0.snapshot
    }
}

impl<T: SearchItem> IndexData<T> {
    pub(super) fn len(&self) -> usize {
        self.next as usize - self.free.len()
    }

    /// Returns the most terms of a body that are kept.
    pub(super) fn most_terms(&self) -> usize {
        most_terms(self.len())
    }

    /// Returns whether the texts of so many skills are added one after the other, because they are less than an eighth.
    pub(super) fn are_few(&self, texts: usize) -> bool {
        texts < self.len() / 8
    }

    /// Returns whether most skills have their bodies in the index.
    pub(super) fn has_bodies(&self) -> bool {
        2 * self.bodies > self.len()
    }

    pub(super) fn sight(&self, query: &Query) -> Option<Arc<VisibilityMask>> {
        self.sights
            .of(&self.docs, query)
            .filter(|sight| sight.count() < self.len())
    }

    pub(super) fn docs(&self) -> impl Iterator<Item = (u32, &Doc<T>)> {
        (0..)
            .zip(self.docs.iter())
            .filter_map(|(number, doc)| Some((number, doc.as_ref()?)))
    }

    /// Returns the skills without a text.
    pub(super) fn unread(&self) -> impl Iterator<Item = (u32, &Arc<Entry<T>>)> {
        let unread = self.unread.iter();
        unread.map(|number| (number, self.entry(number)))
    }

    fn entry(&self, number: u32) -> &Arc<Entry<T>> {
        let doc = self.docs.get(number).as_ref();
        &doc.expect("its number was found").entry
    }

    /// Puts an entry with its text in the place of what has `number`. Costs the terms that differ.
    fn set(&mut self, number: u32, new: Option<NewDoc<'_, T>>, lexicon: &mut Lexicon) {
        let is_known = number < self.docs.len();
        let old = is_known.then(|| self.docs.get(number).clone()).flatten();
        let (before, after) = self.terms_of(old.as_ref(), new.as_ref(), lexicon);
        let postings = |terms: &Option<ItemTerms>| -> HashSet<(TermId, Posting), RandomState> {
            let terms = terms.iter();
            terms.flat_map(|terms| terms.postings(number)).collect()
        };
        let (gone, added) = (postings(&before), postings(&after));
        for (term, posting) in gone.difference(&added) {
            self.dictionary.remove(lexicon.text(*term), *posting);
        }
        for (term, posting) in added.difference(&gone) {
            self.dictionary.insert(lexicon.text(*term), *posting);
        }
        self.change_names(number, before.as_ref(), after.as_ref());
        if let Some(doc) = &old {
            self.sights.remove(number, doc);
            self.bodies -= usize::from(doc.has_body());
            self.unread.remove(number);
        }
        let doc = new
            .zip(after)
            .map(|((entry, text), terms)| Doc::of(entry, text, terms.level));
        if let Some(doc) = &doc {
            self.sights.insert(number, doc);
            self.bodies += usize::from(doc.has_body());
            if doc.text.is_none() {
                self.unread.insert(number);
            }
        }
        self.docs.set(number, doc);
    }

    /// Returns the terms of an item before a change and after it. Of a text that stays, those that front matter does not have
    /// are left out, because their postings stay too.
    fn terms_of(
        &self,
        old: Option<&Doc<T>>,
        new: Option<&NewDoc<'_, T>>,
        lexicon: &mut Lexicon,
    ) -> (Option<ItemTerms>, Option<ItemTerms>) {
        let table = self.dictionary.terms();
        let before = old.map(|doc| ItemTerms::of(&doc.entry, None, lexicon));
        let after = new.map(|(entry, _)| ItemTerms::of(entry, None, lexicon));
        let old_text = old.and_then(|doc| doc.text.as_ref());
        let new_text = new.and_then(|(_, text)| text.as_ref());
        let stays = old_text
            .zip(new_text)
            .is_some_and(|(old, new)| Arc::ptr_eq(old, new));
        let in_front_matter = before.iter().chain(&after).flat_map(ItemTerms::terms);
        let in_front_matter: Vec<TermId> = in_front_matter.collect();
        let mut with_text = |terms: ItemTerms, text: Option<&Arc<TextTerms>>| {
            let rows = text.map(|text| match stays {
                true => text.rows_of(&in_front_matter, table, lexicon),
                false => text.rows(table, lexicon),
            });
            match rows {
                Some(rows) => terms.with_text(&rows, lexicon),
                None => terms,
            }
        };
        (
            before.map(|terms| with_text(terms, old_text)),
            after.map(|terms| with_text(terms, new_text)),
        )
    }

    fn change_names(&mut self, number: u32, before: Option<&ItemTerms>, after: Option<&ItemTerms>) {
        let names = |terms: Option<&ItemTerms>| {
            let names = terms.map(|terms| (terms.names.clone(), terms.name_words.clone()));
            names.unwrap_or_default()
        };
        let ((names_before, words_before), (names_after, words_after)) =
            (names(before), names(after));
        if words_before != words_after {
            for word in &words_before {
                self.vocabulary.remove(word);
            }
            for word in &words_after {
                self.vocabulary.insert(word);
            }
        }
        if names_before != names_after {
            for name in names_before {
                let at = self.name_place(&name, number);
                self.names.splice(at..at + 1, []);
            }
            for name in names_after {
                let at = self.name_place(&name, number);
                self.names.splice(at..at, [(name.into(), number)]);
            }
        }
    }

    fn known_number_of(&self, id: &Id) -> u32 {
        self.number_of(id).expect("what changes was inserted")
    }

    fn name_place(&self, name: &str, number: u32) -> usize {
        self.names
            .partition_point(|(other, owner)| (&**other, *owner) < (name, number))
    }

    pub(super) fn number_of(&self, id: &Id) -> Option<u32> {
        let has = |number: &u32| {
            self.docs
                .get(*number)
                .as_ref()
                .is_some_and(|doc| doc.entry.id == *id)
        };
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

fn keeps_text<T: Item>(modified: &Modified<T>) -> bool {
    let parts = modified.changed_parts();
    !parts.body && !parts.resources
}

/// An entry that is placed in an index, and its text.
type NewDoc<'e, T> = (&'e Arc<Entry<T>>, Option<Arc<TextTerms>>);

/// More changes than these, and an eighth of the skills, are not made one after the other.
const MANY_CHANGED: usize = 256;

/// The rows of an index that is built at once: each list is sorted once, not row by row.
struct IndexBuilder<T: Item> {
    lexicon: Lexicon,
    postings: Vec<(TermId, Posting)>,
    name_words: HashMap<String, u32, RandomState>,
    names: Vec<(Arc<str>, u32)>,
    docs: BlockTable<Option<Doc<T>>>,
    sights: MaskCache,
    next: u32,
    bodies: usize,
    unread: Bits,
}

impl<T: SearchItem> IndexBuilder<T> {
    fn new() -> IndexBuilder<T> {
        IndexBuilder {
            lexicon: Lexicon::default(),
            postings: Vec::new(),
            name_words: HashMap::default(),
            names: Vec::new(),
            docs: BlockTable::default(),
            sights: MaskCache::default(),
            next: 0,
            bodies: 0,
            unread: Bits::default(),
        }
    }

    fn add(&mut self, entry: &Arc<Entry<T>>, text: Option<TextRows>) {
        let number = self.next;
        self.next += 1;
        let terms = ItemTerms::of(entry, text.as_ref(), &mut self.lexicon);
        self.postings.extend(terms.postings(number));
        for word in terms.name_words {
            *self.name_words.entry(word).or_default() += 1;
        }
        self.names
            .extend(terms.names.into_iter().map(|name| (name.into(), number)));
        let text = text.map(|text| Arc::new(TextTerms::of_numbers(text)));
        let doc = Doc::of(entry, text, terms.level);
        self.bodies += usize::from(doc.has_body());
        if doc.text.is_none() {
            self.unread.insert(number);
        }
        self.sights.insert(number, &doc);
        self.docs.set(number, Some(doc));
    }

    fn finish(mut self, snapshot: &Snapshot<T>) -> IndexData<T> {
        self.names.sort_unstable();
        let counted = CountedTerms::of(self.lexicon.into_terms(), &self.postings);
        IndexData {
            snapshot: snapshot.clone(),
            dictionary: Dictionary::of(self.postings.into_iter(), counted),
            vocabulary: NameVocabulary::from_counts(self.name_words),
            names: self.names.into_iter().collect(),
            docs: self.docs,
            sights: self.sights,
            free: Vec::new(),
            next: self.next,
            bodies: self.bodies,
            unread: self.unread,
            synonyms: Arc::default(),
        }
    }
}
