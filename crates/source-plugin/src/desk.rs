//! Where a plugin is asked: a thread of its own, and a caller who does not wait for ever.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::oneshot::{self, error::TryRecvError};
use tokio::time::sleep;

use crate::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc, thread};

type Job = Box<dyn FnOnce() + Send>;

/// One thread that does one job after another.
///
/// Not tokio's blocking pool: a runtime that shuts down waits for what runs there, and a plugin may never return. This
/// thread nobody waits for; when it hangs, it is left behind.
pub(crate) struct Desk {
    jobs: mpsc::Sender<Job>,
    busy: Arc<Mutex<Busy>>,
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("busy", &self.busy).finish_non_exhaustive()
    }
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
    pub(crate) fn new() -> std::io::Result<Desk> {
        let (jobs, received) = mpsc::channel::<Job>();
        let busy = Arc::new(Mutex::new(Busy::default()));
        let at_work = busy.clone();
        thread::Builder::new().name("plugin calls".to_owned()).spawn(move || {
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
        self.run_by(|| sleep(deadline), deadline, work).await
    }

    /// The same, by any clock: each time that `alarm` rings, it is looked how long the job of now takes.
    pub(crate) async fn run_by<A: Future<Output = ()>, O: Send + 'static>(
        &self,
        alarm: impl Fn() -> A,
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
            if let Some(result) = before(&mut result, alarm()).await {
                return result.map_err(|_| NoAnswer::Gone);
            }
            let mut busy = lock(&self.busy);
            // A reply is there before the next job begins: without one, what is at work is this job or an earlier one.
            match result.try_recv() {
                Ok(reply) => return Ok(reply),
                Err(TryRecvError::Closed) => return Err(NoAnswer::Gone),
                Err(TryRecvError::Empty) => busy.check(deadline)?,
            }
        }
    }
}

/// What comes through `result` before `alarm` rings.
async fn before<O>(
    result: &mut oneshot::Receiver<O>,
    alarm: impl Future<Output = ()>,
) -> Option<Result<O, oneshot::error::RecvError>> {
    let mut alarm = pin!(alarm);
    poll_fn(|context| match Pin::new(&mut *result).poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => alarm.as_mut().poll(context).map(|()| None),
    })
    .await
}

impl Busy {
    /// Gives up on a job that takes longer than `deadline`.
    fn check(&mut self, deadline: Duration) -> Result<(), NoAnswer> {
        match self.since.map(|since| since.elapsed()) {
            Some(elapsed) if self.overdue => Err(NoAnswer::Blocked(elapsed)),
            Some(elapsed) if elapsed >= deadline => {
                self.overdue = true;
                Err(NoAnswer::Overdue)
            }
            _ => Ok(()),
        }
    }
}

fn lock(busy: &Mutex<Busy>) -> MutexGuard<'_, Busy> {
    busy.lock().unwrap_or_else(PoisonError::into_inner)
}
