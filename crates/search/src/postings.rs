//! The inverted index: from a term to the skills that have it.

use std::sync::Arc;

use repertoire_core::{ChunkedMap, Keyed};

use super::document::Posting;
use super::list_lengths::ListLengths;
use super::patched_list::{PatchedList, PostingPatches};
use super::term_table::{TermId, TermTable};

/// The skills that have a term, in three lists: names; other front matter; and texts, without which rarity in front matter
/// is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct TermPostings<'a> {
    pub(super) lists: [PatchedList<'a>; 3],
}

impl<'a> TermPostings<'a> {
    fn of(lists: [PatchedList<'a>; 3]) -> Option<TermPostings<'a>> {
        let is_empty = lists.iter().all(|list| list.len() == 0);
        (!is_empty).then_some(TermPostings { lists })
    }

    /// Returns the skills that have the term in their name.
    pub(super) fn named(&self) -> PatchedList<'a> {
        self.lists[0]
    }

    /// Returns the skills that have it in other front matter.
    pub(super) fn others(&self) -> PatchedList<'a> {
        self.lists[1]
    }

    pub(super) fn get(&self, number: u32) -> Option<Posting> {
        self.lists.into_iter().find_map(|list| list.get(number))
    }
}

/// Postings by term: those of the skills that were there when the index was built, which all later versions share, and those
/// of terms that changed since.
#[derive(Debug, Clone, Default)]
pub(super) struct Dictionary {
    built: Arc<BuiltPostings>,
    /// Shared, because a change copies a shard.
    changed: ChunkedMap<Arc<ChangedTerm>>,
}

#[derive(Debug, Default)]
struct BuiltPostings {
    terms: TermTable,
    lengths: ListLengths,
    /// By term, then list, then number.
    postings: Vec<Posting>,
}

/// Terms, with the number of the postings in each of their lists.
#[derive(Debug, Default)]
pub(super) struct CountedTerms {
    terms: TermTable,
    counts: Vec<[u32; 3]>,
}

impl CountedTerms {
    /// Counts the postings of `terms`.
    pub(super) fn of(terms: TermTable, postings: &[(TermId, Posting)]) -> CountedTerms {
        let counts = vec![[0; 3]; terms.len()];
        let mut counted = CountedTerms { terms, counts };
        for (term, posting) in postings {
            counted.count(*term, *posting);
        }
        counted
    }

    /// Adds a term without postings.
    pub(super) fn insert(&mut self, text: &str) -> TermId {
        let term = self.terms.insert(text);
        self.counts.resize(self.terms.len(), [0; 3]);
        term
    }

    pub(super) fn count(&mut self, term: TermId, posting: Posting) {
        self.counts[term as usize][posting.list()] += 1;
    }
}

/// A term whose postings changed since the index was built: a row, and what differs from it.
#[derive(Debug, Clone)]
struct ChangedTerm {
    term: Arc<str>,
    row: TermRow,
    patches: PostingPatches,
}

/// The postings of a term, by list, then by number.
#[derive(Debug, Clone)]
struct TermRow {
    place: RowPlace,
    /// The number of the postings of each list.
    lengths: [u32; 3],
}

#[derive(Debug, Clone)]
enum RowPlace {
    /// Those of the index that was built, from this posting on.
    Built(u32),
    /// Written after [`MOST_PATCHES`] changes.
    Own(Arc<[Posting]>),
}

/// The most patches of a term, which a search reads and a change copies.
const MOST_PATCHES: usize = 32;

impl ChangedTerm {
    fn lists<'a>(&'a self, built: &'a BuiltPostings) -> [PatchedList<'a>; 3] {
        let row = match &self.row.place {
            RowPlace::Built(begin) => &built.postings[*begin as usize..],
            RowPlace::Own(row) => row,
        };
        self.patches.patched(lists(row, self.row.lengths))
    }

    /// Returns the term with its patches in its row.
    fn rewritten(&self, built: &BuiltPostings) -> ChangedTerm {
        let lists = self.lists(built);
        let parts = lists.iter().flat_map(|list| list.chunks());
        let row: Vec<Posting> = parts.flatten().copied().collect();
        ChangedTerm {
            term: self.term.clone(),
            row: TermRow {
                place: RowPlace::Own(row.into()),
                lengths: lists.map(|list| list.len() as u32),
            },
            patches: PostingPatches::default(),
        }
    }
}

/// Divides the first postings of `row` by the lengths of their lists.
fn lists(row: &[Posting], lengths: [u32; 3]) -> [&[Posting]; 3] {
    let [names, others, texts] = lengths.map(|length| length as usize);
    let (names, rest) = row.split_at(names);
    let (others, rest) = rest.split_at(others);
    [names, others, &rest[..texts]]
}

impl Keyed for ChangedTerm {
    fn key(&self) -> &str {
        &self.term
    }
}

impl BuiltPostings {
    fn row(&self, term: &str) -> Option<TermRow> {
        let (begin, lengths) = self.lengths.of_term(self.terms.get(term)?);
        let place = RowPlace::Built(begin);
        Some(TermRow { place, lengths })
    }
}

impl Dictionary {
    /// Returns the terms of the skills that were there when the index was built.
    pub(super) fn terms(&self) -> &TermTable {
        &self.built.terms
    }

    pub(super) fn get(&self, term: &str) -> Option<TermPostings<'_>> {
        if !self.changed.is_empty()
            && let Some(changed) = self.changed.get(term)
        {
            return TermPostings::of(changed.lists(&self.built));
        }
        let (begin, lengths) = self.built.lengths.of_term(self.built.terms.get(term)?);
        let row = &self.built.postings[begin as usize..];
        TermPostings::of(lists(row, lengths).map(PatchedList::of_row))
    }

    /// Builds the dictionary of postings that were counted and come by rising number, distributing them by term at once.
    pub(super) fn of(
        postings: impl Iterator<Item = (TermId, Posting)>,
        counted: CountedTerms,
    ) -> Dictionary {
        let CountedTerms {
            mut terms,
            mut counts,
        } = counted;
        let lengths = ListLengths::of(&counts);
        let mut end = 0;
        for list in counts.iter_mut().flatten() {
            end += std::mem::replace(list, end);
        }
        // While postings are placed, each number moves from the begin of its list to the end.
        let mut by_term = vec![Posting::of_facet(0); end as usize];
        postings.for_each(|(term, posting)| {
            let at = &mut counts[term as usize][posting.list()];
            by_term[*at as usize] = posting;
            *at += 1;
        });
        terms.shrink_to_fit();
        let built = BuiltPostings {
            terms,
            lengths,
            postings: by_term,
        };
        Dictionary {
            built: Arc::new(built),
            changed: ChunkedMap::default(),
        }
    }

    /// Adds a posting whose skill is not in its list.
    pub(super) fn insert(&mut self, term: &str, posting: Posting) {
        self.change(term, |patches| patches.insert(posting));
    }

    /// Removes a posting that is in its list.
    pub(super) fn remove(&mut self, term: &str, posting: Posting) {
        self.change(term, |patches| patches.remove(posting));
    }

    fn change(&mut self, term: &str, change: impl FnOnce(&mut PostingPatches)) {
        if let Some(known) = self.changed.get_mut(term) {
            let changed = Arc::make_mut(known);
            change(&mut changed.patches);
            if changed.patches.len() > MOST_PATCHES {
                *changed = changed.rewritten(&self.built);
            }
            return;
        }
        let row = self.built.row(term).unwrap_or_else(|| TermRow {
            place: RowPlace::Own(Arc::default()),
            lengths: [0; 3],
        });
        let mut patches = PostingPatches::default();
        change(&mut patches);
        self.changed.insert(Arc::new(ChangedTerm {
            term: term.into(),
            row,
            patches,
        }));
    }
}
