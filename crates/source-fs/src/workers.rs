//! Work on tokio's blocking pool.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use repertoire_core::{SourceError, SourceErrorKind};
use tokio::task::{JoinError, spawn_blocking};

/// The number of threads of one scan.
///
/// It is larger than the number of cores of most machines. With cold caches a scan waits for the disk, where 16 readers are four
/// times as fast as one.
const WORKERS: usize = 16;

/// The number of items that a worker takes at a time. A second worker starts above it.
const BATCH: usize = 64;

pub(crate) async fn run<O: Send + 'static>(
    work: impl FnOnce() -> O + Send + 'static,
) -> Result<O, SourceError> {
    spawn_blocking(work).await.map_err(stopped)
}

/// Returns the results of `work` on batches of items, in the order of the items.
///
/// If the future is dropped, batches that have begun are finished and their results are dropped.
pub(crate) async fn map<I, O>(
    items: Vec<I>,
    work: impl Fn(&[I]) -> O + Send + Sync + 'static,
) -> Result<Vec<O>, SourceError>
where
    I: Send + Sync + 'static,
    O: Send + 'static,
{
    let count = items.len();
    let shared = Arc::new((items, AtomicUsize::new(0), work));
    let workers: Vec<_> = (0..count.div_ceil(BATCH).min(WORKERS))
        .map(|_| {
            let shared = shared.clone();
            spawn_blocking(move || {
                let (items, next, work) = shared.as_ref();
                let mut batches = Vec::new();
                loop {
                    let start = next.fetch_add(BATCH, Ordering::Relaxed);
                    if start >= items.len() {
                        return batches;
                    }
                    make_room();
                    batches.push((start, work(&items[start..items.len().min(start + BATCH)])));
                }
            })
        })
        .collect();
    let mut batches = Vec::with_capacity(count.div_ceil(BATCH));
    for worker in workers {
        batches.extend(worker.await.map_err(stopped)?);
    }
    batches.sort_by_key(|(start, _)| *start);
    Ok(batches.into_iter().map(|(_, output)| output).collect())
}

/// Makes the allocator extend this thread's heap by the memory of a batch.
///
/// The allocator of glibc asks the system for a page at a time otherwise, which is one call in five of a scan.
fn make_room() {
    const ROOM: usize = 120 << 10;
    drop(black_box(Vec::<u8>::with_capacity(ROOM)));
}

fn stopped(error: JoinError) -> SourceError {
    SourceError::new(SourceErrorKind::Other, "reading files was stopped").caused_by(error)
}
