//! From a query to the best skills: BM25F, a block of skills at a time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::document::{Doc, Posting};
use super::hit::{Fit, Hit, Why};
use super::index::Inner;
use super::mask::{Bits, Sight};
use super::postings::{BLOCK, Postings};
use super::query::Query;
use super::query_term::{Term, Wanted};
use super::tokenize::squashed;
use repertoire_core::ChunkedVec;

use crate::fold::bare;

/// A skill and its match, ordered from the best to the worst.
pub(super) struct Row<'a> {
    pub(super) fit: Fit,
    pub(super) score: f32,
    pub(super) number: u32,
    pub(super) doc: &'a Doc,
}

impl Ord for Row<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = || other.score.total_cmp(&self.score);
        let by_place = || self.doc.cmp_place(other.doc);
        self.fit.cmp(&other.fit).then_with(by_score).then_with(by_place)
    }
}

impl PartialOrd for Row<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Row<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Row<'_> {}

/// The best rows so far, among those that a query allows.
pub(super) struct Best<'a> {
    query: &'a Query,
    sight: Option<&'a Sight>,
    facets: Vec<Bits>,
    /// The worst row is on top.
    rows: BinaryHeap<Row<'a>>,
}

impl<'a> Best<'a> {
    pub(super) fn none_of(index: &Inner, query: &'a Query, sight: Option<&'a Sight>) -> Option<Best<'a>> {
        if query.limit == 0 {
            return None;
        }
        let facet = |term: &String| {
            let postings = index.dictionary.get(term)?;
            Some(postings.iter().map(|posting| posting.number).collect())
        };
        let facets = query.facets.iter().map(facet).collect::<Option<_>>()?;
        Some(Best { query, sight, facets, rows: BinaryHeap::new() })
    }

    pub(super) fn offer(&mut self, row: Row<'a>) {
        let full = self.rows.len() == self.query.limit;
        // Most rows are worse, which is cheaper to tell than whether they are allowed.
        if full && self.rows.peek().is_some_and(|worst| *worst < row) || !self.allows(row.number, row.doc) {
            return;
        }
        if full {
            self.rows.pop();
        }
        self.rows.push(row);
    }

    /// Returns the least score that a row with this match needs to be taken; `f32::MIN_POSITIVE` when any score does.
    pub(super) fn least(&self, fit: Fit) -> f32 {
        let full = self.rows.len() == self.query.limit;
        match self.rows.peek().filter(|_| full) {
            None => f32::MIN_POSITIVE,
            Some(worst) if worst.fit < fit => f32::INFINITY,
            Some(worst) if worst.fit > fit => f32::MIN_POSITIVE,
            Some(worst) => worst.score,
        }
    }

    pub(super) fn into_rows(self) -> Vec<Row<'a>> {
        self.rows.into_sorted_vec()
    }

    pub(super) fn allows(&self, number: u32, doc: &Doc) -> bool {
        self.sight.is_none_or(|sight| sight.sees(number))
            && self.query.tier.is_none_or(|tier| tier == doc.tier())
            && self.query.level.is_none_or(|level| doc.level() <= level)
            && self.facets.iter().all(|facet| facet.has(number))
            && self.query.source.as_ref().is_none_or(|source| *source == *doc.entry.origin().source)
    }
}

/// Score multiplier for the other spellings of a word, with accents or without.
pub(super) const SPELLED: f32 = 0.9;
/// Score multiplier for terms added by spelling correction or prefix expansion.
pub(super) const INSTEAD: f32 = 0.4;

pub(super) fn search(index: &Inner, query: &Query) -> Vec<Hit> {
    let sight = index.sight(query);
    let sight = sight.as_deref();
    let Some(mut best) = Best::none_of(index, query, sight) else { return Vec::new() };
    let name = squashed(&query.text);
    let wanted = Wanted::all(index, &query.text, sight);
    if query.text.trim().is_empty() {
        for (number, doc) in index.docs() {
            best.offer(Row { fit: Fit::Everything, score: 0.0, number, doc });
        }
    } else {
        score(index, &wanted, &named(index, &name, &wanted), &mut best);
    }
    let hit = |row: Row<'_>| {
        let words = wanted.iter().filter_map(|word| word.found_in(row.number)).collect();
        Hit { entry: row.doc.entry.clone(), why: Why { fit: row.fit, words, score: row.score } }
    };
    best.into_rows().into_iter().map(hit).collect()
}

impl Inner {
    fn fit(&self, number: u32, name: &str, is_whole: bool) -> Fit {
        if !is_whole {
            return Fit::Beginning;
        }
        let is_named = |doc: &Doc| doc.names().any(|other| squashed(other) == name);
        if self.docs.get(number).as_ref().is_some_and(is_named) { Fit::Exact } else { Fit::Spelled }
    }
}

/// Returns the skills whose name is `name`, begins with it or has every word, by number, each with its best match.
fn named(index: &Inner, name: &str, wanted: &[Wanted<'_>]) -> Vec<(u32, Fit)> {
    let typed = name;
    let mut found = Vec::new();
    let bare = bare(name);
    for name in std::iter::once(name).chain(bare.as_deref()) {
        // One letter is the beginning of too many names.
        let begins = name.chars().nth(1).is_some();
        let names = index.names.iter_from(index.names.partition_point(|(other, _)| **other < *name));
        let names = names.take_while(|(other, _)| !name.is_empty() && other.starts_with(name));
        let names = names.take_while(|(other, _)| begins || other.len() == name.len());
        found.extend(names.map(|(other, number)| (*number, index.fit(*number, typed, other.len() == name.len()))));
    }
    found.extend(with_every(wanted).into_iter().map(|number| (number, Fit::Name)));
    found.sort_unstable();
    found.dedup_by_key(|(number, _)| *number);
    found
}

fn with_every(wanted: &[Wanted<'_>]) -> Vec<u32> {
    let mut words: Vec<Vec<&ChunkedVec<Posting>>> = wanted.iter().map(|word| word.names().collect()).collect();
    words.sort_by_cached_key(|lists| lists.iter().map(|list| list.len()).sum::<usize>());
    let numbers = |lists: &[&ChunkedVec<Posting>]| -> Bits {
        lists.iter().flat_map(|list| list.chunks().flatten()).map(|posting| posting.number).collect()
    };
    let Some((rarest, others)) = words.split_first() else { return Vec::new() };
    let mut found: Vec<u32> = numbers(rarest).iter().collect();
    for lists in others {
        if found.is_empty() {
            break;
        }
        let bits = numbers(lists);
        found.retain(|number| bits.has(*number));
    }
    found
}

fn score<'a>(index: &'a Inner, wanted: &[Wanted<'_>], named: &[(u32, Fit)], best: &mut Best<'a>) {
    let mut words: Vec<Word<'_>> = wanted.iter().map(Word::of).collect();
    let mut named = named.iter().peekable();
    let mut block = Block { scores: [0.0; BLOCK], brought: [0.0; BLOCK] };
    for (start, docs) in (0..).step_by(BLOCK).zip(index.docs.blocks()) {
        block.scores.fill(0.0);
        words.iter_mut().for_each(|word| word.add(&mut block, start + BLOCK as u32));
        let offer = |best: &mut Best<'a>, at: usize, fit: Fit, score: f32| {
            if let Some(doc) = &docs[at] {
                best.offer(Row { fit, score, number: start + at as u32, doc });
            }
        };
        while let Some((number, fit)) = named.next_if(|(number, _)| (*number as usize) < start as usize + BLOCK) {
            let at = (number - start) as usize;
            offer(best, at, *fit, std::mem::take(&mut block.scores[at]));
        }
        let mut least = best.least(Fit::Words);
        for (first, scores) in (0..).step_by(STRIDE).zip(block.scores.as_chunks::<STRIDE>().0) {
            // Without branches, because nearly all of them are too low once there are some hits.
            if !scores.iter().fold(false, |any, score| any | (*score >= least)) {
                continue;
            }
            for (at, score) in (first..).zip(scores) {
                if *score >= least {
                    offer(best, at, Fit::Words, *score);
                    least = best.least(Fit::Words);
                }
            }
        }
    }
}

/// Scores that are compared together, without branches.
const STRIDE: usize = 32;

struct Block {
    scores: [f32; BLOCK],
    /// The score of the best term of the current word: a skill with two of them has the word once.
    brought: [f32; BLOCK],
}

struct Word<'a> {
    typed: Option<[Cursor<'a>; 2]>,
    instead: Vec<Cursor<'a>>,
}

impl<'a> Word<'a> {
    fn of(wanted: &Wanted<'a>) -> Word<'a> {
        let typed = |term: &Term<'a>| {
            let Postings { named, others } = term.postings;
            [named, others].map(|list| Cursor::of(list, term.rarity))
        };
        let instead = |term: &Term<'a>| Cursor::of(&term.postings.named, INSTEAD * term.rarity);
        let spelled = wanted.spelled.iter().flat_map(|term| {
            let Postings { named, others } = term.postings;
            [named, others].map(|list| Cursor::of(list, SPELLED * term.rarity))
        });
        Word {
            typed: wanted.typed.as_ref().map(typed),
            instead: spelled.chain(wanted.instead.iter().map(|(_, term)| instead(term))).collect(),
        }
    }

    fn add(&mut self, block: &mut Block, end: u32) {
        let Block { scores, brought } = block;
        let alone = self.instead.is_empty();
        if !alone {
            brought.fill(0.0);
        }
        for cursor in self.typed.iter_mut().flatten() {
            // A skill is in one of both.
            if alone {
                cursor.below(end, |place, worth| scores[place] += worth);
            } else {
                cursor.below(end, |place, worth| {
                    scores[place] += worth;
                    brought[place] = worth;
                });
            }
        }
        for cursor in &mut self.instead {
            cursor.below(end, |place, worth| {
                scores[place] += (worth - brought[place]).max(0.0);
                brought[place] = worth.max(brought[place]);
            });
        }
    }
}

struct Cursor<'a> {
    rarity: f32,
    chunks: Box<dyn Iterator<Item = &'a [Posting]> + 'a>,
    rest: &'a [Posting],
    /// The chunk after `rest`, whose address is known before it is needed.
    next: &'a [Posting],
}

/// Postings that are read before the first of them is scored, so that memory loads overlap.
const AHEAD: usize = 64;

impl<'a> Cursor<'a> {
    fn of(postings: &'a ChunkedVec<Posting>, rarity: f32) -> Cursor<'a> {
        let mut chunks = Box::new(postings.chunks());
        let next = chunks.next().unwrap_or_default();
        Cursor { rarity, chunks, rest: &[], next }
    }

    /// Calls `each` with the place in the block and the score of the next postings below `end`.
    fn below(&mut self, end: u32, mut each: impl FnMut(usize, f32)) {
        let rarity = self.rarity;
        let read = |posting: &Posting| (posting.number as usize % BLOCK, rarity * posting.worth());
        loop {
            while let Some((ahead, rest)) = self.rest.split_first_chunk::<AHEAD>()
                && ahead[AHEAD - 1].number < end
            {
                let (mut places, mut worths) = ([0; AHEAD], [0.0; AHEAD]);
                for ((place, worth), posting) in places.iter_mut().zip(&mut worths).zip(ahead) {
                    (*place, *worth) = read(posting);
                }
                places.iter().zip(&worths).for_each(|(place, worth)| each(*place % BLOCK, *worth));
                self.rest = rest;
            }
            let below = self.rest.iter().take(AHEAD).take_while(|posting| posting.number < end);
            let below = below.map(read).map(|(place, worth)| each(place, worth)).count();
            self.rest = &self.rest[below..];
            if !self.rest.is_empty() {
                return;
            }
            self.rest = std::mem::replace(&mut self.next, self.chunks.next().unwrap_or_default());
            if self.rest.is_empty() {
                return;
            }
        }
    }
}
