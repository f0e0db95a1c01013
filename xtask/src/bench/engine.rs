//! The figures of what is made of skills for models: searches, catalogs, tools.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::catalog::CatalogCosts;
use super::figure::{Figure, Goal};
use super::search::Searched;
use super::trigger::Triggered;
use super::{Bench, known, rival, rounds};
use crate::Failure;

/// Another search engine: a program that asks the same questions of the same skills.
const RIVAL: &str = "tantivy";

/// A rival search. It needs a second for a query over ten thousand skills, so it gets few queries and no larger trees.
const SLOW_RIVAL: &str = "adk-skill";

/// The processor time in seconds and the quality of the results.
#[derive(Debug, Deserialize)]
struct Asked {
    middle: f64,
    found: f64,
}

/// Measures made-up skills; and real ones, where questions have an answer that is right.
pub(super) fn figures(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let with_rivals = !bench.options.quick && !bench.options.no_rivals;
    let [rival, slow_rival] = [RIVAL, SLOW_RIVAL].map(|name| {
        let rival = with_rivals.then(|| rival::build(&format!("rival-{name}")));
        rival.transpose().unwrap_or_else(|failure| {
            bench.remarks.push(failure.to_string());
            None
        })
    });
    let counts: &[usize] = if bench.options.quick {
        &[200]
    } else {
        &[1_000, 10_000, 100_000]
    };
    for &count in counts {
        let skills = bench.folder.path().join(format!("known-{count}.jsonl"));
        known::make(&skills, count)?;
        searched(bench, &skills, count, rival.as_deref())?;
        if let Some(rival) = slow_rival.as_deref().filter(|_| count <= 10_000) {
            searched_slowly(bench, &skills, count, rival)?;
        }
        catalogs(bench, &skills, count)?;
        triggered(bench, count)?;
    }
    if let Some(corpus) = &bench.options.corpus {
        let skills = bench.folder.path().join("known.jsonl");
        let count = known::take(&skills, corpus)?;
        searched(bench, &skills, count, rival.as_deref())?;
    }
    Ok(())
}

fn searched(
    bench: &mut Bench<'_>,
    skills: &Path,
    count: usize,
    rival: Option<&Path>,
) -> Result<(), Failure> {
    eprintln!("searching {count} skills");
    let ours: Searched = rounds::parsed(bench.itself().arg("search").arg(skills))?;
    let theirs = rival
        .map(|program| rounds::parsed::<Searched>(Command::new(program).arg(skills)))
        .transpose()?;
    let figure =
        |name: &str, value: f64, unit| Figure::new(format!("search/{name}/{count}"), value, unit);
    let slow = figure("p99", ours.slow * 1e6, "us");
    let found = figure("found", ours.found * 100.0, "of 100");
    bench.figures.extend([
        figure("index", ours.build * 1e3, "ms"),
        figure("p50", ours.middle * 1e6, "us"),
        match count {
            10_000 => slow.goal(Goal::AtMost(100.0)),
            100_000 => slow.goal(Goal::AtMost(500.0)),
            _ => slow,
        },
        figure("update", ours.update * 1e6, "us").against(ours.build * 1e6, "index"),
        match theirs {
            Some(theirs) => found
                .against(theirs.found * 100.0, RIVAL)
                .goal(Goal::RatioAtLeast(1.0)),
            None => found,
        },
    ]);
    if let Some(theirs) = theirs {
        let figure = |name: &str, value: f64, unit| figure(&format!("{RIVAL}/{name}"), value, unit);
        bench.figures.extend([
            figure("index", theirs.build * 1e3, "ms").against(ours.build * 1e3, "ours"),
            figure("p50", theirs.middle * 1e6, "us").against(ours.middle * 1e6, "ours"),
            figure("p99", theirs.slow * 1e6, "us").against(ours.slow * 1e6, "ours"),
            figure("update", theirs.update * 1e6, "us").against(ours.update * 1e6, "ours"),
            figure("found", theirs.found * 100.0, "of 100"),
        ]);
    }
    Ok(())
}

fn searched_slowly(
    bench: &mut Bench<'_>,
    skills: &Path,
    count: usize,
    rival: &Path,
) -> Result<(), Failure> {
    let theirs: Asked = rounds::parsed(Command::new(rival).arg("--search").arg(skills))?;
    let value = |name: &str| {
        let name = format!("search/{name}/{count}");
        bench
            .figures
            .iter()
            .find(|figure| figure.name == name)
            .map_or(f64::NAN, |figure| figure.value)
    };
    let (middle, found) = (value("p50"), value("found"));
    let figure = |name: &str, value: f64, unit| {
        Figure::new(format!("search/{SLOW_RIVAL}/{name}/{count}"), value, unit)
    };
    bench.figures.extend([
        figure("p50", theirs.middle * 1e6, "us").against(middle, "ours"),
        figure("found", theirs.found * 100.0, "of 100").against(found, "ours"),
    ]);
    Ok(())
}

/// The most that an update after one changed skill may take among 100,000, as a multiple of its time among 1,000.
const GROWTH: f64 = 3.0;

/// Returns `figure` as a multiple of that among 1,000 skills, which was measured before.
fn grown(bench: &Bench<'_>, name: &str, count: usize, figure: Figure) -> Figure {
    let small = format!("{name}/1000");
    match bench.figures.iter().find(|figure| figure.name == small) {
        Some(small) if count == 100_000 => figure
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
