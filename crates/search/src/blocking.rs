//! Work that would keep a thread of the runtime from other tasks.

use std::panic::resume_unwind;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// Work on a thread that the runtime has for blocking work. Without a runtime, it is done in place.
pub(super) enum BlockingWork<O> {
    Running(JoinHandle<O>),
    Done(O),
}

impl<O: Send + 'static> BlockingWork<O> {
    /// Starts `work`, which runs to its end even if this value is dropped.
    pub(super) fn start(work: impl FnOnce() -> O + Send + 'static) -> BlockingWork<O> {
        match Handle::try_current() {
            Ok(runtime) => BlockingWork::Running(runtime.spawn_blocking(work)),
            Err(_) => BlockingWork::Done(work()),
        }
    }

    /// Returns the output; `None` if the runtime shuts down.
    pub(super) async fn output(self) -> Option<O> {
        match self {
            BlockingWork::Done(output) => Some(output),
            BlockingWork::Running(task) => match task.await.map_err(|end| end.try_into_panic()) {
                Ok(output) => Some(output),
                Err(Ok(panic)) => resume_unwind(panic),
                Err(Err(_)) => None,
            },
        }
    }
}
