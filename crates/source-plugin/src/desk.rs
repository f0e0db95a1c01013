//! Where a plugin is asked: a thread of its own, and a caller who does not wait for ever.

use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

type Job = Box<dyn FnOnce() + Send>;

/// One thread that does one job after another.
///
/// Not tokio's blocking pool: a runtime that shuts down waits for what runs there, and a plugin may never return. This
/// thread nobody waits for; when it hangs, it is left behind.
#[derive(Debug)]
pub(crate) struct Desk {
    jobs: mpsc::Sender<Job>,
    busy: Arc<Mutex<Busy>>,
}

/// What the thread is doing.
#[derive(Debug, Default)]
struct Busy {
    since: Option<Instant>,
    /// Whether somebody has given up on what it is doing.
    overdue: bool,
}

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The job takes longer than the deadline. Told once.
    Overdue,
    /// An earlier job is overdue.
    Blocked(Duration),
    /// There is no thread, or the job panicked.
    Gone,
}

impl Desk {
    pub(crate) fn new(name: &str) -> std::io::Result<Desk> {
        let (jobs, received) = mpsc::channel::<Job>();
        let busy = Arc::new(Mutex::new(Busy::default()));
        let at_work = busy.clone();
        thread::Builder::new().name(format!("plugin {name}")).spawn(move || {
            for job in received {
                lock(&at_work).since = Some(Instant::now());
                // A job that panics is lost; who waits for it is told by its channel.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                *lock(&at_work) = Busy::default();
            }
        })?;
        Ok(Desk { jobs, busy })
    }

    /// What `work` gives, if it takes no longer than `deadline` once its turn has come.
    ///
    /// # Cancel safety
    /// When the caller is dropped, `work` is done all the same.
    pub(crate) async fn run<O: Send + 'static>(
        &self,
        deadline: Duration,
        work: impl FnOnce() -> O + Send + 'static,
    ) -> Result<O, NoAnswer> {
        if let Busy { since: Some(since), overdue: true } = *lock(&self.busy) {
            return Err(NoAnswer::Blocked(since.elapsed()));
        }
        let (done, mut result) = oneshot::channel();
        let job = Box::new(move || drop(done.send(work())));
        self.jobs.send(job).map_err(|_| NoAnswer::Gone)?;
        loop {
            match tokio::time::timeout(deadline, &mut result).await {
                Ok(result) => return result.map_err(|_| NoAnswer::Gone),
                Err(_) => self.check(deadline)?,
            }
        }
    }

    /// Gives up on a job that takes longer than `deadline`.
    fn check(&self, deadline: Duration) -> Result<(), NoAnswer> {
        let mut busy = lock(&self.busy);
        match busy.since.map(|since| since.elapsed()) {
            Some(elapsed) if busy.overdue => Err(NoAnswer::Blocked(elapsed)),
            Some(elapsed) if elapsed >= deadline => {
                busy.overdue = true;
                Err(NoAnswer::Overdue)
            }
            _ => Ok(()),
        }
    }
}

fn lock(busy: &Mutex<Busy>) -> std::sync::MutexGuard<'_, Busy> {
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
