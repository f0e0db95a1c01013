//! The hit rates below which a change made the search worse.

use super::Row;
use crate::Failure;

/// A set, a search, and the least Hit@1 in percent: what was measured, minus one.
const HIT_1: [(&str, &str, f64); 8] = [
    ("uipath, positive", "front matter", 56.8),
    ("uipath, positive", "with bodies", 67.2),
    ("uipath, second half", "with examples", 77.3),
    ("salesforce, fixture", "with bodies", 92.0),
    ("salesforce, variant", "with bodies", 52.7),
    ("metatool, single", "with bodies", 40.0),
    ("metatool, multi", "with bodies", 49.4),
    ("metatool, second half", "with examples", 69.0),
];

/// The same for the area under the curve of the top score.
const AUC: [(&str, &str, f64); 1] = [("uipath, positive", "with bodies", 0.92)];

/// Fails with every figure that is below its gate. Sets that were not measured are skipped.
pub(super) fn check(rows: &[Row]) -> Result<(), Failure> {
    let found = |set: &str, search: &str| {
        let mut found = rows
            .iter()
            .filter(|row| row.set == set && row.search == search);
        found.next().map(|row| &row.figures)
    };
    let hit_1 = HIT_1.iter().filter_map(|(set, search, least)| {
        Some((
            set,
            search,
            "Hit@1",
            100.0 * found(set, search)?.hit_1,
            least,
        ))
    });
    let auc = AUC.iter().filter_map(|(set, search, least)| {
        Some((set, search, "AUC", found(set, search)?.auc?, least))
    });
    let missed: Vec<String> = hit_1
        .chain(auc)
        .filter(|(.., value, least)| value < least)
        .map(|(set, search, name, value, least)| {
            format!("{set}, {search}: expected {name} of at least {least}, found {value:.3}")
        })
        .collect();
    if missed.is_empty() {
        Ok(())
    } else {
        Err(missed.join("\n").into())
    }
}
