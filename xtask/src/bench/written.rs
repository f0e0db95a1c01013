//! The figures in the tables of `docs/benchmarks.md`. The first part of the page follows from them.

use std::collections::BTreeMap;
use std::fmt;

use super::figure::three_digits;

/// The figures of a page, by name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WrittenFigures(BTreeMap<String, WrittenFigure>);

/// A figure as the page has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WrittenFigure {
    pub(super) quantity: Quantity,
    /// The quantity as a multiple of its reference.
    pub(super) ratio: Option<f64>,
}

/// A value with a unit. Times are nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    pub(super) value: f64,
    unit: String,
}

/// The units of time, with their nanoseconds.
const TIMES: [(&str, f64); 4] = [("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)];

impl WrittenFigures {
    /// Reads every table of figures of `page`, and the table of hit rates, whose figures are called `hit@1/SET/SEARCH`.
    pub(super) fn of(page: &str) -> WrittenFigures {
        WrittenFigures(page.lines().filter_map(figure).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&WrittenFigure> {
        self.0.get(name)
    }

    /// Returns the figures whose names begin with `prefix`, with the rest of each name.
    pub(super) fn below<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a WrittenFigure)> {
        let named = move |(name, figure): (&'a String, &'a WrittenFigure)| {
            Some((name.strip_prefix(prefix)?, figure))
        };
        self.0.iter().filter_map(named)
    }
}

fn figure(line: &str) -> Option<(String, WrittenFigure)> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let (name, value, unit, ratio) = match cells[..] {
        ["", name, value, ratio, _, _, ""] => {
            let name = name.strip_prefix('`')?.strip_suffix('`')?;
            let (value, unit) = value.split_once(' ')?;
            let ratio = ratio
                .split_once(" x ")
                .and_then(|(ratio, _)| ratio.parse().ok());
            (name.to_owned(), value, unit, ratio)
        }
        ["", set, search, _, hit, _, _, _, _, _, _, ""] => (
            format!("hit@1/{set}/{search}"),
            hit.split(' ').next()?,
            "%",
            None,
        ),
        _ => return None,
    };
    let quantity = Quantity::new(value.parse().ok()?, unit);
    Some((name, WrittenFigure { quantity, ratio }))
}

impl Quantity {
    pub(super) fn new(value: f64, unit: &str) -> Quantity {
        match TIMES.iter().find(|(name, _)| *name == unit) {
            Some((_, nanoseconds)) => Quantity {
                value: value * nanoseconds,
                unit: "ns".to_owned(),
            },
            None => Quantity {
                value,
                unit: unit.to_owned(),
            },
        }
    }

    /// Returns this quantity divided by `ratio`.
    pub(super) fn divided(&self, ratio: f64) -> Quantity {
        Quantity {
            value: self.value / ratio,
            unit: self.unit.clone(),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match &*self.unit {
            "ns" => TIMES
                .iter()
                .rev()
                .map(|(name, nanoseconds)| (self.value / nanoseconds, *name))
                .find(|(value, _)| *value >= 1.0)
                .unwrap_or((self.value, "ns")),
            unit => (self.value, unit),
        };
        write!(f, "{} {unit}", three_digits(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_with_unit_and_ratio() {
        let page = "\
| figure | value | ratio | goal | holds |
|---|--:|---|---|---|
| `load/cpu/10000` | 95.5 ms | 2.20 x read | <= 2.0 x | NO |
| `render/eightfold/10000` | 6 us | 1.24 x 8 x an eighth |  |  |
| `load/resident/10000` | 26.6 MB |  |  |  |

| set | search | asked | Hit@1 (95 %) | Hit@5 | R@5 | R@10 | nDCG@10 | MRR | AUC |
| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |
| tools, single | bm25s | 10341 | 36.4 (35.5-37.3) | 57.1 | 57.1 | 63.8 | 49.6 | 0.452 |  |
";
        let figure = |value, unit: &str, ratio| WrittenFigure {
            quantity: Quantity::new(value, unit),
            ratio,
        };
        let expected = [
            ("hit@1/tools, single/bm25s", figure(36.4, "%", None)),
            ("load/cpu/10000", figure(95.5, "ms", Some(2.2))),
            ("load/resident/10000", figure(26.6, "MB", None)),
            ("render/eightfold/10000", figure(6.0, "us", Some(1.24))),
        ];
        let expected = expected.map(|(name, figure)| (name.to_owned(), figure));
        assert_eq!(
            WrittenFigures::of(page),
            WrittenFigures(expected.into_iter().collect())
        );
    }

    #[test]
    fn a_time_has_the_largest_unit() {
        let shown = [
            (0.5, "ns"),
            (34.5, "ns"),
            (368.52, "us"),
            (543_186.9, "us"),
            (13_618.1, "ms"),
            (0.293, "ms"),
            (26.6, "MB"),
        ];
        assert_eq!(
            shown.map(|(value, unit)| Quantity::new(value, unit).to_string()),
            [
                "0.500 ns", "34.5 ns", "369 us", "543 ms", "13.6 s", "293 us", "26.6 MB"
            ]
        );
    }
}
