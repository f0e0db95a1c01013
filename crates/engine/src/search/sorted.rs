//! A sorted list whose copies share what they have in common.

use std::sync::Arc;

/// Items in their order, each once, in chunks that copies share: a change copies one chunk, or none if nobody shares it.
#[derive(Debug, Clone)]
pub(super) struct Sorted<T> {
    /// None is empty.
    chunks: Vec<Arc<Vec<T>>>,
    len: usize,
}

/// A change moves up to so many items; the list of chunks, which every copy copies, is that much shorter than the items.
const CHUNK: usize = 512;

impl<T: Ord + Clone> Sorted<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Puts `item`, which the list does not hold, where it belongs.
    pub(super) fn insert(&mut self, item: T) {
        self.len += 1;
        // The last chunk takes what is beyond every item.
        let at = self.chunk_of(&item).min(self.chunks.len().saturating_sub(1));
        let is_last = at + 1 == self.chunks.len();
        let Some(chunk) = self.chunks.get_mut(at) else {
            self.chunks.push(Arc::new(vec![item]));
            return;
        };
        let chunk = Arc::make_mut(chunk);
        let place = chunk.partition_point(|other| *other < item);
        if chunk.len() < CHUNK {
            chunk.insert(place, item);
        } else if place == CHUNK && is_last {
            self.chunks.push(Arc::new(vec![item]));
        } else {
            let mut second = chunk.split_off(CHUNK / 2);
            match place.checked_sub(CHUNK / 2) {
                Some(place) => second.insert(place, item),
                None => chunk.insert(place, item),
            }
            self.chunks.insert(at + 1, Arc::new(second));
        }
    }

    /// Takes `item` out, which the list holds.
    pub(super) fn remove(&mut self, item: &T) {
        let at = self.chunk_of(item);
        let chunk = Arc::make_mut(&mut self.chunks[at]);
        let place = chunk.binary_search(item).expect("only what was inserted is removed");
        chunk.remove(place);
        if chunk.is_empty() {
            self.chunks.remove(at);
        }
        self.len -= 1;
    }

    /// The items from the first that is not `before`, which holds for the first ones of the order and for no later one.
    pub(super) fn from(&self, before: impl Fn(&T) -> bool) -> impl Iterator<Item = &T> {
        let at = self.chunks.partition_point(|chunk| chunk.last().is_some_and(&before));
        let first = self.chunks.get(at).map_or(0, |chunk| chunk.partition_point(&before));
        self.chunks[at..].iter().flat_map(|chunk| chunk.iter()).skip(first)
    }

    /// All items, chunk by chunk.
    pub(super) fn chunks(&self) -> Chunks<'_, T> {
        Chunks(self.chunks.iter())
    }

    /// The first chunk whose last item is not before `item`.
    fn chunk_of(&self, item: &T) -> usize {
        self.chunks.partition_point(|chunk| chunk.last().is_some_and(|last| last < item))
    }
}

/// The items of a list, chunk by chunk.
#[derive(Debug)]
pub(super) struct Chunks<'a, T>(std::slice::Iter<'a, Arc<Vec<T>>>);

impl<'a, T> Iterator for Chunks<'a, T> {
    type Item = &'a [T];

    fn next(&mut self) -> Option<&'a [T]> {
        self.0.next().map(|chunk| chunk.as_slice())
    }
}

impl<T> Default for Sorted<T> {
    fn default() -> Sorted<T> {
        Sorted { chunks: Vec::new(), len: 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn items(list: &Sorted<u16>) -> Vec<u16> {
        list.chunks().flatten().copied().collect()
    }

    proptest! {
        #[test]
        fn it_is_a_sorted_set_and_copies_stay_as_they_were(
            first in proptest::collection::btree_set(any::<u16>(), 0..3000),
            changes in proptest::collection::vec(any::<u16>(), 0..300),
            bound in any::<u16>(),
        ) {
            let mut list = Sorted::default();
            // From both ends, so that both ways of growing are taken.
            let (low, high): (Vec<u16>, Vec<u16>) = first.iter().partition(|item| **item < 30_000);
            high.iter().for_each(|item| list.insert(*item));
            low.iter().rev().for_each(|item| list.insert(*item));
            let copy = list.clone();
            let mut model: BTreeSet<u16> = first.clone();
            for item in changes {
                if model.remove(&item) {
                    list.remove(&item);
                } else {
                    model.insert(item);
                    list.insert(item);
                }
            }
            prop_assert_eq!(items(&copy), first.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(list.len(), model.len());
            prop_assert_eq!(items(&list), model.iter().copied().collect::<Vec<_>>());
            let from: Vec<u16> = list.from(|item| *item < bound).copied().collect();
            prop_assert_eq!(from, model.range(bound..).copied().collect::<Vec<_>>());
            prop_assert!(list.chunks().all(|chunk| !chunk.is_empty() && chunk.len() <= CHUNK));
        }
    }
}
