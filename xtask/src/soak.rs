//! `cargo xtask soak`: a tree of skills worked on at random under a live registry, which must end up with exactly what a
//! fresh scan finds.

mod readers;
mod tree;
mod verdict;

use std::process::Command;
use std::time::{Duration, Instant};

use clap::ValueEnum as _;
use repertoire::registry::Subscription;
use repertoire::skill::Code;
use repertoire::source::fs::{WatchBy, WatchOptions};
use repertoire::{FsSource, Skill, SkillRegistry};
use tokio::runtime::Runtime;

use crate::Failure;
use crate::step::skipped;
use readers::Readers;
use tree::{Deed, Tree};
use verdict::Verdict;

/// For how long, and from where.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// For how long to edit.
    #[arg(long, default_value_t = 60, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// The seed of the random numbers [default: a different one for each run].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Watch by this backend alone [default: each in turn].
    #[arg(long, value_name = "NAME")]
    by: Option<Backend>,
    /// Expect that the system refuses to watch most folders.
    #[arg(long, hide = true)]
    starved: bool,
}

/// A backend that reports events.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Backend {
    Events,
    Notify,
}

/// The least rate of edits a second that is a valid run.
const RATE: u64 = 200;

/// The least share of each of these deeds, in percent.
const SHARES: [(Deed, u64); 3] = [
    (Deed::SaveByRename, 5),
    (Deed::Break, 5),
    (Deed::MoveFolder, 5),
];

/// The timeout for the registry after the last edit: many times the usual duration.
const PATIENCE: Duration = Duration::from_secs(30);

/// The number of folders that the starved run may watch, far below that of the tree.
const WATCHES: u32 = 24;

/// Edits a tree for a while, once where the system refuses most watches and once freely.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let seed = options.seed.unwrap_or_else(|| fastrand::u64(..));
    eprintln!("soak: seed {seed}");
    let chosen = options.by.as_slice();
    for &by in if chosen.is_empty() {
        Backend::value_variants()
    } else {
        chosen
    } {
        if options.starved {
            return soak(options.seconds, seed, by, true);
        }
        starve(options.seconds, seed, by)?;
        soak(options.seconds, seed, by, false)?;
    }
    Ok(())
}

/// Runs itself where the system's limit of watches is far below the number of folders.
fn starve(seconds: u64, seed: u64, by: Backend) -> Result<(), Failure> {
    const LIMIT: &str = "/proc/sys/user/max_inotify_watches";
    let in_namespace = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "sh", "-c", script]);
        command
    };
    let limit = format!("echo {WATCHES} > {LIMIT}");
    if !in_namespace(&limit)
        .output()
        .is_ok_and(|output| output.status.success())
    {
        skipped(
            "the limit of watches",
            "it needs user namespaces, which this system does not allow",
        );
        return Ok(());
    }
    let (seconds, seed) = (seconds.to_string(), seed.to_string());
    let program = std::env::current_exe()?;
    let status = in_namespace(&format!("{limit} && exec \"$0\" \"$@\""))
        .arg(program)
        .args([
            "soak",
            "--starved",
            "--seconds",
            &seconds,
            "--seed",
            &seed,
            "--by",
            by.name(),
        ])
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err("with too few watches: failed".into())
    }
}

fn soak(seconds: u64, seed: u64, by: Backend, starved: bool) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let mut tree = Tree::plant(folder.path(), seed)?;
    let runtime = Runtime::new()?;
    let mut watching = WatchOptions::default();
    watching.by = by.into();
    let start = || {
        let source = FsSource::new("soak", tree.root()).watching(watching.clone());
        runtime.block_on(
            SkillRegistry::builder()
                .user(source)
                .start(runtime.handle()),
        )
    };
    let registry = start()?;
    let mut events = registry.subscribe();
    // Of another registry: reading a body that is newer than its row has the source looked at again, which would make up
    // for a change that was lost.
    let beside = start()?;
    let readers = Readers::start(&runtime, &beside);

    let begun = Instant::now();
    // Looked at in between as well, so that a fault is found near to what brought it about.
    for part in 1..=PARTS {
        let until = Duration::from_secs(seconds) * part / PARTS;
        while begun.elapsed() < until {
            tree.edit()?;
        }
        runtime.block_on(agree(&tree, &registry, &mut events))?;
    }
    tree.repair_all()?;
    let verdict = runtime.block_on(agree(&tree, &registry, &mut events))?;
    readers.stop()?;
    let is_degraded = is_degraded(&registry);
    runtime.block_on(async { tokio::join!(registry.close(), beside.close()) });

    if starved != is_degraded {
        let expected = if starved {
            "a diagnostic"
        } else {
            "no diagnostic"
        };
        return Err(format!("expected {expected} `{}`", Code::WATCH_DEGRADED).into());
    }
    let edits = tree.edits();
    for (deed, count) in tree.counts() {
        eprintln!("soak: {count:7} {deed:?}");
    }
    if edits < RATE * seconds {
        return Err(
            format!("{edits} edits in {seconds} s; expected at least {RATE} a second").into(),
        );
    }
    for (deed, percent) in SHARES {
        let count = tree
            .counts()
            .find(|(done, _)| *done == deed)
            .map_or(0, |(_, count)| count);
        if count * 100 < edits * percent {
            return Err(format!(
                "{count} of {edits} edits were {deed:?}; expected at least {percent} %"
            )
            .into());
        }
    }
    let heading = if starved {
        "soak with too few watches"
    } else {
        "soak"
    };
    println!("{heading} by {}: {edits} edits, {verdict}", by.name());
    if verdict.is_good() {
        Ok(())
    } else {
        Err(verdict.into())
    }
}

impl Backend {
    fn name(self) -> &'static str {
        match self {
            Backend::Events => "events",
            Backend::Notify => "notify",
        }
    }
}

impl From<Backend> for WatchBy {
    fn from(backend: Backend) -> WatchBy {
        match backend {
            Backend::Events => WatchBy::Events,
            Backend::Notify => WatchBy::Notify,
        }
    }
}

/// The number of comparisons of a run.
const PARTS: u32 = 4;

/// Waits until the registry equals a fresh scan, and returns the difference at the timeout.
async fn agree(
    tree: &Tree,
    registry: &SkillRegistry,
    events: &mut Subscription<Skill>,
) -> Result<Verdict, Failure> {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        // Read before the comparison, so that a generation published during it is compared again.
        let seen = events.current().generation();
        let verdict = Verdict::of(tree, &registry.snapshot()).await?;
        if verdict.is_good() && registry.snapshot().generation() == seen {
            verdict.read(registry).await?;
            return Ok(verdict);
        }
        match tokio::time::timeout_at(deadline, events.next()).await {
            Ok(Some(_)) => {}
            Ok(None) => return Err("the registry ended".into()),
            Err(_) if verdict.is_good() => return Ok(verdict),
            Err(_) => {
                verdict.explain();
                return Ok(verdict);
            }
        }
    }
}

fn is_degraded(registry: &SkillRegistry) -> bool {
    registry
        .snapshot()
        .diagnostics()
        .iter()
        .any(|one| one.diagnostic.code == Code::WATCH_DEGRADED)
}
