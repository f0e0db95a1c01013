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
    failing(&missed)
}

/// Fails with every set in which `earlier` has a better Hit@1 than the search with bodies.
pub(super) fn compare(rows: &[Row], earlier: &str) -> Result<(), Failure> {
    let hit_1 = |set: &str, search: &str| {
        let mut found = rows
            .iter()
            .filter(|row| row.set == set && row.search == search);
        found.next().map(|row| 100.0 * row.figures.hit_1)
    };
    let earlier_rows = rows.iter().filter(|row| row.search == earlier);
    let worse = earlier_rows.filter_map(|row| {
        let least = 100.0 * row.figures.hit_1;
        let now = hit_1(&row.set, "with bodies").filter(|now| *now < least)?;
        Some(format!(
            "{}, with bodies: expected Hit@1 of at least {least:.1} as in {earlier}, found {now:.1}",
            row.set
        ))
    });
    failing(&worse.collect::<Vec<_>>())
}

fn failing(missed: &[String]) -> Result<(), Failure> {
    if missed.is_empty() {
        Ok(())
    } else {
        Err(missed.join("\n").into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::Figures;
    use super::super::set::Answer;
    use super::*;

    fn row(search: &'static str, found: &[&str]) -> Row {
        let answer = |found: &&str| Answer {
            found: vec![(*found).to_owned()],
            gold: vec!["right".to_owned()],
            score: None,
            micros: None,
            abstained: false,
        };
        let answers: Vec<Answer> = found.iter().map(answer).collect();
        Row {
            set: "tea, asked".to_owned(),
            search: search.into(),
            figures: Figures::of(&answers),
            build_ms: None,
            texts_ms: None,
            bytes_a_skill: None,
        }
    }

    #[test]
    fn an_earlier_version_with_more_hits_fails() {
        let rows = |earlier| {
            [
                row("with bodies", &["right", "wrong"]),
                row("commit 1234", earlier),
            ]
        };
        let better = compare(&rows(&["right", "right"]), "commit 1234");
        assert_eq!(
            better.map_err(|failure| failure.to_string()),
            Err("tea, asked, with bodies: expected Hit@1 of at least 100.0 as in commit 1234, found 50.0".to_owned())
        );
        let same = compare(&rows(&["wrong", "right"]), "commit 1234");
        assert!(same.is_ok());
    }
}
