//! Records in shared blocks.

use std::sync::Arc;

use crate::edit::Edit;
use crate::record::Record;

/// Records in some order, in blocks that successive lists share: a change copies one block and not the list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blocks(Vec<Block>);

#[derive(Debug, Clone)]
struct Block {
    records: Arc<Vec<Arc<Record>>>,
    tally: Tally,
}

/// A position: none in a block that is not there, at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    block: usize,
    index: usize,
}

/// How many records there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) all: usize,
    /// With a row.
    pub(crate) rows: usize,
    /// With diagnostics.
    pub(crate) noisy: usize,
    /// Whose content is to be read some day.
    pub(crate) unread: usize,
}

/// Records a block holds when it is made; a block is split when it has grown to twice that.
const BLOCK: usize = 256;

impl Blocks {
    /// Of `records` in order.
    pub(crate) fn new(records: &[Arc<Record>]) -> Blocks {
        Blocks(records.chunks(BLOCK).map(Block::new).collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Record>> {
        self.0.iter().flat_map(|block| block.records.iter())
    }

    /// The records of blocks that have some of a kind.
    pub(crate) fn iter_some(&self, kind: fn(&Tally) -> usize) -> impl Iterator<Item = &Arc<Record>> {
        self.0.iter().filter(move |block| kind(&block.tally) > 0).flat_map(|block| block.records.iter())
    }

    pub(crate) fn tally(&self) -> Tally {
        self.0.iter().fold(Tally::default(), |total, block| total + block.tally)
    }

    /// The place of the first record that is not before what is sought.
    pub(crate) fn place(&self, is_before: impl Fn(&Record) -> bool) -> Place {
        let block = self.0.partition_point(|block| block.records.last().is_some_and(|last| is_before(last)));
        let index = self.0.get(block).map_or(0, |block| block.records.partition_point(|record| is_before(record)));
        Place { block, index }
    }

    /// The records from a place on.
    pub(crate) fn from(&self, Place { block, index }: Place) -> impl Iterator<Item = &Arc<Record>> {
        self.0[block..].iter().flat_map(|block| block.records.iter()).skip(index)
    }

    /// How many records before a place have a row.
    pub(crate) fn rows_before(&self, Place { block, index }: Place) -> usize {
        let whole: usize = self.0[..block].iter().map(|block| block.tally.rows).sum();
        let part = self.0.get(block).map_or(&[][..], |block| &block.records[..index]);
        whole + part.iter().filter(|record| record.row.is_some()).count()
    }

    /// Makes `edit` at a place, where its old record is if it has one.
    pub(crate) fn edit(&mut self, Place { block: mut at, mut index }: Place, edit: &Edit) {
        if at == self.0.len() {
            if at == 0 {
                self.0.push(Block::new(&[]));
            } else {
                at -= 1;
            }
            index = self.0[at].records.len();
        }
        let block = &mut self.0[at];
        let records = Arc::make_mut(&mut block.records);
        records.splice(index..index + edit.old.iter().len(), edit.new.clone());
        block.tally = block.tally + Tally::of(edit.new.as_ref()) - Tally::of(edit.old.as_ref());
        if block.records.is_empty() {
            self.0.remove(at);
        } else if block.records.len() > 2 * BLOCK {
            let parts: Vec<Block> = block.records.chunks(BLOCK).map(Block::new).collect();
            self.0.splice(at..=at, parts);
        }
    }
}

impl Block {
    fn new(records: &[Arc<Record>]) -> Block {
        let tally = records.iter().fold(Tally::default(), |tally, record| tally + Tally::of(Some(record)));
        Block { records: Arc::new(records.to_vec()), tally }
    }
}

impl Tally {
    fn of(record: Option<&Arc<Record>>) -> Tally {
        record.map_or_else(Tally::default, |record| Tally {
            all: 1,
            rows: record.row.iter().len(),
            noisy: usize::from(!record.diagnostics.is_empty()),
            unread: usize::from(record.is_unread()),
        })
    }
}

impl std::ops::Add for Tally {
    type Output = Tally;

    fn add(self, other: Tally) -> Tally {
        Tally {
            all: self.all + other.all,
            rows: self.rows + other.rows,
            noisy: self.noisy + other.noisy,
            unread: self.unread + other.unread,
        }
    }
}

impl std::ops::Sub for Tally {
    type Output = Tally;

    fn sub(self, other: Tally) -> Tally {
        Tally {
            all: self.all - other.all,
            rows: self.rows - other.rows,
            noisy: self.noisy - other.noisy,
            unread: self.unread - other.unread,
        }
    }
}
