//! Steps that change files while the registry runs, and the folders that it watches.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use repertoire_core::Skill;
use repertoire_registry::Subscription;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};

use super::TestEnv;
use crate::cases::fixture::{self, Fixture};
use crate::cases::verdict::Verdict;

/// The time in which the registry must show a change.
const UPDATE_TIMEOUT: Duration = Duration::from_secs(2);

impl TestEnv {
    /// Runs `block`, waits until `check` finds no failure, refreshes the registry, and checks again.
    pub(crate) fn step(
        &self,
        number: usize,
        block: &str,
        check: impl Fn() -> Vec<Verdict>,
    ) -> io::Result<Vec<Verdict>> {
        self.catalog_before.replace(Some(self.catalog()));
        let mut updates = self.registry.subscribe();
        let mut shell = self.fixture.shell();
        shell.args(["-e", "-c", block]);
        let run = async move {
            spawn_blocking(move || fixture::run(&mut shell, &format!("step {number}"))).await
        };
        self.runtime.block_on(run)??;
        let mut verdicts = Vec::new();
        let is_shown = self.until(&mut updates, || {
            verdicts = check();
            !verdicts.iter().any(Verdict::is_failure)
        });
        if is_shown {
            self.runtime
                .block_on(self.registry.refresh())
                .map_err(io::Error::other)?;
            verdicts = check();
        }
        Ok(verdicts)
    }

    /// Adds a skill and removes it. Fails if the registry does not detect both.
    fn probe(&self) -> io::Result<()> {
        const NAME: &str = "probe-of-the-runner";
        let mut roots = self.roots.iter().map(|root| self.fixture.path().join(root));
        let root = roots
            .find(|root| root.is_dir())
            .ok_or_else(|| io::Error::other("no root to put a skill in"))?;
        let mut updates = self.registry.subscribe();
        let is_listed = || {
            let snapshot = self.snapshot();
            snapshot
                .entries()
                .iter()
                .any(|entry| entry.item().id.as_str() == NAME)
        };
        put(&root.join(NAME), NAME)?;
        let has_come = self.until(&mut updates, is_listed);
        fs::remove_dir_all(root.join(NAME))?;
        let has_gone = self.until(&mut updates, || !is_listed());
        if has_come && has_gone {
            Ok(())
        } else {
            Err(io::Error::other(
                "the registry did not detect a new skill and its removal",
            ))
        }
    }

    pub(crate) fn watches_at_most(&self, limit: usize) -> Verdict {
        if let Err(error) = self.probe() {
            return Verdict::fails("a registry that watches", error);
        }
        match count_watches(&self.fixture) {
            Ok(0) => Verdict::fails("a watched folder", "none"),
            Ok(count) => Verdict::of(
                count <= limit,
                format_args!("at most {limit} watches"),
                count,
            ),
            Err(error) => Verdict::fails("a count of watches", error),
        }
    }

    fn until(&self, updates: &mut Subscription<Skill>, mut holds: impl FnMut() -> bool) -> bool {
        let deadline = Instant::now() + UPDATE_TIMEOUT;
        loop {
            if holds() {
                return true;
            }
            // `timeout_at` returns a ready value even after the deadline.
            let next = async { timeout_at(deadline, updates.next()).await };
            if Instant::now() >= deadline || !matches!(self.runtime.block_on(next), Ok(Some(_))) {
                return false;
            }
        }
    }
}

fn put(folder: &Path, name: &str) -> io::Result<()> {
    fs::create_dir(folder)?;
    fs::write(
        folder.join("SKILL.md"),
        format!("---\nname: {name}\ndescription: Comes and goes.\n---\n"),
    )
}

/// Splits a script at its lines `## step N`.
pub(crate) fn step_blocks(script: &Path, count: usize) -> io::Result<Vec<String>> {
    let mut blocks: Vec<String> = Vec::new();
    for line in fs::read_to_string(script)?.lines() {
        if let Some(number) = line.strip_prefix("## step ") {
            let expected = blocks.len() + 1;
            if number.trim_end().parse() != Ok(expected) {
                return Err(invalid(format!(
                    "expected `## step {expected}`, found `{line}`"
                )));
            }
            blocks.push(String::new());
        } else if let Some(block) = blocks.last_mut() {
            *block += line;
            block.push('\n');
        } else if !line.trim().is_empty() {
            return Err(invalid(format!("expected `## step 1`, found `{line}`")));
        }
    }
    if blocks.len() != count {
        return Err(invalid(format!(
            "expected {count} steps, found {}",
            blocks.len()
        )));
    }
    Ok(blocks)
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// Counts the watches in the copy and above it, of the inotify instances that watch the copy.
fn count_watches(copy: &Fixture) -> io::Result<usize> {
    let inode = |path: &Path| Some(fs::metadata(path).ok()?.ino());
    let inside: BTreeSet<u64> = copy
        .everything()
        .iter()
        .filter_map(|path| inode(path))
        .collect();
    let above: BTreeSet<u64> = copy.path().ancestors().filter_map(inode).collect();
    let mut count = 0;
    for descriptor in fs::read_dir("/proc/self/fdinfo")? {
        // A descriptor may be closed in the meantime.
        let text = fs::read_to_string(descriptor?.path()).unwrap_or_default();
        let watched: Vec<_> = text.lines().filter_map(watched).collect();
        if watched.iter().any(|inode| inside.contains(inode)) {
            count += watched
                .iter()
                .filter(|&inode| inside.contains(inode) || above.contains(inode))
                .count();
        }
    }
    Ok(count)
}

/// Parses the inode in `inotify wd:1 ino:2a sdev:…`.
fn watched(line: &str) -> Option<u64> {
    let mut words = line.strip_prefix("inotify ")?.split(' ');
    u64::from_str_radix(words.find_map(|word| word.strip_prefix("ino:"))?, 16).ok()
}
