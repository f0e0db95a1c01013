//! Full-text search in names, triggers, tags, descriptions, example prompts and bodies of skills.
//!
//! | type | purpose |
//! |---|---|
//! | [`SearchIndex`] | the index of one snapshot, immutable and cheap to clone |
//! | [`LiveIndex`] | the index that follows a registry |
//! | [`SearchItem`] | an item of a different kind that an index finds: an agent, a workflow |
//! | [`Query`], [`SearchHit`] | a search with its filters, and a skill that it found, with the reasons |
//! | [`Ranker`] | a second ranking of the host, such as an embedder |
//! | [`ExpectedPrompt`], [`EvalReport`] | prompts whose skills are known, and how well a search finds them |
//!
//! Pure, except for [`LiveIndex::read_bodies`]: no I/O, no clock, no thread, no runtime.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod authored;
mod background;
mod background_lines;
mod block_table;
mod blocking;
mod document;
mod edit_distance;
mod error;
mod evaluation;
mod facet;
mod fold;
mod hit;
mod index;
mod item;
mod language;
mod lexicon;
mod list_lengths;
mod live;
mod mask;
mod negation;
mod overlap;
mod patched_list;
mod postings;
mod prompt;
mod query;
mod query_term;
mod ranking;
mod search;
mod settings;
mod synonyms;
mod term_table;
mod text;
mod text_part;
mod tokenize;
mod vocabulary;
mod word_table;
mod word_weights;

// For the crates of this workspace.
#[doc(hidden)]
pub use background_lines::background_of;
#[doc(hidden)]
pub use document::beginning;
pub use error::SearchFileError;
pub use evaluation::{EvalReport, MissedPrompt, SkillEval, StolenPrompts};
#[doc(hidden)]
pub use fold::{fold, is_unspaced};
pub use hit::{Explanation, MatchConfidence, Ranker, SearchHit};
pub use index::SearchIndex;
pub use item::{SearchItem, SearchTexts};
pub use live::LiveIndex;
pub use overlap::SkillOverlap;
pub use prompt::{ExpectedPrompt, PromptGoal};
pub use query::Query;
pub use settings::IndexSettings;
pub use synonyms::Synonyms;
pub use text::SkillText;
#[doc(hidden)]
pub use word_weights::WordWeights;

#[cfg(test)]
mod tests;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
