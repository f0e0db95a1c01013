//! Values by number, in blocks as queries score them.

use std::sync::Arc;

use super::document::BLOCK;

/// Values by number, in blocks of parts. Copies share both: a change copies one part, and the list of the parts of its block.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockTable<T> {
    blocks: Vec<Arc<Vec<Part<T>>>>,
    len: u32,
}

/// A block has as many parts as two parts have values, so that copying either costs about the same.
const PART: usize = 32;

type Part<T> = Arc<[T; PART]>;

/// The values of a block.
#[derive(Debug)]
pub(super) struct Block<'a, T>(&'a [Part<T>]);

impl<T: Clone + Default> BlockTable<T> {
    /// Sets the value of `number`. Values below it that were never set are the default.
    pub(super) fn set(&mut self, number: u32, value: T) {
        let (block, part, place) = split(number);
        while self.blocks.len() <= block {
            self.blocks.push(Arc::default());
        }
        let parts = Arc::make_mut(&mut self.blocks[block]);
        while parts.len() <= part {
            parts.push(Arc::default());
        }
        Arc::make_mut(&mut parts[part])[place] = value;
        self.len = self.len.max(number + 1);
    }
}

impl<T> BlockTable<T> {
    /// Returns the number above those that were set.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    pub(super) fn get(&self, number: u32) -> &T {
        let (block, part, place) = split(number);
        &self.blocks[block][part][place]
    }

    pub(super) fn blocks(&self) -> impl Iterator<Item = Block<'_, T>> {
        self.blocks.iter().map(|parts| Block(parts))
    }

    /// Returns the values by number. Defaults may follow the last that was set.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let parts = self.blocks.iter().flat_map(|parts| parts.iter());
        parts.flat_map(|part| part.iter())
    }
}

impl<'a, T> Block<'a, T> {
    /// Returns the value at this place of the block.
    pub(super) fn get(&self, place: usize) -> &'a T {
        &self.0[place / PART][place % PART]
    }
}

fn split(number: u32) -> (usize, usize, usize) {
    let number = number as usize;
    (number / BLOCK, number % BLOCK / PART, number % PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_ignores_later_writes() {
        let mut table = BlockTable::default();
        (0..2500).for_each(|number| table.set(number, number));
        let copy = table.clone();
        table.set(1100, 7);
        table.set(2501, 8);
        assert_eq!(
            (*table.get(1100), *copy.get(1100), *table.get(2499)),
            (7, 1100, 2499)
        );
        assert_eq!((table.len(), copy.len()), (2502, 2500));
        let values = (0..2500).map(|n| if n == 1100 { 7 } else { n });
        let values: Vec<u32> = values.chain([0, 8]).collect();
        let set: Vec<u32> = table.iter().copied().take(2502).collect();
        assert_eq!(set, values);
        let second = table.blocks().nth(1).expect("there are two blocks");
        assert_eq!(*second.get(2500 - BLOCK - 1), 2499);
    }
}
