//! Readers of a registry during refreshes.

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use repertoire::registry::Entry;
use repertoire::{FsSource, MemorySource, Registered, Skill, SkillRegistry};
use rustix::time::ClockId;
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use super::random::Random;
use super::sample::cpu;
use crate::Failure;

const READERS: u64 = 4;
const LOOK_UPS: usize = 50_000;
const LISTS: usize = 50;
const TURNS: usize = 9;

/// Processor time of one operation of a reader, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Readings {
    /// A look-up in the registry that clones the entry.
    pub(super) get: f64,
    /// The same in a `HashMap` of the standard library.
    pub(super) floor_get: f64,
    /// All entries of the registry.
    pub(super) list: f64,
    /// A copy of as many shared pointers.
    pub(super) floor_list: f64,
}

/// Lets four threads read, turn by turn from a map and from the registry, while another thread changes an entry and
/// refreshes without a pause.
pub(super) fn measure(skills: &Path) -> Result<Readings, Failure> {
    let runtime = Runtime::new()?;
    let (changing, first) = (MemorySource::new("changing"), "the-one-that-changes");
    changing.register(skill(first, 0)?)?;
    let builder = SkillRegistry::builder()
        .user(changing.clone())
        .user(FsSource::new("tree", skills));
    let registry = runtime.block_on(builder.load())?;
    let list = registry.list();
    let map: HashMap<String, Arc<Entry<Skill>>> = list
        .iter()
        .map(|entry| (entry.id.as_str().to_owned(), entry.clone()))
        .collect();
    let ids: Vec<&str> = list.iter().map(|entry| entry.id.as_str()).collect();

    let stop = AtomicBool::new(false);
    let refresh = || -> Result<u64, String> {
        let id = first.parse().map_err(|error| format!("{error}"))?;
        for count in 1.. {
            let next = skill(first, count).map_err(|error| error.to_string())?;
            changing
                .replace(&id, next)
                .map_err(|error| error.to_string())?;
            runtime
                .block_on(registry.refresh())
                .map_err(|error| error.to_string())?;
            if stop.load(Ordering::Relaxed) {
                return Ok(count);
            }
        }
        Ok(0)
    };
    let turn = |reader: u64| {
        let mut random = Random::new(reader);
        let mut order = || ids[random.below(ids.len())];
        let picked: Vec<&str> = (0..LOOK_UPS).map(|_| order()).collect();
        let timed = |count: usize, work: &dyn Fn()| {
            let begun = cpu(ClockId::ThreadCPUTime);
            work();
            (cpu(ClockId::ThreadCPUTime) - begun) / count as f64
        };
        Readings {
            floor_get: timed(LOOK_UPS, &|| {
                picked
                    .iter()
                    .for_each(|id| drop(black_box(map.get(*id).cloned())))
            }),
            get: timed(LOOK_UPS, &|| {
                picked
                    .iter()
                    .for_each(|id| drop(black_box(registry.get(id))))
            }),
            floor_list: timed(LISTS, &|| {
                (0..LISTS).for_each(|_| drop(black_box(list.clone())))
            }),
            list: timed(LISTS, &|| {
                (0..LISTS).for_each(|_| drop(black_box(registry.list())))
            }),
        }
    };
    std::thread::scope(|scope| {
        let refreshing = scope.spawn(refresh);
        let mut readings = Vec::new();
        for _ in 0..TURNS {
            let readers: Vec<_> = (0..READERS)
                .map(|reader| scope.spawn(move || turn(reader)))
                .collect();
            readings.extend(
                readers
                    .into_iter()
                    .map(|reader| reader.join().expect("a reader does not panic")),
            );
        }
        stop.store(true, Ordering::Relaxed);
        let refreshes = refreshing.join().expect("refreshing does not panic")?;
        if refreshes == 0 {
            return Err("nothing was refreshed during the run".into());
        }
        let median = |field: fn(&Readings) -> f64| super::median(readings.iter().map(field));
        Ok(Readings {
            get: median(|reading| reading.get),
            floor_get: median(|reading| reading.floor_get),
            list: median(|reading| reading.list),
            floor_list: median(|reading| reading.floor_list),
        })
    })
}

fn skill(id: &str, count: u64) -> Result<Registered<Skill>, Failure> {
    Ok(Registered::new(
        Skill::new(id.parse()?, format!("changed {count} times")),
        "-",
    ))
}
