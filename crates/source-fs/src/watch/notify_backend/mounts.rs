//! Changes of mounts, which make no event in the folders that they cover.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::io::Errno;

use crate::file;
use crate::watch::backend::{WatchError, WatchEvent};
use crate::watch::dispatcher::EventDispatcher;

/// The thread that polls the table of mounts. It ends on drop.
#[derive(Debug)]
pub(super) struct MountThread {
    /// Readable when the thread has to end.
    end: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl MountThread {
    /// Starts the thread. Returns `None` if the table cannot be read.
    pub(super) fn start(
        dispatcher: Arc<EventDispatcher>,
    ) -> Result<Option<MountThread>, WatchError> {
        let end = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| WatchError::Denied(file::cause(&error.into())))?;
        let end = Arc::new(end);
        let Ok(mounts) = File::open("/proc/self/mountinfo") else {
            return Ok(None);
        };
        let until = end.clone();
        let thread = thread::Builder::new()
            .name("skill-watch".into())
            .spawn(move || {
                // Polling resets a change of mounts, so that each is dispatched once.
                let mut ready = [
                    PollFd::new(&*until, PollFlags::IN),
                    PollFd::new(&mounts, PollFlags::PRI),
                ];
                loop {
                    match poll(&mut ready, None) {
                        Ok(_) | Err(Errno::INTR) => {}
                        Err(error) => {
                            return dispatcher
                                .dispatch(WatchEvent::Failed(&file::cause(&error.into())));
                        }
                    }
                    if !ready[0].revents().is_empty() {
                        return;
                    }
                    if !ready[1].revents().is_empty() {
                        dispatcher.dispatch(WatchEvent::Anything);
                    }
                }
            });
        let thread = thread.map_err(|error| WatchError::Denied(file::cause(&error)))?;
        Ok(Some(MountThread {
            end,
            thread: Some(thread),
        }))
    }
}

impl Drop for MountThread {
    fn drop(&mut self) {
        rustix::io::write(&self.end, &1_u64.to_ne_bytes())
            .expect("the first write to a counter has room");
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
