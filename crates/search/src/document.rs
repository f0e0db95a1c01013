//! One item, as it is searched.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use repertoire_core::{InvokeLevel, Item};
use repertoire_registry::{Entry, Tier};

use super::facet::facets;
use super::item::{SearchItem, SearchTexts};
use super::language::LanguageCounts;
use super::lexicon::{ACCENTED, Lexicon};
use super::negation::positive;
use super::term_table::TermId;
use super::text::{TermCount, TextRows, TextTerms};
use super::tokenize::{name_words, normalized, tokens};
use super::vocabulary::NameVocabulary;
use super::word_table::WordTerms;
use crate::fold::bare;
use repertoire_permission::{Audience, VisibilityPolicy};

/// The field in which a word of a query was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum HitField {
    /// In the name.
    Name,
    /// In what triggers it.
    Trigger,
    /// In its tags or its category.
    Tag,
    /// In its description, or in what it says about when to use it.
    Description,
    /// In a prompt that it was right for.
    Example,
    /// In its body.
    Body,
}

impl HitField {
    pub(super) const ALL: [HitField; 6] = [
        HitField::Name,
        HitField::Trigger,
        HitField::Tag,
        HitField::Description,
        HitField::Example,
        HitField::Body,
    ];
}

/// Fields that have a word, as a bit for each of [`HitField::ALL`], because a long query has hundreds of hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HitFields(u8);

impl HitFields {
    pub(super) const NAME: HitFields = HitFields(1);

    pub(super) fn has(self, field: HitField) -> bool {
        self.0 & 1 << field as u8 != 0
    }
}

impl serde::Serialize for HitFields {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(HitField::ALL.into_iter().filter(|field| self.has(*field)))
    }
}

/// Occurrences of a term in each field of the front matter, in the order of [`HitField::ALL`]: 0, 1, or 2 for more.
pub(super) type FieldCounts = [u8; 4];

/// Occurrences of a term in a skill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct TermCounts {
    front_matter: FieldCounts,
    text: TermCount,
}

impl TermCounts {
    fn in_body(times: u8) -> TermCounts {
        TermCounts {
            front_matter: FieldCounts::default(),
            text: TermCount {
                body: times,
                examples: 0,
            },
        }
    }
}

pub(super) const BLOCK: usize = 2048;

/// A term in a skill: six bytes, because memory bandwidth limits a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Posting {
    /// The number of the skill: its lower 16 bits, and the 8 above.
    low: u16,
    high: u8,
    /// A bit for each field of [`HitField::ALL`], and one for facets.
    fields: u8,
    /// The weight of the term in this skill, in steps of [`STEP`].
    weight: u16,
}

/// The weight of a word in each field of the front matter that has it 0 times, once, and more often. Repetition in the
/// shortest description weighs less than one occurrence in the name.
const WEIGHTS: [[f32; 3]; 4] = [
    [0.0, 3.0, 3.0],
    [0.0, 2.0, 2.0],
    [0.0, 1.5, 1.5],
    [0.0, 1.0, 2.0],
];
/// The weight of one occurrence in a body of [`MIDDLE_BODY`] words.
const BODY_WEIGHT: f32 = 0.12;
/// The weight of a word that every example prompt has.
const EXAMPLE_WEIGHT: f32 = 3.0;
/// BM25's saturation of the term frequency.
const K1: f32 = 2.0;
/// BM25's normalization by the length of the description, and by that of the body.
const B: f32 = 0.6;
const BODY_B: f32 = 0.75;
/// Words of an average description, and of an average body. Fixed, so that other skills change no score.
const MIDDLE: f32 = 50.0;
const MIDDLE_BODY: f32 = 2000.0;
/// The least relative length that shortens the normalization further.
const SHORTEST: f32 = 0.5;
const _: () = assert!(WEIGHTS[3][2] / (1.0 - B + B * SHORTEST) < WEIGHTS[0][1]);
/// Fine enough to keep different weights apart in 16 bits.
const STEP: f32 = 1.0 / 16_384.0;
/// The bit of a term that is a facet.
const FACET: u8 = 1 << HitField::ALL.len();

impl Posting {
    fn new(number: u32, counts: TermCounts, lengths: TextLengths) -> Posting {
        let TermCounts { front_matter, text } = counts;
        let longer = (f32::from(lengths.description) / MIDDLE).max(SHORTEST);
        let [name, trigger, tag, description] =
            std::array::from_fn(|field| WEIGHTS[field][usize::from(front_matter[field])]);
        let longer_body = lengths.body as f32 / MIDDLE_BODY;
        let body = BODY_WEIGHT * f32::from(text.body) / (1.0 - BODY_B + BODY_B * longer_body);
        let share = f32::from(text.examples) / f32::from(lengths.examples.max(1));
        let examples = EXAMPLE_WEIGHT * share.sqrt();
        // BM25F: at most K1 + 1.
        let often = name + trigger + tag + description / (1.0 - B + B * longer) + body + examples;
        let weight = often * (K1 + 1.0) / (K1 + often);
        let found = front_matter
            .map(|count| count > 0)
            .into_iter()
            .chain([text.examples > 0, text.body > 0]);
        let fields = (0..).zip(found).fold(0, |fields, (field, found)| {
            fields | u8::from(found) << field
        });
        Posting::with(number, fields, (weight / STEP) as u16)
    }

    pub(super) fn of_facet(number: u32) -> Posting {
        Posting::with(number, FACET, 0)
    }

    #[cfg(test)]
    pub(super) fn weighing(self, weight: u16) -> Posting {
        Posting { weight, ..self }
    }

    fn with(number: u32, fields: u8, weight: u16) -> Posting {
        Posting {
            low: number as u16,
            high: u8::try_from(number >> 16).expect("an index has at most 16 million skills"),
            fields,
            weight,
        }
    }

    pub(super) fn number(self) -> u32 {
        u32::from(self.high) << 16 | u32::from(self.low)
    }

    /// Returns the place of the skill in its block.
    pub(super) fn place(self) -> usize {
        const _: () = assert!(BLOCK <= 1 << 16);
        usize::from(self.low) % BLOCK
    }

    pub(super) fn fields(self) -> HitFields {
        HitFields(self.fields & !FACET)
    }

    pub(super) fn weight(self) -> f32 {
        f32::from(self.weight) * STEP
    }

    pub(super) fn is_in_name(self) -> bool {
        self.fields & 1 != 0
    }

    /// Returns the place of the term's list in [`TermPostings::lists`](super::postings::TermPostings::lists).
    pub(super) fn list(self) -> usize {
        match self.fields & (FACET | 0b1111) {
            0 => 2,
            front_matter => usize::from(front_matter & 1 == 0),
        }
    }
}

/// The numbers that normalize the counts of a skill's terms.
#[derive(Debug, Clone, Copy, Default)]
struct TextLengths {
    /// Words of the description.
    description: u16,
    /// Words of the body.
    body: u32,
    /// Example prompts.
    examples: u16,
}

#[derive(Debug, Clone)]
pub(super) struct Doc<T: Item> {
    pub(super) entry: Arc<Entry<T>>,
    /// None until it was read.
    pub(super) text: Option<Arc<TextTerms>>,
    tier: Tier,
    beginning: u64,
    /// For each audience, whether the item hides itself.
    hidden: [bool; 2],
    level: InvokeLevel,
}

impl<T: SearchItem> Doc<T> {
    pub(super) fn of(
        entry: &Arc<Entry<T>>,
        text: Option<Arc<TextTerms>>,
        level: InvokeLevel,
    ) -> Doc<T> {
        let policy = VisibilityPolicy::default();
        let hidden = [Audience::Model, Audience::User]
            .map(|audience| T::is_hidden(&entry.candidate, audience, &policy));
        Doc {
            entry: entry.clone(),
            text,
            tier: entry.origin().tier,
            beginning: beginning(entry.id.as_str()),
            hidden,
            level,
        }
    }

    /// Returns the same item with this text.
    pub(super) fn with_text(&self, text: Option<Arc<TextTerms>>) -> Doc<T> {
        Doc {
            text,
            ..self.clone()
        }
    }

    pub(super) fn has_body(&self) -> bool {
        self.text.as_ref().is_some_and(|text| text.length > 0)
    }

    pub(super) fn is_hidden(&self, audience: Audience) -> bool {
        self.hidden[audience as usize]
    }

    pub(super) fn is_seen_by(&self, audience: Audience, modes: &VisibilityPolicy) -> bool {
        if modes.is_empty() {
            return !self.is_hidden(audience);
        }
        !T::is_hidden(&self.entry.candidate, audience, modes)
    }

    pub(super) fn cmp_place(&self, other: &Doc<T>) -> Ordering {
        let quick = (self.tier, self.beginning).cmp(&(other.tier, other.beginning));
        quick.then_with(|| self.entry.id.cmp(&other.entry.id))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [self.entry.id.as_str(), self.entry.item().id().as_str()].into_iter()
    }

    pub(super) fn tier(&self) -> Tier {
        self.tier
    }

    pub(super) fn level(&self) -> InvokeLevel {
        self.level
    }
}

/// The terms of an item, which are numbers of a [`Lexicon`].
#[derive(Debug)]
pub(super) struct ItemTerms {
    counts: Vec<(TermId, TermCounts)>,
    facets: Vec<TermId>,
    pub(super) name_words: Vec<String>,
    pub(super) names: Vec<String>,
    pub(super) level: InvokeLevel,
    lengths: TextLengths,
}

impl ItemTerms {
    pub(super) fn postings(&self, number: u32) -> impl Iterator<Item = (TermId, Posting)> {
        let facets = self.facets.iter();
        let facets = facets.map(move |term| (*term, Posting::of_facet(number)));
        let of = move |counts: TermCounts| Posting::new(number, counts, self.lengths);
        // Most terms are in the body alone, a few times, and such weights are equal.
        let in_body: [Posting; 4] =
            std::array::from_fn(|times| of(TermCounts::in_body(times as u8)));
        let words = self.counts.iter().map(move |(term, counts)| {
            let alone = in_body.get(usize::from(counts.text.body));
            let alone = alone.filter(|_| *counts == TermCounts::in_body(counts.text.body));
            (*term, alone.copied().unwrap_or_else(|| of(*counts)))
        });
        words.chain(facets)
    }

    /// Returns the stems, without spellings of names and facets.
    pub(super) fn words<'l>(&self, lexicon: &'l Lexicon) -> impl Iterator<Item = &'l str> {
        self.counts
            .iter()
            .map(|(term, _)| lexicon.text(*term))
            .filter(|term: &&str| !term.starts_with(char::is_control))
    }

    pub(super) fn of<T: SearchItem>(
        entry: &Entry<T>,
        text: Option<&TextRows>,
        lexicon: &mut Lexicon,
    ) -> ItemTerms {
        let texts = entry.item().search_texts();
        let mut terms = ItemTerms {
            counts: Vec::with_capacity(64),
            facets: facets(&texts, lexicon),
            name_words: Vec::new(),
            names: names(entry),
            level: texts.level,
            lengths: TextLengths::default(),
        };
        terms.count_name(entry.id.as_str(), lexicon);
        let mut languages = LanguageCounts::default();
        for (field, text) in fields(&texts) {
            let length = terms.count_text(&text, field, &mut languages, lexicon);
            if field == HitField::Description {
                terms.lengths.description = terms.lengths.description.saturating_add(length);
            }
        }
        if let Some(language) = languages.language() {
            let of_skills = lexicon.term(&language.term());
            terms.count_term(of_skills, HitField::Description, lexicon);
            let name = (HitField::Name, entry.id.as_str().into());
            for (field, text) in fields(&texts).chain([name]) {
                lexicon.forms(&text, language, |form, lexicon| {
                    terms.count_term(form, field, lexicon);
                });
            }
        }
        // A word as written has the counts of the front matter only.
        terms.count_name_as_written(lexicon);
        if let Some(text) = text {
            terms.add_text(text, lexicon);
        }
        terms
    }

    /// Returns the terms with those of a text.
    pub(super) fn with_text(mut self, text: &TextRows, lexicon: &mut Lexicon) -> ItemTerms {
        lexicon.place(&self.counts);
        self.add_text(text, lexicon);
        self
    }

    /// Returns the terms without facets.
    pub(super) fn terms(&self) -> impl Iterator<Item = TermId> {
        self.counts.iter().map(|(term, _)| *term)
    }

    fn count_name(&mut self, name: &str, lexicon: &mut Lexicon) {
        name_words(name, |word| {
            self.count_word(lexicon.word(word), HitField::Name, lexicon);
            self.name_words.extend(bare(word));
            self.name_words.push(word.to_owned());
        });
        self.name_words.sort_unstable();
        self.name_words.dedup();
    }

    /// Counts the words of `text` without stop words, and returns their number.
    fn count_text(
        &mut self,
        text: &str,
        field: HitField,
        languages: &mut LanguageCounts,
        lexicon: &mut Lexicon,
    ) -> u16 {
        let mut length = 0_u16;
        tokens(text, |token| {
            let word = lexicon.token(token);
            languages.add(word.languages, 1);
            if !word.is_stop() {
                self.count_word(word, field, lexicon);
                length = length.saturating_add(1);
            }
        });
        length
    }

    /// Counts `word` as it is written, and as it is typed without accents.
    fn count_word(&mut self, word: WordTerms, field: HitField, lexicon: &mut Lexicon) {
        for term in [Some(word.stem), word.accented].into_iter().flatten() {
            self.count_term(term, field, lexicon);
        }
    }

    fn count_term(&mut self, term: TermId, field: HitField, lexicon: &mut Lexicon) {
        let counts = lexicon.row(&mut self.counts, term);
        let count = &mut counts.front_matter[field as usize];
        *count = (*count + 1).min(2);
    }

    fn count_name_as_written(&mut self, lexicon: &mut Lexicon) {
        let words = self.name_words.iter();
        for word in words.filter(|word| NameVocabulary::takes(word)) {
            let stem = lexicon.word(word).stem;
            let counts_of = |term: TermId| {
                let row = self.counts.iter().find(|(other, _)| *other == term);
                row.map(|(_, counts)| *counts)
            };
            let counts = counts_of(stem).or_else(|| {
                let stem = lexicon.text(stem).to_owned();
                counts_of(lexicon.marked_term(ACCENTED, &stem))
            });
            let counts = counts.expect("each word of a name was counted");
            let written = lexicon.marked_term(WRITTEN, word);
            *lexicon.row(&mut self.counts, written) = counts;
        }
    }

    fn add_text(&mut self, text: &TextRows, lexicon: &mut Lexicon) {
        (self.lengths.body, self.lengths.examples) = (text.length, text.examples);
        for (term, count) in &text.rows {
            lexicon.row(&mut self.counts, *term).text = *count;
        }
    }
}

/// Returns the texts of the front matter, each with its field, without the name.
fn fields<'t>(texts: &'t SearchTexts<'_>) -> impl Iterator<Item = (HitField, Cow<'t, str>)> {
    let triggers = texts.triggers.iter();
    let tags = texts.tags.iter().chain(&texts.categories);
    let descriptions = texts.descriptions.iter();
    let triggers = triggers.map(|text| (HitField::Trigger, Cow::from(&**text)));
    let tags = tags.map(|text| (HitField::Tag, Cow::from(&**text)));
    let descriptions = descriptions.map(|text| (HitField::Description, positive(text)));
    triggers.chain(tags).chain(descriptions)
}

/// Returns the spellings of the names of an item, with and without accents. Signs alone are not a name.
fn names<T: Item>(entry: &Entry<T>) -> Vec<String> {
    let mut names = Vec::new();
    let (id, own) = (&entry.id, entry.item().id());
    for name in std::iter::once(id).chain((own != id).then_some(own)) {
        let name = normalized(name.as_str());
        names.extend(bare(&name));
        names.push(name);
    }
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    names
}

/// The mark of a word as written in a name.
const WRITTEN: char = '\u{5}';

/// Returns the term for `word` as written in a name.
pub(super) fn written(word: &str) -> String {
    format!("{WRITTEN}{word}")
}

/// Returns the term of skills that have a word with accents that is this stem without them.
pub(super) fn accented(stem: &str) -> String {
    format!("{ACCENTED}{stem}")
}

/// Returns the first eight bytes of `id`, which compare as the ids do.
pub fn beginning(id: &str) -> u64 {
    let mut bytes = [0; 8];
    bytes
        .iter_mut()
        .zip(id.bytes())
        .for_each(|(to, from)| *to = from);
    u64::from_be_bytes(bytes)
}
