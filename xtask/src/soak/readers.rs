//! Readers beside a registry that changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use repertoire::SkillRegistry;
use tokio::runtime::Runtime;

use crate::Failure;

/// Threads that read a registry until they are stopped, and check that each view is whole.
#[derive(Debug)]
pub(crate) struct Readers {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Result<u64, String>>>,
}

const READERS: usize = 2;

impl Readers {
    pub(crate) fn start(runtime: &Runtime, registry: &SkillRegistry) -> Readers {
        let stop = Arc::new(AtomicBool::new(false));
        let thread = |_| {
            let (stop, registry, handle) =
                (stop.clone(), registry.clone(), runtime.handle().clone());
            thread::spawn(move || read(&stop, &registry, &handle))
        };
        Readers {
            threads: (0..READERS).map(thread).collect(),
            stop,
        }
    }

    /// Ends them.
    pub(crate) fn stop(self) -> Result<(), Failure> {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            let views = thread.join().map_err(|_| "a reader panicked")??;
            if views == 0 {
                return Err("a reader never got to read".into());
            }
        }
        Ok(())
    }
}

/// The number of snapshots that were read.
fn read(
    stop: &AtomicBool,
    registry: &SkillRegistry,
    runtime: &tokio::runtime::Handle,
) -> Result<u64, String> {
    let (mut views, mut generation) = (0, 0);
    while !stop.load(Ordering::Relaxed) {
        let view = registry.snapshot();
        if view.generation() < generation {
            return Err(format!(
                "generation {} came after {generation}",
                view.generation()
            ));
        }
        generation = view.generation();
        let lost = view
            .entries()
            .iter()
            .find(|entry| view.get(entry.id.as_str()).is_none());
        if let Some(entry) = lost {
            return Err(format!("`{}` is listed and cannot be looked up", entry.id));
        }
        if let Some(entry) = fastrand::choice(view.entries()) {
            // The skill may be deleted, but the body must not belong to a different one.
            let body = runtime.block_on(registry.body(&entry.candidate));
            if body.is_ok_and(|body| body.text.is_empty()) {
                return Err(format!("`{}` has an empty body", entry.id));
            }
        }
        views += 1;
    }
    Ok(views)
}
