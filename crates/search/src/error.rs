//! The error of files for the search.

/// The error returned when a file has no prompts, or no synonyms, to read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchFileError {
    /// The text is not JSON or JSON Lines.
    #[error("{0}")]
    Syntax(String),
    /// The file has another shape.
    #[error(
        "expected a list of prompts, or a mapping with `evals`, `scenarios`, `stimuli`, `queries` or `should_trigger`"
    )]
    Shape,
    /// A prompt names no skill, and neither does its file.
    #[error("prompt {0} names no skill: expected `expected_skill`, or `skill_name` for the file")]
    NoSkill(usize),
    /// A line has no synonyms.
    #[error("line {line}: expected `word, other word` or `word => other word`, found `{found}`")]
    Synonyms {
        /// The number of the line, from 1.
        line: usize,
        /// The text of the line.
        found: String,
    },
}
