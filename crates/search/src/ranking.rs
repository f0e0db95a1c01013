//! From a query to the best skills: BM25F, a block of skills at a time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::document::{BLOCK, Doc, Posting};
use super::hit::{Explanation, MatchConfidence, MatchKind, SearchHit};
use super::index::IndexData;
use super::item::SearchItem;
use super::mask::{Bits, VisibilityMask};
use super::patched_list::{PatchedChunks, PatchedList};
use super::query::Query;
use super::query_term::{EXPANSION_WEIGHT, QueryTerm, QueryWords, SYNONYM_WEIGHT, Term};
use super::tokenize::normalized;

use crate::fold::bare;

/// An item and its match, ordered from the best to the worst.
pub(super) struct ScoredItem<'a, T: SearchItem> {
    pub(super) fit: MatchKind,
    pub(super) score: f32,
    pub(super) number: u32,
    pub(super) doc: &'a Doc<T>,
}

impl<T: SearchItem> Ord for ScoredItem<'_, T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.fit
            .cmp(&other.fit)
            .then_with(|| other.score.total_cmp(&self.score))
            .then_with(|| self.doc.cmp_place(other.doc))
    }
}

impl<T: SearchItem> PartialOrd for ScoredItem<'_, T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: SearchItem> PartialEq for ScoredItem<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T: SearchItem> Eq for ScoredItem<'_, T> {}

/// The best rows so far, among those that a query allows.
pub(super) struct TopK<'a, T: SearchItem> {
    query: &'a Query,
    sight: Option<&'a VisibilityMask>,
    facets: Vec<Bits>,
    /// The worst row is on top.
    rows: BinaryHeap<ScoredItem<'a, T>>,
}

impl<'a, T: SearchItem> TopK<'a, T> {
    pub(super) fn none_of(
        index: &IndexData<T>,
        query: &'a Query,
        sight: Option<&'a VisibilityMask>,
    ) -> Option<TopK<'a, T>> {
        if query.limit == 0 {
            return None;
        }
        let facets = query
            .facets
            .iter()
            .map(|term: &String| {
                let postings = index.dictionary.get(term)?;
                Some(
                    postings
                        .others()
                        .chunks()
                        .flatten()
                        .map(|posting| posting.number())
                        .collect(),
                )
            })
            .collect::<Option<_>>()?;
        Some(TopK {
            query,
            sight,
            facets,
            rows: BinaryHeap::new(),
        })
    }

    pub(super) fn offer(&mut self, row: ScoredItem<'a, T>) {
        let full = self.rows.len() == self.query.limit;
        // Most rows are worse, and comparing is cheaper than checking the filters.
        if full && self.rows.peek().is_some_and(|worst| *worst < row)
            || !self.allows(row.number, row.doc)
        {
            return;
        }
        if full {
            self.rows.pop();
        }
        self.rows.push(row);
    }

    /// Returns the least score that a row with this match needs to be taken; `f32::MIN_POSITIVE` when any score does.
    pub(super) fn least(&self, fit: MatchKind) -> f32 {
        let full = self.rows.len() == self.query.limit;
        match self.rows.peek().filter(|_| full) {
            None => f32::MIN_POSITIVE,
            Some(worst) if worst.fit < fit => f32::INFINITY,
            Some(worst) if worst.fit > fit => f32::MIN_POSITIVE,
            Some(worst) => worst.score,
        }
    }

    pub(super) fn into_rows(self) -> Vec<ScoredItem<'a, T>> {
        self.rows.into_sorted_vec()
    }

    fn allows_all(&self) -> bool {
        let Query {
            tier,
            source,
            level,
            ..
        } = self.query;
        self.sight.is_none()
            && self.facets.is_empty()
            && tier.is_none()
            && source.is_none()
            && level.is_none()
    }

    pub(super) fn allows(&self, number: u32, doc: &Doc<T>) -> bool {
        self.sight.is_none_or(|sight| sight.sees(number))
            && self.query.tier.is_none_or(|tier| tier == doc.tier())
            && self.query.level.is_none_or(|level| doc.level() <= level)
            && self.facets.iter().all(|facet| facet.has(number))
            && self
                .query
                .source
                .as_ref()
                .is_none_or(|source| *source == *doc.entry.origin().source)
    }
}

/// Score multiplier for the other spellings of a word, with accents or without.
pub(super) const SPELLING_WEIGHT: f32 = 0.9;

/// The most bytes of a query that may be a name. Names are short, and pages are pasted.
const LONGEST_NAME: usize = 1024;

pub(super) fn search<T: SearchItem>(index: &IndexData<T>, query: &Query) -> Vec<SearchHit<T>> {
    let sight = index.sight(query);
    let sight = sight.as_deref();
    let Some(mut best) = TopK::none_of(index, query, sight) else {
        return Vec::new();
    };
    let name = match query.text.len() {
        ..=LONGEST_NAME => normalized(&query.text),
        _ => String::new(),
    };
    let wanted = QueryWords::of(index, &query.text, sight);
    let has_bodies = sight.map_or_else(|| index.has_bodies(), VisibilityMask::has_bodies);
    if query.text.trim().is_empty() {
        for (number, doc) in index.docs() {
            best.offer(ScoredItem {
                fit: MatchKind::Everything,
                score: 0.0,
                number,
                doc,
            });
        }
    } else {
        score(
            index,
            &wanted.words,
            &named(index, &name, &wanted.words),
            &mut best,
        );
    }
    best.into_rows()
        .into_iter()
        .map(
            |ScoredItem {
                 fit,
                 score,
                 number,
                 doc,
             }: ScoredItem<'_, T>| {
                let words = wanted.found_in(number);
                let confidence = MatchConfidence::of(fit, score, score / wanted.weight, has_bodies);
                SearchHit {
                    entry: doc.entry.clone(),
                    why: Explanation {
                        fit,
                        confidence,
                        words,
                        score,
                    },
                }
            },
        )
        .collect()
}

impl<T: SearchItem> IndexData<T> {
    fn fit(&self, number: u32, name: &str, is_whole: bool) -> MatchKind {
        if !is_whole {
            return MatchKind::Beginning;
        }
        if self
            .docs
            .get(number)
            .as_ref()
            .is_some_and(|doc: &Doc<T>| doc.names().any(|other| normalized(other) == name))
        {
            MatchKind::Exact
        } else {
            MatchKind::Spelled
        }
    }
}

/// Returns the skills whose name is `name`, begins with it or has every word, by number, each with its best match.
fn named<T: SearchItem>(
    index: &IndexData<T>,
    name: &str,
    wanted: &[QueryTerm<'_>],
) -> Vec<(u32, MatchKind)> {
    let typed = name;
    let mut found = Vec::new();
    let bare = bare(name);
    for name in std::iter::once(name).chain(bare.as_deref()) {
        // One letter is the beginning of too many names.
        let begins = name.chars().nth(1).is_some();
        let names = index
            .names
            .iter_from(index.names.partition_point(|(other, _)| **other < *name));
        let names = names.take_while(|(other, _)| !name.is_empty() && other.starts_with(name));
        let names = names.take_while(|(other, _)| begins || other.len() == name.len());
        found.extend(names.map(|(other, number)| {
            (
                *number,
                index.fit(*number, typed, other.len() == name.len()),
            )
        }));
    }
    found.extend(
        with_every(wanted)
            .into_iter()
            .map(|number| (number, MatchKind::Name)),
    );
    found.sort_unstable();
    found.dedup_by_key(|(number, _)| *number);
    found
}

fn with_every(wanted: &[QueryTerm<'_>]) -> Vec<u32> {
    if wanted
        .iter()
        .any(|word| word.names().all(|list| list.len() == 0))
    {
        return Vec::new();
    }
    let mut words: Vec<Vec<PatchedList<'_>>> =
        wanted.iter().map(|word| word.names().collect()).collect();
    words.sort_by_cached_key(|lists| lists.iter().map(|list| list.len()).sum::<usize>());
    let numbers = |lists: &[PatchedList<'_>]| -> Bits {
        lists
            .iter()
            .flat_map(|list| list.chunks().flatten())
            .map(|posting| posting.number())
            .collect()
    };
    let Some((rarest, others)) = words.split_first() else {
        return Vec::new();
    };
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

fn score<'a, T: SearchItem>(
    index: &'a IndexData<T>,
    wanted: &[QueryTerm<'_>],
    named: &[(u32, MatchKind)],
    best: &mut TopK<'a, T>,
) {
    let mut words: Vec<WordScorer<'_>> = wanted.iter().map(WordScorer::of).collect();
    let mut named = named.iter().peekable();
    let mut block = ScoreBlock {
        scores: [0.0; BLOCK],
        brought: [0.0; BLOCK],
    };
    for (start, docs) in (0..).step_by(BLOCK).zip(index.docs.blocks()) {
        block.scores.fill(0.0);
        words
            .iter_mut()
            .for_each(|word| word.add(&mut block, start + BLOCK as u32));
        let offer = |best: &mut TopK<'a, T>, at: usize, fit: MatchKind, score: f32| {
            if let Some(doc) = docs.get(at) {
                best.offer(ScoredItem {
                    fit,
                    score,
                    number: start + at as u32,
                    doc,
                });
            }
        };
        while let Some((number, fit)) =
            named.next_if(|(number, _)| (*number as usize) < start as usize + BLOCK)
        {
            let at = (number - start) as usize;
            offer(best, at, *fit, std::mem::take(&mut block.scores[at]));
        }
        let mut least = best.least(MatchKind::Words);
        if least == f32::MIN_POSITIVE && best.allows_all() {
            least = least.max(block.reached_by(best.query.limit));
        }
        for (first, scores) in (0..)
            .step_by(STRIDE)
            .zip(block.scores.as_chunks::<STRIDE>().0)
        {
            // Without branches, because nearly all of them are too low once there are some hits.
            if !scores
                .iter()
                .fold(false, |any, score| any | (*score >= least))
            {
                continue;
            }
            for (at, score) in (first..).zip(scores) {
                if *score >= least {
                    offer(best, at, MatchKind::Words, *score);
                    least = least.max(best.least(MatchKind::Words));
                }
            }
        }
    }
}

/// Scores that are compared together, without branches.
const STRIDE: usize = 32;

struct ScoreBlock {
    scores: [f32; BLOCK],
    /// The score of the best term of the current word: a skill with two of them has the word once.
    brought: [f32; BLOCK],
}

impl ScoreBlock {
    /// Returns a score that `limit` skills of the block reach, or zero. Without it, most skills of the first block would be
    /// taken until better ones replace them.
    fn reached_by(&self, limit: usize) -> f32 {
        let mut best = [0.0; BLOCK / STRIDE];
        for (best, scores) in best.iter_mut().zip(self.scores.as_chunks::<STRIDE>().0) {
            *best = (scores.iter()).fold(0.0, |a: f32, b| if *b > a { *b } else { a });
        }
        let Some(place) = best.len().checked_sub(limit) else {
            return 0.0;
        };
        *best.select_nth_unstable_by(place, f32::total_cmp).1
    }
}

struct WordScorer<'a> {
    typed: Option<[PostingCursor<'a>; 3]>,
    instead: Vec<PostingCursor<'a>>,
}

impl<'a> WordScorer<'a> {
    fn of(wanted: &QueryTerm<'a>) -> WordScorer<'a> {
        let typed =
            |term: &Term<'a>| (term.postings.lists).map(|list| PostingCursor::of(list, term.idf));
        let instead =
            |term: &Term<'a>| PostingCursor::of(term.postings.named(), EXPANSION_WEIGHT * term.idf);
        let spelled = |term: &Term<'a>| {
            let idf = SPELLING_WEIGHT * term.idf;
            (term.postings.lists).map(|list| PostingCursor::of(list, idf))
        };
        let synonym = |(_, term): &(&str, Term<'a>)| {
            let idf = SYNONYM_WEIGHT * term.idf;
            (term.postings.lists).map(|list| PostingCursor::of(list, idf))
        };
        let spelled = wanted.spelled.iter().flat_map(spelled);
        let spelled = spelled.chain(wanted.synonyms.iter().flat_map(synonym));
        WordScorer {
            typed: wanted.typed.as_ref().map(typed),
            instead: spelled
                .chain(wanted.instead.iter().map(|(_, term)| instead(term)))
                .collect(),
        }
    }

    fn add(&mut self, block: &mut ScoreBlock, end: u32) {
        let ScoreBlock { scores, brought } = block;
        let alone = self.instead.is_empty();
        if !alone {
            brought.fill(0.0);
        }
        for cursor in self.typed.iter_mut().flatten() {
            // A skill is in one of the lists.
            if alone {
                cursor.below(end, |place, weight| scores[place] += weight);
            } else {
                cursor.below(end, |place, weight| {
                    scores[place] += weight;
                    brought[place] = weight;
                });
            }
        }
        for cursor in &mut self.instead {
            cursor.below(end, |place, weight| {
                scores[place] += (weight - brought[place]).max(0.0);
                brought[place] = weight.max(brought[place]);
            });
        }
    }
}

struct PostingCursor<'a> {
    idf: f32,
    rest: &'a [Posting],
    /// The chunks after `rest`.
    more: PatchedChunks<'a>,
}

/// Postings that are read before the first of them is scored, so that memory loads overlap.
const AHEAD: usize = 64;

impl<'a> PostingCursor<'a> {
    fn of(postings: PatchedList<'a>, idf: f32) -> PostingCursor<'a> {
        PostingCursor {
            idf,
            rest: &[],
            more: postings.chunks(),
        }
    }

    /// Calls `each` with the place in the block and the score of the next postings below `end`.
    fn below(&mut self, end: u32, mut each: impl FnMut(usize, f32)) {
        let idf = self.idf;
        let read = |posting: &Posting| (posting.place(), idf * posting.weight());
        loop {
            while let Some((ahead, rest)) = self.rest.split_first_chunk::<AHEAD>()
                && ahead[AHEAD - 1].number() < end
            {
                let (mut places, mut weights) = ([0; AHEAD], [0.0; AHEAD]);
                for ((place, weight), posting) in places.iter_mut().zip(&mut weights).zip(ahead) {
                    (*place, *weight) = read(posting);
                }
                places
                    .iter()
                    .zip(&weights)
                    .for_each(|(place, weight)| each(*place % BLOCK, *weight));
                self.rest = rest;
            }
            let below = self
                .rest
                .iter()
                .take(AHEAD)
                .take_while(|posting| posting.number() < end);
            let below = below
                .map(read)
                .map(|(place, weight)| each(place, weight))
                .count();
            self.rest = &self.rest[below..];
            if !self.rest.is_empty() {
                return;
            }
            let Some(next) = self.more.next() else {
                return;
            };
            self.rest = next;
        }
    }
}
