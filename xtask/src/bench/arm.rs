//! The cost of starting to watch.

use std::path::{Path, PathBuf};

use repertoire::FsSource;
use repertoire::skill::{Revision, Source};
use repertoire::source::fs::WatchOptions;
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use super::sample;
use crate::Failure;

/// The number of measurements in a row. The least counts, because disturbances only add.
const TURNS: usize = 7;

/// Processor time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Arming {
    /// A watch for every folder of a source.
    pub(super) arm: f64,
    /// Floor: one call to the system for every folder.
    pub(super) bare: f64,
}

/// Measures arming of `tree`.
///
/// The first wait of a source lists, arms, and lists again. Arming is the difference to two listings.
pub(super) fn measure(tree: &Path) -> Result<Arming, Failure> {
    let runtime = Runtime::new()?;
    let skills = sample::skills(tree);
    let folders = skills
        .read_dir()?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<PathBuf>, Failure>>()?;
    let source = || FsSource::new("tree", &skills).watching(WatchOptions::default());
    // The system frees the watch data of a file only at the next use of the file.
    let warm_up = || runtime.block_on(FsSource::new("tree", &skills).list());
    let [mut lists, mut waits, mut bare] = [f64::INFINITY; 3];
    for _ in 0..TURNS {
        warm_up()?;
        let listed = source();
        lists = lists.min(cost(|| {
            runtime.block_on(listed.list())?;
            runtime.block_on(listed.list())?;
            Ok(())
        })?);
        let watched = source();
        waits = waits.min(cost(|| {
            runtime.block_on(watched.changed(Revision(0)));
            Ok(())
        })?);
        drop(watched);
        warm_up()?;
        let instance = inotify::init(CreateFlags::CLOEXEC)?;
        let mask = WatchFlags::ONLYDIR
            | WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::MOVE;
        bare = bare.min(cost(|| {
            for folder in &folders {
                inotify::add_watch(&instance, folder, mask)?;
            }
            Ok(())
        })?);
    }
    Ok(Arming {
        arm: waits - lists,
        bare,
    })
}

fn cost(work: impl FnOnce() -> Result<(), Failure>) -> Result<f64, Failure> {
    let before = sample::cpu(ClockId::ProcessCPUTime);
    work()?;
    Ok(sample::cpu(ClockId::ProcessCPUTime) - before)
}
