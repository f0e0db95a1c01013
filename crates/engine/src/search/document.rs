//! One skill, as it is searched.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use repertoire_core::{FunctionalTier, InvokeLevel, Skill, SkillTrigger, Value};
use repertoire_registry::{Entry, Tier};

use super::tokenize::{Stems, is_stop_word, name_words, normalized, words};
use super::vocabulary::NameVocabulary;
use crate::fold::bare;
use crate::permission::{Audience, HiddenReason, VisibilityPolicy};
use crate::resolve::beginning;

/// The field in which a word of a query was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum HitField {
    /// In the name.
    Name,
    /// In what triggers it.
    Trigger,
    /// In its tags or its category.
    Tag,
    /// In its description, or in what it says about when to use it.
    Description,
}

impl HitField {
    pub(super) const ALL: [HitField; 4] = [HitField::Name, HitField::Trigger, HitField::Tag, HitField::Description];
}

/// Occurrences of a term in each field, in the order of [`HitField::ALL`]: 0, 1, or 2 for more.
pub(super) type FieldCounts = [u8; 4];

/// A term in a skill: eight bytes, because memory bandwidth limits a query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) number: u32,
    /// The weight of the term in this skill, in steps of [`STEP`].
    weight: u16,
    /// Two bits for each field.
    counts: u8,
}

/// The weight of a word in each field that has it 0 times, once, and more often. Repetition in the shortest description
/// weighs less than one occurrence in the name.
const WEIGHTS: [[f32; 3]; 4] = [[0.0, 3.0, 3.0], [0.0, 2.0, 2.0], [0.0, 1.5, 1.5], [0.0, 1.0, 2.0]];
/// BM25's saturation of the term frequency.
const K1: f32 = 1.2;
/// BM25's normalization by the length of the description.
const B: f32 = 0.6;
/// Words of an average description. Fixed, so that other skills change no score.
const MIDDLE: f32 = 25.0;
/// The least relative length that shortens the normalization further.
const SHORTEST: f32 = 0.5;
const _: () = assert!(WEIGHTS[3][2] / (1.0 - B + B * SHORTEST) < WEIGHTS[0][1]);
/// Fine enough to keep different weights apart in 16 bits.
const STEP: f32 = 1.0 / 16_384.0;

impl Posting {
    fn new(number: u32, counts: FieldCounts, length: u16) -> Posting {
        let longer = (f32::from(length) / MIDDLE).max(SHORTEST);
        let [name, trigger, tag, text] = std::array::from_fn(|field| WEIGHTS[field][usize::from(counts[field])]);
        // BM25F: at most K1 + 1.
        let often = name + trigger + tag + text / (1.0 - B + B * longer);
        let weight = often * (K1 + 1.0) / (K1 + often);
        let counts = counts.iter().rev().fold(0, |packed, count| packed << 2 | count);
        Posting { number, weight: (weight / STEP) as u16, counts }
    }

    pub(super) fn counts(self) -> FieldCounts {
        std::array::from_fn(|field| self.counts >> (2 * field) & 3)
    }

    pub(super) fn weight(self) -> f32 {
        f32::from(self.weight) * STEP
    }

    pub(super) fn is_in_name(self) -> bool {
        self.counts & 3 != 0
    }
}

#[derive(Debug, Clone)]
pub(super) struct Doc {
    pub(super) entry: Arc<Entry<Skill>>,
    tier: Tier,
    beginning: u64,
    hidden: [Option<HiddenReason>; 2],
    level: InvokeLevel,
}

impl Doc {
    pub(super) fn of(entry: &Arc<Entry<Skill>>) -> Doc {
        let hidden = [Audience::Model, Audience::User].map(|audience| audience.hides(&entry.candidate));
        let (tier, level) = (entry.origin().tier, entry.item().invoke_level());
        Doc { entry: entry.clone(), tier, beginning: beginning(entry.id.as_str()), hidden, level }
    }

    pub(super) fn is_hidden(&self, audience: Audience) -> bool {
        self.hidden[audience as usize].is_some()
    }

    pub(super) fn is_seen_by(&self, audience: Audience, modes: &VisibilityPolicy) -> bool {
        match self.hidden[audience as usize] {
            None if modes.is_empty() => true,
            None | Some(HiddenReason::OtherWorkflow) => modes.sees(audience, &self.entry.candidate),
            Some(_) => false,
        }
    }

    pub(super) fn cmp_place(&self, other: &Doc) -> Ordering {
        let quick = (self.tier, self.beginning).cmp(&(other.tier, other.beginning));
        quick.then_with(|| self.entry.id.cmp(&other.entry.id))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [self.entry.id.as_str(), self.entry.item().id.as_str()].into_iter()
    }

    pub(super) fn tier(&self) -> Tier {
        self.tier
    }

    pub(super) fn level(&self) -> InvokeLevel {
        self.level
    }
}

#[derive(Debug)]
pub(super) struct SkillTerms {
    counts: HashMap<String, FieldCounts>,
    pub(super) name_words: Vec<String>,
    pub(super) names: Vec<String>,
    length: u16,
}

impl SkillTerms {
    pub(super) fn postings(&self, number: u32) -> impl Iterator<Item = (&str, Posting)> {
        let posting = move |counts: &FieldCounts| Posting::new(number, *counts, self.length);
        self.counts.iter().map(move |(term, counts)| (term.as_str(), posting(counts)))
    }

    pub(super) fn of(entry: &Entry<Skill>, stems: &Stems) -> SkillTerms {
        let skill = entry.item();
        let mut terms = SkillTerms { counts: HashMap::new(), name_words: Vec::new(), names: Vec::new(), length: 0 };
        let mut count_term = |term: String, field: HitField| {
            let counts: &mut FieldCounts = terms.counts.entry(term).or_default();
            counts[field as usize] = (counts[field as usize] + 1).min(2);
        };
        // As it is written, and as it is typed without accents.
        let mut count = |word: &str, field: HitField| {
            count_term(stems.of(word).into_owned(), field);
            if let Some(bare) = bare(word) {
                count_term(accented(&stems.of(&bare)), field);
            }
        };
        name_words(entry.id.as_str(), |word| {
            count(word, HitField::Name);
            terms.name_words.extend(bare(word));
            terms.name_words.push(word.to_owned());
        });
        terms.name_words.sort_unstable();
        terms.name_words.dedup();

        let mut take = |text: &str, field: HitField| {
            let mut length = 0_u16;
            words(text, |word| {
                if !is_stop_word(word) {
                    count(word, field);
                    length = length.saturating_add(1);
                }
            });
            length
        };
        for trigger in skill.triggers() {
            match &trigger {
                SkillTrigger::Keyword(text) | SkillTrigger::Task(text) | SkillTrigger::Command(text) => {
                    take(text, HitField::Trigger);
                }
                // Patterns of paths, tools and texts are no words.
                _ => {}
            }
        }
        let (tags, categories) = (skill.tags(), categories(skill));
        for text in tags.iter().chain(&categories) {
            take(text, HitField::Tag);
        }
        let about = [Some(skill.description.as_ref()), skill.when_to_use()];
        let length = about.into_iter().flatten().map(|text| take(text, HitField::Description)).sum();

        let functional = skill.functional_tier();
        let functional = functional.iter().map(FunctionalTier::as_str).collect();
        let facets = [
            (Facet::Tag, tags),
            (Facet::Category, categories),
            (Facet::Tool, tools(skill)),
            (Facet::FunctionalTier, functional),
        ];
        for (facet, texts) in facets {
            for text in texts {
                terms.counts.insert(facet.term(text), [0; 4]);
            }
        }
        for word in terms.name_words.iter().filter(|word| NameVocabulary::takes(word)) {
            let stem = stems.of(word);
            let counts = terms.counts.get(stem.as_ref()).or_else(|| terms.counts.get(&accented(&stem)));
            let counts = *counts.expect("each word of a name was counted");
            terms.counts.insert(written(word), counts);
        }
        terms.length = length;
        terms.names = vec![normalized(entry.id.as_str()), normalized(skill.id.as_str())];
        terms.names.extend(terms.names.iter().filter_map(|name| bare(name)).collect::<Vec<_>>());
        terms.names.sort_unstable();
        terms.names.dedup();
        // Signs alone make no word.
        terms.names.retain(|name| !name.is_empty());
        terms
    }
}

/// Returns the term for `word` as written in a name. No word begins with a control character.
pub(super) fn written(word: &str) -> String {
    format!("\u{5}{word}")
}

/// Returns the term of skills that have a word with accents that is this stem without them.
pub(super) fn accented(stem: &str) -> String {
    format!("\u{6}{stem}")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Facet {
    Tag,
    Category,
    Tool,
    FunctionalTier,
}

impl Facet {
    /// Returns the term of a facet. No word begins with a control character.
    pub(super) fn term(self, text: &str) -> String {
        let mark = match self {
            Facet::Tag => '\u{1}',
            Facet::Category => '\u{2}',
            Facet::Tool => '\u{3}',
            Facet::FunctionalTier => '\u{4}',
        };
        let mut term = String::from(mark);
        term.push_str(&text.trim().to_lowercase());
        term
    }
}

fn categories(skill: &Skill) -> Vec<&str> {
    let value = skill.field("category").or_else(|| skill.field("metadata")?.get("category"));
    value.map_or(&[][..], Value::items).iter().filter_map(Value::as_text).collect()
}

fn tools(skill: &Skill) -> Vec<&str> {
    let allowed = skill.allowed_tools.iter().flatten().map(AsRef::as_ref);
    let tools = skill.required_tools().into_iter().chain(skill.tools()).chain(allowed);
    tools.map(|tool| tool.split_once('(').map_or(tool, |(name, _)| name)).collect()
}
