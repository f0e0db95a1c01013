//! The inverted index: from a term to the skills that have it.

use std::sync::Arc;

use repertoire_core::{ChunkedMap, ChunkedVec, Keyed};

use super::document::{BLOCK, Posting};
use super::list_lengths::ListLengths;
use super::term_table::{TermId, TermTable};

/// The skills that have a term, in three lists: names; other front matter; and texts, without which rarity in front matter
/// is counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct TermPostings<'a> {
    pub(super) lists: [PostingList<'a>; 3],
}

/// One of the lists of a term, by rising number.
#[derive(Debug, Clone, Copy)]
pub(super) enum PostingList<'a> {
    Row(&'a [Posting]),
    Chunks(&'a ChunkedVec<Posting>),
}

impl<'a> PostingList<'a> {
    pub(super) fn len(self) -> usize {
        match self {
            PostingList::Row(row) => row.len(),
            PostingList::Chunks(chunks) => chunks.len(),
        }
    }

    pub(super) fn chunks(self) -> impl Iterator<Item = &'a [Posting]> {
        let (row, chunks) = match self {
            PostingList::Row(row) => (Some(row), None),
            PostingList::Chunks(chunks) => (None, Some(chunks)),
        };
        row.into_iter()
            .chain(chunks.into_iter().flat_map(ChunkedVec::chunks))
    }

    fn get(self, number: u32) -> Option<Posting> {
        let before = |posting: &Posting| posting.number() < number;
        let found = match self {
            PostingList::Row(row) => row.get(place_of(row, number)),
            PostingList::Chunks(chunks) => chunks.first_not(before),
        };
        found.copied().filter(|found| found.number() == number)
    }
}

/// Returns the number of postings below `number`.
///
/// The search begins where it is if the numbers are spread evenly, because a bisection of thousands reads more memory.
fn place_of(row: &[Posting], number: u32) -> usize {
    let Some(last) = row.last().filter(|last| last.number() >= number) else {
        return row.len();
    };
    let guess = row.len() as u64 * u64::from(number) / (u64::from(last.number()) + 1);
    let guess = guess as usize;
    let (mut begin, mut end, mut step) = (guess, guess, 8);
    while begin > 0 && row[begin].number() >= number {
        (begin, end) = (begin.saturating_sub(step), begin);
        step *= 2;
    }
    while row[end].number() < number {
        (begin, end) = (end, (end + step).min(row.len() - 1));
        step *= 2;
    }
    begin + row[begin..end].partition_point(|posting| posting.number() < number)
}

impl<'a> TermPostings<'a> {
    fn of(lists: [&'a [Posting]; 3]) -> Option<TermPostings<'a>> {
        TermPostings::with(lists.map(PostingList::Row))
    }

    fn with(lists: [PostingList<'a>; 3]) -> Option<TermPostings<'a>> {
        let is_empty = lists.iter().all(|list| list.len() == 0);
        (!is_empty).then_some(TermPostings { lists })
    }

    /// Returns the skills that have the term in their name.
    pub(super) fn named(&self) -> PostingList<'a> {
        self.lists[0]
    }

    /// Returns the skills that have it in other front matter.
    pub(super) fn others(&self) -> PostingList<'a> {
        self.lists[1]
    }

    pub(super) fn get(&self, number: u32) -> Option<Posting> {
        self.lists.into_iter().find_map(|list| list.get(number))
    }
}

/// Postings of a term that changed since the index was built.
#[derive(Debug, Clone)]
enum Postings {
    /// By list, then by number.
    Few(Arc<[Posting]>),
    Many(Arc<[ChunkedVec<Posting>; 3]>),
}

/// The most postings that lie in a row, which a change copies.
const FEW: usize = 128;

impl Postings {
    /// Copies postings, which are sorted by list, then by number.
    fn of(postings: &[Posting]) -> Postings {
        if postings.len() <= FEW {
            return Postings::Few(postings.into());
        }
        let lists = rows(postings).map(|row| row.iter().copied().collect());
        Postings::Many(Arc::new(lists))
    }

    fn get(&self) -> Option<TermPostings<'_>> {
        match self {
            Postings::Few(row) => TermPostings::of(rows(row)),
            Postings::Many(lists) => TermPostings::with(lists.each_ref().map(PostingList::Chunks)),
        }
    }

    fn insert(&mut self, posting: Posting) {
        match self {
            Postings::Few(row) => {
                let mut row = row.to_vec();
                row.insert(place_in(&row, posting), posting);
                *self = Postings::of(&row);
            }
            Postings::Many(lists) => {
                let list = &mut Arc::make_mut(lists)[posting.list()];
                let at = list.partition_point(|other| other.number() < posting.number());
                list.splice(at..at, [posting]);
            }
        }
    }

    fn remove(&mut self, posting: Posting) {
        match self {
            Postings::Few(row) => {
                let mut kept = row.to_vec();
                kept.remove(place_in(row, posting));
                *row = kept.into();
            }
            Postings::Many(lists) => {
                let list = &mut Arc::make_mut(lists)[posting.list()];
                let at = list.partition_point(|other| other.number() < posting.number());
                list.splice(at..at + 1, []);
            }
        }
    }
}

fn place_in(row: &[Posting], posting: Posting) -> usize {
    let place = |posting: &Posting| (posting.list(), posting.number());
    row.partition_point(|other| place(other) < place(&posting))
}

/// Divides postings, which are sorted by list.
fn rows(postings: &[Posting]) -> [&[Posting]; 3] {
    let end = |list: usize| postings.partition_point(|posting| posting.list() <= list);
    let (names, others) = (end(0), end(1));
    [
        &postings[..names],
        &postings[names..others],
        &postings[others..],
    ]
}

/// Postings by term: those of the skills that were there when the index was built, which all later versions share, and those
/// of terms that changed since.
#[derive(Debug, Clone, Default)]
pub(super) struct Dictionary {
    built: Arc<BuiltPostings>,
    changed: ChunkedMap<ChangedTerm>,
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

#[derive(Debug, Clone)]
struct ChangedTerm {
    term: Arc<str>,
    postings: Postings,
}

impl Keyed for ChangedTerm {
    fn key(&self) -> &str {
        &self.term
    }
}

impl BuiltPostings {
    fn lists(&self, term: &str) -> Option<[&[Posting]; 3]> {
        let (begin, lengths) = self.lengths.of_term(self.terms.get(term)?);
        let [names, others, texts] = lengths.map(|length| length as usize);
        let (names, rest) = self.postings[begin as usize..].split_at(names);
        let (others, rest) = rest.split_at(others);
        Some([names, others, &rest[..texts]])
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
            return changed.postings.get();
        }
        TermPostings::of(self.built.lists(term)?)
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

    pub(super) fn insert(&mut self, term: &str, posting: Posting) {
        self.change(term, |postings| postings.insert(posting));
    }

    pub(super) fn remove(&mut self, term: &str, posting: Posting) {
        self.change(term, |postings| postings.remove(posting));
    }

    fn change(&mut self, term: &str, change: impl FnOnce(&mut Postings)) {
        if let Some(known) = self.changed.get_mut(term) {
            change(&mut known.postings);
            return;
        }
        let lists = self.built.lists(term).unwrap_or_default();
        let mut postings = Postings::of(&lists.concat());
        change(&mut postings);
        self.changed.insert(ChangedTerm {
            term: term.into(),
            postings,
        });
    }
}

/// Values by number, in blocks that copies share: a change copies one block.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockTable<T> {
    blocks: Vec<Arc<Vec<T>>>,
}

impl<T: Clone + Default> BlockTable<T> {
    pub(super) fn set(&mut self, number: u32, value: T) {
        let (block, place) = split(number);
        while self.blocks.len() <= block {
            self.blocks.push(Arc::new(Vec::new()));
        }
        let block = Arc::make_mut(&mut self.blocks[block]);
        if block.len() <= place {
            block.resize(place + 1, T::default());
        }
        block[place] = value;
    }
}

impl<T> BlockTable<T> {
    /// Returns the number above those that were set.
    pub(super) fn len(&self) -> u32 {
        let last = self.blocks.last().map_or(0, |block| block.len());
        (self.blocks.len().saturating_sub(1) * BLOCK + last) as u32
    }

    pub(super) fn get(&self, number: u32) -> &T {
        let (block, place) = split(number);
        &self.blocks[block][place]
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = &[T]> {
        self.blocks.iter().map(|block| block.as_slice())
    }
}

fn split(number: u32) -> (usize, usize) {
    (number as usize / BLOCK, number as usize % BLOCK)
}

#[cfg(test)]
mod tests;
