//! Search results.

use std::fmt;
use std::fmt::Debug;
use std::sync::Arc;

use repertoire_core::{Id, Item, Skill, async_trait};
use repertoire_registry::Entry;
use serde::Serialize;

use super::document::{HitField, HitFields};

/// A skill, or a different [item](super::SearchItem), that a search found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchHit<T: Item = Skill> {
    /// The skill.
    pub entry: Arc<Entry<T>>,
    /// The explanation of the match.
    pub why: Explanation,
}

/// The explanation of a match: its kind and its words as text, or by serde.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Explanation {
    /// The kind of match of the whole query.
    pub(crate) fit: MatchKind,
    /// The confidence that the skill fits.
    pub confidence: MatchConfidence,
    /// The words of the query that were found, in their order, and where.
    pub(crate) words: Vec<HitWord>,
    /// The score of the words, comparable inside one search.
    #[serde(skip)]
    pub score: f32,
}

/// The least scores of a match that may fit and of one that fits well, in front matter alone and with bodies.
///
/// 95 % of the questions of UiPath's skills that have an answer reach the first.
const LEAST_SCORES: [[f32; 2]; 2] = [[6.0, 12.0], [12.5, 20.0]];
/// The share of a query that its match must have to fit in spite of a lower score: a few words reach no high score.
const MAY_FIT_SHARE: f32 = 0.6;
const FITS_WELL_SHARE: f32 = 0.8;

impl MatchConfidence {
    /// Returns the confidence of a match that has `share` of the weight of the query's words.
    pub(super) fn of(fit: MatchKind, score: f32, share: f32, has_bodies: bool) -> MatchConfidence {
        let [may_fit, fits_well] = LEAST_SCORES[usize::from(has_bodies)];
        match fit {
            MatchKind::Words if score < may_fit && share < MAY_FIT_SHARE => {
                MatchConfidence::NothingFits
            }
            MatchKind::Words if score < fits_well && share < FITS_WELL_SHARE => {
                MatchConfidence::MayFit
            }
            _ => MatchConfidence::FitsWell,
        }
    }
}

/// The confidence that a skill fits a query. Of a search, that of the first hit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MatchConfidence {
    /// It fits well.
    FitsWell,
    /// It may fit.
    MayFit,
    /// It shares words with the query, as skills do that do not fit.
    NothingFits,
}

/// The kind of match between a query and a skill. Better ones come first in every search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MatchKind {
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
pub(crate) struct HitWord {
    /// The word of the query, without letter case.
    pub(crate) word: Arc<str>,
    /// The word that was found instead: a longer one, or what was meant.
    pub(crate) instead: Option<String>,
    /// The fields that have it.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<HitField>"))]
    pub(crate) fields: HitFields,
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fit {
            MatchKind::Exact => return f.write_str("its name"),
            MatchKind::Spelled => return f.write_str("its name, accents aside"),
            MatchKind::Beginning => return f.write_str("name prefix"),
            MatchKind::Ranked => return f.write_str("a different ranking named it"),
            MatchKind::Everything => return f.write_str("the query has no words"),
            MatchKind::Name | MatchKind::Words => {}
        }
        let mut between = "";
        for field in HitField::ALL {
            let words = self.words.iter().filter(|found| found.fields.has(field));
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
            HitField::Example => "an example prompt",
            HitField::Body => "body",
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
    async fn rank(
        &self,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Id>, Box<dyn std::error::Error + Send + Sync>>;
}
