//! One refresh at a time, and none that began before it was asked for.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Mutex;

#[derive(Debug, Default)]
pub(crate) struct Worker {
    requested: AtomicU64,
    /// The last request that a finished run has served.
    served: Mutex<u64>,
}

impl Worker {
    /// Returns after `job`, or the same job of a different caller, has run from start to end.
    ///
    /// # Cancel safety
    /// When the caller that runs the job is dropped, the next one in line runs it.
    pub(crate) async fn run<F: Future<Output = ()>>(&self, job: impl FnOnce() -> F) {
        let ticket = self.requested.fetch_add(1, Ordering::SeqCst) + 1;
        let mut served = self.served.lock().await;
        if *served >= ticket {
            return;
        }
        // All requests up to here were made before the run begins.
        let covered = self.requested.load(Ordering::SeqCst);
        job().await;
        *served = covered;
    }

    pub(crate) async fn run_exclusive<O, F: Future<Output = O>>(
        &self,
        job: impl FnOnce() -> F,
    ) -> O {
        let _turn = self.served.lock().await;
        job().await
    }
}

#[cfg(test)]
mod tests;
