//! The figures of searches.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::engine::{counts, grown};
use super::figure::{Figure, Goal};
use super::search::Searched;
use super::text_search::TextSearched;
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
    for count in bench.sizes(&counts(bench)) {
        let skills = known::made(bench.folder.path(), count)?;
        searched(bench, &skills, count, rival.as_deref())?;
        if let Some(rival) = slow_rival.as_deref().filter(|_| count <= 10_000) {
            searched_slowly(bench, &skills, count, rival)?;
        }
    }
    let counts: &[usize] = match bench.options.quick {
        true => &[200],
        false => &[1_000, 10_000, 20_000],
    };
    for &count in counts {
        let skills = known::made(bench.folder.path(), count)?;
        let with_bodies = bench.folder.path().join("bodies.jsonl");
        known::with_bodies(&skills, &with_bodies)?;
        searched_in_texts(bench, &with_bodies, count)?;
    }
    if let Some(corpus) = &bench.options.corpus {
        let skills = bench.folder.path().join("known.jsonl");
        let count = known::take(&skills, corpus)?;
        searched(bench, &skills, count, rival.as_deref())?;
        searched_in_texts(bench, &skills, count)?;
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

/// An index that has bodies. Its goals are those of 20,000 skills, and of six words among 10,000.
fn searched_in_texts(bench: &mut Bench<'_>, skills: &Path, count: usize) -> Result<(), Failure> {
    eprintln!("searching the bodies of {count} skills");
    let ours: TextSearched = rounds::parsed(bench.itself().arg("text-search").arg(skills))?;
    let figure = |name: &str, value: f64, unit| {
        Figure::new(format!("search/texts/{name}/{count}"), value, unit)
    };
    let goal = |figure: Figure, of: usize, most: f64| match count == of {
        true => figure.goal(Goal::AtMost(most)),
        false => figure,
    };
    let times = |name: &str, [middle, slow]: [f64; 2]| {
        [("p50", middle), ("p99", slow)]
            .map(|(part, time)| figure(&format!("{name}/{part}"), time * 1e6, "us"))
    };
    let [words, words_slow] = times("6-words", ours.words);
    let [page, page_slow] = times("200-words", ours.page);
    let changes = [
        ("description-change", ours.description_change),
        ("body-change", ours.body_change),
    ];
    let changes = changes.map(|(name, time)| {
        let change = figure(name, time * 1e6, "us");
        grown(bench, &format!("search/texts/{name}"), count, change)
    });
    let front_matter = figure("front-matter", ours.front_matter * 1e3, "ms");
    bench.figures.extend([
        goal(front_matter, 20_000, 400.0),
        goal(figure("bodies", ours.bodies * 1e3, "ms"), 20_000, 2_000.0),
        words,
        goal(words_slow, 10_000, 100.0),
        page,
        goal(page_slow, 20_000, 1_000.0),
    ]);
    bench.figures.extend(changes);
    if bench.options.quick {
        return Ok(());
    }
    match rival::build("bench-allocations").map(Command::new) {
        Ok(mut program) => {
            let bytes: f64 = rounds::parsed(program.arg(skills))?;
            let bytes = figure("allocated", bytes, "bytes a skill");
            bench.figures.push(goal(bytes, 20_000, 2_048.0));
        }
        Err(failure) => bench.remarks.push(failure.to_string()),
    }
    Ok(())
}
