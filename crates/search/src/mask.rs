//! Bitsets of the skills that an audience may see.

use std::sync::Arc;

use parking_lot::Mutex;

use super::block_table::BlockTable;
use super::document::Doc;
use super::item::SearchItem;
use super::patched_list::PatchedList;
use super::query::Query;
use repertoire_permission::{Audience, VisibilityPolicy};

/// The skills that an audience may see, if it does not see all. Other skills influence no result.
#[derive(Debug, Clone)]
pub(super) struct VisibilityMask {
    audience: Audience,
    modes: VisibilityPolicy,
    seen: Bits,
    count: usize,
    /// Skills that it sees and that have a body.
    bodies: usize,
}

impl VisibilityMask {
    fn of<T: SearchItem>(
        docs: &BlockTable<Option<Doc<T>>>,
        audience: Audience,
        modes: &VisibilityPolicy,
    ) -> VisibilityMask {
        let mut sight = VisibilityMask {
            audience,
            modes: modes.clone(),
            seen: Bits::default(),
            count: 0,
            bodies: 0,
        };
        for (number, doc) in (0..).zip(docs.iter()) {
            if let Some(doc) = doc {
                sight.insert(number, doc);
            }
        }
        sight
    }

    /// Adds a skill that is not in it.
    fn insert<T: SearchItem>(&mut self, number: u32, doc: &Doc<T>) {
        if doc.is_seen_by(self.audience, &self.modes) {
            self.seen.insert(number);
            self.count += 1;
            self.bodies += usize::from(doc.has_body());
        }
    }

    fn remove<T: SearchItem>(&mut self, number: u32, doc: &Doc<T>) {
        if self.sees(number) {
            self.seen.remove(number);
            self.count -= 1;
            self.bodies -= usize::from(doc.has_body());
        }
    }

    /// Returns whether most skills that it sees have a body.
    pub(super) fn has_bodies(&self) -> bool {
        2 * self.bodies > self.count
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn sees(&self, number: u32) -> bool {
        self.seen.has(number)
    }

    pub(super) fn count_of(&self, postings: PatchedList<'_>) -> usize {
        postings
            .chunks()
            .flatten()
            .filter(|posting| self.sees(posting.number()))
            .count()
    }
}

/// The most recently used masks of an index, each updated with every change.
#[derive(Debug, Default)]
pub(super) struct MaskCache {
    /// Skills that are hidden from the model and from the user by what they declare.
    hidden: [usize; 2],
    /// The most recent last.
    lately: Mutex<Vec<Arc<VisibilityMask>>>,
}

/// Masks that are kept: the roles that an index serves without checking every skill for each query.
const KEPT: usize = 8;

impl MaskCache {
    pub(super) fn of<T: SearchItem>(
        &self,
        docs: &BlockTable<Option<Doc<T>>>,
        query: &Query,
    ) -> Option<Arc<VisibilityMask>> {
        let audience = query.audience?;
        if query.modes.is_empty() && self.hidden[audience as usize] == 0 {
            return None;
        }
        let lately = self.lately.lock();
        let found = lately
            .iter()
            .find(|mask| mask.audience == audience && mask.modes.is(&query.modes))
            .cloned();
        drop(lately);
        Some(found.unwrap_or_else(|| {
            // Without the lock, because an authorizer may search itself.
            let sight = Arc::new(VisibilityMask::of(docs, audience, &query.modes));
            let mut lately = self.lately.lock();
            if lately.len() == KEPT {
                lately.remove(0);
            }
            lately.push(sight.clone());
            sight
        }))
    }

    /// Returns the cache of an index of the same skills with different texts.
    pub(super) fn without_masks(&self) -> MaskCache {
        MaskCache {
            hidden: self.hidden,
            lately: Mutex::default(),
        }
    }

    pub(super) fn insert<T: SearchItem>(&mut self, number: u32, doc: &Doc<T>) {
        self.count(doc, |hidden| hidden + 1);
        self.lately
            .get_mut()
            .iter_mut()
            .for_each(|sight| Arc::make_mut(sight).insert(number, doc));
    }

    pub(super) fn remove<T: SearchItem>(&mut self, number: u32, doc: &Doc<T>) {
        self.count(doc, |hidden| hidden - 1);
        self.lately
            .get_mut()
            .iter_mut()
            .for_each(|sight| Arc::make_mut(sight).remove(number, doc));
    }

    fn count<T: SearchItem>(&mut self, doc: &Doc<T>, change: impl Fn(usize) -> usize) {
        for audience in [Audience::Model, Audience::User] {
            if doc.is_hidden(audience) {
                let hidden = &mut self.hidden[audience as usize];
                *hidden = change(*hidden);
            }
        }
    }
}

impl Clone for MaskCache {
    fn clone(&self) -> MaskCache {
        MaskCache {
            hidden: self.hidden,
            lately: Mutex::new(self.lately.lock().clone()),
        }
    }
}

/// A bitset of skills by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn has(&self, number: u32) -> bool {
        self.0
            .get(number as usize / 64)
            .is_some_and(|bits| bits & (1 << (number % 64)) != 0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        let words = (0..).step_by(64).zip(&self.0);
        words.flat_map(|(first, bits)| {
            let mut rest = *bits;
            std::iter::from_fn(move || {
                let place = rest.trailing_zeros();
                rest &= rest.checked_sub(1)?;
                Some(first + place)
            })
        })
    }

    pub(super) fn insert(&mut self, number: u32) {
        let place = number as usize / 64;
        if self.0.len() <= place {
            self.0.resize(place + 1, 0);
        }
        self.0[place] |= 1 << (number % 64);
    }

    pub(super) fn remove(&mut self, number: u32) {
        if let Some(bits) = self.0.get_mut(number as usize / 64) {
            *bits &= !(1 << (number % 64));
        }
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<T: IntoIterator<Item = u32>>(numbers: T) -> Bits {
        let mut bits = Bits::default();
        numbers.into_iter().for_each(|number| bits.insert(number));
        bits
    }
}
