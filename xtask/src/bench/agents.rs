//! The rate at which a store of agents in SQLite allocates, against the rate at which the disk syncs.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use repertoire_agents::{
    Actor, AgentPool, AgentState, AgentStore, AllocationRequest, Lifecycle, PoolSettings,
    SqliteAgentStore,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::rounds::parsed;
use super::{Bench, Figure, Goal, median};
use crate::Failure;

/// The callers of one process.
const CALLERS: usize = 16;

/// The rate of syncs from which on the goal is one of allocations.
const FAST_DISK: f64 = 2_000.0;

/// Rates for each second.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct AgentRates {
    fsyncs: f64,
    full: f64,
    single: f64,
    normal: f64,
}

/// Measures a store on the disk of the bench.
pub(super) fn figures(bench: &mut Bench<'_>) -> Result<(), Failure> {
    eprintln!("allocating agents");
    let (rounds, seconds) = match bench.options.quick {
        true => (1, 0.05),
        false => (bench.options.rounds, 2.0),
    };
    let runs = (0..rounds).map(|round| {
        let folder = bench.folder.path().join(format!("agents-{round}"));
        std::fs::create_dir(&folder)?;
        let seconds = format!("{seconds}");
        parsed(bench.itself().arg("agents").arg(&folder).arg(seconds))
    });
    let runs = runs.collect::<Result<Vec<AgentRates>, Failure>>()?;
    let of = |part: fn(&AgentRates) -> f64| median(runs.iter().map(part));
    let [fsyncs, full, single, normal] = [
        of(|run| run.fsyncs),
        of(|run| run.full),
        of(|run| run.single),
        of(|run| run.normal),
    ];
    let goal = match fsyncs >= FAST_DISK {
        true => Goal::AtLeast(FAST_DISK),
        false => Goal::RatioAtLeast(0.8),
    };
    let figure = |name: &str, rate: f64| Figure::new(format!("agents/{name}"), rate, "/s");
    bench.figures.extend([
        figure("fsyncs", fsyncs),
        figure("allocate/full", full)
            .against(fsyncs, "fsyncs")
            .goal(goal),
        figure("allocate/full/one-caller", single).against(fsyncs, "fsyncs"),
        figure("allocate/normal", normal).against(full, "full"),
    ]);
    Ok(())
}

/// Measures each rate once, for so many seconds.
pub(super) fn measure(folder: &Path, seconds: f64) -> Result<AgentRates, Failure> {
    let time = Duration::from_secs_f64(seconds);
    let open = |name: &str| SqliteAgentStore::open(folder.join(name));
    Ok(AgentRates {
        fsyncs: fsyncs(&folder.join("synced"), time)?,
        full: allocations(&open("full.db")?, CALLERS, time)?,
        single: allocations(&open("single.db")?, 1, time)?,
        normal: allocations(&open("normal.db")?.without_sync()?, CALLERS, time)?,
    })
}

/// Appends a page and syncs it, as often as the time allows.
fn fsyncs(path: &Path, time: Duration) -> Result<f64, Failure> {
    let mut file = File::create(path)?;
    let begun = Instant::now();
    let mut count = 0.0;
    while begun.elapsed() < time {
        file.write_all(&[7; 4096])?;
        file.sync_all()?;
        count += 1.0;
    }
    Ok(count / begun.elapsed().as_secs_f64())
}

/// Allocates agents and releases each, so that every allocation has two changes; returns the allocations for each second.
fn allocations(store: &SqliteAgentStore, callers: usize, time: Duration) -> Result<f64, Failure> {
    let profile = json!({
        "agent_type": "coder",
        "permissions": { "tools": ["mcp__git__*"], "write_access": true },
        "limits": { "max_concurrent_tasks": 1000 },
    });
    store.put_profile("coder", &serde_json::from_value(profile)?)?;
    let pool = PoolSettings {
        max: 1000,
        ..PoolSettings::default()
    };
    store.put_pool(AgentPool::Implementation, pool)?;
    let release = Lifecycle::default().transition(
        AgentState::Pending,
        AgentState::Terminated,
        Actor::Parent,
    )?;
    let allocated = AtomicU64::new(0);
    let begun = Instant::now();
    let call = |caller: usize| -> Result<(), Failure> {
        for number in 0.. {
            if begun.elapsed() >= time {
                break;
            }
            let key = format!("{caller} {number}");
            let request = AllocationRequest::new("Fix it", AgentPool::Implementation, key);
            let agent = store.allocate(&request, 1)?.ok_or("the pool is full")?;
            allocated.fetch_add(1, Ordering::Relaxed);
            store.advance(&agent.id, agent.epoch, &release, 2)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let callers: Vec<_> = (0..callers)
            .map(|caller| scope.spawn(move || call(caller).map_err(|failure| failure.to_string())))
            .collect();
        callers
            .into_iter()
            .try_for_each(|caller| caller.join().expect("a caller does not panic"))
    })?;
    let rate = allocated.into_inner() as f64 / begun.elapsed().as_secs_f64();
    Ok(rate)
}
