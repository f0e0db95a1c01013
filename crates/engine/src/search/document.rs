//! One skill, as it is searched.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use repertoire_core::{FunctionalTier, InvokeLevel, Skill, SkillTrigger, Value};
use repertoire_registry::{Entry, Tier};

use crate::fold::bare;
use crate::place::beginning;
use crate::{Audience, Hidden, Modes};

use super::vocabulary::Vocabulary;
use super::words::{Stems, is_stop_word, name_words, squashed, words};

/// Where a word of a query was found.
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

/// How often a term stands in each field, in the order of [`HitField::ALL`]: never, once, or more often.
pub(super) type Counts = [u8; 4];

/// A term in a skill: eight bytes, because memory is what a query waits for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    /// The number of the skill.
    pub(super) number: u32,
    /// What the term counts in this skill, in steps of [`STEP`].
    worth: u16,
    /// Two bits a field.
    counts: u8,
}

/// What a word counts in each field that has it never, once, and more often. Whoever repeats a word gains little: in the
/// shortest description it counts less than once in the name.
const WORTH: [[f32; 3]; 4] = [[0.0, 3.0, 3.0], [0.0, 2.0, 2.0], [0.0, 1.5, 1.5], [0.0, 1.0, 2.0]];
/// How soon more counts no more.
const K1: f32 = 1.2;
/// How much the length of a description counts against the words in it.
const B: f32 = 0.6;
/// Words of a description of middle length. Fixed, so that no skill counts less because of others.
const MIDDLE: f32 = 25.0;
/// A description as short as this part of it is short enough.
const SHORTEST: f32 = 0.5;
const _: () = assert!(WORTH[3][2] / (1.0 - B + B * SHORTEST) < WORTH[0][1]);
/// Fine enough to keep any two skills apart that are worth to be.
const STEP: f32 = 1.0 / 16_384.0;

impl Posting {
    fn new(number: u32, counts: Counts, length: u16) -> Posting {
        let longer = (f32::from(length) / MIDDLE).max(SHORTEST);
        let [name, trigger, tag, text] = std::array::from_fn(|field| WORTH[field][usize::from(counts[field])]);
        // BM25F: at most K1 + 1.
        let often = name + trigger + tag + text / (1.0 - B + B * longer);
        let worth = often * (K1 + 1.0) / (K1 + often);
        let counts = counts.iter().rev().fold(0, |packed, count| packed << 2 | count);
        Posting { number, worth: (worth / STEP) as u16, counts }
    }

    pub(super) fn counts(self) -> Counts {
        std::array::from_fn(|field| self.counts >> (2 * field) & 3)
    }

    /// What the term counts in this skill, before its rarity.
    pub(super) fn worth(self) -> f32 {
        f32::from(self.worth) * STEP
    }

    pub(super) fn is_in_name(self) -> bool {
        self.counts & 3 != 0
    }
}

/// By number: a list has each skill once.
impl Ord for Posting {
    fn cmp(&self, other: &Posting) -> Ordering {
        self.number.cmp(&other.number)
    }
}

impl PartialOrd for Posting {
    fn partial_cmp(&self, other: &Posting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Posting {
    fn eq(&self, other: &Posting) -> bool {
        self.number == other.number
    }
}

impl Eq for Posting {}

/// What the index holds of a skill itself.
#[derive(Debug, Clone)]
pub(super) struct Doc {
    pub(super) entry: Arc<Entry<Skill>>,
    tier: Tier,
    /// The first bytes of the id.
    beginning: u64,
    /// Why it is hidden from the model and from the user by what it is.
    hidden: [Option<Hidden>; 2],
    level: InvokeLevel,
}

impl Doc {
    pub(super) fn of(entry: &Arc<Entry<Skill>>) -> Doc {
        let hidden = [Audience::Model, Audience::User].map(|audience| audience.hides(&entry.claim));
        let (tier, level) = (entry.origin().tier, entry.item().invoke_level());
        Doc { entry: entry.clone(), tier, beginning: beginning(entry.id.as_str()), hidden, level }
    }

    /// Whether it is hidden from `audience` unless something is chosen.
    pub(super) fn is_hidden(&self, audience: Audience) -> bool {
        self.hidden[audience as usize].is_some()
    }

    /// Whether `audience` may see it: without a look at the entry, unless the operator chose something.
    pub(super) fn is_seen_by(&self, audience: Audience, modes: &Modes) -> bool {
        match self.hidden[audience as usize] {
            None if modes.is_empty() => true,
            None | Some(Hidden::OtherWorkflow) => modes.sees(audience, &self.entry.claim),
            Some(_) => false,
        }
    }

    /// Compares by the default order; most docs without a look at their entries.
    pub(super) fn cmp_place(&self, other: &Doc) -> Ordering {
        let quick = |doc: &Doc| (doc.tier, doc.beginning);
        quick(self).cmp(&quick(other)).then_with(|| self.entry.id.cmp(&other.entry.id))
    }

    /// The names that the skill has: its id, and that of the skill itself where a namespace stands before it.
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

/// The terms of one skill.
#[derive(Debug)]
pub(super) struct Terms {
    /// Stems of words, and facets.
    counts: HashMap<String, Counts>,
    /// The words of the name as written, each once.
    pub(super) name_words: Vec<String>,
    /// The name as one word; that of the skill itself too, where a namespace stands before it.
    pub(super) names: Vec<String>,
    /// Words of the description.
    length: u16,
}

impl Terms {
    /// The terms as postings of the skill with this number.
    pub(super) fn postings(&self, number: u32) -> impl Iterator<Item = (&str, Posting)> {
        let posting = move |counts: &Counts| Posting::new(number, *counts, self.length);
        self.counts.iter().map(move |(term, counts)| (term.as_str(), posting(counts)))
    }

    pub(super) fn of(entry: &Entry<Skill>, stems: &Stems) -> Terms {
        let skill = entry.item();
        let mut terms = Terms { counts: HashMap::new(), name_words: Vec::new(), names: Vec::new(), length: 0 };
        let mut count_term = |term: String, field: HitField| {
            let counts: &mut Counts = terms.counts.entry(term).or_default();
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
        for word in terms.name_words.iter().filter(|word| Vocabulary::takes(word)) {
            let stem = stems.of(word);
            let counts = terms.counts.get(stem.as_ref()).or_else(|| terms.counts.get(&accented(&stem)));
            let counts = *counts.expect("each word of a name was counted");
            terms.counts.insert(written(word), counts);
        }
        terms.length = length;
        terms.names = vec![squashed(entry.id.as_str()), squashed(skill.id.as_str())];
        terms.names.extend(terms.names.iter().filter_map(|name| bare(name)).collect::<Vec<_>>());
        terms.names.sort_unstable();
        terms.names.dedup();
        // Signs alone make no word.
        terms.names.retain(|name| !name.is_empty());
        terms
    }
}

/// The term of names that have `word` as it is written here: no word begins with a control character.
pub(super) fn written(word: &str) -> String {
    format!("\u{5}{word}")
}

/// Returns the term of skills that have a word with accents that is this stem without them.
pub(super) fn accented(stem: &str) -> String {
    format!("\u{6}{stem}")
}

/// What a search can be narrowed to, beside what every doc knows of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Facet {
    Tag,
    Category,
    Tool,
    FunctionalTier,
}

impl Facet {
    /// The term of a facet: no word begins with a control character.
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

/// Every text under `category`, whoever understands it.
fn categories(skill: &Skill) -> Vec<&str> {
    let value = skill.field("category").or_else(|| skill.field("metadata")?.get("category"));
    value.map_or(&[][..], Value::items).iter().filter_map(Value::as_text).collect()
}

/// Tools that the skill needs, brings or pre-approves, without what is said of their arguments.
fn tools(skill: &Skill) -> Vec<&str> {
    let allowed = skill.allowed_tools.iter().flatten().map(AsRef::as_ref);
    let tools = skill.required_tools().into_iter().chain(skill.tools()).chain(allowed);
    tools.map(|tool| tool.split_once('(').map_or(tool, |(name, _)| name)).collect()
}
