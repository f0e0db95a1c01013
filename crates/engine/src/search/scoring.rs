//! From a query to the best skills: BM25F, a block of skills at a time.

use super::best::{Best, Row};
use super::document::Posting;
use super::hit::{Fit, Hit, Why};
use super::index::Inner;
use super::query::Query;
use super::sorted::Sorted;
use super::table::BLOCK;
use super::wanted::{Term, Wanted};
use super::words::squashed;

/// What a word counts that was not typed.
const INSTEAD: f32 = 0.4;
pub(super) fn search(index: &Inner, query: &Query) -> Vec<Hit> {
    let Some(mut best) = Best::none_of(index, query) else { return Vec::new() };
    let name = squashed(&query.text);
    let wanted = Wanted::all(index, &query.text);
    if query.text.trim().is_empty() {
        for (number, doc) in index.docs() {
            best.offer(Row { fit: Fit::Everything, score: 0.0, number, doc });
        }
    } else {
        score(index, &wanted, &named(index, &name), &mut best);
    }
    let hit = |row: Row<'_>| {
        let words = wanted.iter().filter_map(|word| word.found_in(row.number)).collect();
        Hit { entry: row.doc.entry.clone(), why: Why { fit: row.fit, words, score: row.score } }
    };
    best.into_rows().into_iter().map(hit).collect()
}

/// The skills whose name is `name` or begins with it, by number; for each the better of both.
fn named(index: &Inner, name: &str) -> Vec<(u32, Fit)> {
    // One letter is the beginning of too many names.
    let begins = name.chars().nth(1).is_some();
    let names = index.names.from(|(other, _)| **other < *name);
    let names = names.take_while(|(other, _)| !name.is_empty() && other.starts_with(name));
    let names = names.take_while(|(other, _)| begins || other.len() == name.len());
    let fit = |other: &str| if other.len() == name.len() { Fit::Exact } else { Fit::Beginning };
    let mut found: Vec<(u32, Fit)> = names.map(|(other, number)| (*number, fit(other))).collect();
    found.sort_unstable();
    found.dedup_by_key(|(number, _)| *number);
    found
}

/// Offers every skill that has one of the words or is `named`.
fn score<'a>(index: &'a Inner, wanted: &[Wanted<'_>], named: &[(u32, Fit)], best: &mut Best<'a>) {
    let all = index.len();
    let mut words: Vec<Vec<Cursor<'_>>> = wanted.iter().map(|word| Cursor::each(word, all)).collect();
    let mut named = named.iter().peekable();
    let mut block = Block { scores: [0.0; BLOCK], brought: [0.0; BLOCK], in_name: [0; BLOCK], every: Vec::new() };
    for (start, docs) in (0..).step_by(BLOCK).zip(index.docs.blocks()) {
        block.fill(start, &mut words);
        let offer = |best: &mut Best<'a>, at: usize, fit: Fit, score: f32| {
            if let Some(doc) = &docs[at] {
                best.offer(Row { fit, score, number: start + at as u32, doc });
            }
        };
        while let Some((number, fit)) = named.next_if(|(number, _)| (*number as usize) < start as usize + BLOCK) {
            let at = (number - start) as usize;
            offer(best, at, *fit, std::mem::take(&mut block.scores[at]));
        }
        for at in block.every.drain(..) {
            // One that is named was offered already.
            let score = std::mem::take(&mut block.scores[at]);
            if score > 0.0 {
                offer(best, at, Fit::Name, score);
            }
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
    /// How many words, from the first on without a gap, are in the name.
    in_name: [u8; BLOCK],
    /// Who has every word in the name.
    every: Vec<usize>,
}

impl Block {
    fn fill(&mut self, start: u32, words: &mut [Vec<Cursor<'_>>]) {
        self.scores.fill(0.0);
        self.in_name.fill(0);
        let (last, end) = (words.len() as u8, start + BLOCK as u32);
        for (word, terms) in (1..).zip(words) {
            let as_typed = terms.iter().all(|term| !term.instead);
            if !as_typed {
                self.brought.fill(0.0);
            }
            for Cursor { postings, rarity, instead } in terms {
                let (scores, brought, in_name) = (&mut self.scores, &mut self.brought, &mut self.in_name);
                let mut named = |at: usize| {
                    if in_name[at] + 1 == word {
                        in_name[at] = word;
                        if word == last {
                            self.every.push(at);
                        }
                    }
                };
                let place = |posting: &Posting| (posting.number - start) as usize % BLOCK;
                if as_typed {
                    postings.below(end, |posting| {
                        scores[place(posting)] += *rarity * posting.worth();
                        if posting.is_in_name() {
                            named(place(posting));
                        }
                    });
                } else {
                    postings.below(end, |posting| {
                        if !*instead || posting.is_in_name() {
                            let (at, worth) = (place(posting), *rarity * posting.worth());
                            scores[at] += (worth - brought[at]).max(0.0);
                            brought[at] = worth.max(brought[at]);
                        }
                        if posting.is_in_name() {
                            named(place(posting));
                        }
                    });
                }
            }
        }
    }
}

/// The postings of one term, gone over in their order.
struct Cursor<'a> {
    postings: Postings<'a>,
    rarity: f32,
    /// Whether it stands for what was typed.
    instead: bool,
}

impl<'a> Cursor<'a> {
    fn each(word: &Wanted<'a>, all: usize) -> Vec<Cursor<'a>> {
        let cursor = |term: &Term<'a>| {
            let instead = term.instead.is_some();
            let weight = if instead { INSTEAD } else { 1.0 };
            Cursor { postings: Postings::of(term.postings), rarity: weight * term.rarity(all), instead }
        };
        word.terms.iter().map(cursor).collect()
    }
}

struct Postings<'a> {
    chunks: Box<dyn Iterator<Item = &'a [Posting]> + 'a>,
    rest: &'a [Posting],
}

impl<'a> Postings<'a> {
    fn of(postings: &'a Sorted<Posting>) -> Postings<'a> {
        Postings { chunks: Box::new(postings.chunks()), rest: &[] }
    }

    /// Calls `each` with the next ones below `end`.
    fn below(&mut self, end: u32, mut each: impl FnMut(&Posting)) {
        loop {
            let rest = self.rest;
            // One after another, and not by halves: the memory behind them is on its way already.
            for (at, posting) in rest.iter().enumerate() {
                if posting.number >= end {
                    self.rest = &rest[at..];
                    return;
                }
                each(posting);
            }
            match self.chunks.next() {
                Some(chunk) => self.rest = chunk,
                None => {
                    self.rest = &[];
                    return;
                }
            }
        }
    }
}
