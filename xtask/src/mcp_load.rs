//! `cargo xtask mcp-load`: loads the real server over HTTP with sessions that list and read, then with sessions that wait for notifications.
//! Then clients follow the events of a gateway. At the end a gateway passes calls to a server, and the same calls go to the server directly.
//!
//! It fails if a request fails, if bytes differ from those of the file, if a session or a client is not notified or is notified twice, or
//! if memory grows. It prints durations and rates.

mod busy;
mod client;
mod events;
mod idle;
mod passed;
mod server;
mod tree;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bench::{Figure, Goal, ServedPart, write_served};
use crate::binary::Profile;
use crate::{Failure, workspace};
use server::Process;
use tree::Tree;

/// The options of the load.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Sessions that list and read.
    #[arg(long, value_name = "N", default_value_t = 200)]
    sessions: usize,
    /// For how long they do.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Skills that are served.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    skills: u64,
    /// The sessions that wait for notifications, and the clients that follow events.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    idle: usize,
    /// Use 20 sessions of either kind, 200 skills, two seconds and the debug server: a check without figures.
    #[arg(long, conflicts_with_all = ["sessions", "seconds", "skills", "idle"])]
    quick: bool,
    /// Write what was measured into `docs/benchmarks.md` too.
    #[arg(long, conflicts_with_all = ["sessions", "seconds", "skills", "idle", "quick"])]
    write: bool,
    /// Only measure this part.
    #[arg(long, value_name = "PART", conflicts_with = "write")]
    only: Option<GatewayPart>,
    /// The binary `repertoire` to load; built first if none is named.
    #[arg(long, value_name = "FILE", value_parser = absolute_path)]
    binary: Option<PathBuf>,
}

/// Parses a path, which a gateway uses in a different folder.
fn absolute_path(path: &str) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|error| error.to_string())
}

/// A part that loads a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum GatewayPart {
    /// Clients that follow events.
    Events,
    /// Calls that a gateway passes to a server.
    Passed,
}

/// Builds the server, and loads it.
pub(crate) fn run(mut options: Options) -> Result<(), Failure> {
    let profile = if options.quick {
        (
            options.sessions,
            options.seconds,
            options.skills,
            options.idle,
        ) = (20, 2, 200, 20);
        Profile::Debug
    } else {
        Profile::Release
    };
    let program = match options.binary.take() {
        Some(named) => named,
        None => profile.command_line()?,
    };
    let folder = tempfile::Builder::new()
        .prefix("mcp-load-")
        .tempdir_in(workspace::target()?)?;
    let tree = Tree::lay(folder.path(), options.skills as usize)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut figures = match options.only {
        Some(_) => Vec::new(),
        None => runtime.block_on(load(&options, &program, tree))?,
    };
    let is_measured = |part| options.only.is_none_or(|only| only == part);
    if is_measured(GatewayPart::Events) {
        figures.extend(runtime.block_on(events::figures(&options, &program, folder.path()))?);
    }
    if is_measured(GatewayPart::Passed) {
        figures.extend(runtime.block_on(passed::figures(&options, &program, folder.path()))?);
    }
    figures.iter().for_each(|figure| println!("{figure}"));
    if options.write {
        write_served(ServedPart::Load, &figures, &[])
    } else {
        Ok(())
    }
}

async fn load(options: &Options, program: &Path, mut tree: Tree) -> Result<Vec<Figure>, Failure> {
    let server = Process::start(program, tree.root(), options.sessions)?;
    eprintln!(
        "mcp-load: {} skills at {}",
        options.skills,
        server.address()
    );
    let mut figures = Vec::new();
    let name = |part: &str| format!("mcp-load/{part}");

    let pages = busy::pages(&server, &tree).await?;
    let page = Figure::new(name("page/cpu"), pages.server * 1e6, "us");
    figures.push(
        page.against(pages.serialising * 1e6, "serialising it")
            .goal(Goal::RatioAtMost(2.0)),
    );

    let busy = busy::run(
        &server,
        &tree,
        options.sessions,
        Duration::from_secs(options.seconds),
    )
    .await?;
    let milliseconds = |duration: Duration| duration.as_secs_f64() * 1e3;
    figures.extend([
        Figure::new(name("requests"), busy.requests as f64, "requests"),
        Figure::new(
            name("rate"),
            busy.requests as f64 / options.seconds as f64,
            "requests a second",
        ),
        Figure::new(name("list/p50"), milliseconds(busy.lists.at(50)), "ms"),
        Figure::new(name("list/p99"), milliseconds(busy.lists.at(99)), "ms"),
        Figure::new(name("read/p50"), milliseconds(busy.reads.at(50)), "ms"),
        Figure::new(name("read/p99"), milliseconds(busy.reads.at(99)), "ms"),
        Figure::new(name("resident"), busy.resident.1 as f64 / 1e6, "MB")
            .against(busy.resident.0 as f64 / 1e6, "after warming up"),
    ]);

    server.stop()?;

    // A new process, because a busy one has free memory that hides growth.
    let server = Process::start(program, tree.root(), options.idle)?;
    let idle = idle::run(&server, &mut tree, options.idle).await?;
    figures.extend([
        Figure::new(
            name("notified/edit/p50"),
            milliseconds(idle.since_edit.at(50)),
            "ms",
        ),
        Figure::new(
            name("notified/first"),
            milliseconds(idle.first.at(50)),
            "ms",
        ),
        Figure::new(
            name("notified/p50"),
            milliseconds(idle.since_view.at(50)),
            "ms",
        ),
        Figure::new(
            name("notified/p99"),
            milliseconds(idle.since_view.at(99)),
            "ms",
        ),
        Figure::new(name("notified/last"), milliseconds(idle.last.at(50)), "ms")
            .goal(Goal::AtMost(50.0)),
        Figure::new(
            name("idle/resident"),
            idle.resident / 1024.0,
            "KiB a session",
        )
        .goal(Goal::AtMost(64.0)),
        Figure::new(
            name("idle/resident/notified"),
            idle.resident_notified / 1024.0,
            "KiB a session",
        ),
    ]);
    server.stop()?;
    Ok(figures)
}

/// A set of durations.
#[derive(Debug, Default)]
struct Times(Vec<Duration>);

impl Times {
    /// Returns the percentile `percent`.
    fn at(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        sorted
            .get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1)))
            .copied()
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }

    #[test]
    fn the_binary_has_an_absolute_path() {
        let line = Line::parse_from(["load", "--binary", "target/repertoire"]);
        let folder = std::env::current_dir().expect("the test has a folder");
        assert_eq!(line.options.binary, Some(folder.join("target/repertoire")));
    }
}
