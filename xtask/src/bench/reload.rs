//! The cost of reloading one edited file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use repertoire::registry::Subscription;
use repertoire::source::fs::WatchOptions;
use repertoire::{Skill, SkillRegistry};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};
use tokio::runtime::{Handle, Runtime};

use super::random::Random;
use super::sample::{self, cpu};
use super::tree::Shape;
use super::{Bench, Figure, Goal, milliseconds, rounds, tree};
use crate::Failure;

/// Of so many edits, one after another. A hundredth of them may be slower than what is called the slowest.
const EDITS: usize = 1000;
const REFRESHES: usize = 5;
/// When an edit counts as lost.
const LOST: Duration = Duration::from_secs(30);

/// From the moment an edit is in place to its view, in seconds, without the time that watching waits for more.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Reload {
    /// Half of the edits are seen sooner.
    pub(super) median: f64,
    /// All but one in a hundred are seen sooner.
    pub(super) slowest: f64,
    /// Processor time of all threads for one edit.
    pub(super) cpu: f64,
    /// Bytes that are read for one edit, those of events too.
    pub(super) read: f64,
    /// A refresh of the whole tree.
    pub(super) refresh: f64,
}

impl Bench<'_> {
    /// Measures reloads after edits of one file. Runs last, because it edits the trees.
    pub(super) fn reloads(&mut self) -> Result<(), Failure> {
        let counts = self.sizes(if self.options.quick {
            &[200]
        } else {
            &[1_000, 10_000]
        });
        let rival = self
            .figures
            .iter()
            .find(|figure| figure.name == "rivals/best/wall/10000")
            .map(|best| best.value);
        for count in counts {
            let tree = self.tree(Shape::Flat, count)?;
            let reload: Reload = match rounds::parsed(self.itself().arg("reload").arg(&tree)) {
                Ok(reload) => reload,
                // As many skills need as many watches, which a system can refuse.
                Err(failure) if count > 10_000 => {
                    self.remarks.push(failure.to_string());
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let [median, slowest, cpu, refresh] =
                [reload.median, reload.slowest, reload.cpu, reload.refresh].map(milliseconds);
            let figure = |part: &str, value, unit| {
                Figure::new(format!("reload/{part}/{count}"), value, unit)
            };
            let slowest = figure("p99", slowest, "ms");
            self.figures.extend([
                figure("p50", median, "ms"),
                match count {
                    10_000 => slowest.goal(Goal::AtMost(1.0)),
                    100_000 => slowest.goal(Goal::AtMost(3.0)),
                    _ => slowest,
                },
                figure("cpu", cpu, "ms"),
                figure("read", reload.read / 1e3, "kB"),
                figure("refresh", refresh, "ms").against(median, "our reload"),
            ]);
            if let Some(rival) = rival.filter(|_| count == 10_000) {
                let figure = figure("rival", rival, "ms").against(median, "our reload");
                self.figures.push(figure.goal(Goal::RatioAtLeast(200.0)));
            }
        }
        Ok(())
    }
}

/// Edits the skills of `tree` in turn, and waits for the snapshot of each edit.
pub(super) fn measure(tree: &Path) -> Result<Reload, Failure> {
    let runtime = Runtime::new()?;
    let mut watching = WatchOptions::default();
    (watching.debounce, watching.longest) = (Duration::ZERO, Duration::ZERO);
    let source = tree::source(&sample::skills(tree))?.watching(watching);
    // In a task, as hosts do: what is awaited outside of the runtime's own threads is woken up later.
    let edits = edit(
        tree.to_owned(),
        runtime.block_on(
            SkillRegistry::builder()
                .user(source)
                .start(runtime.handle()),
        )?,
    );
    runtime
        .block_on(Handle::spawn(runtime.handle(), edits))?
        .map_err(Failure::from)
}

async fn edit(tree: PathBuf, registry: SkillRegistry) -> Result<Reload, String> {
    let failed = |error: std::io::Error| error.to_string();
    while registry
        .list()
        .iter()
        .any(|entry| entry.candidate.parts.is_none())
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let (skills, mut updates) = (registry.list(), registry.subscribe());
    let mut random = Random::new(7);
    let mut times = Vec::with_capacity(EDITS);
    let (mut busy, mut bytes) = (0.0, 0.0);
    for number in 0..EDITS {
        let skill = &skills[random.below(skills.len())];
        let file = PathBuf::from(
            skill
                .item()
                .location
                .as_deref()
                .ok_or("a skill without a file")?,
        );
        let text =
            fs::read_to_string(&file).map_err(failed)? + &format!("\nEdited {number} times.\n");
        // Made elsewhere and put in place at once, as editors do.
        let next = tree.join("next.md");
        fs::write(&next, text).map_err(failed)?;
        let other = registry.get(skills[random.below(skills.len())].id.as_str());
        let (before, read) = (cpu(ClockId::ProcessCPUTime), bytes_read()?);
        let begun = Instant::now();
        fs::rename(&next, &file).map_err(failed)?;
        await_edit(&mut updates, &skill.id).await?;
        times.push(begun.elapsed().as_secs_f64());
        busy += cpu(ClockId::ProcessCPUTime) - before;
        bytes += bytes_read()? - read;
        if let Some(other) = other.filter(|other| other.id != skill.id)
            && !registry
                .get(other.id.as_str())
                .is_some_and(|now| Arc::ptr_eq(&now, &other))
        {
            return Err(format!(
                "`{}` was created again, although `{}` was edited",
                other.id, skill.id
            ));
        }
    }
    let begun = Instant::now();
    for _ in 0..REFRESHES {
        registry
            .refresh()
            .await
            .map_err(|error| error.to_string())?;
    }
    let refresh = begun.elapsed().as_secs_f64() / REFRESHES as f64;
    times.sort_by(f64::total_cmp);
    let count = EDITS as f64;
    Ok(Reload {
        median: times[EDITS / 2],
        slowest: times[EDITS - 1 - EDITS / 100],
        cpu: busy / count,
        read: bytes / count,
        refresh,
    })
}

/// Waits for the snapshot in which only `id` is modified.
async fn await_edit(updates: &mut Subscription<Skill>, id: &repertoire::Id) -> Result<(), String> {
    let update = tokio::time::timeout(LOST, updates.next())
        .await
        .map_err(|_| format!("the edit of `{id}` is lost"))?;
    let change = update.ok_or("the registry is closed")?.change;
    let is_it = matches!(&change.modified[..], [modified] if modified.new.id == *id);
    if is_it && change.added.is_empty() && change.removed.is_empty() {
        Ok(())
    } else {
        Err(format!("expected `{id}` to be modified, found {change:?}"))
    }
}

/// Returns the number of bytes that this process has read.
fn bytes_read() -> Result<f64, String> {
    let text = fs::read_to_string("/proc/self/io").map_err(|error| error.to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix("rchar:"));
    line.and_then(|count| count.trim().parse().ok())
        .ok_or_else(|| "no line `rchar`".to_owned())
}
