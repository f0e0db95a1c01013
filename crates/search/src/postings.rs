//! The inverted index: from a term to the skills that have it.

use std::sync::Arc;

use repertoire_core::{ChunkedMap, ChunkedVec, Keyed};

use super::document::Posting;
use super::lexicon::{Lexicon, TermId};

/// The skills that have a term, in three lists: names; other front matter; and texts, without which rarity in front matter
/// is counted.
///
/// Most terms have few skills. Their lists lie in a row.
#[derive(Debug, Clone)]
pub(super) enum Postings {
    One(Posting),
    /// By list, then by number.
    Few(Arc<[Posting]>),
    Many(Arc<[ChunkedVec<Posting>; 3]>),
}

/// The most postings that lie in a row, which a change copies.
const FEW: usize = 128;

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
        let before = |posting: &Posting| posting.number < number;
        let found = match self {
            PostingList::Row(row) => row.get(row.partition_point(before)),
            PostingList::Chunks(chunks) => chunks.first_not(before),
        };
        found.copied().filter(|found| found.number == number)
    }
}

impl Postings {
    /// Creates the postings of a term from at least one, by rising number.
    fn of(postings: &mut [Posting]) -> Postings {
        if let [one] = postings {
            return Postings::One(*one);
        }
        // Stable, so that each list keeps the order of numbers.
        postings.sort_by_key(|posting| posting.list());
        if postings.len() <= FEW {
            return Postings::Few((&*postings).into());
        }
        let lists = rows(postings).map(|row| row.iter().copied().collect());
        Postings::Many(Arc::new(lists))
    }

    pub(super) fn lists(&self) -> [PostingList<'_>; 3] {
        match self {
            Postings::One(posting) => rows(std::slice::from_ref(posting)).map(PostingList::Row),
            Postings::Few(postings) => rows(postings).map(PostingList::Row),
            Postings::Many(lists) => lists.each_ref().map(PostingList::Chunks),
        }
    }

    /// Returns the skills that have the term in their name.
    pub(super) fn named(&self) -> PostingList<'_> {
        let [named, _, _] = self.lists();
        named
    }

    /// Returns the skills that have it in other front matter.
    pub(super) fn others(&self) -> PostingList<'_> {
        let [_, others, _] = self.lists();
        others
    }

    pub(super) fn get(&self, number: u32) -> Option<Posting> {
        self.lists().into_iter().find_map(|list| list.get(number))
    }

    fn insert(&mut self, posting: Posting) {
        if let Postings::Many(lists) = self {
            let list = &mut Arc::make_mut(lists)[posting.list()];
            let at = list.partition_point(|other| other.number < posting.number);
            list.splice(at..at, [posting]);
            return;
        }
        let lists = self.lists().into_iter();
        let mut all: Vec<Posting> = lists
            .flat_map(PostingList::chunks)
            .flatten()
            .copied()
            .collect();
        all.push(posting);
        all.sort_unstable_by_key(|posting| posting.number);
        *self = Postings::of(&mut all);
    }

    /// Returns the postings without one; `None` if it is the last.
    fn without(&self, posting: Posting) -> Option<Postings> {
        if let Postings::Many(lists) = self {
            let mut lists = lists.clone();
            let list = &mut Arc::make_mut(&mut lists)[posting.list()];
            let at = list.partition_point(|other| other.number < posting.number);
            list.splice(at..at + 1, []);
            let is_empty = lists.iter().all(ChunkedVec::is_empty);
            return (!is_empty).then_some(Postings::Many(lists));
        }
        let lists = self.lists().into_iter();
        let all = lists.flat_map(PostingList::chunks).flatten().copied();
        let mut all: Vec<Posting> = all.filter(|other| other.number != posting.number).collect();
        all.sort_unstable_by_key(|posting| posting.number);
        (!all.is_empty()).then(|| Postings::of(&mut all))
    }
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

/// Postings by term.
#[derive(Debug, Clone, Default)]
pub(super) struct Dictionary(ChunkedMap<TermRow>);

#[derive(Debug, Clone)]
struct TermRow {
    term: Arc<str>,
    postings: Postings,
}

impl Keyed for TermRow {
    fn key(&self) -> &str {
        &self.term
    }
}

impl Dictionary {
    pub(super) fn get(&self, term: &str) -> Option<&Postings> {
        self.0.get(term).map(|row| &row.postings)
    }

    /// Builds the dictionary of postings that come by rising number, distributing them by term at once.
    pub(super) fn of(postings: &[(TermId, Posting)], terms: &Lexicon) -> Dictionary {
        let Some((_, any)) = postings.first() else {
            return Dictionary::default();
        };
        let mut ends = vec![0_usize; terms.len() + 1];
        for (term, _) in postings {
            ends[*term as usize + 1] += 1;
        }
        for term in 0..terms.len() {
            ends[term + 1] += ends[term];
        }
        // While postings are placed, each number moves from the begin of its term to the end.
        let mut by_term = vec![*any; postings.len()];
        for (term, posting) in postings {
            let at = &mut ends[*term as usize];
            by_term[*at] = *posting;
            *at += 1;
        }
        let mut rest = by_term.as_mut_slice();
        let mut begin = 0;
        let mut rows = Vec::with_capacity(terms.len());
        for (term, end) in (0..).zip(&ends[..terms.len()]) {
            let (row, behind) = rest.split_at_mut(end - begin);
            (rest, begin) = (behind, *end);
            if !row.is_empty() {
                rows.push(TermRow {
                    term: terms.text(term).clone(),
                    postings: Postings::of(row),
                });
            }
        }
        Dictionary(rows.into_iter().collect())
    }

    pub(super) fn insert(&mut self, term: &Arc<str>, posting: Posting) {
        if let Some(row) = self.0.get_mut(term) {
            row.postings.insert(posting);
            return;
        }
        self.0.insert(TermRow {
            term: term.clone(),
            postings: Postings::One(posting),
        });
    }

    pub(super) fn remove(&mut self, term: &str, posting: Posting) {
        let row = self
            .0
            .get_mut(term)
            .expect("only what was inserted is removed");
        match row.postings.without(posting) {
            Some(postings) => row.postings = postings,
            None => drop(self.0.remove(term)),
        }
    }
}

/// Values by number, in blocks that copies share: a change copies one block.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockTable<T> {
    blocks: Vec<Arc<Vec<T>>>,
}

pub(super) const BLOCK: usize = 2048;

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
