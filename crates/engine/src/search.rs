//! Full-text search in names, triggers, tags, descriptions, example prompts and bodies.

mod authored;
mod background;
mod document;
mod evaluation;
mod hit;
mod index;
mod live;
mod mask;
mod negation;
mod overlap;
mod postings;
mod prompt;
mod query;
mod query_term;
mod ranking;
mod settings;
mod synonyms;
mod text;
mod tokenize;
mod vocabulary;
mod word_weights;

#[doc(hidden)]
pub use background::background_of;
pub use document::HitField;
pub use evaluation::{EvalReport, MissedPrompt, SkillEval, StolenPrompts};
pub use hit::{Explanation, HitWord, MatchConfidence, MatchKind, Ranker, SearchHit};
pub use index::SearchIndex;
pub use live::LiveIndex;
pub use overlap::SkillOverlap;
pub use prompt::{ExpectedPrompt, PromptFileError, PromptGoal};
pub use query::Query;
pub use settings::IndexSettings;
pub use synonyms::{SynonymError, Synonyms};
pub use text::SkillText;
pub(crate) use word_weights::WordWeights;

#[cfg(test)]
mod tests;
