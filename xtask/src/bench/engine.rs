//! The figures of what is made of skills for models: catalogs, tools, triggers.

use std::path::Path;

use super::catalog::CatalogCosts;
use super::figure::{Figure, Goal};
use super::trigger::Triggered;
use super::{Bench, known, rounds};
use crate::Failure;

/// Measures catalogs and triggers of made-up skills.
pub(super) fn figures(bench: &mut Bench<'_>) -> Result<(), Failure> {
    for count in counts(bench) {
        let skills = known::made(bench.folder.path(), count)?;
        catalogs(bench, &skills, count)?;
        triggered(bench, count)?;
    }
    Ok(())
}

/// Returns the numbers of skills that are measured.
pub(super) fn counts(bench: &Bench<'_>) -> Vec<usize> {
    match bench.options.quick {
        true => vec![200],
        false => vec![1_000, 10_000, 100_000],
    }
}

/// The most that an update after one changed skill may take among 100,000, as a multiple of its time among 1,000.
const GROWTH: f64 = 3.0;

/// Returns `figure` as a multiple of that among 1,000 skills, which was measured before.
pub(super) fn grown(bench: &Bench<'_>, name: &str, count: usize, figure: Figure) -> Figure {
    let small = format!("{name}/1000");
    match bench.figures.iter().find(|figure| figure.name == small) {
        Some(small) if count > 10_000 => figure
            .against(small.value, "at 1,000")
            .goal(Goal::RatioAtMost(GROWTH)),
        _ => figure,
    }
}

fn triggered(bench: &mut Bench<'_>, count: usize) -> Result<(), Failure> {
    let triggered: Triggered =
        rounds::parsed(bench.itself().arg("trigger").arg(count.to_string()))?;
    let figure =
        |name: &str, value: f64, unit| Figure::new(format!("triggers/{name}/{count}"), value, unit);
    let fired = figure("fired", triggered.fired * 1e6, "us")
        .against(triggered.each * 1e6, "a look for each");
    let evaluate = figure("evaluate", triggered.evaluate * 1e6, "us")
        .against(triggered.each * 1e6, "a look for each");
    let update =
        figure("update", triggered.update * 1e6, "us").against(triggered.compile * 1e6, "compile");
    let update = grown(bench, "triggers/update", count, update);
    bench.figures.extend([
        figure("compile", triggered.compile * 1e3, "ms"),
        update,
        if count == 10_000 {
            fired.goal(Goal::AtMost(1000.0))
        } else {
            fired
        },
        if count == 10_000 {
            evaluate.goal(Goal::AtMost(1000.0))
        } else {
            evaluate
        },
        figure("holding", triggered.holding as f64, "triggers"),
    ]);
    Ok(())
}

fn catalogs(bench: &mut Bench<'_>, skills: &Path, count: usize) -> Result<(), Failure> {
    let costs: CatalogCosts = rounds::parsed(bench.itself().arg("catalog").arg(skills))?;
    let figure = |name: &str, value: f64, unit| Figure::new(format!("{name}/{count}"), value, unit);
    let milliseconds = |name: &str, seconds: f64| figure(name, seconds * 1e3, "ms");
    let whole = milliseconds("catalog/whole", costs.whole).against(costs.floor * 1e3, "by hand");
    let again = figure("catalog/again", costs.again * 1e9, "ns");
    let changed =
        figure("catalog/changed", costs.changed * 1e6, "us").against(costs.short * 1e6, "short");
    let changed = grown(bench, "catalog/changed", count, changed);
    let large = count == 10_000;
    bench.figures.extend([
        if large {
            whole.goal(Goal::RatioAtMost(2.0))
        } else {
            whole
        },
        milliseconds("catalog/short", costs.short).against(costs.floor * 1e3, "by hand"),
        changed,
        if large {
            again.goal(Goal::AtMost(1000.0))
        } else {
            again
        },
        milliseconds("tools", costs.tools),
    ]);
    Ok(())
}
