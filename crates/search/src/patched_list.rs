//! Postings that changed since a row was built.

use super::document::Posting;

/// A posting that is not in a row any more, or not yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PostingPatch {
    posting: Posting,
    is_added: bool,
}

impl PostingPatch {
    /// Returns the order of patches. A posting that is removed comes before the one that replaces it.
    fn place(&self) -> (usize, u32, bool) {
        (self.posting.list(), self.posting.number(), self.is_added)
    }
}

/// The patches of the lists of a term, by list, then by number. Few, because a change copies them.
#[derive(Debug, Clone, Default)]
pub(super) struct PostingPatches(Vec<PostingPatch>);

impl PostingPatches {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a posting whose skill is not in its list.
    pub(super) fn insert(&mut self, posting: Posting) {
        self.push(PostingPatch {
            posting,
            is_added: true,
        });
    }

    /// Removes a posting that is in its list.
    pub(super) fn remove(&mut self, posting: Posting) {
        self.push(PostingPatch {
            posting,
            is_added: false,
        });
    }

    /// Adds `patch`, or removes the one that it reverses.
    fn push(&mut self, patch: PostingPatch) {
        let reversed = PostingPatch {
            is_added: !patch.is_added,
            ..patch
        };
        let at = self.place_of(&reversed);
        if self.0.get(at) == Some(&reversed) {
            self.0.remove(at);
        } else {
            self.0.insert(self.place_of(&patch), patch);
        }
    }

    fn place_of(&self, patch: &PostingPatch) -> usize {
        self.0
            .partition_point(|other| other.place() < patch.place())
    }

    /// Returns the number of patches to the lists up to `list`.
    fn end_of(&self, list: usize) -> usize {
        self.0.partition_point(|patch| patch.posting.list() <= list)
    }

    /// Returns the patches of each list.
    fn lists(&self) -> [&[PostingPatch]; 3] {
        let (names, others) = (self.end_of(0), self.end_of(1));
        [&self.0[..names], &self.0[names..others], &self.0[others..]]
    }

    /// Returns the lists of a term that has these rows without the patches.
    pub(super) fn patched<'a>(&'a self, rows: [&'a [Posting]; 3]) -> [PatchedList<'a>; 3] {
        let patches = self.lists();
        std::array::from_fn(|list| PatchedList {
            row: rows[list],
            patches: patches[list],
        })
    }
}

/// A list of postings: a row, and the patches to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchedList<'a> {
    row: &'a [Posting],
    patches: &'a [PostingPatch],
}

impl<'a> PatchedList<'a> {
    pub(super) fn of_row(row: &'a [Posting]) -> PatchedList<'a> {
        PatchedList { row, patches: &[] }
    }

    pub(super) fn len(self) -> usize {
        let added = self.patches.iter().filter(|patch| patch.is_added).count();
        self.row.len() + 2 * added - self.patches.len()
    }

    pub(super) fn get(self, number: u32) -> Option<Posting> {
        // An added posting comes behind the one that it replaces.
        let mut last = self.patches.iter().rev();
        if let Some(patch) = last.find(|patch| patch.posting.number() == number) {
            return Some(patch.posting).filter(|_| patch.is_added);
        }
        let found = self.row.get(place_of(self.row, number));
        found.copied().filter(|found| found.number() == number)
    }

    /// Returns the postings by rising number, in parts that are not empty.
    pub(super) fn chunks(self) -> PatchedChunks<'a> {
        PatchedChunks { list: self, at: 0 }
    }
}

/// The parts of a [`PatchedList`]: rows between patches, and single postings.
#[derive(Debug, Clone)]
pub(super) struct PatchedChunks<'a> {
    /// With the patches that are left.
    list: PatchedList<'a>,
    /// The place in the row.
    at: usize,
}

impl<'a> Iterator for PatchedChunks<'a> {
    type Item = &'a [Posting];

    fn next(&mut self) -> Option<&'a [Posting]> {
        let PatchedList { row, patches } = &mut self.list;
        while let Some((patch, rest)) = patches.split_first() {
            let before = &row[self.at..place_of(row, patch.posting.number()).max(self.at)];
            if !before.is_empty() {
                self.at += before.len();
                return Some(before);
            }
            *patches = rest;
            if patch.is_added {
                return Some(std::slice::from_ref(&patch.posting));
            }
            self.at += 1;
        }
        let rest = &row[self.at..];
        self.at = row.len();
        Some(rest).filter(|rest| !rest.is_empty())
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_row_finds_the_place_of_a_bisection(
            numbers in btree_set(0..5_000_u32, 0..300),
            number in 0..5_000_u32,
        ) {
            let row: Vec<Posting> = numbers.iter().copied().map(Posting::of_facet).collect();
            prop_assert_eq!(place_of(&row, number), numbers.range(..number).count());
        }

        #[test]
        fn patched_lists_equal_a_map(
            numbers in btree_set(0..300_u32, 0..100),
            changes in vec((0..300_u32, any::<bool>()), 0..60),
        ) {
            let row: Vec<Posting> = numbers.iter().copied().map(Posting::of_facet).collect();
            let mut known: BTreeMap<u32, Posting> =
                row.iter().map(|posting| (posting.number(), *posting)).collect();
            let mut patches = PostingPatches::default();
            for (step, (number, is_kept)) in changes.into_iter().enumerate() {
                if let Some(old) = known.remove(&number) {
                    patches.remove(old);
                }
                if is_kept {
                    let posting = Posting::of_facet(number).weighing(step as u16 % 3);
                    patches.insert(posting);
                    known.insert(number, posting);
                }
            }
            let [_, list, _] = patches.patched([&[], &row, &[]]);
            let expected: Vec<Posting> = known.values().copied().collect();
            let chunks: Vec<&[Posting]> = list.chunks().collect();
            prop_assert!(chunks.iter().all(|chunk| !chunk.is_empty()));
            prop_assert_eq!(chunks.concat(), expected);
            prop_assert_eq!(list.len(), known.len());
            for number in 0..300 {
                prop_assert_eq!(list.get(number), known.get(&number).copied());
            }
        }
    }
}
