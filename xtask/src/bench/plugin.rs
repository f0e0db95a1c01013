//! Plugins, beside a source that is compiled in.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use repertoire::StaticSource;
use repertoire::skill::{Source, SourceError};
use repertoire::source::plugin::{PluginOptions, PluginSource, ProcessOptions};
use repertoire::source::statics::{StaticList, StaticSkill};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use super::figure::Figure;
use super::median;
use crate::{Failure, plugin};

/// Seconds of one call each.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Calls {
    /// The first listing.
    list: f64,
    /// A second listing without changes.
    again: f64,
    body: f64,
}

/// The same of every way to have a source.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Ways {
    compiled_in: Calls,
    library: Calls,
    process: Calls,
}

const TURNS: usize = 9;
const BODIES: usize = 100;

/// Lists `count` skills and reads a body, from the plugin `hello` and from the same skills compiled in.
pub(super) fn measure(library: &Path, runner: &Path, count: usize) -> Result<Ways, Failure> {
    let runtime = Runtime::new()?;
    let people: Vec<String> = (0..count).map(|number| format!("p{number}")).collect();
    let options = serde_json::json!({ "people": people })
        .as_object()
        .cloned()
        .unwrap_or_default();
    let options = PluginOptions::new(library)
        .pinned(plugin::digest(library)?)
        .with_options(options);
    let skills: &'static [StaticSkill] = people
        .iter()
        .map(|person| compiled_in(person))
        .collect::<Vec<_>>()
        .leak();
    let wanted = "greet-p7".parse()?;

    let (mut compiled, mut libraries, mut processes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let own = StaticSource::new("builtin", StaticList::new(skills));
        compiled.push(runtime.block_on(calls(&own, &wanted))?);
        let here = PluginSource::new("hello", options.clone());
        libraries.push(runtime.block_on(plugin_calls(&here, &wanted))?);
        let there = PluginSource::spawn("hello", ProcessOptions::new(options.clone(), runner));
        processes.push(runtime.block_on(plugin_calls(&there, &wanted))?);
    }
    let [compiled_in, library, process] = [compiled, libraries, processes].map(|turns| {
        let of = |part: fn(&Calls) -> f64| median(turns.iter().map(part));
        Calls {
            list: of(|calls| calls.list),
            again: of(|calls| calls.again),
            body: of(|calls| calls.body),
        }
    });
    Ok(Ways {
        compiled_in,
        library,
        process,
    })
}

fn compiled_in(person: &str) -> StaticSkill {
    let text = |text: String| -> &'static str { text.leak() };
    let (id, about) = (
        text(format!("greet-{person}")),
        text(format!("Greets {person}.")),
    );
    StaticSkill::new(id, about, text(format!("Say hello to {person}.\n")))
}

/// Starting is not part of it.
async fn plugin_calls(source: &PluginSource, id: &repertoire::Id) -> Result<Calls, SourceError> {
    source.start().await?;
    calls(source, id).await
}

async fn calls(
    source: &impl Source<repertoire::Skill>,
    id: &repertoire::Id,
) -> Result<Calls, SourceError> {
    let begun = Instant::now();
    black_box(source.list().await?);
    let list = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    black_box(source.list().await?);
    let again = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    for _ in 0..BODIES {
        black_box(source.body(id).await?);
    }
    Ok(Calls {
        list,
        again,
        body: begun.elapsed().as_secs_f64() / BODIES as f64,
    })
}

/// Returns the figures, as ratios to the source that is compiled in.
pub(super) fn figures(
    Ways {
        compiled_in,
        library,
        process,
    }: &Ways,
    count: usize,
) -> Vec<Figure> {
    let list = |name: &str, seconds: f64| {
        let figure = Figure::new(format!("{name}/{count}"), seconds * 1e3, "ms");
        figure.against(
            compiled_in.list * 1e3,
            "a first listing of what is compiled in",
        )
    };
    let body = |name: &str, seconds: f64| {
        Figure::new(format!("{name}/{count}"), seconds * 1e6, "us")
            .against(compiled_in.body * 1e6, "compiled in")
    };
    vec![
        list("plugin/list", library.list),
        list("plugin/list-again", library.again),
        body("plugin/body", library.body),
        list("process/list", process.list),
        list("process/list-again", process.again),
        body("process/body", process.body),
    ]
}
