//! The best of what a query may find.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::document::Doc;
use super::hit::Fit;
use super::index::Inner;
use super::query::Query;
use super::table::BLOCK;

/// A skill and how well it fits. Ordered from the best to the worst; total, because ids are unique.
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
    /// A bit for each skill that has every facet; nothing where none is asked for.
    facets: Option<Vec<u64>>,
    /// The worst one on top.
    rows: BinaryHeap<Row<'a>>,
}

impl<'a> Best<'a> {
    /// None so far; `None` when there can be none.
    pub(super) fn none_of(index: &Inner, query: &'a Query) -> Option<Best<'a>> {
        if query.limit == 0 {
            return None;
        }
        let mut facets: Option<Vec<u64>> = None;
        for term in &query.facets {
            let mut bits = vec![0; index.docs.blocks().count() * BLOCK / 64];
            for posting in index.dictionary.get(term)?.chunks().flatten() {
                bits[posting.number as usize / 64] |= 1 << (posting.number % 64);
            }
            facets = Some(match facets {
                None => bits,
                Some(before) => before.iter().zip(bits).map(|(a, b)| a & b).collect(),
            });
        }
        Some(Best { query, facets, rows: BinaryHeap::new() })
    }

    /// Takes `row` if it is allowed and among the best.
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

    /// The least score that a row with `fit` needs to be taken; nothing scores as little as what no row needs.
    pub(super) fn least(&self, fit: Fit) -> f32 {
        let full = self.rows.len() == self.query.limit;
        match self.rows.peek().filter(|_| full) {
            None => f32::MIN_POSITIVE,
            Some(worst) if worst.fit < fit => f32::INFINITY,
            Some(worst) if worst.fit > fit => f32::MIN_POSITIVE,
            Some(worst) => worst.score,
        }
    }

    /// The best ones, the very best first.
    pub(super) fn into_rows(self) -> Vec<Row<'a>> {
        self.rows.into_sorted_vec()
    }

    pub(super) fn allows(&self, number: u32, doc: &Doc) -> bool {
        let has = |bits: &Vec<u64>| bits[number as usize / 64] & (1 << (number % 64)) != 0;
        self.query.audience.is_none_or(|audience| doc.is_seen_by(audience, &self.query.modes))
            && self.query.tier.is_none_or(|tier| tier == doc.tier())
            && self.query.level.is_none_or(|level| doc.level() <= level)
            && self.facets.as_ref().is_none_or(has)
            && self.query.source.as_ref().is_none_or(|source| *source == *doc.entry.origin().source)
    }
}
