//! The bytes of a catalog that stay as they were when skills are edited.

use repertoire::catalog::SkillAges;
use repertoire::skill::{ListingEntry, Revision, Stamp};
use repertoire::{Catalog, CatalogOptions, Skill};
use serde::Serialize;

use super::set::Set;
use crate::Failure;

/// The unchanged beginnings of the catalogs after some edits.
#[derive(Debug, Serialize)]
pub(super) struct PrefixRow {
    set: String,
    /// The skills that are edited: all alike, or a few often.
    edited: &'static str,
    order: &'static str,
    edits: usize,
    /// The mean length of a catalog.
    bytes: f64,
    /// The mean length of what a catalog has in common with the one before, from the beginning on.
    unchanged: f64,
}

const EDITS: usize = 1_000;

/// Edits the description of one skill after another, at random but the same in each run.
pub(super) fn rows(set: &Set) -> Result<Vec<PrefixRow>, Failure> {
    let mut rows = Vec::new();
    for (edited, exponent) in [("all alike", 0.0), ("a few often (Zipf)", 1.0)] {
        for order in ["by name", "oldest first"] {
            let (bytes, unchanged) = measure(set, exponent, order == "oldest first")?;
            rows.push(PrefixRow {
                set: set.name.clone(),
                edited,
                order,
                edits: EDITS,
                bytes,
                unchanged,
            });
        }
    }
    Ok(rows)
}

fn measure(set: &Set, exponent: f64, oldest_first: bool) -> Result<(f64, f64), Failure> {
    let mut random = fastrand::Rng::with_seed(9);
    let skills: Vec<Skill> = {
        let layer = set.snapshot.layer("home").ok_or("no layer `home`")?;
        layer
            .listing
            .iter()
            .map(|row| row.item.as_ref().clone())
            .collect()
    };
    let mut places: Vec<usize> = (0..skills.len()).collect();
    random.shuffle(&mut places);
    let weights: Vec<f64> = (1..=skills.len())
        .map(|rank| (rank as f64).powf(-exponent))
        .collect();
    let all: f64 = weights.iter().sum();

    let (mut snapshot, mut ages) = (set.snapshot.clone(), SkillAges::default());
    let mut before = Catalog::new(&snapshot, &CatalogOptions::default()).text;
    let (mut bytes, mut unchanged) = (0, 0);
    for edit in 0..EDITS {
        let mut at = random.f64() * all;
        let rank = weights.iter().position(|weight| {
            at -= weight;
            at <= 0.0
        });
        let place = places[rank.unwrap_or_default()];
        let about = format!("{} Edit {edit}.", skills[place].description);
        let edited = Skill::new(skills[place].id.clone(), about.as_str());
        let row = ListingEntry::new(edited, Stamp::of(&about));
        let layer = snapshot.layer("home").ok_or("no layer `home`")?;
        let revision = Revision(edit as u64 + 1);
        let listing = layer
            .listing
            .spliced(revision, [(place..place + 1, vec![row])], []);
        let next = snapshot.with_listing("home", listing);
        let mut options = CatalogOptions::default();
        if oldest_first {
            ages.follow(&next.changes_since(&snapshot));
            options = options.oldest_first(ages.clone());
        }
        let text = Catalog::new(&next, &options).text;
        let same = before.bytes().zip(text.bytes()).take_while(|(a, b)| a == b);
        unchanged += same.count();
        bytes += text.len();
        (snapshot, before) = (next, text);
    }
    let mean = |sum: usize| sum as f64 / EDITS as f64;
    Ok((mean(bytes), mean(unchanged)))
}

/// Prints the rows as a table.
pub(super) fn print(rows: &[PrefixRow]) {
    for row in rows {
        println!(
            "{:<12} {} edits, {:<18} {:<12} {:>8.0} of {:>8.0} bytes unchanged ({:.1} %)",
            row.set,
            row.edits,
            row.edited,
            row.order,
            row.unchanged,
            row.bytes,
            100.0 * row.unchanged / row.bytes
        );
    }
}
