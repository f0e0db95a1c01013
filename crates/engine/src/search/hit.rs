//! Search results, and their fusion with a second ranking.

use std::collections::HashMap;
use std::fmt;
use std::fmt::Debug;
use std::sync::Arc;

use repertoire_core::{Id, Skill, async_trait};
use repertoire_registry::Entry;
use serde::Serialize;

use super::document::HitField;
use super::index::Index;
use super::query::Query;

/// A skill that a search found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hit {
    /// The skill.
    pub entry: Arc<Entry<Skill>>,
    /// The explanation of the match.
    pub why: Why,
}

/// The explanation of a match.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Why {
    /// The kind of match of the whole query.
    pub fit: Fit,
    /// The words of the query that were found, in their order, and where.
    pub words: Vec<HitWord>,
    /// The score of the words, comparable inside one search.
    #[serde(skip)]
    pub score: f32,
}

/// The kind of match between a query and a skill. Better ones come first in every search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// It is the name; case, blanks and signs aside.
    Exact,
    /// It is the name, accents aside too.
    Spelled,
    /// The name begins with it.
    Beginning,
    /// Every word of it is in the name.
    Name,
    /// Some words of it are in the skill.
    Words,
    /// Another ranking named it.
    Ranked,
    /// It has no words, so everything fits.
    Everything,
}

/// A word of a query that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct HitWord {
    /// The word of the query, without letter case.
    pub word: String,
    /// The word that was found instead: a longer one, or what was meant.
    pub instead: Option<String>,
    /// The fields that have it.
    pub fields: Vec<HitField>,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fit {
            Fit::Exact => return f.write_str("its name"),
            Fit::Spelled => return f.write_str("its name, accents aside"),
            Fit::Beginning => return f.write_str("its name begins so"),
            Fit::Ranked => return f.write_str("another ranking named it"),
            Fit::Everything => return f.write_str("no words to look for"),
            Fit::Name | Fit::Words => {}
        }
        let mut between = "";
        for field in HitField::ALL {
            let words = self.words.iter().filter(|found| found.fields.contains(&field));
            let words: Vec<String> = words.map(ToString::to_string).collect();
            if !words.is_empty() {
                write!(f, "{between}{field}: {}", words.join(", "))?;
                between = "; ";
            }
        }
        Ok(())
    }
}

impl fmt::Display for HitWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.instead {
            None => write!(f, "`{}`", self.word),
            Some(instead) => write!(f, "`{instead}` for `{}`", self.word),
        }
    }
}

impl fmt::Display for HitField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            HitField::Name => "name",
            HitField::Trigger => "trigger",
            HitField::Tag => "tag",
            HitField::Description => "description",
        })
    }
}

/// Ranks skills by another measure than their words: an embedder, a service, a record of what helped before.
///
/// A host that has none loses nothing: searching works without, and without a network.
#[async_trait]
pub trait Ranker: Debug + Send + Sync + 'static {
    /// Returns at most `limit` effective ids of the skills that fit `text`, the best first. The caller omits unknown and hidden
    /// ids.
    ///
    /// # Errors
    /// Whatever keeps it from answering. The caller then goes by words alone; a message is for the operator.
    async fn rank(&self, text: &str, limit: usize) -> Result<Vec<Id>, Box<dyn std::error::Error + Send + Sync>>;
}

/// The constant of reciprocal-rank fusion, as its paper proposes.
const K: f64 = 60.0;

/// Results taken from each ranking for one that is wanted, and at least.
const DEEPER: usize = 5;
const DEPTH: usize = 50;

impl Index {
    /// Returns the number of ids to ask a [`Ranker`] for on behalf of `query`.
    pub fn depth(query: &Query) -> usize {
        query.limit.saturating_mul(DEEPER).max(DEPTH)
    }

    /// Searches like [`search`](Index::search), fused with a second ranking of the same skills, the best first.
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
