//! One source's entries and diagnostics at a revision.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use foldhash::quality::RandomState;
use serde::{Deserialize, Serialize};

use crate::{Code, Delta, DeltaError, Diagnostic, Digest, Id, Item, Manifest, Stamp};

/// A source's position in its own history. Never goes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Revision(pub u64);

/// One row of a [`Listing`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Listed<T> {
    /// The item.
    pub item: Arc<T>,
    /// A cheap fingerprint of everything behind the item, its body included.
    pub stamp: Stamp,
    /// Identity of the raw content, where it is already known.
    pub digest: Option<Digest>,
    /// What the content consists of, where it is already known.
    pub parts: Option<Arc<Parts>>,
}

/// What the content behind a row consists of, so that one can tell which part of it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts {
    /// A fingerprint of the body's text.
    pub body: Stamp,
    /// The digest of the [`Manifest`] of the files beside it.
    pub resources: Digest,
}

impl Parts {
    /// A body and the files beside it.
    pub fn new(body: &str, resources: &Manifest) -> Parts {
        Parts { body: Stamp::of(body), resources: resources.digest() }
    }
}

/// Which parts of an item changed. What cannot be told counts as changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moved {
    /// The item itself, or how it is written down.
    pub metadata: bool,
    /// Its body.
    pub body: bool,
    /// The files beside it.
    pub resources: bool,
}

impl Moved {
    /// Whether anything changed.
    pub fn is_any(self) -> bool {
        self.metadata || self.body || self.resources
    }
}

impl<T: Item> Listed<T> {
    /// A row whose content is not known yet.
    pub fn new(item: impl Into<Arc<T>>, stamp: Stamp) -> Listed<T> {
        Listed { item: item.into(), stamp, digest: None, parts: None }
    }

    /// The same row with a known digest.
    #[must_use]
    pub fn with_digest(mut self, digest: Digest) -> Listed<T> {
        self.digest = Some(digest);
        self
    }

    /// The same row with known parts.
    #[must_use]
    pub fn with_parts(mut self, parts: impl Into<Arc<Parts>>) -> Listed<T> {
        self.parts = Some(parts.into());
        self
    }

    /// Whether `new` says the same of the same content, what only one of them knows aside.
    pub fn is_same(&self, new: &Listed<T>) -> bool {
        self.stamp == new.stamp && !self.is_modified_by(new)
    }

    /// Whether `new` knows something of the content that this row does not.
    pub(crate) fn learns_from(&self, new: &Listed<T>) -> bool {
        self.digest.is_none() && new.digest.is_some() || self.parts.is_none() && new.parts.is_some()
    }

    /// Whether `new` differs: the item does, or the content where both know it, else the stamps.
    pub fn is_modified_by(&self, new: &Listed<T>) -> bool {
        self.moved(new).is_any()
    }

    /// Which parts `new` changes.
    pub fn moved(&self, new: &Listed<T>) -> Moved {
        let item = !Arc::ptr_eq(&self.item, &new.item) && self.item != new.item;
        let content = match (self.digest, new.digest) {
            (Some(old), Some(new)) => old != new,
            _ => self.stamp != new.stamp,
        };
        match (&self.parts, &new.parts) {
            (Some(a), Some(b)) => {
                let (body, resources) = (a.body != b.body, a.resources != b.resources);
                // Another file with the same body: its front matter was written in another way.
                let is_rewritten = self.digest.is_some() && new.digest.is_some() && content && !body;
                Moved { metadata: item || is_rewritten, body, resources }
            }
            _ => Moved { metadata: item, body: content, resources: content },
        }
    }
}

/// Everything one source has, in the source's own stable order, ids unique. Cheap to clone.
///
/// Rows lie in shared blocks, so that [`apply`](Listing::apply) copies what changed and not what exists.
#[derive(Debug, Clone)]
pub struct Listing<T> {
    revision: Revision,
    blocks: Arc<Vec<Arc<Vec<Listed<T>>>>>,
    len: usize,
    diagnostics: Arc<[Diagnostic]>,
}

/// Rows a block holds when it is made; a block is split when it has grown to twice that.
const BLOCK: usize = 256;

impl<T: Item> Listing<T> {
    /// A listing of `items` in the source's stable order.
    ///
    /// When an id comes twice the first row stays and the other becomes a warning that names both places.
    pub fn new(
        revision: Revision,
        items: impl IntoIterator<Item = Listed<T>>,
        diagnostics: impl IntoIterator<Item = Diagnostic>,
    ) -> Listing<T> {
        let mut diagnostics: Vec<Diagnostic> = diagnostics.into_iter().collect();
        let mut rows: Vec<Listed<T>> = items.into_iter().collect();
        let mut first: HashMap<&Id, &T, _> = HashMap::with_capacity_and_hasher(rows.len(), RandomState::default());
        let mut again = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            match first.entry(row.item.id()) {
                Entry::Vacant(place) => {
                    place.insert(&row.item);
                }
                Entry::Occupied(kept) => {
                    diagnostics.push(duplicate(*kept.get(), &row.item));
                    again.push(at);
                }
            }
        }
        let (mut again, mut at) = (again.into_iter().peekable(), 0..);
        rows.retain(|_| at.next().is_none_or(|at| again.next_if_eq(&at).is_none()));
        Listing::from_rows(revision, rows, diagnostics.into())
    }

    fn from_rows(revision: Revision, rows: Vec<Listed<T>>, diagnostics: Arc<[Diagnostic]>) -> Listing<T> {
        let len = rows.len();
        let mut rows = rows.into_iter().peekable();
        let mut blocks = Vec::with_capacity(len.div_ceil(BLOCK));
        while rows.peek().is_some() {
            blocks.push(Arc::new(rows.by_ref().take(BLOCK).collect()));
        }
        Listing { revision, blocks: Arc::new(blocks), len, diagnostics }
    }

    /// Nothing, at `revision`.
    pub fn empty(revision: Revision) -> Listing<T> {
        Listing::new(revision, [], [])
    }

    /// The revision, taken before the source was read.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The rows in the source's order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Listed<T>> + Clone {
        self.blocks.iter().flat_map(|block| block.iter())
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What the operator should know about this source.
    pub fn diagnostics(&self) -> &Arc<[Diagnostic]> {
        &self.diagnostics
    }

    /// The same rows, each with what `digest` knows of its content.
    #[must_use]
    pub fn with_digests(self, digest: impl Fn(&Id) -> Option<Digest>) -> Listing<T> {
        let fill = |row: &Listed<T>| Listed { digest: digest(row.item.id()).or(row.digest), ..row.clone() };
        let blocks = self.blocks.iter().map(|block| {
            let needed = block.iter().any(|row| row.digest.is_none() && digest(row.item.id()).is_some());
            if needed { Arc::new(block.iter().map(fill).collect()) } else { block.clone() }
        });
        Listing { blocks: Arc::new(blocks.collect()), ..self }
    }

    /// This listing after `delta`; untouched blocks are shared with it.
    ///
    /// # Errors
    /// [`DeltaError`] when `delta` was made for another listing or would make an id come twice.
    pub fn apply(&self, delta: &Delta<T>) -> Result<Listing<T>, DeltaError> {
        delta.check(self)?;
        if let Some(whole) = delta.whole(self) {
            let (revision, diagnostics) = (delta.revision, delta.diagnostics.clone());
            return Ok(Listing { revision, diagnostics, ..whole.clone() });
        }
        let mut blocks: Vec<Arc<Vec<Listed<T>>>> = self.blocks.as_ref().clone();
        let mut len = self.len;
        // From the back, so that the positions of earlier splices stay true.
        for splice in delta.splices().iter().rev() {
            len = len - splice.removed() + splice.items.len();
            splice_blocks(&mut blocks, splice.range.clone(), &splice.items);
        }
        Ok(Listing { revision: delta.revision, blocks: Arc::new(blocks), len, diagnostics: delta.diagnostics.clone() })
    }

    /// Whether both are one and the same, made once and shared.
    pub(crate) fn is(&self, other: &Listing<T>) -> bool {
        Arc::ptr_eq(&self.blocks, &other.blocks)
    }

    /// The rows at `range`.
    pub(crate) fn rows(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = &Listed<T>> {
        let mut skip = range.start;
        let mut first = 0;
        while first < self.blocks.len() && skip >= self.blocks[first].len() {
            skip -= self.blocks[first].len();
            first += 1;
        }
        self.blocks[first..].iter().flat_map(|block| block.iter()).skip(skip).take(range.len())
    }

    /// The blocks that `new` shares with this listing, in order: where the rows begin here and there, and how many.
    pub(crate) fn shared_with(&self, new: &Listing<T>) -> Vec<(usize, usize, usize)> {
        let mut at = 0;
        let starts = self.blocks.iter().map(|block| {
            at += block.len();
            (Arc::as_ptr(block), at - block.len())
        });
        let starts: HashMap<*const Vec<Listed<T>>, usize, RandomState> = starts.collect();
        let (mut shared, mut end, mut at) = (Vec::new(), 0, 0);
        for block in new.blocks.iter() {
            // Applying deltas keeps blocks in order; if anything else did not, the later one counts as not shared.
            if let Some(start) = starts.get(&Arc::as_ptr(block)).copied().filter(|start| *start >= end) {
                shared.push((start, at, block.len()));
                end = start + block.len();
            }
            at += block.len();
        }
        shared
    }
}

impl<T: Item> PartialEq for Listing<T> {
    fn eq(&self, other: &Listing<T>) -> bool {
        self.revision == other.revision
            && self.diagnostics == other.diagnostics
            && self.len == other.len
            && self.iter().eq(other.iter())
    }
}

/// Replaces `range` by `items`, rewriting only the blocks that `range` touches.
fn splice_blocks<T: Clone>(blocks: &mut Vec<Arc<Vec<Listed<T>>>>, range: std::ops::Range<usize>, items: &[Listed<T>]) {
    let mut start = 0;
    let mut first = 0;
    while first < blocks.len() && start + blocks[first].len() < range.start {
        start += blocks[first].len();
        first += 1;
    }
    let mut rows = Vec::new();
    let mut last = first;
    let mut end = start;
    while last < blocks.len() && (last == first || end < range.end) {
        rows.extend(blocks[last].iter().cloned());
        end += blocks[last].len();
        last += 1;
    }
    rows.splice(range.start - start..range.end - start, items.iter().cloned());
    let parts: Vec<_> = if rows.len() > 2 * BLOCK {
        rows.chunks(BLOCK).map(|part| Arc::new(part.to_vec())).collect()
    } else if rows.is_empty() {
        Vec::new()
    } else {
        vec![Arc::new(rows)]
    };
    blocks.splice(first..last, parts);
}

fn duplicate<T: Item>(kept: &T, dropped: &T) -> Diagnostic {
    let message = format!("{} `{}` is defined twice; the first one stays", T::KIND, kept.id());
    let mut diagnostic = Diagnostic::new(Code::DUPLICATE_ID, message).help("rename one of them");
    diagnostic.path = dropped.location().map(Into::into);
    diagnostic.other = kept.location().map(Into::into);
    diagnostic
}

#[cfg(test)]
mod tests;
