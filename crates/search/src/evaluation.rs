//! Hit rates of prompts whose skills are known.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use repertoire_core::{Id, Skill};
use repertoire_registry::Entry;
use serde::Serialize;

use super::background::Background;
use super::document::ItemTerms;
use super::hit::{MatchConfidence, SearchHit};
use super::index::SearchIndex;
use super::lexicon::Lexicon;
use super::prompt::{ExpectedPrompt, PromptGoal};
use super::query::Query;
use super::tokenize::{Stems, is_stop_word, words};

/// The answers of an index to prompts whose skills are known.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct EvalReport {
    /// Prompts that a skill is right for.
    pub prompts: usize,
    /// Those whose first hit is right.
    pub first: usize,
    /// Those with a right skill among the first five.
    pub among_five: usize,
    /// Those that are answered with "nothing fits", although a skill is right.
    pub abstained: usize,
    /// Prompts that no skill, or not a certain one, is right for.
    pub negatives: usize,
    /// Those that are answered with "nothing fits", or with a skill that is not excluded.
    pub right_negatives: usize,
    /// The skills that prompts expect, those with the most misses first, then by id.
    pub skills: Vec<SkillEval>,
    /// The skills that come first for the prompts of others, those with the most prompts first, then by id.
    pub confusions: Vec<StolenPrompts>,
    /// The visible skills that come first for no prompt, those with the longest descriptions first, then by id.
    pub never_first: Vec<SkillEval>,
    /// Prompts whose first hit is wrong, in the order of the prompts.
    pub missed: Vec<MissedPrompt>,
    /// Names that the prompts expect and no visible skill has, sorted.
    pub unknown: Vec<Arc<str>>,
}

/// The prompts of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SkillEval {
    /// The skill.
    pub id: Id,
    /// Prompts that it is right for.
    pub prompts: usize,
    /// Those for which it comes first.
    pub first: usize,
    /// Those for which it is among the first five.
    pub among_five: usize,
    /// Tokens of name and description in a catalog, as the caller counts them.
    pub tokens: usize,
    /// Words that its missed prompts share and its front matter lacks, the best first.
    pub proposed: Vec<String>,
}

/// The prompts of a skill for which a different one comes first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StolenPrompts {
    /// The skill that is right.
    pub expected: Id,
    /// The skill that comes first.
    pub found: Id,
    /// The number of prompts.
    pub prompts: usize,
    /// The first of them.
    pub example: Arc<str>,
}

/// A prompt whose first hit is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct MissedPrompt {
    /// The text.
    pub prompt: Arc<str>,
    /// The right skills; empty if none fits.
    pub expected: Vec<Id>,
    /// The first hit; `None` without hits.
    pub found: Option<Id>,
    /// The place of the first right skill among the first ten, from 1.
    pub place: Option<usize>,
}

/// Hits that are examined for each prompt.
const DEPTH: usize = 10;
/// The most words that are proposed for a skill.
const MOST_PROPOSED: usize = 5;

impl SearchIndex {
    /// Searches for each prompt, and compares the hits with what it expects. Uses the filters of `query` and not its text.
    ///
    /// `tokens` counts the tokens of a text, as a tokenizer of the model does. An index with a prompt among its example prompts
    /// finds it by itself: omit those that are asked.
    pub fn evaluate(
        &self,
        query: &Query,
        prompts: &[ExpectedPrompt],
        tokens: impl Fn(&str) -> usize,
    ) -> EvalReport {
        let mut evaluation = Evaluating::of(self, query);
        for prompt in prompts {
            evaluation.ask(prompt);
        }
        evaluation.report(&tokens)
    }
}

#[derive(Default)]
struct Tally<'p> {
    prompts: usize,
    first: usize,
    among_five: usize,
    missed: Vec<&'p str>,
}

struct Evaluating<'i, 'p> {
    index: &'i SearchIndex,
    query: Query,
    /// By expected name: the skill, if there is a visible one.
    names: HashMap<&'p str, Option<Id>>,
    tallies: BTreeMap<Id, Tally<'p>>,
    stolen: BTreeMap<(Id, Id), (usize, Arc<str>)>,
    winners: HashSet<Id>,
    report: EvalReport,
}

impl<'i, 'p> Evaluating<'i, 'p> {
    fn of(index: &'i SearchIndex, query: &Query) -> Evaluating<'i, 'p> {
        Evaluating {
            index,
            query: query.clone().limit(DEPTH),
            names: HashMap::new(),
            tallies: BTreeMap::new(),
            stolen: BTreeMap::new(),
            winners: HashSet::new(),
            report: EvalReport {
                prompts: 0,
                first: 0,
                among_five: 0,
                abstained: 0,
                negatives: 0,
                right_negatives: 0,
                skills: Vec::new(),
                confusions: Vec::new(),
                never_first: Vec::new(),
                missed: Vec::new(),
                unknown: Vec::new(),
            },
        }
    }

    fn ask(&mut self, prompt: &'p ExpectedPrompt) {
        self.query.text = prompt.prompt.to_string();
        let hits = self.index.search(&self.query);
        let nothing_fits = hits
            .first()
            .is_none_or(|hit| hit.why.confidence == MatchConfidence::NothingFits);
        match &prompt.goal {
            PromptGoal::AnyOf(names) => {
                let expected: Vec<Id> = names.iter().filter_map(|name| self.find(name)).collect();
                if !expected.is_empty() {
                    self.report.abstained += usize::from(nothing_fits);
                    self.count(&prompt.prompt, &expected, &hits);
                }
            }
            PromptGoal::NoneOf(names) => {
                let excluded: Vec<Id> = names.iter().filter_map(|name| self.find(name)).collect();
                if !excluded.is_empty() {
                    let first = hits.first().map(|hit| &hit.entry.id);
                    let is_wrong = !nothing_fits && first.is_some_and(|id| excluded.contains(id));
                    self.count_negative(&prompt.prompt, &hits, !is_wrong);
                }
            }
            PromptGoal::Nothing => self.count_negative(&prompt.prompt, &hits, nothing_fits),
        }
    }

    fn count(&mut self, prompt: &'p Arc<str>, expected: &[Id], hits: &[SearchHit]) {
        let place = hits.iter().position(|hit| expected.contains(&hit.entry.id));
        let found = hits.first().map(|hit| &hit.entry.id);
        let (is_first, is_near) = (place == Some(0), place.is_some_and(|place| place < 5));
        self.report.prompts += 1;
        self.report.first += usize::from(is_first);
        self.report.among_five += usize::from(is_near);
        self.winners.extend(found.cloned());
        for id in expected {
            let tally = self.tallies.entry(id.clone()).or_default();
            tally.prompts += 1;
            tally.first += usize::from(is_first);
            tally.among_five += usize::from(is_near);
            if !is_first {
                tally.missed.push(prompt);
            }
        }
        if is_first {
            return;
        }
        if let Some(found) = found {
            let pair = (expected[0].clone(), found.clone());
            self.stolen
                .entry(pair)
                .or_insert_with(|| (0, prompt.clone()))
                .0 += 1;
        }
        self.report.missed.push(MissedPrompt {
            prompt: prompt.clone(),
            expected: expected.to_vec(),
            found: found.cloned(),
            place: place.map(|place| place + 1),
        });
    }

    fn count_negative(&mut self, prompt: &Arc<str>, hits: &[SearchHit], is_right: bool) {
        self.report.negatives += 1;
        self.report.right_negatives += usize::from(is_right);
        if !is_right {
            self.report.missed.push(MissedPrompt {
                prompt: prompt.clone(),
                expected: Vec::new(),
                found: hits.first().map(|hit| hit.entry.id.clone()),
                place: None,
            });
        }
    }

    fn find(&mut self, name: &'p str) -> Option<Id> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let found = self.index.snapshot().resolve(name).ok();
        let id = found
            .map(|found| found.entry.id.clone())
            .filter(|id| self.index.allows(&self.query, id));
        if id.is_none() {
            self.report.unknown.push(name.into());
        }
        self.names.insert(name, id.clone());
        id
    }

    fn report(mut self, tokens: &dyn Fn(&str) -> usize) -> EvalReport {
        let mut report = self.report;
        let proposals = Proposals {
            stems: Stems::default(),
        };
        for entry in self.index.snapshot().entries() {
            let tally = self.tallies.remove(&entry.id);
            let has_prompts = tally.is_some();
            let tally = tally.unwrap_or_default();
            let is_idle = !self.winners.contains(&entry.id);
            if !has_prompts && (!is_idle || !self.index.allows(&self.query, &entry.id)) {
                continue;
            }
            let skill = entry.item();
            let eval = SkillEval {
                id: entry.id.clone(),
                prompts: tally.prompts,
                first: tally.first,
                among_five: tally.among_five,
                tokens: tokens(&format!("{}: {}", skill.id, skill.description)),
                proposed: proposals.of(entry, &tally.missed),
            };
            if is_idle {
                report.never_first.push(eval.clone());
            }
            report.skills.extend(has_prompts.then_some(eval));
        }
        let misses = |eval: &SkillEval| eval.prompts - eval.first;
        report
            .skills
            .sort_by(|a, b| (misses(b), &a.id).cmp(&(misses(a), &b.id)));
        report
            .never_first
            .sort_by(|a, b| (b.tokens, &a.id).cmp(&(a.tokens, &b.id)));
        let stolen = self.stolen.into_iter();
        report.confusions = stolen
            .map(|((expected, found), (prompts, example))| StolenPrompts {
                expected,
                found,
                prompts,
                example,
            })
            .collect();
        // Stable: pairs with one count stay in the order of ids.
        report
            .confusions
            .sort_by_key(|pair| std::cmp::Reverse(pair.prompts));
        report.unknown.sort();
        report
    }
}

struct Proposals {
    stems: Stems,
}

impl Proposals {
    /// Returns the words that most of `missed` share and the front matter of `entry` lacks. Of several prompts, at least two
    /// have each.
    fn of(&self, entry: &Entry<Skill>, missed: &[&str]) -> Vec<String> {
        if missed.is_empty() {
            return Vec::new();
        }
        let mut lexicon = Lexicon::default();
        let terms = ItemTerms::of(entry, None, &mut lexicon);
        let known: HashSet<&str> = terms.words(&lexicon).collect();
        let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
        for prompt in missed {
            let mut seen = HashSet::new();
            words(prompt, |word| {
                let stem = self.stems.of(word);
                let is_word =
                    word.chars().nth(2).is_some() && !word.bytes().all(|b| b.is_ascii_digit());
                if is_word
                    && !is_stop_word(word)
                    && !known.contains(stem.as_ref())
                    && seen.insert(stem.clone().into_owned())
                {
                    counts
                        .entry(stem.into_owned())
                        .or_insert_with(|| (0, word.to_owned()))
                        .0 += 1;
                }
            });
        }
        let least = missed.len().min(2);
        let mut shared: Vec<(f32, String)> = counts
            .into_iter()
            .filter(|(_, (count, _))| *count >= least)
            .map(|(stem, (count, word))| {
                (count as f32 * Background::get().all(&stem).rarity(), word)
            })
            .collect();
        shared.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        shared.truncate(MOST_PROPOSED);
        shared.into_iter().map(|(_, word)| word).collect()
    }
}
