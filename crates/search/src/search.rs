//! Searches in an index, and their fusion with a second ranking.

use std::collections::HashMap;
use std::sync::Arc;

use repertoire_core::Id;
use repertoire_registry::Entry;

use super::document::HitField;
use super::hit::{Explanation, MatchConfidence, MatchKind, SearchHit};
use super::index::SearchIndex;
use super::item::SearchItem;
use super::query::Query;
use super::query_term::QueryWords;
use super::ranking;
use super::ranking::TopK;

/// The constant of reciprocal-rank fusion, as its paper proposes.
const K: f64 = 60.0;

/// Results taken from each ranking for one that is wanted, and at least.
const DEEPER: usize = 5;
const DEPTH: usize = 50;

impl SearchIndex {
    /// Returns the number of ids to ask a [`Ranker`](crate::Ranker) for on behalf of `query`.
    pub fn depth(query: &Query) -> usize {
        query.limit.saturating_mul(DEEPER).max(DEPTH)
    }
}

impl<T: SearchItem> SearchIndex<T> {
    /// Returns the skills that fit `query`, the best first.
    ///
    /// 1. By the kind of match: the name itself, the name but for its accents, its beginning, every word in the name, some words anywhere.
    /// 2. By the words: rare ones count more, and a word counts most in a name, then in a trigger, a tag, a description
    ///    (BM25F). Accents are folded: a word counts a little less where they differ from those typed. The forms of an English word are one word. A word that no skill has is taken for the nearest
    ///    words of names; the last word also for the beginning of one.
    /// 3. By tier, then id.
    ///
    /// The same snapshot and query give the same hits, however the index came about.
    pub fn search(&self, query: &Query) -> Vec<SearchHit<T>> {
        ranking::search(&self.0, query)
    }

    /// Returns at most three skills that the text of `query` may have been meant for, if it is not the name of one.
    ///
    /// At least half of the words are in the name of each, slips forgiven.
    pub fn near(&self, query: &Query) -> Vec<Arc<Entry<T>>> {
        let words = QueryWords::of(&self.0, &query.text, None).words.len();
        let hits = self.search(query).into_iter();
        let near = hits.filter(|hit| {
            let in_name = hit
                .why
                .words
                .iter()
                .filter(|word| word.fields.has(HitField::Name))
                .count();
            hit.why.fit < MatchKind::Words || in_name > 0 && in_name * 2 >= words
        });
        near.map(|hit| hit.entry).take(3).collect()
    }

    /// Searches like [`search`](SearchIndex::search), fused with a second ranking of the same skills, the best first.
    ///
    /// Skills that the query names exactly stay first. Everything else is ordered by reciprocal-rank fusion: each ranking
    /// gives a skill `1 / (60 + place)`, so that what both put high comes before what one puts first. Then by tier,
    /// then id. Skills that the query does not allow are left out of both.
    pub fn search_with(&self, query: &Query, ranked: &[Id]) -> Vec<SearchHit<T>> {
        let depth = SearchIndex::depth(query);
        let mut hits = self.search(&query.clone().limit(depth));
        let mut scores: HashMap<Id, f64> = HashMap::new();
        let share = |place: usize| 1.0 / (K + place as f64 + 1.0);
        for (place, hit) in hits.iter().enumerate() {
            scores.insert(hit.entry.id.clone(), share(place));
        }
        let mut place = 0;
        for (at, id) in ranked.iter().enumerate() {
            if place == depth {
                break;
            }
            if ranked[..at].contains(id) || !self.allows(query, id) {
                continue;
            }
            let score = scores.entry(id.clone()).or_insert_with(|| {
                let entry = self
                    .snapshot()
                    .get(id.as_str())
                    .expect("what is allowed is there");
                hits.push(SearchHit {
                    entry: entry.clone(),
                    why: Explanation {
                        fit: MatchKind::Ranked,
                        confidence: MatchConfidence::MayFit,
                        words: Vec::new(),
                        score: 0.0,
                    },
                });
                0.0
            });
            *score += share(place);
            place += 1;
        }
        hits.sort_by(
            |SearchHit {
                 entry: a,
                 why: of_a,
             },
             SearchHit {
                 entry: b,
                 why: of_b,
             }| {
                let exact_first =
                    (of_b.fit == MatchKind::Exact).cmp(&(of_a.fit == MatchKind::Exact));
                let by_score = exact_first.then_with(|| scores[&b.id].total_cmp(&scores[&a.id]));
                by_score.then_with(|| (a.origin().tier, &a.id).cmp(&(b.origin().tier, &b.id)))
            },
        );
        hits.truncate(query.limit);
        hits
    }

    pub(super) fn allows(&self, query: &Query, id: &Id) -> bool {
        let Some(number) = self.0.number_of(id) else {
            return false;
        };
        let Some(doc) = self.0.docs.get(number) else {
            return false;
        };
        let sight = self.0.sight(query);
        TopK::none_of(&self.0, query, sight.as_deref()).is_some_and(|best| best.allows(number, doc))
    }
}
