//! The inverted index: from a term to the skills that have it.

use std::sync::Arc;

use repertoire_core::{ChunkedMap, ChunkedVec, Keyed};

use super::document::Posting;

#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    /// Apart, because an expansion is looked up in names alone.
    pub(super) named: ChunkedVec<Posting>,
    pub(super) others: ChunkedVec<Posting>,
}

impl Postings {
    pub(super) fn len(&self) -> usize {
        self.named.len() + self.others.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Posting> {
        self.named.chunks().chain(self.others.chunks()).flatten()
    }

    pub(super) fn get(&self, number: u32) -> Option<Posting> {
        let in_list = |list: &ChunkedVec<Posting>| {
            let found = *list.get(list.partition_point(|posting| posting.number < number))?;
            (found.number == number).then_some(found)
        };
        in_list(&self.named).or_else(|| in_list(&self.others))
    }

    /// Puts `posting` into the list that it belongs to, or takes it out.
    fn set(&mut self, posting: Posting, is_there: bool) {
        let list = if posting.is_in_name() { &mut self.named } else { &mut self.others };
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

    pub(super) fn insert(&mut self, term: &str, posting: Posting) {
        if let Some(row) = self.0.get_mut(term) {
            row.postings.set(posting, true);
            return;
        }
        let mut postings = Postings::default();
        postings.set(posting, true);
        self.0.insert(TermRow { term: term.into(), postings });
    }

    pub(super) fn remove(&mut self, term: &str, posting: Posting) {
        let row = self.0.get_mut(term).expect("only what was inserted is removed");
        row.postings.set(posting, false);
        if row.postings.len() == 0 {
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
