//! Values by number, in blocks that copies share.

use std::sync::Arc;

/// Values by number, in blocks that copies share: a change copies one block, or none if nobody shares it.
#[derive(Debug, Clone, Default)]
pub(super) struct Table<T> {
    blocks: Vec<Arc<Vec<T>>>,
}

/// Values of a block.
pub(super) const BLOCK: usize = 2048;

impl<T: Clone + Default> Table<T> {
    /// Sets the value of `number`; numbers between the last one and it get the default.
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

impl<T> Table<T> {
    /// The value of `number`, which was set.
    pub(super) fn get(&self, number: u32) -> &T {
        let (block, place) = split(number);
        &self.blocks[block][place]
    }

    /// The values, block by block.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &[T]> {
        self.blocks.iter().map(|block| block.as_slice())
    }
}

fn split(number: u32) -> (usize, usize) {
    (number as usize / BLOCK, number as usize % BLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_does_not_see_what_is_set_later() {
        let mut table = Table::default();
        (0..2500).for_each(|number| table.set(number, number));
        let copy = table.clone();
        table.set(1100, 7);
        assert_eq!((*table.get(1100), *copy.get(1100), *table.get(2499)), (7, 1100, 2499));
        assert_eq!(table.blocks().map(<[u32]>::len).collect::<Vec<_>>(), [2048, 452]);
    }
}
