//! Two rankings made one.

use std::collections::HashMap;
use std::fmt::Debug;

use repertoire_core::{Id, async_trait};

use super::hit::{Fit, Hit, Why};
use super::index::Index;
use super::query::Query;

/// Ranks skills by another measure than their words: an embedder, a service, a record of what helped before.
///
/// A host that has none loses nothing: searching works without, and without a network.
#[async_trait]
pub trait Ranker: Debug + Send + Sync + 'static {
    /// Effective ids of the skills that fit `text`, the best first, at most `limit`. Ids that do not exist or
    /// must not be seen are left out by whoever asked.
    ///
    /// # Errors
    /// Whatever keeps it from answering. The caller then goes by words alone; a message is for the operator.
    async fn rank(&self, text: &str, limit: usize) -> Result<Vec<Id>, Box<dyn std::error::Error + Send + Sync>>;
}

/// How fast a place down the list counts less: the constant of the paper that proposed the method.
const K: f64 = 60.0;

/// How many of each ranking are taken for one hit that is wanted, and at least.
const DEEPER: usize = 5;
const DEPTH: usize = 50;

impl Index {
    /// How many ids a [`Ranker`] should be asked for on behalf of `query`.
    pub fn depth(query: &Query) -> usize {
        query.limit.saturating_mul(DEEPER).max(DEPTH)
    }

    /// As [`search`](Index::search), with another ranking of the same skills, the best first.
    ///
    /// What the query names exactly stays first. Everything else is ordered by reciprocal-rank fusion: each ranking
    /// gives a skill `1 / (60 + place)`, so that what both put high comes before what one puts first. Then by tier,
    /// then id. What the query does not allow is left out of both.
    pub fn search_with(&self, query: &Query, ranked: &[Id]) -> Vec<Hit> {
        let depth = Index::depth(query);
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
                let entry = self.snapshot().get(id.as_str()).expect("what is allowed is there");
                hits.push(Hit { entry: entry.clone(), why: Why { fit: Fit::Ranked, words: Vec::new(), score: 0.0 } });
                0.0
            });
            *score += share(place);
            place += 1;
        }
        let order = |hit: &Hit| (hit.entry.origin().tier, hit.entry.id.clone());
        hits.sort_by(|a, b| {
            let exact = |hit: &Hit| hit.why.fit != Fit::Exact;
            let by_score = || scores[&b.entry.id].total_cmp(&scores[&a.entry.id]);
            exact(a).cmp(&exact(b)).then_with(by_score).then_with(|| order(a).cmp(&order(b)))
        });
        hits.truncate(query.limit);
        hits
    }
}
