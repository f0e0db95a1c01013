//! `cargo xtask retrieval DIR`: how often a search finds the right skill, on public questions and beside other programs.

mod background;
mod budget;
mod figures;
mod rivals;
mod set;

use std::path::PathBuf;
use std::time::Instant;

use repertoire::search::{Query, SearchIndex};
use serde::Serialize;

use self::figures::Figures;
use self::set::{Answer, Set};
use crate::Failure;

/// The questions to ask, and the form of the report.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The directory with one folder a set, each with `docs.jsonl` and `queries.jsonl`.
    dir: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Measure catalogs within a budget alone.
    #[arg(long)]
    budgets: bool,
    /// Write the table of word frequencies from the `SKILL.md` files below DIR instead.
    #[arg(long)]
    background: bool,
}

/// The figures of one search on one set.
#[derive(Debug, Serialize)]
struct Row {
    set: String,
    search: &'static str,
    #[serde(flatten)]
    figures: Figures,
    /// Milliseconds to build the index of front matter; absent for other programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    build_ms: Option<f64>,
    /// Milliseconds to add bodies and example prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    texts_ms: Option<f64>,
}

/// Asks the questions of every set below the directory, and prints the figures.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if options.background {
        return background::write(&options.dir);
    }
    let (mut rows, mut budgets) = (Vec::new(), Vec::new());
    for set in Set::all(&options.dir)? {
        budgets.extend(budget::rows(&set)?);
        if options.budgets {
            continue;
        }
        rows.extend(ours(&set)?);
        rows.extend(rivals::rows(&set)?);
    }
    if options.json {
        let report = serde_json::json!({ "searches": rows, "budgets": budgets });
        println!("{report:#}");
    } else {
        print(&rows);
        budget::print(&budgets);
    }
    Ok(())
}

/// Front matter alone; with bodies; and with the first half of each skill's prompts as examples, asked the second half.
fn ours(set: &Set) -> Result<Vec<Row>, Failure> {
    let begun = Instant::now();
    let index = SearchIndex::new(&set.snapshot);
    let build_ms = Some(milliseconds(begun));
    let (asked, examples) = set.halves();
    let begun = Instant::now();
    let with_bodies = index.with_texts(set.texts(&[]).iter().map(|(id, text)| (id, text)));
    let bodies_ms = Some(milliseconds(begun));
    let begun = Instant::now();
    let with_examples = index.with_texts(set.texts(&examples).iter().map(|(id, text)| (id, text)));
    let examples_ms = Some(milliseconds(begun));
    let mut rows = Vec::new();
    for (name, questions) in set.groups() {
        let mut row = |search, index: &SearchIndex, texts_ms| {
            let answers: Vec<Answer> = questions
                .iter()
                .map(|question| set.answer(index, question))
                .collect();
            rows.push(Row {
                set: name.clone(),
                search,
                figures: Figures::of(&answers),
                build_ms,
                texts_ms,
            });
        };
        row("front matter", &index, None);
        row("with bodies", &with_bodies, bodies_ms);
    }
    if !examples.is_empty() {
        for (search, index, texts_ms) in [
            ("with bodies", &with_bodies, bodies_ms),
            ("with examples", &with_examples, examples_ms),
        ] {
            let answers: Vec<Answer> = asked
                .iter()
                .map(|question| set.answer(index, question))
                .collect();
            let name = format!("{}, second half", set.name);
            rows.push(Row {
                set: name,
                search,
                figures: Figures::of(&answers),
                build_ms,
                texts_ms,
            });
        }
    }
    Ok(rows)
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1000.0
}

fn print(rows: &[Row]) {
    println!(
        "{:<24} {:<24} {:>5} {:>17} {:>6} {:>6} {:>6} {:>6} {:>5} {:>6} {:>8} {:>8} {:>8}",
        "set",
        "search",
        "asked",
        "Hit@1 (95 %)",
        "Hit@5",
        "R@5",
        "R@10",
        "nDCG",
        "MRR",
        "AUC",
        "p50 us",
        "p99 us",
        "max us"
    );
    for Row {
        set,
        search,
        figures,
        ..
    } in rows
    {
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        let [low, high] = figures.hit_1_interval;
        let hit_1 = format!(
            "{} ({}-{})",
            percent(figures.hit_1),
            percent(low),
            percent(high)
        );
        let auc = figures
            .auc
            .map_or_else(String::new, |auc| format!("{auc:.3}"));
        println!(
            "{set:<24} {search:<24} {:>5} {hit_1:>17} {:>6} {:>6} {:>6} {:>6} {:>5.2} {auc:>6} {:>8.0} {:>8.0} {:>8.0}",
            figures.asked,
            percent(figures.hit_5),
            percent(figures.recall_5),
            percent(figures.recall_10),
            percent(figures.ndcg_10),
            figures.mrr,
            figures.p50_us,
            figures.p99_us,
            figures.max_us,
        );
    }
    for Row {
        set,
        search,
        build_ms,
        texts_ms,
        ..
    } in rows
    {
        if let (Some(build), Some(texts)) = (build_ms, texts_ms) {
            println!("{set}, {search}: front matter {build:.0} ms, texts {texts:.0} ms");
        }
    }
}

/// Asks for the ten best, as an operator who sees everything.
fn query(text: &str) -> Query {
    Query::new(text).for_operator()
}
