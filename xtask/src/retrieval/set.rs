//! A set of skills and questions.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use repertoire::Id;
use repertoire::registry::{Layer, Origin, Snapshot, Tier, merge};
use repertoire::search::{MatchConfidence, SearchIndex, SkillText};
use repertoire::skill::skill_md::{self, FileContext};
use repertoire::skill::{Listing, ListingEntry, Revision, Stamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Failure;

/// A line of `docs.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct Doc {
    pub(super) id: String,
    /// The name of its folder.
    pub(super) dir: String,
    /// The whole `SKILL.md`.
    pub(super) text: String,
}

/// A line of `queries.jsonl`.
#[derive(Debug, Deserialize)]
pub(super) struct Question {
    pub(super) q: String,
    /// The ids of the right skills; none if no skill fits.
    pub(super) gold: Vec<String>,
    set: String,
}

/// The best ten that a search gave, as ids of `docs.jsonl`.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) found: Vec<String>,
    pub(super) gold: Vec<String>,
    /// The score of the best hit, of a search that reports it.
    pub(super) score: Option<f64>,
    /// Microseconds, of a search in this process or one of a rival.
    pub(super) micros: Option<f64>,
    /// The search said that nothing fits.
    pub(super) abstained: bool,
}

impl Answer {
    pub(super) fn hit(&self, most: usize) -> bool {
        self.found
            .iter()
            .take(most)
            .any(|id| self.gold.contains(id))
    }

    pub(super) fn recall(&self, most: usize) -> f64 {
        let found = self
            .found
            .iter()
            .take(most)
            .filter(|id| self.gold.contains(id))
            .count();
        found as f64 / self.gold.len() as f64
    }

    pub(super) fn ndcg_10(&self) -> f64 {
        let gain = |place: usize| 1.0 / (place as f64 + 2.0).log2();
        let places = (0..10)
            .zip(&self.found)
            .filter(|(_, id)| self.gold.contains(id))
            .map(|(place, _)| gain(place));
        places.sum::<f64>() / (0..self.gold.len().min(10)).map(gain).sum::<f64>()
    }

    pub(super) fn reciprocal_rank(&self) -> f64 {
        let place = self.found.iter().position(|id| self.gold.contains(id));
        place.map_or(0.0, |place| 1.0 / (place as f64 + 1.0))
    }
}

/// A set, read and merged.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) name: String,
    pub(super) docs: Vec<Doc>,
    pub(super) questions: Vec<Question>,
    pub(super) snapshot: Snapshot<repertoire::Skill>,
    /// By the id of a doc: the id of its skill, and its body.
    skills: HashMap<String, (Id, String)>,
    /// By the id of a skill: that of its doc.
    doc_ids: HashMap<Id, String>,
}

impl Set {
    /// Reads every folder of `dir` that has both files, by name.
    pub(super) fn all(dir: &Path) -> Result<Vec<Set>, Failure> {
        let entries = fs::read_dir(dir)
            .map_err(|error| format!("cannot read `{}`: {error}", dir.display()))?;
        let mut folders = entries
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<Vec<_>, Failure>>()?;
        folders.retain(|folder| {
            folder.join("docs.jsonl").is_file() && folder.join("queries.jsonl").is_file()
        });
        folders.sort();
        if folders.is_empty() {
            return Err(format!(
                "expected folders with `docs.jsonl` and `queries.jsonl` in `{}`",
                dir.display()
            )
            .into());
        }
        folders.iter().map(|folder| Set::read(folder)).collect()
    }

    fn read(folder: &Path) -> Result<Set, Failure> {
        let docs: Vec<Doc> = lines(&folder.join("docs.jsonl"))?;
        let questions = lines(&folder.join("queries.jsonl"))?;
        let (mut rows, mut skills, mut doc_ids) = (Vec::new(), HashMap::new(), HashMap::new());
        for doc in &docs {
            let parsed = skill_md::parse(
                doc.text.as_bytes(),
                FileContext::new("SKILL.md").in_directory(&doc.dir),
            );
            let skill = parsed
                .skill
                .ok_or_else(|| format!("`{}` gives no skill", doc.id))?;
            let body = skill_md::body(doc.text.as_bytes())
                .map(|body| body.into_owned())
                .unwrap_or_default();
            skills.insert(doc.id.clone(), (skill.id.clone(), body));
            doc_ids.insert(skill.id.clone(), doc.id.clone());
            rows.push(ListingEntry::new(skill, Stamp::of(&doc.text)));
        }
        let listing = Listing::new(Revision(0), rows, []);
        let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)]);
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Set {
            name,
            docs,
            questions,
            snapshot,
            skills,
            doc_ids,
        })
    }

    /// Returns the id of the skill of a doc.
    pub(super) fn skill_of(&self, doc: &str) -> Option<&Id> {
        self.skills.get(doc).map(|(id, _)| id)
    }

    /// Returns the id of the doc whose skill has this id.
    pub(super) fn doc_of(&self, skill: &str) -> Option<&str> {
        self.doc_ids.get(skill).map(String::as_str)
    }

    /// Returns the questions by the set that they name; those without an answer belong to the first.
    pub(super) fn groups(&self) -> Vec<(String, Vec<&Question>)> {
        let mut groups: Vec<(String, Vec<&Question>)> = Vec::new();
        for question in self
            .questions
            .iter()
            .filter(|question| !question.gold.is_empty())
        {
            let name = format!("{}, {}", self.name, question.set);
            match groups.iter_mut().find(|(other, _)| *other == name) {
                Some((_, questions)) => questions.push(question),
                None => groups.push((name, vec![question])),
            }
        }
        if let Some((_, questions)) = groups.first_mut() {
            questions.extend(
                self.questions
                    .iter()
                    .filter(|question| question.gold.is_empty()),
            );
        }
        groups
    }

    /// Returns the second half of each skill's prompts with all questions without an answer, and the first half as examples.
    pub(super) fn halves(&self) -> (Vec<&Question>, Vec<&Question>) {
        let mut by_skill: HashMap<&str, Vec<&Question>> = HashMap::new();
        for question in &self.questions {
            if let [gold] = question.gold.as_slice() {
                by_skill.entry(gold).or_default().push(question);
            }
        }
        let (mut asked, mut examples) = (Vec::new(), Vec::new());
        for doc in &self.docs {
            let questions = by_skill.remove(doc.id.as_str()).unwrap_or_default();
            let (first, second) = questions.split_at(questions.len() / 2);
            examples.extend(first);
            asked.extend(second);
        }
        asked.extend(
            self.questions
                .iter()
                .filter(|question| question.gold.is_empty()),
        );
        (asked, examples)
    }

    /// Returns the body of each skill, and its prompts among `examples`.
    pub(super) fn texts(&self, examples: &[&Question]) -> Vec<(Id, SkillText)> {
        let mut texts: HashMap<&str, SkillText> = HashMap::new();
        for (doc, (_, body)) in &self.skills {
            texts.insert(doc, SkillText::new().body(body.as_str()));
        }
        for question in examples {
            if let Some(text) = texts.get_mut(question.gold[0].as_str()) {
                *text = std::mem::take(text).example(question.q.as_str());
            }
        }
        texts
            .into_iter()
            .map(|(doc, text)| (self.skills[doc].0.clone(), text))
            .collect()
    }

    /// Asks `index`.
    pub(super) fn answer(&self, index: &SearchIndex, question: &Question) -> Answer {
        let query = super::query(&question.q);
        let begun = Instant::now();
        let hits = index.search(&query);
        let micros = begun.elapsed().as_secs_f64() * 1e6;
        Answer {
            found: hits
                .iter()
                .filter_map(|hit| self.doc_ids.get(&hit.entry.item().id).cloned())
                .collect(),
            gold: question.gold.clone(),
            score: Some(hits.first().map_or(0.0, |hit| f64::from(hit.why.score))),
            micros: Some(micros),
            abstained: hits
                .first()
                .is_none_or(|hit| hit.why.confidence == MatchConfidence::NothingFits),
        }
    }
}

fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
    let line = |(number, line)| {
        serde_json::from_str(line)
            .map_err(|error| format!("`{}`, line {}: {error}", file.display(), number + 1).into())
    };
    text.lines().enumerate().map(line).collect()
}
