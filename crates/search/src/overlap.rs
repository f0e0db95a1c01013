//! Pairs of skills whose descriptions compete for the same queries.

use std::collections::BTreeMap;
use std::sync::Arc;

use repertoire_core::{Id, Skill};
use repertoire_registry::Entry;

use super::index::SearchIndex;
use super::negation::positive;
use super::query::Query;

/// Two skills, one of which a search for the description of the other finds nearly as well.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SkillOverlap {
    /// The skill whose description is searched for.
    pub entry: Arc<Entry<Skill>>,
    /// The skill that is found, too.
    pub other: Arc<Entry<Skill>>,
    /// The score of `other` as a share of that of `entry`, at most one.
    pub share: f32,
    /// Words of the description that `other` has, those that are written first.
    pub words: Vec<String>,
}

/// Skills that are compared with each description.
const CANDIDATES: usize = 4;
/// The most words that are named.
const MOST_NAMED: usize = 6;

impl SearchIndex {
    /// Returns the pairs of skills of which one has at least `least` of the score of the other in a search for the description
    /// of that one, each pair once, by share, then id. Uses the filters of `query` and not its text.
    ///
    /// Takes the time of a search for each skill. Best asked of an index of front matter alone.
    pub fn overlaps(&self, query: &Query, least: f32) -> Vec<SkillOverlap> {
        let mut pairs: BTreeMap<(Id, Id), SkillOverlap> = BTreeMap::new();
        for entry in self.snapshot().entries() {
            for overlap in self.overlaps_of(entry, query) {
                let (a, b) = (&overlap.entry.id, &overlap.other.id);
                let pair = (a.min(b).clone(), a.max(b).clone());
                let known = pairs.get(&pair).map_or(0.0, |known| known.share);
                if overlap.share >= least && overlap.share > known {
                    pairs.insert(pair, overlap);
                }
            }
        }
        let mut pairs: Vec<_> = pairs.into_values().collect();
        // Stable: pairs with one share stay in the order of ids.
        pairs.sort_by(|a, b| b.share.total_cmp(&a.share));
        pairs
    }

    fn overlaps_of(&self, entry: &Arc<Entry<Skill>>, query: &Query) -> Vec<SkillOverlap> {
        let skill = entry.item();
        let when = skill.when_to_use().unwrap_or_default();
        let mut query = query.clone().limit(CANDIDATES);
        query.text = format!("{}\n{}", positive(&skill.description), positive(when));
        if query.text.trim().is_empty() {
            return Vec::new();
        }
        let hits = self.search(&query);
        let own = hits.iter().find(|hit| hit.entry.id == entry.id);
        if own.is_none() && !self.allows(&query, &entry.id) {
            return Vec::new();
        }
        // Without a hit, its own description finds every other one better.
        let own = own.map_or(0.0, |hit| hit.why.score);
        let others = hits.into_iter().filter(|hit| hit.entry.id != entry.id);
        let overlap = |hit: super::SearchHit| SkillOverlap {
            entry: entry.clone(),
            other: hit.entry,
            share: (hit.why.score / own.max(f32::MIN_POSITIVE)).min(1.0),
            words: (hit.why.words.into_iter())
                .take(MOST_NAMED)
                .map(|word| word.word.to_string())
                .collect(),
        };
        others.map(overlap).collect()
    }
}
