//! The best of what a query may find.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::bits::Bits;
use super::document::Doc;
use super::hit::Fit;
use super::index::Inner;
use super::query::Query;
use super::sight::Sight;

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
    sight: Option<&'a Sight>,
    /// Who has each facet that is asked for.
    facets: Vec<Bits>,
    /// The worst one on top.
    rows: BinaryHeap<Row<'a>>,
}

impl<'a> Best<'a> {
    /// None so far; `None` when there can be none.
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
        self.sight.is_none_or(|sight| sight.sees(number))
            && self.query.tier.is_none_or(|tier| tier == doc.tier())
            && self.query.level.is_none_or(|level| doc.level() <= level)
            && self.facets.iter().all(|facet| facet.has(number))
            && self.query.source.as_ref().is_none_or(|source| *source == *doc.entry.origin().source)
    }
}
