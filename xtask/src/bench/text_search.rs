//! The cost of an index that has bodies.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use repertoire::search::{LiveIndex, Query, SearchIndex};
use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};

use super::known::{self, Known};
use super::median;
use super::sample::cpu;
use crate::Failure;

/// Times in seconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct TextSearched {
    /// Building the index of front matter.
    pub(super) front_matter: f64,
    /// Adding the bodies in the background, on all threads.
    pub(super) bodies: f64,
    /// Processor time of a query of six words: the median and the 99th percentile.
    pub(super) words: [f64; 2],
    /// The same of 200 words.
    pub(super) page: [f64; 2],
    /// Following one changed description.
    pub(super) description_change: f64,
    /// Following one changed body, and reading it.
    pub(super) body_change: f64,
}

const ROUNDS: usize = 5;
const CHANGES: usize = 50;

/// Indexes the skills of `file`, and asks all questions.
pub(super) fn measure(file: &Path) -> Result<TextSearched, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let known = known::read(file)?;
        let source = MemorySource::new("home");
        for known in &known {
            source.register(registered(known, "", "")?)?;
        }
        let registry = SkillRegistry::builder().user(source.clone()).load().await?;
        let (mut built, mut read, mut last) = (Vec::new(), Vec::new(), None);
        for _ in 0..ROUNDS {
            drop(last.take());
            let begun = Instant::now();
            let live = LiveIndex::new(registry.clone());
            built.push(begun.elapsed().as_secs_f64());
            let reader = live.clone();
            let begun = Instant::now();
            tokio::spawn(async move { reader.read_bodies().await }).await?;
            read.push(begun.elapsed().as_secs_f64());
            last = Some(live);
        }
        let live = last.ok_or("at least one round")?;
        let index = live.current();
        let words = known.iter().filter_map(|known| known.question.as_ref());
        let pages = known.iter().filter_map(|known| known.page.as_ref());
        let (words, page) = (asked(&index, words), asked(&index, pages));
        let mut changes = [Vec::new(), Vec::new()];
        for number in 0..CHANGES {
            let known = &known[number * known.len() / CHANGES];
            let texts = [(" Changed.", ""), (" Changed.", "\nchanged\n")];
            for ((about, body), times) in texts.into_iter().zip(&mut changes) {
                source.replace(&known.name.parse()?, registered(known, about, body)?)?;
                registry.refresh().await?;
                let before = live.clone();
                let begun = Instant::now();
                black_box(before.current());
                before.read_bodies().await;
                times.push(begun.elapsed().as_secs_f64());
            }
        }
        let [description_change, body_change] = changes.map(|times| median(times.into_iter()));
        Ok(TextSearched {
            front_matter: median(built.into_iter()),
            bodies: median(read.into_iter()),
            words,
            page,
            description_change,
            body_change,
        })
    })
}

/// Returns a skill whose description and body end so.
fn registered(known: &Known, about: &str, body: &str) -> Result<Registered<Skill>, Failure> {
    let about = format!("{}{about}", known.description);
    let skill = Skill::new(known.name.parse()?, about);
    Ok(Registered::new(skill, format!("{}{body}", known.body)))
}

/// Returns the median and the 99th percentile of the best of three times of each question.
fn asked<'q>(index: &SearchIndex, questions: impl Iterator<Item = &'q String>) -> [f64; 2] {
    let best = |question: &String| {
        let query = Query::new(question.as_str());
        let time = |_| {
            let begun = cpu(ClockId::ThreadCPUTime);
            black_box(index.search(&query));
            cpu(ClockId::ThreadCPUTime) - begun
        };
        (0..3).map(time).fold(f64::MAX, f64::min)
    };
    let mut times: Vec<f64> = questions.map(best).collect();
    times.sort_by(f64::total_cmp);
    [0.5, 0.99].map(|part| super::quantile(&times, part))
}
