//! What a search found, and why.

use std::fmt;
use std::sync::Arc;

use repertoire_core::Skill;
use repertoire_registry::Entry;
use serde::Serialize;

use super::document::HitField;

/// A skill that a search found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hit {
    /// The skill.
    pub entry: Arc<Entry<Skill>>,
    /// Why it was found.
    pub why: Why,
}

/// Why a skill was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Why {
    /// How the query as a whole fits.
    pub fit: Fit,
    /// The words of the query that were found, in their order, and where.
    pub words: Vec<HitWord>,
    /// How well the words fit, for comparison inside one search.
    #[serde(skip)]
    pub score: f32,
}

/// How a query as a whole fits a skill. Better ones come first in every search.
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
    /// As the query has it, without letter case.
    pub word: String,
    /// The word that was found instead: a longer one, or what was meant.
    pub instead: Option<String>,
    /// Where it is.
    pub fields: Vec<HitField>,
}

impl fmt::Display for Why {
    /// For people: `every word in its name: form, pdf`.
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
