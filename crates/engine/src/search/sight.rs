//! What who searches may know of.

use std::sync::{Arc, Mutex, PoisonError};

use super::bits::Bits;
use super::document::Doc;
use super::postings::Postings;
use super::query::Query;
use super::table::Table;
use crate::{Audience, Modes};

/// Which skills somebody may see who does not see all. What a search answers depends on these alone: other skills make no word
/// rarer, known, or near to a typed one.
#[derive(Debug, Clone)]
pub(super) struct Sight {
    audience: Audience,
    modes: Modes,
    seen: Bits,
    count: usize,
}

impl Sight {
    fn of(docs: &Table<Option<Doc>>, audience: Audience, modes: &Modes) -> Sight {
        let mut sight = Sight { audience, modes: modes.clone(), seen: Bits::default(), count: 0 };
        for (number, doc) in (0..).zip(docs.blocks().flatten()) {
            sight.look(number, doc.as_ref());
        }
        sight
    }

    /// Looks at the skill with this number, which has changed.
    fn look(&mut self, number: u32, doc: Option<&Doc>) {
        let before = self.sees(number);
        let after = doc.is_some_and(|doc| doc.is_seen_by(self.audience, &self.modes));
        if after && !before {
            self.seen.insert(number);
            self.count += 1;
        } else if before && !after {
            self.seen.remove(number);
            self.count -= 1;
        }
    }

    /// How many skills there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn sees(&self, number: u32) -> bool {
        self.seen.has(number)
    }

    /// How many of `postings` are of skills that may be seen.
    pub(super) fn count_of(&self, postings: &Postings) -> usize {
        postings.iter().filter(|posting| self.sees(posting.number)).count()
    }
}

/// The sights of an index that were asked for lately, each kept up with what changes.
#[derive(Debug, Default)]
pub(super) struct Sights {
    /// Skills that are hidden from the model, and from the user, by what they are.
    hidden: [usize; 2],
    /// The latest last.
    lately: Mutex<Vec<Arc<Sight>>>,
}

/// Sights that are kept: an index serves so many roles without looking at every skill for each question.
const KEPT: usize = 8;

impl Sights {
    /// What the asker of `query` may see; `None` where that is everything.
    pub(super) fn of(&self, docs: &Table<Option<Doc>>, query: &Query) -> Option<Arc<Sight>> {
        let audience = query.audience?;
        if query.modes.is_empty() && self.hidden[audience as usize] == 0 {
            return None;
        }
        let is = |sight: &Arc<Sight>| sight.audience == audience && sight.modes.is(&query.modes);
        let found = self.lately().iter().find(|sight| is(sight)).cloned();
        Some(found.unwrap_or_else(|| {
            // Without the lock: whoever decides may search itself.
            let sight = Arc::new(Sight::of(docs, audience, &query.modes));
            let mut lately = self.lately();
            if lately.len() == KEPT {
                lately.remove(0);
            }
            lately.push(sight.clone());
            sight
        }))
    }

    /// Takes note of a skill that comes.
    pub(super) fn insert(&mut self, number: u32, doc: &Doc) {
        self.count(doc, |hidden| hidden + 1);
        self.lately_mut().iter_mut().for_each(|sight| Arc::make_mut(sight).look(number, Some(doc)));
    }

    /// Takes note of a skill that goes.
    pub(super) fn remove(&mut self, number: u32, doc: &Doc) {
        self.count(doc, |hidden| hidden - 1);
        self.lately_mut().iter_mut().for_each(|sight| Arc::make_mut(sight).look(number, None));
    }

    fn count(&mut self, doc: &Doc, change: impl Fn(usize) -> usize) {
        for audience in [Audience::Model, Audience::User] {
            if doc.is_hidden(audience) {
                let hidden = &mut self.hidden[audience as usize];
                *hidden = change(*hidden);
            }
        }
    }

    fn lately(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Sight>>> {
        self.lately.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lately_mut(&mut self) -> &mut Vec<Arc<Sight>> {
        self.lately.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for Sights {
    fn clone(&self) -> Sights {
        Sights { hidden: self.hidden, lately: Mutex::new(self.lately().clone()) }
    }
}
