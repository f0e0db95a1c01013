//! Texts that several threads take apart.

use std::collections::VecDeque;
use std::thread::available_parallelism;

use super::blocking::BlockingWork;
use super::lexicon::Lexicon;
use super::term_table::TermId;
use super::text::{SkillText, TextRows};

/// Some texts of an index, taken apart with terms of their own, so that a thread needs nothing of others.
pub(super) struct TextPart {
    most: usize,
    lexicon: Lexicon,
    /// By skill: the rows of its text.
    rows: Vec<(u32, TextRows)>,
}

impl TextPart {
    /// Creates a part without texts, which keeps the `most` terms of each body.
    pub(super) fn new(most: usize) -> TextPart {
        TextPart {
            most,
            lexicon: Lexicon::default(),
            rows: Vec::new(),
        }
    }

    /// Takes the text of a skill apart.
    pub(super) fn add(&mut self, number: u32, text: &SkillText) {
        let rows = TextRows::of(text, self.most, &mut self.lexicon);
        self.rows.push((number, rows));
    }
}

/// Parts that are taken apart at the same time.
pub(super) struct PartWorkers {
    most: usize,
    count: usize,
    /// The one that began first is in front.
    running: VecDeque<BlockingWork<TextPart>>,
}

/// The most parts. Each one stems the words that it meets.
const MOST_PARTS: usize = 4;

impl PartWorkers {
    /// Creates workers without texts, which keep the `most` terms of each body.
    pub(super) fn new(most: usize) -> PartWorkers {
        PartWorkers {
            most,
            count: available_parallelism().map_or(1, |count| count.get().min(MOST_PARTS)),
            running: VecDeque::new(),
        }
    }

    /// Waits for a worker, and gives it these texts. Returns `None` if the runtime shuts down.
    pub(super) async fn add(&mut self, texts: Vec<(u32, SkillText)>) -> Option<()> {
        let mut part = match self.running.len() < self.count {
            true => TextPart::new(self.most),
            false => self.running.pop_front()?.output().await?,
        };
        self.running.push_back(BlockingWork::start(move || {
            for (number, text) in &texts {
                part.add(*number, text);
            }
            part
        }));
        Some(())
    }

    /// Waits for all. Returns `None` if the runtime shuts down.
    pub(super) async fn finish(self) -> Option<Vec<TextPart>> {
        let mut parts = Vec::new();
        for running in self.running {
            parts.push(running.output().await?);
        }
        Some(parts)
    }
}

/// The texts of several parts, by the number of their skill.
pub(super) struct JoinedTexts {
    texts: Vec<Option<(usize, TextRows)>>,
    lexicons: Vec<(Lexicon, TermNumbers)>,
}

/// By term of a part: its number in an index, or [`UNKNOWN`].
type TermNumbers = Vec<TermId>;

const UNKNOWN: TermId = TermId::MAX;

impl JoinedTexts {
    /// Joins parts. Of two texts of one skill, the last counts.
    pub(super) fn of(parts: Vec<TextPart>) -> JoinedTexts {
        let mut joined = JoinedTexts {
            texts: Vec::new(),
            lexicons: Vec::new(),
        };
        for (part, TextPart { lexicon, rows, .. }) in parts.into_iter().enumerate() {
            for (number, rows) in rows {
                let number = number as usize;
                if joined.texts.len() <= number {
                    joined.texts.resize_with(number + 1, || None);
                }
                joined.texts[number] = Some((part, rows));
            }
            let numbers = vec![UNKNOWN; lexicon.len()];
            joined.lexicons.push((lexicon, numbers));
        }
        joined
    }

    /// Takes the text of a skill, with its terms in `lexicon`.
    pub(super) fn take(&mut self, number: u32, lexicon: &mut Lexicon) -> Option<TextRows> {
        let (part, mut text) = self.texts.get_mut(number as usize)?.take()?;
        let (terms, numbers) = &mut self.lexicons[part];
        for (term, _) in &mut text.rows {
            let number = &mut numbers[*term as usize];
            if *number == UNKNOWN {
                *number = lexicon.term(terms.text(*term));
            }
            *term = *number;
        }
        Some(text)
    }
}
