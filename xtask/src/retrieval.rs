//! `cargo xtask retrieval DIR`: how often a search finds the right skill, on public questions and beside other programs.

mod background;
mod budget;
mod earlier;
mod figures;
mod gates;
mod prefix;
mod rivals;
mod set;
mod table;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Instant;

use repertoire::search::{Query, SearchIndex};
use serde::Serialize;

use self::earlier::EarlierVersion;
use self::figures::Figures;
use self::set::{Answer, Set};
use crate::Failure;
use crate::bench::resident;

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
    /// Fail if a hit rate is below what this search reached before. Skips catalogs.
    #[arg(long, conflicts_with = "budgets")]
    check: bool,
    /// Measure this commit too, served over MCP. Fail if it has a better hit rate in a set. Builds it in `target/earlier`.
    #[arg(long, value_name = "REVISION", conflicts_with = "budgets")]
    earlier: Option<String>,
    /// Write the table into `docs/benchmarks.md` too.
    #[arg(long, conflicts_with = "budgets")]
    write: bool,
    /// Write the table of word frequencies from the `SKILL.md` files below DIR instead.
    #[arg(long)]
    background: bool,
}

/// The figures of one search on one set.
#[derive(Debug, Serialize)]
struct Row {
    set: String,
    search: Cow<'static, str>,
    #[serde(flatten)]
    figures: Figures,
    /// Milliseconds to build the index of front matter; absent for other programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    build_ms: Option<f64>,
    /// Milliseconds to add bodies and example prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    texts_ms: Option<f64>,
    /// The growth of resident memory by this index in bytes for each skill; absent where freed memory was used again.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_a_skill: Option<f64>,
}

/// Asks the questions of every set below the directory, and prints the figures.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    if options.background {
        return background::write(&options.dir);
    }
    let earlier = options.earlier.as_deref().map(EarlierVersion::build);
    let earlier = earlier.transpose()?;
    let (mut rows, mut budgets, mut prefixes) = (Vec::new(), Vec::new(), Vec::new());
    for set in Set::all(&options.dir)? {
        if !options.check {
            budgets.extend(budget::rows(&set)?);
            prefixes.extend(prefix::rows(&set)?);
        }
        if !options.budgets {
            rows.extend(ours(&set)?);
            rows.extend(rivals::rows(&set)?);
        }
        if let Some(earlier) = &earlier {
            rows.extend(earlier.rows(&set)?);
        }
    }
    if options.json {
        let report =
            serde_json::json!({ "searches": rows, "budgets": budgets, "prefixes": prefixes });
        println!("{report:#}");
    } else {
        print!("{}", table::text(&rows));
        budget::print(&budgets);
        prefix::print(&prefixes);
    }
    if options.write {
        crate::bench::write_retrieval(&table::section(&rows))?;
    }
    if options.check {
        gates::check(&rows)?;
    }
    if let Some(earlier) = &earlier {
        gates::compare(&rows, &earlier.search)?;
    }
    Ok(())
}

/// Front matter alone; with bodies; and with the first half of each skill's prompts as examples, asked the second half.
fn ours(set: &Set) -> Result<Vec<Row>, Failure> {
    let (before, begun) = (resident()?, Instant::now());
    let index = SearchIndex::new(&set.snapshot);
    let build_ms = Some(milliseconds(begun));
    let bytes = grown(set, before)?;
    let (asked, examples) = set.halves();
    let (before, begun) = (resident()?, Instant::now());
    let with_bodies = index.with_texts(set.texts(&[]).iter().map(|(id, text)| (id, text)));
    let bodies_ms = Some(milliseconds(begun));
    let bytes_with_bodies = grown(set, before)?;
    let begun = Instant::now();
    let with_examples = index.with_texts(set.texts(&examples).iter().map(|(id, text)| (id, text)));
    let examples_ms = Some(milliseconds(begun));
    let mut rows = Vec::new();
    for (name, questions) in set.groups() {
        let mut row = |search: &'static str, index: &SearchIndex, texts_ms, bytes_a_skill| {
            let answers: Vec<Answer> = questions
                .iter()
                .map(|question| set.answer(index, question))
                .collect();
            rows.push(Row {
                set: name.clone(),
                search: search.into(),
                figures: Figures::of(&answers),
                build_ms,
                texts_ms,
                bytes_a_skill,
            });
        };
        row("front matter", &index, None, bytes);
        row("with bodies", &with_bodies, bodies_ms, bytes_with_bodies);
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
                search: search.into(),
                figures: Figures::of(&answers),
                build_ms,
                texts_ms,
                bytes_a_skill: None,
            });
        }
    }
    Ok(rows)
}

/// Returns the growth of resident memory since `before`, for each skill of `set`.
fn grown(set: &Set, before: f64) -> Result<Option<f64>, Failure> {
    let grown = (resident()? - before) / set.snapshot.len().max(1) as f64;
    Ok(Some(grown).filter(|grown| *grown > 0.0))
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1000.0
}

/// Asks for the ten best, as an operator who sees everything.
fn query(text: &str) -> Query {
    Query::new(text).for_operator()
}
