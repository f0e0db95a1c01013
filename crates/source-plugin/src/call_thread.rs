//! The thread on which a plugin is called, for callers with a deadline.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::oneshot::{self, error::TryRecvError};
use tokio::time::sleep;

use crate::sync::{Arc, Mutex, mpsc, thread};

type Job = Box<dyn FnOnce() + Send>;

/// A thread that executes jobs in order.
///
/// It is not of tokio's blocking pool: a runtime waits for that when it shuts down, and a plugin may never return. A thread
/// that hangs is abandoned.
pub(crate) struct CallThread {
    jobs: mpsc::Sender<Job>,
    state: Arc<Mutex<JobState>>,
}

impl fmt::Debug for CallThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallThread")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// The state of the job in progress.
#[derive(Debug, Default)]
struct JobState {
    since: Option<Instant>,
    /// Set when a caller has given up on the job.
    overdue: bool,
}

/// The error of a call without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallError {
    /// The job takes longer than the deadline. Returned once for each job.
    Overdue,
    /// An earlier job is overdue for this long.
    Blocked(Duration),
    /// The thread has ended, or the job panicked.
    Lost,
}

impl CallThread {
    pub(crate) fn new() -> std::io::Result<CallThread> {
        let (jobs, received) = mpsc::channel::<Job>();
        let state = Arc::new(Mutex::new(JobState::default()));
        let shared = state.clone();
        thread::Builder::new()
            .name("plugin calls".to_owned())
            .spawn(move || {
                for job in received {
                    shared.lock().since = Some(Instant::now());
                    // The channel of a job that panics closes, which its caller notices.
                    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
                    *shared.lock() = JobState::default();
                }
            })?;
        Ok(CallThread { jobs, state })
    }

    /// Returns the result of `work`, if it takes no longer than `deadline` once its turn has come.
    ///
    /// # Cancel safety
    /// When the caller is dropped, `work` is done all the same.
    pub(crate) async fn run<O: Send + 'static>(
        &self,
        deadline: Duration,
        work: impl FnOnce() -> O + Send + 'static,
    ) -> Result<O, CallError> {
        self.run_by(|| sleep(deadline), deadline, work).await
    }

    /// Runs `work` like [`run`](CallThread::run), with any clock: each time that `alarm` completes, the job in progress is checked.
    pub(crate) async fn run_by<A: Future<Output = ()>, O: Send + 'static>(
        &self,
        alarm: impl Fn() -> A,
        deadline: Duration,
        work: impl FnOnce() -> O + Send + 'static,
    ) -> Result<O, CallError> {
        if let JobState {
            since: Some(since),
            overdue: true,
        } = *self.state.lock()
        {
            return Err(CallError::Blocked(since.elapsed()));
        }
        let (done, mut result) = oneshot::channel();
        let job = Box::new(move || drop(done.send(work())));
        self.jobs.send(job).map_err(|_| CallError::Lost)?;
        loop {
            if let Some(result) = before(&mut result, alarm()).await {
                return result.map_err(|_| CallError::Lost);
            }
            let mut state = self.state.lock();
            // A reply is sent before the next job begins. Without one, the job in progress is this one or an earlier one.
            match result.try_recv() {
                Ok(reply) => return Ok(reply),
                Err(TryRecvError::Closed) => return Err(CallError::Lost),
                Err(TryRecvError::Empty) => state.check(deadline)?,
            }
        }
    }
}

/// Returns what `result` receives before `alarm` completes.
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

impl JobState {
    fn check(&mut self, deadline: Duration) -> Result<(), CallError> {
        match self.since.map(|since| since.elapsed()) {
            Some(elapsed) if self.overdue => Err(CallError::Blocked(elapsed)),
            Some(elapsed) if elapsed >= deadline => {
                self.overdue = true;
                Err(CallError::Overdue)
            }
            _ => Ok(()),
        }
    }
}
