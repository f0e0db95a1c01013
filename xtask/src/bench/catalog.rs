//! The cost of catalogs and tools.

use std::cell::Cell;
use std::hint::black_box;
use std::path::Path;

use repertoire::catalog::CatalogCache;
use repertoire::search::SearchIndex;
use repertoire::tools::Toolset;
use repertoire::{Catalog, CatalogOptions, ToolOptions};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};

use super::known::{self, Known};
use super::sample::cpu;
use super::search;
use crate::Failure;

/// Processor times in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct CatalogCosts {
    /// Names sorted, and written as XML by hand.
    pub(super) floor: f64,
    /// The catalog, whole.
    pub(super) whole: f64,
    /// The catalog in the room that clients give it.
    pub(super) short: f64,
    /// The cached catalog in the same room, after a change of one description.
    pub(super) changed: f64,
    /// The same catalog once more.
    pub(super) again: f64,
    /// The tools over an index that is there.
    pub(super) tools: f64,
}

const ROUNDS: usize = 15;
const AGAIN: usize = 10_000;

/// Makes the catalogs of the skills in `file`.
pub(super) fn measure(file: &Path) -> Result<CatalogCosts, Failure> {
    let known = known::read(file)?;
    let snapshot = search::snapshot(&known)?;
    // Made when first asked for, and no part of a catalog.
    black_box(snapshot.entries().len());
    let index = SearchIndex::new(&snapshot);
    let short = CatalogOptions::default().budget(repertoire::Budget::for_window(Some(200_000)));
    let cache = CatalogCache::new(CatalogOptions::default());
    let changing = CatalogCache::new(short.clone());
    changing.catalog(&snapshot);
    let mut views = vec![snapshot.clone()];
    for number in 0..ROUNDS {
        // Each is of one change to the one before, as a registry publishes them.
        views.push(search::changed(&known, &views[number], number)?);
    }
    let next = Cell::new(0);
    let once = |work: &dyn Fn()| {
        let begun = cpu(ClockId::ThreadCPUTime);
        work();
        cpu(ClockId::ThreadCPUTime) - begun
    };
    let timed = |work: &dyn Fn()| super::median((0..ROUNDS).map(|_| once(work)));
    // In turns, so that a noisy moment hits both, and neither finds what the other left in the caches.
    let by_hand = || drop(black_box(by_hand(&known)));
    let whole = || {
        drop(black_box(Catalog::new(
            &snapshot,
            &CatalogOptions::default(),
        )))
    };
    let (floors, wholes): (Vec<f64>, Vec<f64>) =
        (0..ROUNDS).map(|_| (once(&by_hand), once(&whole))).unzip();
    Ok(CatalogCosts {
        floor: super::median(floors.into_iter()),
        whole: super::median(wholes.into_iter()),
        short: timed(&|| drop(black_box(Catalog::new(&snapshot, &short)))),
        changed: timed(&|| {
            next.set(next.get() + 1);
            black_box(changing.catalog(&views[next.get()]));
        }),
        again: timed(&|| (0..AGAIN).for_each(|_| drop(black_box(cache.catalog(&snapshot)))))
            / AGAIN as f64,
        tools: timed(&|| {
            drop(black_box(Toolset::from_index(
                index.clone(),
                &ToolOptions::default(),
            )))
        }),
    })
}

/// Writes a catalog by hand: sorted and escaped.
fn by_hand(known: &[Known]) -> String {
    let mut sorted: Vec<(&str, &str)> = known
        .iter()
        .map(|known| (known.name.as_str(), known.description.as_str()))
        .collect();
    sorted.sort_unstable();
    let mut text = String::from("<available_skills>\n");
    let escape = |mut rest: &str, text: &mut String| {
        while let Some(at) = rest.find(['&', '<', '>']) {
            text.push_str(&rest[..at]);
            text.push_str(match rest.as_bytes()[at] {
                b'&' => "&amp;",
                b'<' => "&lt;",
                _ => "&gt;",
            });
            rest = &rest[at + 1..];
        }
        text.push_str(rest);
    };
    for (name, description) in sorted {
        text.push_str("<skill><name>");
        escape(name, &mut text);
        text.push_str("</name><description>");
        escape(description, &mut text);
        text.push_str("</description></skill>\n");
    }
    text.push_str("</available_skills>\n");
    text
}
