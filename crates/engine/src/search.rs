//! Full-text search in names, triggers, tags, descriptions, example prompts and bodies.

mod background;
mod document;
mod hit;
mod index;
mod live;
mod mask;
mod negation;
mod postings;
mod query;
mod query_term;
mod ranking;
mod text;
mod tokenize;
mod vocabulary;

#[doc(hidden)]
pub use background::background_of;
pub use document::HitField;
pub use hit::{Explanation, HitWord, MatchConfidence, MatchKind, Ranker, SearchHit};
pub use index::SearchIndex;
pub use live::LiveIndex;
pub use query::Query;
pub use text::SkillText;

#[cfg(test)]
mod tests;
