//! Full-text search in names, triggers, tags and descriptions.

mod document;
mod hit;
mod index;
mod mask;
mod postings;
mod query;
mod query_term;
mod ranking;
mod tokenize;
mod vocabulary;

pub use document::HitField;
pub use hit::{Explanation, HitWord, MatchKind, Ranker, SearchHit};
pub use index::{LiveIndex, SearchIndex};
pub use query::Query;

#[cfg(test)]
mod tests;
