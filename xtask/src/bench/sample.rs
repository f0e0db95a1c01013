//! One measured load, in a process of its own. Shared with the rivals, so that all are measured alike.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// The cost and the result of one load. A child prints it as one line of JSON.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// From call to return, in seconds.
    pub wall: f64,
    /// User and system time of all threads, in seconds.
    pub cpu: f64,
    /// The growth of resident memory in bytes, while the result is alive.
    pub resident: f64,
    /// The number of skills.
    pub loaded: usize,
    /// The number of skills with the expected name and description, whitespace aside.
    pub right: usize,
}

/// A skill of a tree: one line of its list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// The name as written.
    pub name: String,
    /// The description as meant.
    pub description: String,
}

/// The folder with the skills of a tree.
pub fn skills(tree: &Path) -> PathBuf {
    tree.join("skills")
}

/// The list of what should be found in a tree.
pub fn expected(tree: &Path) -> PathBuf {
    tree.join("expected.jsonl")
}

/// Measures `load` alone. Names and descriptions are taken from its outcome afterwards.
///
/// # Errors
/// Whatever `load` or reading the list of the tree fails with.
pub fn measure<L>(
    tree: &Path,
    load: impl FnOnce(&Path) -> Result<L, Box<dyn Error>>,
    found: impl FnOnce(&L) -> Vec<(String, String)>,
) -> Result<Sample, Box<dyn Error>> {
    let folder = skills(tree);
    let resident = resident()?;
    let (wall, cpu) = (Instant::now(), cpu(ClockId::ProcessCPUTime));
    let loaded = load(&folder)?;
    let (wall, cpu) = (
        wall.elapsed().as_secs_f64(),
        self::cpu(ClockId::ProcessCPUTime) - cpu,
    );
    let resident = self::resident()? - resident;
    let found = found(&loaded);
    Ok(Sample {
        wall,
        cpu,
        resident,
        loaded: found.len(),
        right: right(tree, &found)?,
    })
}

/// The `main` of a rival: measures a load of the tree that its argument names, and prints the sample.
///
/// # Errors
/// As [`measure`].
#[allow(dead_code, reason = "the bench itself has another main")]
pub fn main<L>(
    load: impl FnOnce(&Path) -> Result<L, Box<dyn Error>>,
    found: impl FnOnce(&L) -> Vec<(String, String)>,
) -> Result<(), Box<dyn Error>> {
    let tree = std::env::args_os()
        .nth(1)
        .ok_or("expected the folder of a tree")?;
    let sample = measure(Path::new(&tree), load, found)?;
    println!("{}", serde_json::to_string(&sample)?);
    Ok(())
}

/// Processor time on `clock`, in seconds.
pub fn cpu(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The resident memory of this process, in bytes.
pub fn resident() -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .ok_or("no line `VmRSS`")?;
    Ok(line.trim_end_matches("kB").trim().parse::<f64>()? * 1024.0)
}

fn right(tree: &Path, found: &[(String, String)]) -> Result<usize, Box<dyn Error>> {
    let found: HashMap<&str, &str> = found
        .iter()
        .map(|(name, text)| (name.trim(), text.as_str()))
        .collect();
    let mut right = 0;
    for line in fs::read_to_string(expected(tree))?.lines() {
        let Expected { name, description } = serde_json::from_str(line)?;
        let same = |text: &&str| text.split_whitespace().eq(description.split_whitespace());
        right += usize::from(found.get(name.trim()).is_some_and(same));
    }
    Ok(right)
}
