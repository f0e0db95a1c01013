//! From a query to the best skills: BM25F, a block of skills at a time.

use super::best::{Best, Row};
use super::bits::Bits;
use super::document::{Doc, Posting};
use super::hit::{Fit, Hit, Why};
use super::index::Inner;
use super::postings::Postings;
use super::query::Query;
use super::sorted::{Chunks, Sorted};
use super::table::BLOCK;
use super::wanted::{Term, Wanted};
use super::words::squashed;
use crate::fold::bare;

/// What a word counts that was typed in another spelling, with accents or without.
pub(super) const SPELLED: f32 = 0.9;
/// What a word counts that was not typed.
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
    /// How `name` fits the skill with this number, whose name it is or begins, accents aside.
    fn fit(&self, number: u32, name: &str, is_whole: bool) -> Fit {
        if !is_whole {
            return Fit::Beginning;
        }
        let is_named = |doc: &Doc| doc.names().any(|other| squashed(other) == name);
        if self.docs.get(number).as_ref().is_some_and(is_named) { Fit::Exact } else { Fit::Spelled }
    }
}

/// The skills whose name is `name`, begins with it or has every word, by number; for each the best of these.
fn named(index: &Inner, name: &str, wanted: &[Wanted<'_>]) -> Vec<(u32, Fit)> {
    let typed = name;
    let mut found = Vec::new();
    let bare = bare(name);
    for name in std::iter::once(name).chain(bare.as_deref()) {
        // One letter is the beginning of too many names.
        let begins = name.chars().nth(1).is_some();
        let names = index.names.from(|(other, _)| **other < *name);
        let names = names.take_while(|(other, _)| !name.is_empty() && other.starts_with(name));
        let names = names.take_while(|(other, _)| begins || other.len() == name.len());
        found.extend(names.map(|(other, number)| (*number, index.fit(*number, typed, other.len() == name.len()))));
    }
    found.extend(with_every(wanted).into_iter().map(|number| (number, Fit::Name)));
    found.sort_unstable();
    found.dedup_by_key(|(number, _)| *number);
    found
}

/// The skills that have every word in the name, by number.
fn with_every(wanted: &[Wanted<'_>]) -> Vec<u32> {
    let mut words: Vec<Vec<&Sorted<Posting>>> = wanted.iter().map(|word| word.names().collect()).collect();
    words.sort_by_cached_key(|lists| lists.iter().map(|list| list.len()).sum::<usize>());
    let numbers = |lists: &[&'_ Sorted<Posting>]| -> Bits {
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

/// Offers every skill that has one of the words or is `named`.
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

/// Scores that are looked at together.
const STRIDE: usize = 32;

/// What the skills of one block have of a query.
struct Block {
    scores: [f32; BLOCK],
    /// What the best term of the current word brought: a skill with two of them has the word once.
    brought: [f32; BLOCK],
}

/// A word of a query, its postings gone over in their order.
struct Word<'a> {
    /// As typed: in names, and elsewhere.
    typed: Option<[Cursor<'a>; 2]>,
    /// Its other spellings; and in names, what stands for it.
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

    /// Adds what the word brings to the skills of a block, which is up to `end`.
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

/// A list of postings, gone over in its order.
struct Cursor<'a> {
    rarity: f32,
    chunks: Chunks<'a, Posting>,
    rest: &'a [Posting],
    /// The chunk after that: where it lies is known before it is needed.
    next: &'a [Posting],
}

/// Postings that are read before the first of them counts: what is behind them comes from memory at the same time, not one after
/// another.
const AHEAD: usize = 64;

impl<'a> Cursor<'a> {
    fn of(postings: &'a Sorted<Posting>, rarity: f32) -> Cursor<'a> {
        let mut chunks = postings.chunks();
        let next = chunks.next().unwrap_or_default();
        Cursor { rarity, chunks, rest: &[], next }
    }

    /// Calls `each` with place in the block and worth of the next ones below `end`.
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
