//! The growth of figures with the number of skills: the sizes, and the table in `docs/benchmarks.md`.

use std::fmt::Write;
use std::path::Path;

use super::written::{Quantity, WrittenFigures};
use crate::Failure;

/// The numbers of skills.
pub(super) const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// The figures that are compared among sizes: the first part of each name, which the number of skills follows.
const FIGURES: [(&str, &str); 14] = [
    ("first load, elapsed", "load/wall"),
    ("first load, processor time", "load/cpu"),
    ("load with a saved scan, elapsed", "saved/wall"),
    ("second listing in one process, elapsed", "again/wall"),
    ("memory after loading", "load/resident"),
    ("reload of one edited file", "reload/p50"),
    ("refresh without a change", "reload/refresh"),
    ("a page of 100 skills over MCP", "serve/page"),
    ("search index", "search/index"),
    ("search, six words", "search/p50"),
    ("search index after one change", "search/update"),
    ("catalog for a window of 200,000 tokens", "catalog/short"),
    ("the same after one change", "catalog/changed"),
    ("triggers in a message of 4 kB", "triggers/fired"),
];

/// The highest exponent of each kind of growth.
const KINDS: [(f64, &str); 3] = [(0.2, "flat"), (0.85, "less than linear"), (1.15, "linear")];

/// The most bytes that one skill of a tree takes on a disk: its folder, and a file of 5,500 bytes on average.
const DISK: u64 = 14_000;

/// Fails if the disk of `folder` has no room for the trees of up to `most` skills.
pub(super) fn check_space(folder: &Path, most: usize) -> Result<(), Failure> {
    let disk = rustix::fs::statvfs(folder)?;
    let skills: usize = SIZES.into_iter().filter(|size| *size <= most).sum();
    let (free, needed) = (disk.f_bavail * disk.f_frsize, skills as u64 * DISK);
    if needed <= free {
        return Ok(());
    }
    Err(format!(
        "trees of up to {most} skills need {} GB in `{}`, which has {}; give `--huge` a lower number",
        needed.div_ceil(1_000_000_000),
        folder.display(),
        free / 1_000_000_000
    )
    .into())
}

/// Returns the table of the sizes that `figures` have.
pub(super) fn table(figures: &WrittenFigures) -> String {
    let of = |name: &str, size: usize| figures.get(&format!("{name}/{size}"));
    let sizes: Vec<usize> = SIZES
        .into_iter()
        .filter(|size| FIGURES.iter().any(|(_, name)| of(name, *size).is_some()))
        .collect();
    let mut table = "| what |".to_owned();
    sizes
        .iter()
        .for_each(|size| table += &format!(" {} |", thousands(*size)));
    table += " growth |\n|---|";
    sizes.iter().for_each(|_| table += "--:|");
    table += "---|\n";
    for (what, name) in FIGURES {
        let row: Vec<(usize, Option<&Quantity>)> = sizes
            .iter()
            .map(|size| (*size, of(name, *size).map(|figure| &figure.quantity)))
            .collect();
        let measured: Vec<(usize, f64)> = row
            .iter()
            .filter_map(|(size, quantity)| Some((*size, quantity.as_ref()?.value)))
            .collect();
        if measured.is_empty() {
            continue;
        }
        write!(table, "| {what} |").expect("a string takes all");
        for (_, quantity) in row {
            let cell = quantity.map(ToString::to_string).unwrap_or_default();
            write!(table, " {cell} |").expect("a string takes all");
        }
        writeln!(table, " {} |", growth(&measured)).expect("a string takes all");
    }
    table
}

/// Describes the growth between the two largest sizes, or returns an empty text for a single one.
fn growth(measured: &[(usize, f64)]) -> String {
    let [.., (size, value), (larger, largest)] = measured else {
        return String::new();
    };
    let exponent = (largest / value).ln() / (*larger as f64 / *size as f64).ln();
    let kind = KINDS
        .iter()
        .find(|(most, _)| exponent <= *most)
        .map_or("more than linear", |(_, kind)| kind);
    format!("n^{exponent:.2}, {kind}")
}

fn thousands(size: usize) -> String {
    match size / 1_000 {
        1_000.. => format!("{},000,000", size / 1_000_000),
        thousands => format!("{thousands},000"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_follows_from_the_two_largest_sizes() {
        let page = "\
| `load/wall/1000` | 9.0 ms |  |  |  |
| `load/wall/10000` | 50.0 ms |  |  |  |
| `load/wall/100000` | 500.0 ms |  |  |  |
| `load/wall/1000000` | 50.0 s |  |  |  |
| `load/resident/1000` | 5.0 MB |  |  |  |
| `load/resident/10000` | 25.0 MB |  |  |  |
| `reload/p50/1000` | 0.3 ms |  |  |  |
| `reload/p50/100000` | 0.3 ms |  |  |  |
| `search/index/1000` | 1.0 ms |  |  |  |
| `search/index/10000` | 10.0 ms |  |  |  |
| `search/p50/10000` | 20.0 us |  |  |  |
";
        assert_eq!(
            table(&WrittenFigures::of(page)),
            "\
| what | 1,000 | 10,000 | 100,000 | 1,000,000 | growth |
|---|--:|--:|--:|--:|---|
| first load, elapsed | 9.00 ms | 50.0 ms | 500 ms | 50.0 s | n^2.00, more than linear |
| memory after loading | 5.00 MB | 25.0 MB |  |  | n^0.70, less than linear |
| reload of one edited file | 300 us |  | 300 us |  | n^0.00, flat |
| search index | 1.00 ms | 10.0 ms |  |  | n^1.00, linear |
| search, six words |  | 20.0 us |  |  |  |
"
        );
    }
}
