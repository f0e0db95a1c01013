//! The text of a skill beyond its front matter: its body, and prompts that it was right for.

use std::sync::{Arc, LazyLock};

use super::language::{Language, LanguageCounts};
use super::lexicon::Lexicon;
use super::term_table::{TermId, TermTable};
use super::tokenize::{ShortWord, Token, tokens};
use super::word_table::WordTerms;

/// The text of a skill beyond its front matter, for [`SearchIndex::with_texts`](super::SearchIndex::with_texts).
///
/// ```
/// use repertoire_search::SkillText;
///
/// let text = SkillText::new()
///     .body("Boil the water, then wait.")
///     .example("make me a cup of tea");
/// # let _ = text;
/// ```
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

/// The terms of a [`SkillText`], as they are kept: each skill has hundreds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextTerms {
    terms: KeptTerms,
    /// Words of the body that are not stop words.
    pub(super) length: u32,
    /// Example prompts.
    pub(super) examples: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeptTerms {
    /// By rising number in the table of the index: the distance from the number before, in LEB128, whose lowest two bits are the
    /// occurrences in the body. They are zero if there are more than three or an example prompt has the term: then both counts
    /// follow in a byte each.
    Numbers(Box<[u8]>),
    /// Of a text that came after the index was built. In a box, because nearly all texts have numbers.
    Words(Box<KeptWords>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct KeptWords {
    /// Separated by [`SEPARATOR`].
    terms: Box<str>,
    counts: Box<[TermCount]>,
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
const SEPARATOR: &str = "\n";

/// The terms of a [`SkillText`], by their numbers in a [`Lexicon`].
#[derive(Debug, Default)]
pub(super) struct TextRows {
    pub(super) rows: Vec<(TermId, TermCount)>,
    /// Words of the body that are not stop words.
    pub(super) length: u32,
    /// Example prompts.
    pub(super) examples: u16,
}

/// The bits of a place among the recent words of a body: most are repeated.
const RECENT: u32 = 10;

impl TextRows {
    /// Takes `text` apart, and keeps the `most` terms of its body that identify it best.
    pub(super) fn of(text: &SkillText, most: usize, lexicon: &mut Lexicon) -> TextRows {
        let mut body = BodyRows::default();
        // Short words are counted before they are looked up, so that the look-ups follow each other and overlap.
        let mut short: Vec<(ShortWord, u32)> = Vec::new();
        let mut recent = [(ShortWord::default(), 0); 1 << RECENT];
        tokens(text.body.as_deref().unwrap_or_default(), |token| {
            let word = match token {
                Token::Short(word) => word,
                Token::Text(word) => return body.count(lexicon.word(word), 1, lexicon),
            };
            let (known, place) = &mut recent[word.hash(RECENT)];
            if *known == word {
                short[*place].1 += 1;
            } else {
                (*known, *place) = (word, short.len());
                short.push((word, 1));
            }
        });
        for (word, times) in short {
            body.count(lexicon.short_word(word), times, lexicon);
        }
        let BodyRows {
            mut rows,
            length,
            languages,
        } = body;
        let language = languages.language();
        if let Some(language) = language {
            let body = text.body.as_deref().unwrap_or_default();
            lexicon.forms(body, language, |form, lexicon| {
                let count = lexicon.row(&mut rows, form);
                count.body = count.body.saturating_add(1);
            });
        }
        keep_best(&mut rows, most, lexicon);
        lexicon.place(&rows);
        let language_of_examples = count_examples(&text.examples, &mut rows, lexicon);
        for language in language.into_iter().chain(language_of_examples) {
            let of_skills = lexicon.term(&language.term());
            lexicon.row(&mut rows, of_skills).body = 1;
        }
        TextRows {
            rows,
            length,
            examples: text.examples.len().min(usize::from(u8::MAX)) as u16,
        }
    }
}

/// The terms of a body, each in one row, and its words without stop words.
#[derive(Debug, Default)]
struct BodyRows {
    rows: Vec<(TermId, TermCount)>,
    length: u32,
    languages: LanguageCounts,
}

impl BodyRows {
    fn count(&mut self, word: WordTerms, times: u32, lexicon: &mut Lexicon) {
        self.languages.add(word.languages, times);
        if word.is_stop() {
            return;
        }
        let count = lexicon.row(&mut self.rows, word.stem);
        count.body = count
            .body
            .saturating_add(u8::try_from(times).unwrap_or(u8::MAX));
        self.length = self.length.saturating_add(times);
    }
}

/// Counts the words of each example once, and returns the language of all examples.
fn count_examples(
    examples: &[Arc<str>],
    rows: &mut Vec<(TermId, TermCount)>,
    lexicon: &mut Lexicon,
) -> Option<Language> {
    let mut languages = LanguageCounts::default();
    for example in examples {
        let mut seen = Vec::new();
        tokens(example, |token| {
            let word = lexicon.token(token);
            languages.add(word.languages, 1);
            if !word.is_stop() {
                count_once(word.stem, &mut seen, rows, lexicon);
            }
        });
    }
    let language = languages.language()?;
    for example in examples {
        let mut seen = Vec::new();
        lexicon.forms(example, language, |form, lexicon| {
            count_once(form, &mut seen, rows, lexicon);
        });
    }
    Some(language)
}

/// Counts an example with `term`, unless it was seen in that example.
fn count_once(
    term: TermId,
    seen: &mut Vec<TermId>,
    rows: &mut Vec<(TermId, TermCount)>,
    lexicon: &mut Lexicon,
) {
    if !seen.contains(&term) {
        let count = lexicon.row(rows, term);
        count.examples = count.examples.saturating_add(1);
        seen.push(term);
    }
}

impl TextTerms {
    /// Keeps rows whose numbers are those of the table of an index.
    pub(super) fn of_numbers(mut text: TextRows) -> TextTerms {
        text.rows.sort_unstable_by_key(|(term, _)| *term);
        let mut bytes = Vec::with_capacity(3 * text.rows.len());
        let mut before = 0;
        for (term, count) in &text.rows {
            let TermCount { body, examples } = *count;
            let is_short = examples == 0 && (1..4).contains(&body);
            let lowest = if is_short { body } else { 0 };
            push_number(
                u64::from(term - before) << 2 | u64::from(lowest),
                &mut bytes,
            );
            if !is_short {
                bytes.extend([body, examples]);
            }
            before = *term;
        }
        TextTerms::with(KeptTerms::Numbers(bytes.into()), &text)
    }

    /// Keeps rows with numbers of `lexicon`.
    pub(super) fn of_words(text: &TextRows, lexicon: &Lexicon) -> TextTerms {
        let terms: Vec<&str> = text
            .rows
            .iter()
            .map(|(term, _)| lexicon.text(*term))
            .collect();
        let words = KeptWords {
            terms: terms.join(SEPARATOR).into(),
            counts: text.rows.iter().map(|(_, count)| *count).collect(),
        };
        TextTerms::with(KeptTerms::Words(words.into()), text)
    }

    fn with(terms: KeptTerms, text: &TextRows) -> TextTerms {
        TextTerms {
            terms,
            length: text.length,
            examples: text.examples,
        }
    }

    /// Returns the rows with numbers of `lexicon`. `table` is that of the index that keeps these terms.
    pub(super) fn rows(&self, table: &TermTable, lexicon: &mut Lexicon) -> TextRows {
        let rows = match &self.terms {
            KeptTerms::Words(words) => {
                let terms = words.terms.split(SEPARATOR).zip(&words.counts);
                terms
                    .map(|(term, count)| (lexicon.term(term), *count))
                    .collect()
            }
            KeptTerms::Numbers(bytes) => numbers(bytes)
                .map(|(term, count)| (lexicon.term(table.text(term)), count))
                .collect(),
        };
        self.with_rows(rows)
    }

    /// Returns the rows of these terms of `lexicon`, and possibly of others that it has.
    pub(super) fn rows_of(
        &self,
        terms: &[TermId],
        table: &TermTable,
        lexicon: &Lexicon,
    ) -> TextRows {
        let rows = match &self.terms {
            KeptTerms::Words(words) => {
                let kept = words.terms.split(SEPARATOR).zip(&words.counts);
                kept.filter_map(|(term, count)| Some((lexicon.get(term)?, *count)))
                    .collect()
            }
            KeptTerms::Numbers(bytes) => {
                let known = |term: &TermId| Some((table.get(lexicon.text(*term))?, *term));
                let mut wanted: Vec<(TermId, TermId)> = terms.iter().filter_map(known).collect();
                wanted.sort_unstable();
                wanted.dedup();
                let mut wanted = wanted.into_iter().peekable();
                let row = |(number, count)| {
                    while wanted.next_if(|(other, _)| *other < number).is_some() {}
                    let (_, term) = wanted.next_if(|(other, _)| *other == number)?;
                    Some((term, count))
                };
                numbers(bytes).filter_map(row).collect()
            }
        };
        self.with_rows(rows)
    }

    fn with_rows(&self, rows: Vec<(TermId, TermCount)>) -> TextRows {
        TextRows {
            rows,
            length: self.length,
            examples: self.examples,
        }
    }
}

/// Returns the terms of [`KeptTerms::Numbers`].
fn numbers(bytes: &[u8]) -> impl Iterator<Item = (TermId, TermCount)> {
    let mut rest = bytes.iter().copied();
    let mut term = 0;
    std::iter::from_fn(move || {
        let number = take_number(&mut rest)?;
        term += (number >> 2) as TermId;
        let count = match number & 3 {
            0 => TermCount {
                body: rest.next()?,
                examples: rest.next()?,
            },
            body => TermCount {
                body: body as u8,
                examples: 0,
            },
        };
        Some((term, count))
    })
}

/// Adds `number` in LEB128.
pub(super) fn push_number(mut number: u64, bytes: &mut Vec<u8>) {
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number in LEB128.
pub(super) fn take_number(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = bytes.next()?;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            break;
        }
    }
    Some(number)
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
    static LOGARITHMS: LazyLock<[f32; 256]> =
        LazyLock::new(|| std::array::from_fn(|count| 1.0 + (count as f32).ln()));
    let rank = |(term, count): &(TermId, TermCount)| {
        LOGARITHMS[usize::from(count.body)] * lexicon.rarity(*term)
    };
    let mut ranked: Vec<_> = rows.drain(..).map(|row| (rank(&row), row)).collect();
    ranked.select_nth_unstable_by(most, |(rank, row), (other_rank, other)| {
        let by_rank = other_rank.total_cmp(rank);
        by_rank.then_with(|| lexicon.text(row.0).cmp(lexicon.text(other.0)))
    });
    rows.extend(ranked.into_iter().take(most).map(|(_, row)| row));
}
