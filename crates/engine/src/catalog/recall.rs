//! The descriptions that are worth their tokens, by prompts whose skills are known.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::Arc;

use repertoire_core::{Id, Skill};
use repertoire_registry::Snapshot;

use super::writer::CatalogWriter;
use super::{CatalogOptions, Overflow};
use repertoire_search::{ExpectedPrompt, PromptGoal, WordWeights};

/// Lengths to which a description is cut, in characters. Zero is the name alone.
const LENGTHS: [usize; 8] = [0, 32, 64, 96, 144, 216, 324, usize::MAX];
/// The value of a listed name for each prompt of its skill, where the words of the prompt have one together.
const NAMED: f64 = 1.0;
/// The value of the words of a skill's own description, as a share of that of a prompt.
///
/// Chosen by the first halves of the prompts of UiPath's skills, where a tenth to a half differ by two questions at most.
const PRIOR: f64 = 0.25;

impl CatalogOptions {
    /// Chooses, for the budget, the skills to list and the length of each description, so that the lines have as many words
    /// as possible of the prompts that expect their skills. Rare words of the snapshot count more.
    ///
    /// Greedy: the step with the highest value for its tokens comes first, where a step lists a name or lengthens a description.
    /// The value is that of the best choice within the budget, minus at most the value of one step (the bound of the linear
    /// relaxation of the multiple-choice knapsack problem). The words of its own description count as a quarter of a prompt of a skill.
    /// Without a budget, nothing changes.
    #[must_use]
    pub fn by_recall(
        self,
        snapshot: &Snapshot<Skill>,
        prompts: &[ExpectedPrompt],
    ) -> CatalogOptions {
        let Some(limit) = self.budget.limit() else {
            return self;
        };
        // Cut as the chosen catalog will be.
        let options = self.overflow(Overflow::Shorten);
        let chosen = {
            let writer = CatalogWriter::new(snapshot, &options);
            let offers = Offer::all(&writer, snapshot, prompts);
            let all = offers.len();
            let room = (limit as u64).saturating_mul(1000);
            choose(
                offers,
                room.saturating_sub(writer.frame() + writer.note(all)),
            )
        };
        options.overflow(Overflow::Chosen(Arc::new(chosen)))
    }
}

/// The choices for one skill.
struct Offer {
    id: Id,
    /// By length: the length, the value and the cost. Costs rise, and values for it fall.
    levels: Vec<(usize, f64, u64)>,
    /// Every length, for a room that the next level exceeds.
    all: Vec<(usize, f64, u64)>,
}

impl Offer {
    fn all(
        writer: &CatalogWriter<'_>,
        snapshot: &Snapshot<Skill>,
        prompts: &[ExpectedPrompt],
    ) -> Vec<Offer> {
        let descriptions = snapshot.entries().iter().map(|entry| {
            let skill = entry.item();
            format!("{} {}", entry.id, skill.description)
        });
        let vocabulary = WordWeights::of(descriptions);
        let mut asked: HashMap<Id, Vec<Vec<(String, f64)>>> = HashMap::new();
        for prompt in prompts {
            let PromptGoal::AnyOf(skills) = &prompt.goal else {
                continue;
            };
            let words = vocabulary.weighted(&prompt.prompt);
            for found in skills.iter().filter_map(|name| snapshot.resolve(name).ok()) {
                let id = found.entry.id.clone();
                asked.entry(id).or_default().push(words.clone());
            }
        }
        let described = snapshot.entries().iter().map(|entry| {
            let words = vocabulary.weighted(&entry.item().description);
            (&entry.id, words)
        });
        let described: HashMap<&Id, Vec<(String, f64)>> = described.collect();
        let mut offers: BTreeMap<&Id, Vec<(usize, f64, u64)>> = BTreeMap::new();
        for most in LENGTHS {
            for (id, shown, cost) in writer.shown(most) {
                let text = format!("{id} {shown}");
                let has = vocabulary.stems(&text);
                let covered = |words: &[(String, f64)]| -> f64 {
                    let found = words.iter().filter(|(stem, _)| has.contains(stem));
                    found.map(|(_, weight)| weight).sum()
                };
                let prompts = asked.get(id).map_or(&[][..], Vec::as_slice);
                let of_prompts: f64 = prompts.iter().map(|words| NAMED + covered(words)).sum();
                let own = described.get(id).map_or(&[][..], Vec::as_slice);
                let prior = PRIOR * (NAMED + covered(own));
                let value = of_prompts + prior;
                offers.entry(id).or_default().push((most, value, cost));
            }
        }
        let offer = |(id, levels): (&Id, Vec<_>)| Offer {
            id: id.clone(),
            levels: hull(levels.clone()),
            all: levels,
        };
        offers.into_iter().map(offer).collect()
    }
}

/// Returns the levels on the upper hull of value over cost, so that each step is worth less for its cost than the one before.
fn hull(levels: Vec<(usize, f64, u64)>) -> Vec<(usize, f64, u64)> {
    let slope = |from: (f64, u64), to: (f64, u64)| (to.0 - from.0) / (to.1 - from.1).max(1) as f64;
    let mut kept: Vec<(usize, f64, u64)> = Vec::new();
    for level in levels {
        if kept
            .last()
            .is_some_and(|last| level.1 <= last.1 || level.2 <= last.2)
        {
            continue;
        }
        while let Some(last) = kept.last().copied() {
            let before = kept
                .len()
                .checked_sub(2)
                .map_or((0.0, 0), |at| (kept[at].1, kept[at].2));
            if slope(before, (last.1, last.2)) > slope((last.1, last.2), (level.1, level.2)) {
                break;
            }
            kept.pop();
        }
        kept.push(level);
    }
    kept
}

/// A step of one skill to its next level.
struct Step {
    /// The value for each thousandth.
    worth: f64,
    offer: usize,
    level: usize,
}

impl Ord for Step {
    fn cmp(&self, other: &Step) -> Ordering {
        let by_worth = self.worth.total_cmp(&other.worth);
        by_worth.then_with(|| other.offer.cmp(&self.offer))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Step) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Step {}

/// Takes the steps with the highest worth that fit into `room`.
fn choose(offers: Vec<Offer>, mut room: u64) -> BTreeMap<Id, usize> {
    let step = |offer: usize, level: usize| {
        let levels = &offers[offer].levels;
        let (_, value, cost) = *levels.get(level)?;
        let (before, paid) = level
            .checked_sub(1)
            .map_or((0.0, 0), |level| (levels[level].1, levels[level].2));
        let cost = cost - paid;
        let worth = (value - before) / cost.max(1) as f64;
        Some((
            Step {
                worth,
                offer,
                level,
            },
            cost,
        ))
    };
    let mut steps: BinaryHeap<Step> = (0..offers.len())
        .filter_map(|offer| Some(step(offer, 0)?.0))
        .collect();
    let mut chosen = BTreeMap::new();
    while let Some(Step { offer, level, .. }) = steps.pop() {
        let Some((_, cost)) = step(offer, level) else {
            continue;
        };
        if cost > room {
            // The longest description that fits; cheaper steps of other skills may fit, too.
            let paid = level
                .checked_sub(1)
                .map_or(0, |level| offers[offer].levels[level].2);
            let mut lengths = offers[offer].all.iter().rev();
            if let Some((most, _, cost)) =
                lengths.find(|(_, _, cost)| *cost > paid && cost - paid <= room)
            {
                room -= cost - paid;
                chosen.insert(offers[offer].id.clone(), *most);
            }
            continue;
        }
        room -= cost;
        chosen.insert(offers[offer].id.clone(), offers[offer].levels[level].0);
        steps.extend(step(offer, level + 1).map(|(step, _)| step));
    }
    chosen
}
