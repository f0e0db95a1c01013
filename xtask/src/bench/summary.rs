//! The table at the beginning of `docs/benchmarks.md`: the figures that matter most, beside rivals and floors.

use std::fmt::Write;

use super::figure::three_digits;
use super::written::{Quantity, WrittenFigures};

/// A row of the table, and a group of bars of the chart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SummaryRow {
    pub(super) what: &'static str,
    pub(super) ours: Quantity,
    /// The best rival and its name.
    pub(super) rival: Option<(String, Quantity)>,
    /// The floor and its name.
    pub(super) floor: Option<(&'static str, Quantity)>,
}

/// The figures of a row, by name.
struct Measured {
    what: &'static str,
    ours: &'static str,
    rivals: Rivals,
    /// The name of the reference of our figure, if it is a floor.
    floor: Option<&'static str>,
}

/// The figures of the rivals of a row.
enum Rivals {
    /// None is measured.
    None,
    /// The best loader by this part of a load: the figure `rivals/best/PART/10000`.
    Loader(&'static str),
    /// The least of these figures, each with the name of its rival.
    Least(&'static [(&'static str, &'static str)]),
    /// The searches of other engines in this set of questions, of which the highest rate counts.
    Hits(&'static str),
    /// The reference of our own figure, which is the usual way.
    UsualWay(&'static str),
}

const SAVED: &str = "stat of each file";

/// The searches of this project in the table of hit rates.
const OWN_SEARCHES: [&str; 3] = ["front matter", "with bodies", "with examples"];

/// The begin of the names of earlier versions there, before the commit.
pub(crate) const EARLIER_SEARCH: &str = "commit ";

const ROWS: [Measured; 15] = [
    Measured {
        what: "first load, elapsed",
        ours: "load/wall/10000",
        rivals: Rivals::Loader("wall"),
        floor: Some("read each file"),
    },
    Measured {
        what: "first load, processor time",
        ours: "load/cpu/10000",
        rivals: Rivals::Loader("cpu"),
        floor: Some("read each file"),
    },
    Measured {
        what: "load with a saved scan, elapsed",
        ours: "saved/wall/10000",
        rivals: Rivals::Loader("wall"),
        floor: Some(SAVED),
    },
    Measured {
        what: "memory after loading",
        ours: "load/resident/10000",
        rivals: Rivals::Loader("resident"),
        floor: None,
    },
    Measured {
        what: "reload of one edited file",
        ours: "reload/p50/10000",
        rivals: Rivals::Loader("wall"),
        floor: None,
    },
    Measured {
        what: "look-up of an id during refreshes",
        ours: "look-up/10000",
        rivals: Rivals::None,
        floor: Some("a HashMap"),
    },
    Measured {
        what: "start of the MCP server to the end of its first list",
        ours: "serve/start/10000",
        rivals: Rivals::Least(&[
            ("rivals/rmcp/serve/start/10000", "rmcp"),
            ("rivals/fastmcp/serve/extension/start/10000", "FastMCP"),
            ("rivals/fastmcp/serve/resources/start/10000", "FastMCP"),
        ]),
        floor: None,
    },
    Measured {
        what: "a page of 100 skills over MCP",
        ours: "serve/page/10000",
        rivals: Rivals::None,
        floor: Some("serialize it"),
    },
    Measured {
        what: "catalog for a window of 200,000 tokens",
        ours: "catalog/short/10000",
        rivals: Rivals::None,
        floor: Some("write all by hand"),
    },
    Measured {
        what: "search, six words",
        ours: "search/p50/10000",
        rivals: Rivals::Least(&[
            ("search/tantivy/p50/10000", "tantivy"),
            ("search/adk-skill/p50/10000", "adk-skill"),
        ]),
        floor: None,
    },
    Measured {
        what: "search of bodies, 200 words",
        ours: "search/texts/200-words/p50/10000",
        rivals: Rivals::None,
        floor: None,
    },
    Measured {
        what: "right skill first (Hit@1; more is better)",
        ours: "hit@1/metatool, single/with bodies",
        rivals: Rivals::Hits("metatool, single"),
        floor: None,
    },
    Measured {
        what: "triggers in a message of 4 kB",
        ours: "triggers/fired/10000",
        rivals: Rivals::UsualWay("a search for each keyword"),
        floor: None,
    },
    Measured {
        what: "rendering of 10,000 bodies with placeholders",
        ours: "render/placeholders/10000",
        rivals: Rivals::None,
        floor: Some("parse them"),
    },
    Measured {
        what: "time that the gateway adds to a call",
        ours: "mcp-load/passed/one/p50",
        rivals: Rivals::None,
        floor: None,
    },
];

/// Returns the rows whose own figure is among `figures`.
pub(super) fn rows(figures: &WrittenFigures) -> Vec<SummaryRow> {
    ROWS.iter()
        .filter_map(|measured| measured.row(figures))
        .collect()
}

impl Measured {
    fn row(&self, figures: &WrittenFigures) -> Option<SummaryRow> {
        let ours = figures.get(self.ours)?;
        let reference = ours.ratio.map(|ratio| ours.quantity.divided(ratio));
        Some(SummaryRow {
            what: self.what,
            ours: ours.quantity.clone(),
            rival: self.rivals.best(figures, reference.as_ref()),
            floor: self.floor.zip(reference),
        })
    }
}

impl Rivals {
    /// Returns the best rival with its name. `reference` is that of our own figure.
    fn best(
        &self,
        figures: &WrittenFigures,
        reference: Option<&Quantity>,
    ) -> Option<(String, Quantity)> {
        let by_value =
            |(_, a): &(String, Quantity), (_, b): &(String, Quantity)| a.value.total_cmp(&b.value);
        match self {
            Rivals::None => None,
            Rivals::Loader(part) => {
                let best = figures.get(&format!("rivals/best/{part}/10000"))?;
                let end = format!("/{part}/10000");
                let name = figures
                    .below("rivals/")
                    .filter(|(_, figure)| figure.quantity == best.quantity)
                    .filter_map(|(name, _)| name.strip_suffix(&end))
                    .find(|name| *name != "best")?;
                Some((name.to_owned(), best.quantity.clone()))
            }
            Rivals::Least(names) => names
                .iter()
                .filter_map(|(name, rival)| {
                    let figure = figures.get(name)?;
                    Some(((*rival).to_owned(), figure.quantity.clone()))
                })
                .min_by(by_value),
            Rivals::Hits(set) => figures
                .below(&format!("hit@1/{set}/"))
                .filter(|(search, _)| {
                    !OWN_SEARCHES.contains(search) && !search.starts_with(EARLIER_SEARCH)
                })
                .map(|(search, figure)| (search.to_owned(), figure.quantity.clone()))
                // Of equal rates that of the first name.
                .max_by(|a, b| by_value(a, b).then_with(|| b.0.cmp(&a.0))),
            Rivals::UsualWay(name) => Some(((*name).to_owned(), reference?.clone())),
        }
    }
}

/// Returns the table of these rows.
pub(super) fn table(rows: &[SummaryRow]) -> String {
    let mut table = "\
| what | repertoire | best rival | rival / repertoire | floor | repertoire / floor |
|---|--:|--:|--:|--:|--:|
"
    .to_owned();
    for SummaryRow {
        what,
        ours,
        rival,
        floor,
    } in rows
    {
        let cells = |name: &str, other: &Quantity, ratio: f64| {
            let ratio = three_digits(ratio);
            (format!("{other} ({name})"), format!("{ratio} x"))
        };
        let rival = rival
            .as_ref()
            .map(|(name, rival)| cells(name, rival, rival.value / ours.value));
        let floor = floor
            .as_ref()
            .map(|(name, floor)| cells(name, floor, ours.value / floor.value));
        let [(rival, slower), (floor, times)] = [rival, floor].map(Option::unwrap_or_default);
        writeln!(
            table,
            "| {what} | **{ours}** | {rival} | {slower} | {floor} | {times} |"
        )
        .expect("a string takes all");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
| `load/cpu/10000` | 90.0 ms | 2.00 x read | <= 2.0 x | yes |
| `load/wall/10000` | 55.0 ms | 1.25 x read | <= 2.0 x | yes |
| `rivals/best/wall/10000` | 156.2 ms | 2.84 x our load |  |  |
| `rivals/skref/wall/10000` | 162.4 ms | 3.72 x read |  |  |
| `rivals/skills-ref-rs/wall/10000` | 156.2 ms | 3.58 x read |  |  |
| `rivals/skill-registry/wall/10000` | 2.8 ms | 0.07 x read |  |  |
| `reload/p50/10000` | 0.25 ms |  |  |  |
| `serve/start/10000` | 1100 ms |  |  |  |
| `rivals/rmcp/serve/start/10000` | 495.2 ms | 0.44 x ours |  |  |
| `rivals/fastmcp/serve/resources/start/10000` | 11746.0 ms | 10.43 x ours |  |  |
| `triggers/fired/10000` | 96.0 us | 0.0300 x a look for each | <= 1000 | yes |
| metatool, single | with bodies | 10341 | 40.0 (39.9-41.8) | 61.9 | 61.9 | 68.7 | 54.4 | 0.498 |  |
| metatool, single | with examples | 10341 | 70.0 (68.8-71.2) | 61.9 | 61.9 | 68.7 | 54.4 | 0.498 |  |
| metatool, single | bm25s | 10341 | 36.0 (35.5-37.3) | 57.1 | 57.1 | 63.8 | 49.6 | 0.452 |  |
| metatool, single | tantivy | 10341 | 31.7 (30.8-32.7) | 51.4 | 51.4 | 60.4 | 45.0 | 0.402 |  |
| metatool, single | commit f2a23d37 | 10341 | 37.7 (36.8-38.7) | 59.7 | 59.7 | 67.5 | 51.9 | 0.470 |  |
";

    #[test]
    fn rows_follow_from_the_figures() {
        let table = table(&rows(&WrittenFigures::of(PAGE)));
        assert_eq!(
            table,
            "\
| what | repertoire | best rival | rival / repertoire | floor | repertoire / floor |
|---|--:|--:|--:|--:|--:|
| first load, elapsed | **55.0 ms** | 156 ms (skills-ref-rs) | 2.84 x | 44.0 ms (read each file) | 1.25 x |
| first load, processor time | **90.0 ms** |  |  | 45.0 ms (read each file) | 2.00 x |
| reload of one edited file | **250 us** | 156 ms (skills-ref-rs) | 625 x |  |  |
| start of the MCP server to the end of its first list | **1.10 s** | 495 ms (rmcp) | 0.450 x |  |  |
| right skill first (Hit@1; more is better) | **40.0 %** | 36.0 % (bm25s) | 0.900 x |  |  |
| triggers in a message of 4 kB | **96.0 us** | 3.20 ms (a search for each keyword) | 33.3 x |  |  |
"
        );
    }
}
