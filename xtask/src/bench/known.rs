//! Skills to be searched, and questions that have one of them in mind.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use repertoire_core::skill_md::{self, FileContext};
use serde::{Deserialize, Serialize};

use super::random::Random;
use super::vocabulary::Vocabulary;
use crate::Failure;

/// A skill to be searched: one line of a file that every search engine under measurement reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Known {
    pub(super) name: String,
    pub(super) description: String,
    /// A query of a user who wants this skill.
    pub(super) question: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) body: String,
    /// A page of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<String>,
}

const SEED: u64 = 7;

/// Questions among made-up skills.
const QUESTIONS: usize = 1_000;

/// Words of a question.
const WORDS: usize = 6;

/// Words of a page.
const PAGE: usize = 200;

/// Words of bodies, and how many of eleven bodies have so many. Public ones have 1,100 on average.
const BODIES: [(usize, usize); 5] = [(200, 2), (500, 3), (1_000, 3), (1_800, 2), (3_500, 1)];

/// Returns the file of `count` made-up skills in `folder`, which is written once. A question is words of the description, one in
/// five with two letters swapped.
pub(super) fn made(folder: &Path, count: usize) -> Result<PathBuf, Failure> {
    let file = folder.join(format!("known-{count}.jsonl"));
    if !file.is_file() {
        make(&file, count)?;
    }
    Ok(file)
}

fn make(file: &Path, count: usize) -> Result<(), Failure> {
    let (vocabulary, mut random) = (Vocabulary::new(), Random::new(SEED));
    let made = |number: usize| {
        let words = random.between(1, 3);
        let words: Vec<String> = (0..words).map(|_| vocabulary.word(&mut random)).collect();
        // Most descriptions have 20 to 60 words.
        let length = match random.below(20) {
            0 => random.between(6, 12),
            1..=16 => random.between(20, 60),
            _ => random.between(60, 140),
        };
        Known {
            name: format!("{}-{number}", words.join("-")),
            description: vocabulary.text(length, &mut random),
            question: None,
            body: String::new(),
            page: None,
        }
    };
    let mut all: Vec<Known> = (0..count).map(made).collect();
    let every = all.len().div_ceil(QUESTIONS);
    for known in all.iter_mut().step_by(every) {
        let text = format!("{} {}", known.name.replace('-', " "), known.description);
        known.question =
            question(text.split_whitespace(), &mut random).map(|text| slip(&text, &mut random));
    }
    write(file, &all)
}

/// Adds bodies to the skills of `file`, and asks six of the first sixty words of a body, or a page of it.
pub(super) fn with_bodies(file: &Path, to: &Path) -> Result<(), Failure> {
    let (vocabulary, mut random) = (Vocabulary::of_bodies(), Random::new(SEED));
    let mut all = read(file)?;
    let every = all.len().div_ceil(QUESTIONS);
    for (number, known) in all.iter_mut().enumerate() {
        known.body = vocabulary.body(random.weighted(&BODIES), &mut random);
        known.question = None;
        if number.is_multiple_of(every) {
            known.ask_of_body(&mut random);
        }
    }
    write(to, &all)
}

impl Known {
    fn ask_of_body(&mut self, random: &mut Random) {
        let words: Vec<&str> = self.body.split_whitespace().collect();
        self.page = words.len().checked_sub(PAGE).map(|rest| {
            let begin = random.below(rest + 1);
            words[begin..begin + PAGE].join(" ")
        });
        self.question = question(first_words(&self.body), random);
    }
}

/// Returns the first sixty words that are not short.
fn first_words(body: &str) -> impl Iterator<Item = &str> {
    let words = body.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().count() > 2).take(60)
}

/// Writes the skills of a corpus to `file`, each description once, and returns how many they are. A question is words
/// from the beginning of the instructions, which are not searched.
pub(super) fn take(file: &Path, corpus: &Path) -> Result<usize, Failure> {
    #[derive(Deserialize)]
    struct Line {
        path: String,
    }
    let mut random = Random::new(SEED);
    let (mut all, mut names, mut descriptions) = (Vec::new(), HashSet::new(), HashSet::new());
    for line in fs::read_to_string(corpus.join("EXPECTED.jsonl"))?.lines() {
        let Line { path } = serde_json::from_str(line)?;
        let bytes = fs::read(corpus.join(&path))?;
        let directory = Path::new(&path)
            .parent()
            .and_then(Path::file_name)
            .and_then(|name| name.to_str());
        let parsed = skill_md::parse(
            &bytes,
            FileContext::new(&path).in_directory(directory.unwrap_or_default()),
        );
        let (Some(skill), Ok(body)) = (parsed.skill, skill_md::body(&bytes)) else {
            continue;
        };
        if !names.insert(skill.id.to_string())
            || !descriptions.insert(skill.description.to_string())
        {
            continue;
        }
        let mut known = Known {
            name: skill.id.to_string(),
            description: skill.description.to_string(),
            question: None,
            body: body.into_owned(),
            page: None,
        };
        known.ask_of_body(&mut random);
        all.push(known);
    }
    write(file, &all)?;
    Ok(all.len())
}

/// Some of `words`, in their order.
fn question<'a>(words: impl Iterator<Item = &'a str>, random: &mut Random) -> Option<String> {
    let mut words: Vec<&str> = words.collect();
    while words.len() > WORDS {
        words.remove(random.below(words.len()));
    }
    (words.len() == WORDS).then(|| words.join(" "))
}

fn slip(text: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let at = random.below(letters.len() - 1);
    if random.chance(20) && letters[at..at + 2].iter().all(|c| c.is_alphabetic()) {
        letters.swap(at, at + 1);
    }
    letters.into_iter().collect()
}

fn write(file: &Path, all: &[Known]) -> Result<(), Failure> {
    let mut out = BufWriter::new(File::create(file)?);
    for known in all {
        writeln!(out, "{}", serde_json::to_string(known)?)?;
    }
    Ok(out.flush()?)
}

/// Parses the output of [`made`], [`with_bodies`] and [`take`].
pub(super) fn read(file: &Path) -> Result<Vec<Known>, Failure> {
    fs::read_to_string(file)?
        .lines()
        .map(|line| Ok(serde_json::from_str(line)?))
        .collect()
}
