//! The text of a skill beyond its front matter: its body, and prompts that it was right for.

use std::sync::Arc;

use super::lexicon::{Lexicon, TermId};
use super::tokenize::words;

/// The text of a skill beyond its front matter, for [`SearchIndex::with_texts`](super::SearchIndex::with_texts).
#[derive(Debug, Clone, Default)]
pub struct SkillText {
    /// The body.
    pub(super) body: Option<Arc<str>>,
    /// Prompts that the skill was right for.
    pub(super) examples: Vec<Arc<str>>,
}

impl SkillText {
    /// Creates a text without body and examples.
    pub fn new() -> SkillText {
        SkillText::default()
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Arc<str>>) -> SkillText {
        self.body = Some(body.into());
        self
    }

    /// Adds a prompt that the skill was right for.
    #[must_use]
    pub fn example(mut self, prompt: impl Into<Arc<str>>) -> SkillText {
        self.examples.push(prompt.into());
        self
    }
}

/// The terms of a [`SkillText`], in one string because each skill has hundreds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextTerms {
    /// Separated by [`SEPARATOR`].
    terms: Box<str>,
    counts: Box<[TermCount]>,
    /// Words of the body that are not stop words.
    pub(super) length: u32,
    /// Example prompts.
    pub(super) examples: u16,
}

/// Occurrences of a term, at most 255 of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TermCount {
    /// In the body.
    pub(super) body: u8,
    /// Example prompts that have it.
    pub(super) examples: u8,
}

/// No word has a control character.
const SEPARATOR: char = '\n';

/// The terms of a [`SkillText`], by their numbers in a [`Lexicon`].
#[derive(Debug, Default)]
pub(super) struct TextRows {
    pub(super) rows: Vec<(TermId, TermCount)>,
    /// Words of the body that are not stop words.
    pub(super) length: u32,
    /// Example prompts.
    pub(super) examples: u16,
}

impl TextRows {
    /// Takes `text` apart, and keeps the `most` terms of its body that identify it best.
    pub(super) fn of(text: &SkillText, most: usize, lexicon: &mut Lexicon) -> TextRows {
        let mut rows: Vec<(TermId, TermCount)> = Vec::new();
        let mut length = 0_u32;
        words(text.body.as_deref().unwrap_or_default(), |word| {
            let word = lexicon.word(word);
            if !word.is_stop {
                let count = lexicon.row(&mut rows, word.stem);
                count.body = count.body.saturating_add(1);
                length = length.saturating_add(1);
            }
        });
        keep_best(&mut rows, most, lexicon);
        lexicon.place(&rows);
        for example in &text.examples {
            let mut seen: Vec<TermId> = Vec::new();
            words(example, |word| {
                let word = lexicon.word(word);
                if !word.is_stop && !seen.contains(&word.stem) {
                    let count = lexicon.row(&mut rows, word.stem);
                    count.examples = count.examples.saturating_add(1);
                    seen.push(word.stem);
                }
            });
        }
        TextRows {
            rows,
            length,
            examples: text.examples.len().min(usize::from(u8::MAX)) as u16,
        }
    }
}

impl TextTerms {
    pub(super) fn of(text: &TextRows, lexicon: &Lexicon) -> TextTerms {
        let mut terms = String::with_capacity(8 * text.rows.len());
        for (place, (term, _)) in text.rows.iter().enumerate() {
            terms.extend((place > 0).then_some(SEPARATOR));
            terms.push_str(lexicon.text(*term));
        }
        TextTerms {
            terms: terms.into(),
            counts: text.rows.iter().map(|(_, count)| *count).collect(),
            length: text.length,
            examples: text.examples,
        }
    }

    pub(super) fn rows(&self, lexicon: &mut Lexicon) -> TextRows {
        let terms = self.iter();
        TextRows {
            rows: terms
                .map(|(term, count)| (lexicon.term(term), count))
                .collect(),
            length: self.length,
            examples: self.examples,
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&str, TermCount)> {
        self.terms.split(SEPARATOR).zip(self.counts.iter().copied())
    }
}

/// Returns the most terms of a body that an index of so many skills keeps.
///
/// Fewer than 512 lower the hit rate of small registries with long bodies (UiPath's questions). The best 256 are enough among
/// 19,000 skills.
pub(super) fn most_terms(skills: usize) -> usize {
    if skills > MANY_SKILLS { 256 } else { 512 }
}

const MANY_SKILLS: usize = 4096;

/// Keeps the `most` rows of a body that identify it best, by `(1 + ln occurrences) * rarity`.
fn keep_best(rows: &mut Vec<(TermId, TermCount)>, most: usize, lexicon: &Lexicon) {
    if rows.len() <= most {
        return;
    }
    let rank = |(term, count): &(TermId, TermCount)| {
        (1.0 + f32::from(count.body).ln()) * lexicon.rarity(*term)
    };
    let mut ranked: Vec<_> = rows.drain(..).map(|row| (rank(&row), row)).collect();
    ranked.select_nth_unstable_by(most, |(rank, row), (other_rank, other)| {
        let by_rank = other_rank.total_cmp(rank);
        by_rank.then_with(|| lexicon.text(row.0).cmp(lexicon.text(other.0)))
    });
    rows.extend(ranked.into_iter().take(most).map(|(_, row)| row));
}
