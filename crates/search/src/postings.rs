//! The inverted index: from a term to the skills that have it.

use std::collections::HashMap;
use std::sync::Arc;

use repertoire_core::{ChunkedMap, ChunkedVec, Keyed};

use super::document::Posting;

/// The skills that have a term, each in one of three lists.
#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    /// Apart, because an expansion is looked up in names alone.
    pub(super) named: ChunkedVec<Posting>,
    pub(super) others: ChunkedVec<Posting>,
    /// Apart, because rarity in front matter is counted without them.
    pub(super) texts: ChunkedVec<Posting>,
}

impl Postings {
    pub(super) fn lists(&self) -> [&ChunkedVec<Posting>; 3] {
        [&self.named, &self.others, &self.texts]
    }

    pub(super) fn get(&self, number: u32) -> Option<Posting> {
        self.lists().into_iter().find_map(|list| {
            let found = *list.get(list.partition_point(|posting| posting.number < number))?;
            (found.number == number).then_some(found)
        })
    }

    fn is_empty(&self) -> bool {
        self.lists().into_iter().all(ChunkedVec::is_empty)
    }

    /// Puts `posting` into the list that it belongs to, or takes it out.
    fn set(&mut self, posting: Posting, is_there: bool) {
        let list = match posting.list() {
            0 => &mut self.named,
            1 => &mut self.others,
            _ => &mut self.texts,
        };
        let at = list.partition_point(|other| other.number < posting.number);
        let end = at + usize::from(!is_there);
        list.splice(at..end, is_there.then_some(posting));
    }
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

    /// Builds the dictionary of postings that come by rising number, sorting each term once.
    pub(super) fn from_rows(rows: HashMap<String, [Vec<Posting>; 3]>) -> Dictionary {
        let row = |(term, [named, others, texts]): (String, [Vec<Posting>; 3])| TermRow {
            term: term.into(),
            postings: Postings {
                named: named.into_iter().collect(),
                others: others.into_iter().collect(),
                texts: texts.into_iter().collect(),
            },
        };
        Dictionary(rows.into_iter().map(row).collect())
    }

    pub(super) fn insert(&mut self, term: &str, posting: Posting) {
        if let Some(row) = self.0.get_mut(term) {
            row.postings.set(posting, true);
            return;
        }
        let mut postings = Postings::default();
        postings.set(posting, true);
        self.0.insert(TermRow {
            term: term.into(),
            postings,
        });
    }

    pub(super) fn remove(&mut self, term: &str, posting: Posting) {
        let row = self
            .0
            .get_mut(term)
            .expect("only what was inserted is removed");
        row.postings.set(posting, false);
        if row.postings.is_empty() {
            self.0.remove(term);
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
