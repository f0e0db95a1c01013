//! What watching costs to begin with.

use std::path::{Path, PathBuf};
use std::time::Instant;

use repertoire::{FsSource, Revision, Source, WatchOptions};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use super::sample;
use crate::Failure;

/// How often each part is measured in a row. The least counts: whatever disturbs only adds.
const TURNS: usize = 7;

/// Wall and processor time, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Cost {
    pub(super) wall: f64,
    pub(super) cpu: f64,
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Arming {
    /// A watch for every folder of a source.
    pub(super) arm: Cost,
    /// Floor: one call to the system for every folder.
    pub(super) bare: Cost,
}

/// Measures arming of `tree`.
///
/// The first wait of a source lists, arms, and lists again. So arming is what it takes beyond two listings.
pub(super) fn measure(tree: &Path) -> Result<Arming, Failure> {
    let runtime = Runtime::new()?;
    let skills = sample::skills(tree);
    let folders = skills.read_dir()?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>, Failure>>()?;
    let source = || FsSource::new("tree", &skills).watching(WatchOptions::default());
    let [mut lists, mut waits, mut bare] = [Cost { wall: f64::INFINITY, cpu: f64::INFINITY }; 3];
    for _ in 0..TURNS {
        let listed = source();
        lists.lower(|| {
            runtime.block_on(listed.list())?;
            runtime.block_on(listed.list())?;
            Ok(())
        })?;
        let watched = source();
        waits.lower(|| {
            runtime.block_on(watched.changed(Revision(0)));
            Ok(())
        })?;
        drop(watched);
        let instance = inotify::init(CreateFlags::CLOEXEC)?;
        let mask =
            WatchFlags::ONLYDIR | WatchFlags::CREATE | WatchFlags::DELETE | WatchFlags::MODIFY | WatchFlags::MOVE;
        bare.lower(|| {
            for folder in &folders {
                inotify::add_watch(&instance, folder, mask)?;
            }
            Ok(())
        })?;
    }
    let arm = Cost { wall: waits.wall - lists.wall, cpu: waits.cpu - lists.cpu };
    Ok(Arming { arm, bare })
}

impl Cost {
    /// Measures `work`, and keeps what is less.
    fn lower(&mut self, work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
        let (wall, cpu) = (Instant::now(), sample::cpu(ClockId::ProcessCPUTime));
        work()?;
        self.wall = self.wall.min(wall.elapsed().as_secs_f64());
        self.cpu = self.cpu.min(sample::cpu(ClockId::ProcessCPUTime) - cpu);
        Ok(())
    }
}
