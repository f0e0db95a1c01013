//! The text of a skill beyond its front matter: its body, and prompts that it was right for.

use std::collections::HashMap;
use std::sync::Arc;

use super::background::Background;
use super::tokenize::{Stems, is_stop_word, words};

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
    /// Separated by [`SEPARATOR`], in order.
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

impl TextTerms {
    /// Takes `text` apart, and keeps the `most` terms of its body that identify it best.
    pub(super) fn of(text: &SkillText, most: usize, stems: &Stems) -> TextTerms {
        let mut counts: HashMap<String, TermCount> = HashMap::new();
        let mut length = 0_u32;
        words(text.body.as_deref().unwrap_or_default(), |word| {
            if !is_stop_word(word) {
                let count = counts.entry(stems.of(word).into_owned()).or_default();
                count.body = count.body.saturating_add(1);
                length = length.saturating_add(1);
            }
        });
        let mut kept: Vec<_> = counts.into_iter().collect();
        if kept.len() > most {
            let rank = |(term, count): &(String, TermCount)| {
                let rarity = Background::get().all(term).rarity();
                (1.0 + f32::from(count.body).ln()) * rarity
            };
            kept.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then_with(|| a.0.cmp(&b.0)));
            kept.truncate(most);
        }
        let mut counts: HashMap<String, TermCount> = kept.into_iter().collect();
        for example in &text.examples {
            let mut seen = Vec::new();
            words(example, |word| {
                let stem = stems.of(word);
                if !is_stop_word(word) && !seen.iter().any(|other| *other == stem) {
                    let count = counts.entry(stem.clone().into_owned()).or_default();
                    count.examples = count.examples.saturating_add(1);
                    seen.push(stem.into_owned());
                }
            });
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let (terms, counts): (Vec<_>, Vec<_>) = counts.into_iter().unzip();
        TextTerms {
            terms: terms.join(SEPARATOR.encode_utf8(&mut [0; 4])).into(),
            counts: counts.into(),
            length,
            examples: text.examples.len().min(usize::from(u8::MAX)) as u16,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, TermCount)> {
        self.terms.split(SEPARATOR).zip(self.counts.iter().copied())
    }
}
