//! The cost of searching, and the quality of the results.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use repertoire::Skill;
use repertoire::registry::{Layer, Origin, Snapshot, Tier, merge};
use repertoire::search::{Query, SearchIndex};
use repertoire::skill::{Listing, ListingEntry, Revision, Stamp};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};

use super::known::{self, Known};
use super::sample::cpu;
use crate::Failure;

/// Times in seconds. Any search engine under measurement prints these.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Searched {
    /// Making the index.
    pub(super) build: f64,
    /// The question in the middle, by processor time.
    pub(super) middle: f64,
    /// The 99th percentile.
    pub(super) slow: f64,
    /// Following one changed skill.
    pub(super) update: f64,
    /// The mean of one divided by the place of the skill that was meant, among ten.
    pub(super) found: f64,
}

const ROUNDS: usize = 3;
const CHANGES: usize = 50;

/// Asks all questions of `file`.
pub(super) fn measure(file: &Path) -> Result<Searched, Failure> {
    let known = known::read(file)?;
    let snapshot = snapshot(&known)?;
    let begun = Instant::now();
    let index = SearchIndex::new(&snapshot);
    let build = begun.elapsed().as_secs_f64();

    let questions: Vec<(&str, Query)> = known
        .iter()
        .filter_map(|known| Some((known.name.as_str(), Query::new(known.question.as_ref()?))))
        .collect();
    let mut times = vec![f64::MAX; questions.len()];
    let mut found = 0.0;
    for round in 0..ROUNDS {
        for ((name, query), time) in questions.iter().zip(&mut times) {
            let begun = cpu(ClockId::ThreadCPUTime);
            let hits = black_box(index.search(query));
            *time = time.min(cpu(ClockId::ThreadCPUTime) - begun);
            if round == 0
                && let Some(place) = hits.iter().position(|hit| hit.entry.id.as_str() == *name)
            {
                found += 1.0 / (place as f64 + 1.0);
            }
        }
    }
    times.sort_by(f64::total_cmp);
    let update = super::median(updates(&known, &snapshot, &index)?.into_iter());
    Ok(Searched {
        build,
        middle: super::quantile(&times, 0.5),
        slow: super::quantile(&times, 0.99),
        update,
        found: found / questions.len() as f64,
    })
}

/// The skills in the order of the file, merged.
pub(super) fn snapshot(known: &[Known]) -> Result<Snapshot<Skill>, Failure> {
    let rows = known
        .iter()
        .map(|known| row(&known.name, &known.description))
        .collect::<Result<Vec<_>, Failure>>()?;
    let listing = Listing::new(Revision(0), rows, []);
    Ok(merge(&[Layer::new(
        Origin::new(Tier::User, "home"),
        0,
        listing,
    )]))
}

fn row(name: &str, description: &str) -> Result<ListingEntry<Skill>, Failure> {
    Ok(ListingEntry::new(
        Skill::new(name.parse()?, description),
        Stamp::of(description),
    ))
}

/// The snapshot after the change of this number, which is of one description.
pub(super) fn changed(
    known: &[Known],
    snapshot: &Snapshot<Skill>,
    number: usize,
) -> Result<Snapshot<Skill>, Failure> {
    let at = number * known.len() / CHANGES;
    let changed = row(
        &known[at].name,
        &format!("{} Changed.", known[at].description),
    )?;
    let listing = &snapshot
        .layer("home")
        .ok_or("the snapshot has no layer `home`")?
        .listing;
    let listing = listing.spliced(
        Revision(number as u64 + 1),
        [(at..at + 1, vec![changed])],
        [],
    );
    Ok(snapshot.with_listing("home", listing))
}

/// The duration of updating the index for one changed skill, while the index before it is in use.
fn updates(
    known: &[Known],
    snapshot: &Snapshot<Skill>,
    index: &SearchIndex,
) -> Result<Vec<f64>, Failure> {
    let mut times = Vec::new();
    let (mut snapshot, mut index) = (snapshot.clone(), index.clone());
    for number in 0..CHANGES {
        let next = changed(known, &snapshot, number)?;
        let begun = cpu(ClockId::ThreadCPUTime);
        let updated = index.updated(&next);
        times.push(cpu(ClockId::ThreadCPUTime) - begun);
        (snapshot, index) = (next, updated);
    }
    Ok(times)
}
