//! From a query to the best skills: BM25F, a block of skills at a time.

use super::best::{Best, Row};
use super::dictionary::Posting;
use super::hit::{Fit, Hit, Why};
use super::index::Inner;
use super::query::Query;
use super::sorted::Sorted;
use super::table::BLOCK;
use super::wanted::Wanted;
use super::words::squashed;

/// What a word counts in each field.
const WEIGHTS: [f32; 4] = [3.0, 2.0, 1.5, 1.0];
/// How soon more of the same word counts no more.
const K1: f32 = 1.2;
/// How much the length of a description counts against its words.
const B: f32 = 0.6;
/// What a word counts that was not typed.
const INSTEAD: f32 = 0.6;
/// Longer descriptions are as long as this.
const LONGEST: usize = 512;

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
    let average = (index.words as f32 / all as f32).max(1.0);
    // One division a length, instead of one a posting.
    let by_length = |length: usize| 1.0 / (1.0 - B + B * length as f32 / average);
    let by_length: Vec<f32> = (0..=LONGEST).map(by_length).collect();
    let mut words: Vec<Vec<Cursor<'_>>> = wanted.iter().map(|word| Cursor::each(word, all)).collect();
    let mut named = named.iter().peekable();
    let mut block = Block { scores: [0.0; BLOCK], brought: [0.0; BLOCK], in_name: [0; BLOCK] };
    let blocks = index.docs.blocks().zip(index.lengths.blocks());
    for (start, (docs, lengths)) in (0..).step_by(BLOCK).zip(blocks) {
        block.fill(start, &mut words, lengths, &by_length);
        let mut fits = [Fit::Words; BLOCK];
        while let Some((number, fit)) = named.next_if(|(number, _)| (*number as usize) < start as usize + BLOCK) {
            fits[(number - start) as usize] = *fit;
            // A name may have none of the words that count.
            block.scores[(number - start) as usize] += f32::MIN_POSITIVE;
        }
        for (at, doc) in docs.iter().enumerate() {
            let score = block.scores[at];
            if score > 0.0
                && let Some(doc) = doc
            {
                let every = usize::from(block.in_name[at]) == wanted.len();
                let fit = if fits[at] == Fit::Words && every { Fit::Name } else { fits[at] };
                best.offer(Row { fit, score, number: start + at as u32, doc });
            }
        }
    }
}

/// What the skills of one block have of a query.
struct Block {
    scores: [f32; BLOCK],
    /// What the best term of the current word brought: a skill with two of them has the word once.
    brought: [f32; BLOCK],
    /// How many words, from the first on without a gap, are in the name.
    in_name: [u8; BLOCK],
}

impl Block {
    fn fill(&mut self, start: u32, words: &mut [Vec<Cursor<'_>>], lengths: &[u16], by_length: &[f32]) {
        self.scores.fill(0.0);
        self.in_name.fill(0);
        for (word, terms) in (1..).zip(words) {
            let several = terms.len() > 1;
            if several {
                self.brought.fill(0.0);
            }
            for Cursor { postings, rarity, in_names_only } in terms {
                postings.below(start + BLOCK as u32, |posting| {
                    let at = (posting.number - start) as usize;
                    let [name, trigger, tag, description] = posting.counts.map(f32::from);
                    if *in_names_only && name == 0.0 {
                        return;
                    }
                    let mut often = WEIGHTS[0] * name;
                    if !*in_names_only {
                        let description = description * by_length[usize::from(lengths[at]).min(LONGEST)];
                        often += WEIGHTS[1] * trigger + WEIGHTS[2] * tag + WEIGHTS[3] * description;
                    }
                    let mut worth = *rarity * often * (K1 + 1.0) / (K1 + often);
                    if several {
                        let more = worth.max(self.brought[at]);
                        worth = more - std::mem::replace(&mut self.brought[at], more);
                    }
                    self.scores[at] += worth;
                    if name > 0.0 && self.in_name[at] + 1 == word {
                        self.in_name[at] = word;
                    }
                });
            }
        }
    }
}

/// The postings of one term, gone over in their order.
struct Cursor<'a> {
    postings: Postings<'a>,
    rarity: f32,
    in_names_only: bool,
}

impl<'a> Cursor<'a> {
    fn each(word: &Wanted<'a>, all: usize) -> Vec<Cursor<'a>> {
        let terms = word.terms.iter();
        let cursor = |term: &super::wanted::Term<'a>| {
            let instead = term.instead.is_some();
            let weight = if instead { INSTEAD } else { 1.0 };
            Cursor { postings: Postings::of(term.postings), rarity: weight * term.rarity(all), in_names_only: instead }
        };
        terms.map(cursor).collect()
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
            let till = match self.rest.last() {
                Some(last) if last.number < end => self.rest.len(),
                _ => self.rest.partition_point(|posting| posting.number < end),
            };
            let (now, later) = self.rest.split_at(till);
            now.iter().for_each(&mut each);
            self.rest = later;
            if !later.is_empty() {
                return;
            }
            match self.chunks.next() {
                Some(chunk) => self.rest = chunk,
                None => return,
            }
        }
    }
}
