//! Collections whose clones share what they have in common.
//!
//! A registry publishes a new view for every change, and readers keep the old one. Both collections here make that cheap:
//! a clone shares its chunks with the original, and a change copies the chunks that it touches.
//!
//! - [`ChunkedVec`] keeps an order. Sorted items are found by [`partition_point`](ChunkedVec::partition_point) and placed by
//!   [`splice`](ChunkedVec::splice). Two versions are compared by [`unshared`](ChunkedVec::unshared), which skips shared chunks.
//! - [`ChunkedMap`] finds items by a text, as fast as a `HashMap`. Two versions are compared by
//!   [`unshared`](ChunkedMap::unshared).
//!
//! Use them only for what is cloned and changed often and has thousands of items. Decision 0008 has the figures.
//!
//! ```
//! use repertoire_core::ChunkedVec;
//!
//! let old: ChunkedVec<u32> = (0..10_000).map(|n| 2 * n).collect();
//! let mut new = old.clone();
//! let at = new.partition_point(|n| *n < 5001);
//! new.splice(at..at, [5001]);
//!
//! assert_eq!((old.len(), new.get(at)), (10_000, Some(&5001)));
//! let [(before, after)] = &old.unshared(&new)[..] else { panic!("one chunk differs") };
//! assert_eq!((before.len(), after.len()), (256, 257));
//! ```

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use foldhash::quality::RandomState;
use hashbrown::hash_table::{Entry, HashTable};

/// Items per chunk of a [`ChunkedVec`] when it is built. A chunk is split when it has grown to twice that.
const CHUNK: usize = 256;

const SHARD: usize = 128;

/// A vector in shared chunks.
///
/// A clone costs one reference count. [`splice`](ChunkedVec::splice) copies the touched chunks and the list of chunks.
/// Finding a position costs the number of chunks.
#[derive(Debug)]
pub struct ChunkedVec<T> {
    /// None is empty.
    chunks: Arc<Vec<Chunk<T>>>,
    len: usize,
}

#[derive(Debug)]
struct Chunk<T> {
    items: Arc<Vec<T>>,
    /// The number of items, so that finding a position reads no chunk.
    len: usize,
}

impl<T> ChunkedVec<T> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the items in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.chunks.iter().flat_map(|chunk| chunk.items.iter())
    }

    /// Returns the items from position `at` on.
    pub fn iter_from(&self, at: usize) -> impl Iterator<Item = &T> + Clone {
        let (chunk, start) = self.locate(at);
        self.chunks[chunk..]
            .iter()
            .flat_map(|chunk| chunk.items.iter())
            .skip(at - start)
    }

    /// Returns the items chunk by chunk.
    pub fn chunks(&self) -> impl Iterator<Item = &[T]> + Clone {
        self.chunks.iter().map(|chunk| chunk.items.as_slice())
    }

    /// Returns the item at position `at`.
    pub fn get(&self, at: usize) -> Option<&T> {
        let (chunk, start) = self.locate(at);
        self.chunks.get(chunk)?.items.get(at - start)
    }

    /// Returns the position of the first item that is not `before`, which holds for the first items and no later one.
    pub fn partition_point(&self, before: impl Fn(&T) -> bool) -> usize {
        let chunk = self
            .chunks
            .partition_point(|chunk| chunk.items.last().is_some_and(&before));
        let within = self
            .chunks
            .get(chunk)
            .map_or(0, |chunk| chunk.items.partition_point(before));
        self.chunks[..chunk]
            .iter()
            .map(|chunk| chunk.len)
            .sum::<usize>()
            + within
    }

    /// Returns the first item that is not `before`, as [`partition_point`](ChunkedVec::partition_point) finds its position,
    /// without counting the items before it.
    pub fn first_not(&self, before: impl Fn(&T) -> bool) -> Option<&T> {
        let is_before = |chunk: &Chunk<T>| chunk.items.last().is_some_and(&before);
        let chunk = self.chunks.get(self.chunks.partition_point(is_before))?;
        chunk.items.get(chunk.items.partition_point(&before))
    }

    /// Returns whether both share everything.
    pub fn ptr_eq(&self, other: &ChunkedVec<T>) -> bool {
        Arc::ptr_eq(&self.chunks, &other.chunks)
    }

    /// Returns the pairs of ranges, here and in `other`, between the chunks that both share in the same order.
    pub fn unshared(&self, other: &ChunkedVec<T>) -> Vec<(Range<usize>, Range<usize>)> {
        if self.ptr_eq(other) {
            return Vec::new();
        }
        // Most often one chunk differs, and everything before and after it is shared.
        let first = shared(self.chunks.iter(), other.chunks.iter());
        let (mine, theirs) = (&self.chunks[first..], &other.chunks[first..]);
        let last = shared(mine.iter().rev(), theirs.iter().rev());
        let (mine, behind) = mine.split_at(mine.len() - last);
        let theirs = &theirs[..theirs.len() - last];
        let start: usize = self.chunks[..first].iter().map(|chunk| chunk.len).sum();
        let end: usize = behind.iter().map(|chunk| chunk.len).sum();

        let mut starts: HashMap<*const Vec<T>, usize, RandomState> = HashMap::default();
        let mut at = start;
        for chunk in mine {
            starts.insert(Arc::as_ptr(&chunk.items), at);
            at += chunk.len;
        }
        let mut gaps = Vec::new();
        let (mut here, mut there, mut at) = (start, start, start);
        for chunk in theirs {
            // A chunk that moved in front of an earlier one counts as not shared.
            if let Some(start) = starts
                .get(&Arc::as_ptr(&chunk.items))
                .copied()
                .filter(|start| *start >= here)
            {
                gaps.push((here..start, there..at));
                (here, there) = (start + chunk.len, at + chunk.len);
            }
            at += chunk.len;
        }
        gaps.push((here..self.len - end, there..other.len - end));
        gaps.retain(|(here, there)| !here.is_empty() || !there.is_empty());
        gaps
    }

    fn locate(&self, at: usize) -> (usize, usize) {
        let mut start = 0;
        for (number, chunk) in self.chunks.iter().enumerate() {
            if at < start + chunk.len {
                return (number, start);
            }
            start += chunk.len;
        }
        (self.chunks.len(), start.min(at))
    }
}

/// Returns the number of leading chunks that both share.
fn shared<'c, T: 'c>(
    mine: impl Iterator<Item = &'c Chunk<T>>,
    theirs: impl Iterator<Item = &'c Chunk<T>>,
) -> usize {
    mine.zip(theirs)
        .take_while(|(mine, theirs)| Arc::ptr_eq(&mine.items, &theirs.items))
        .count()
}

impl<T> Chunk<T> {
    fn new(items: Vec<T>) -> Chunk<T> {
        Chunk {
            len: items.len(),
            items: Arc::new(items),
        }
    }
}

impl<T> Clone for Chunk<T> {
    fn clone(&self) -> Chunk<T> {
        Chunk {
            items: Arc::clone(&self.items),
            len: self.len,
        }
    }
}

impl<T: Clone> ChunkedVec<T> {
    /// Returns the item at position `at` for changing it.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        let (chunk, start) = self.locate(at);
        let chunk = Arc::make_mut(&mut self.chunks).get_mut(chunk)?;
        Arc::make_mut(&mut chunk.items).get_mut(at - start)
    }

    /// Replaces the items at `range` by `items`.
    ///
    /// # Panics
    /// If `range` ends before it starts or beyond the last item.
    pub fn splice(&mut self, range: Range<usize>, items: impl IntoIterator<Item = T>) {
        assert!(
            range.start <= range.end && range.end <= self.len,
            "the range lies inside of the items"
        );
        // An item at the border of two chunks goes to the end of the first one.
        let (first, start) = self.locate(range.start.saturating_sub(1));
        let chunks = Arc::make_mut(&mut self.chunks);
        if chunks.is_empty() {
            chunks.push(Chunk::new(Vec::new()));
        }
        let within = range.start - start..range.end - start;
        let mut merged = std::mem::take(Arc::make_mut(&mut chunks[first].items));
        let mut last = first + 1;
        while merged.len() < within.end {
            merged.extend_from_slice(&chunks[last].items);
            last += 1;
        }
        let before = merged.len();
        merged.splice(within, items);
        self.len = self.len + merged.len() - before;
        if merged.len() > 2 * CHUNK {
            chunks.splice(
                first..last,
                merged.chunks(CHUNK).map(|part| Chunk::new(part.to_vec())),
            );
        } else if merged.is_empty() {
            chunks.drain(first..last);
        } else {
            chunks[first] = Chunk::new(merged);
            chunks.drain(first + 1..last);
        }
    }
}

impl<T> Clone for ChunkedVec<T> {
    fn clone(&self) -> ChunkedVec<T> {
        ChunkedVec {
            chunks: Arc::clone(&self.chunks),
            len: self.len,
        }
    }
}

impl<T> Default for ChunkedVec<T> {
    fn default() -> ChunkedVec<T> {
        ChunkedVec {
            chunks: Arc::default(),
            len: 0,
        }
    }
}

impl<T> FromIterator<T> for ChunkedVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> ChunkedVec<T> {
        let mut items = items.into_iter().peekable();
        let (mut chunks, mut len) = (Vec::new(), 0);
        while items.peek().is_some() {
            let chunk: Vec<T> = items.by_ref().take(CHUNK).collect();
            len += chunk.len();
            chunks.push(Chunk::new(chunk));
        }
        ChunkedVec {
            chunks: Arc::new(chunks),
            len,
        }
    }
}

impl<T: PartialEq> PartialEq for ChunkedVec<T> {
    fn eq(&self, other: &ChunkedVec<T>) -> bool {
        self.ptr_eq(other) || self.len == other.len && self.iter().eq(other.iter())
    }
}

/// An item of a [`ChunkedMap`].
pub trait Keyed {
    /// Returns the text by which the item is found.
    fn key(&self) -> &str;
}

impl<T: Keyed> Keyed for Arc<T> {
    fn key(&self) -> &str {
        T::key(self)
    }
}

/// A hash map from texts to items, in shared shards.
///
/// A clone costs a reference count for each shard. A change copies one shard.
///
/// ```
/// use repertoire_core::{ChunkedMap, Keyed};
///
/// #[derive(Debug, Clone, PartialEq)]
/// struct Word(&'static str);
///
/// impl Keyed for Word {
///     fn key(&self) -> &str {
///         self.0
///     }
/// }
///
/// let mut words: ChunkedMap<Word> = [Word("kettle"), Word("tea")].into_iter().collect();
/// let before = words.clone();
/// words.remove("tea");
/// assert_eq!((before.len(), words.get("kettle")), (2, Some(&Word("kettle"))));
/// ```
#[derive(Debug, Clone)]
pub struct ChunkedMap<T> {
    hasher: RandomState,
    /// A power of two of them.
    shards: Vec<Arc<HashTable<T>>>,
    len: usize,
}

impl<T> ChunkedMap<T> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the items in no order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.shards.iter().flat_map(|shard| shard.iter())
    }

    /// Returns the items in shards that `other` does not share.
    pub fn unshared<'a>(&'a self, other: &'a ChunkedMap<T>) -> impl Iterator<Item = &'a T> {
        // The maps share nothing if the shards of one were doubled.
        let others = if self.shards.len() == other.shards.len() {
            &other.shards[..]
        } else {
            &[]
        };
        let shards = self.shards.iter().enumerate();
        let unshared = shards.filter(move |(at, shard)| {
            !others
                .get(*at)
                .is_some_and(|other| Arc::ptr_eq(shard, other))
        });
        unshared.flat_map(|(_, shard)| shard.iter())
    }

    fn place(&self, key: &str) -> (usize, u64) {
        let hash = self.hasher.hash_one(key);
        // The table uses the top seven and the low bits, so the shard is taken from between.
        ((hash >> 40) as usize & (self.shards.len() - 1), hash)
    }
}

impl<T: Keyed + Clone> ChunkedMap<T> {
    /// Creates an empty map with room for `items`.
    pub fn with_capacity(items: usize) -> ChunkedMap<T> {
        ChunkedMap::with_shards((items / SHARD).next_power_of_two(), items)
    }

    fn with_shards(shards: usize, items: usize) -> ChunkedMap<T> {
        // A shard that grows is distributed again each time.
        let shard = || Arc::new(HashTable::with_capacity(items / shards));
        ChunkedMap {
            hasher: RandomState::default(),
            shards: std::iter::repeat_with(shard).take(shards).collect(),
            len: 0,
        }
    }

    /// Returns the item with this key.
    pub fn get(&self, key: &str) -> Option<&T> {
        let (shard, hash) = self.place(key);
        self.shards[shard].find(hash, |item| item.key() == key)
    }

    /// Returns the item with this key for changing it. Its key must stay the same.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut T> {
        let (shard, hash) = self.place(key);
        Arc::make_mut(&mut self.shards[shard]).find_mut(hash, |item| item.key() == key)
    }

    /// Adds `item`, and returns the item that had its key before.
    pub fn insert(&mut self, item: T) -> Option<T> {
        self.reserve(1);
        let (shard, hash) = self.place(item.key());
        let hasher = &self.hasher;
        let table = Arc::make_mut(&mut self.shards[shard]);
        match table.entry(
            hash,
            |other| other.key() == item.key(),
            |item| hasher.hash_one(item.key()),
        ) {
            Entry::Occupied(mut place) => Some(std::mem::replace(place.get_mut(), item)),
            Entry::Vacant(place) => {
                place.insert(item);
                self.len += 1;
                None
            }
        }
    }

    /// Removes the item with this key, and returns it.
    pub fn remove(&mut self, key: &str) -> Option<T> {
        let (shard, hash) = self.place(key);
        let table = Arc::make_mut(&mut self.shards[shard]);
        let (item, _) = table
            .find_entry(hash, |item| item.key() == key)
            .ok()?
            .remove();
        self.len -= 1;
        Some(item)
    }

    /// Makes room for `more` items, so that the shards are distributed again at most once.
    pub fn reserve(&mut self, more: usize) {
        if self.len + more <= self.shards.len() * SHARD {
            return;
        }
        let items = self.len + more;
        let mut larger = ChunkedMap::with_shards((2 * items / SHARD).next_power_of_two(), items);
        larger.hasher = self.hasher.clone();
        for item in self.iter() {
            let (shard, hash) = larger.place(item.key());
            let hasher = &self.hasher;
            let table = Arc::make_mut(&mut larger.shards[shard]);
            table.insert_unique(hash, item.clone(), |item| hasher.hash_one(item.key()));
        }
        larger.len = self.len;
        *self = larger;
    }
}

impl<T: Keyed + Clone> Default for ChunkedMap<T> {
    fn default() -> ChunkedMap<T> {
        ChunkedMap::with_capacity(0)
    }
}

impl<T: Keyed + Clone> FromIterator<T> for ChunkedMap<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> ChunkedMap<T> {
        let items = items.into_iter();
        let mut map = ChunkedMap::with_capacity(items.size_hint().0);
        items.for_each(|item| drop(map.insert(item)));
        map
    }
}

#[cfg(test)]
mod tests;
