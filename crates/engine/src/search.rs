//! Finding skills by words.

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
pub use hit::{Fit, Hit, HitWord, Ranker, Why};
pub use index::{Index, LiveIndex};
pub use query::Query;

#[cfg(test)]
mod tests;
