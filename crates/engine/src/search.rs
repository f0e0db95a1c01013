//! Finding skills by words.

mod best;
mod bits;
mod dictionary;
mod document;
mod fuse;
mod hit;
mod index;
mod live;
mod postings;
mod query;
mod scoring;
mod sight;
mod sorted;
mod table;
#[cfg(test)]
mod tests;
mod vocabulary;
mod wanted;
mod words;

pub use document::HitField;
pub use fuse::Ranker;
pub use hit::{Fit, Hit, HitWord, Why};
pub use index::Index;
pub use live::LiveIndex;
pub use query::Query;
