//! Who has a term.

use super::document::Posting;
use super::sorted::Sorted;

/// Who has a term: those who have it in their name, and the others.
#[derive(Debug, Clone, Default)]
pub(super) struct Postings {
    /// Apart, because a word that stands for a typed one is looked for in names alone.
    pub(super) named: Sorted<Posting>,
    pub(super) others: Sorted<Posting>,
}

impl Postings {
    pub(super) fn len(&self) -> usize {
        self.named.len() + self.others.len()
    }

    pub(super) fn insert(&mut self, posting: Posting) {
        self.list(&posting).insert(posting);
    }

    /// Takes out what was inserted.
    pub(super) fn remove(&mut self, posting: &Posting) {
        self.list(posting).remove(posting);
    }

    /// All of them; sorted within each of the two.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Posting> {
        self.named.chunks().chain(self.others.chunks()).flatten()
    }

    /// That of the skill with this number.
    pub(super) fn get(&self, number: u32) -> Option<Posting> {
        let find = |list: &Sorted<Posting>| {
            let first = *list.from(|posting| posting.number < number).next()?;
            (first.number == number).then_some(first)
        };
        find(&self.named).or_else(|| find(&self.others))
    }

    fn list(&mut self, posting: &Posting) -> &mut Sorted<Posting> {
        if posting.is_in_name() { &mut self.named } else { &mut self.others }
    }
}
