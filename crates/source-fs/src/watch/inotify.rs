//! The inotify backend, which also polls the table of mounts.

use std::ffi::OsStr;
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::file;
use crate::watch::backend::{Backend, WatchError, WatchEvent, WatchId, WatchLimit};
use crate::watch::dispatcher::EventDispatcher;

/// An inotify instance and its thread.
#[derive(Debug)]
struct InotifyBackend {
    instance: Arc<OwnedFd>,
    /// Readable once the thread is to end.
    end: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

/// The state of the thread.
struct InotifyThread {
    instance: Arc<OwnedFd>,
    end: Arc<OwnedFd>,
    /// The table of mounts, where it can be read.
    mounts: Option<File>,
    dispatcher: Arc<EventDispatcher>,
}

/// The events of a watch. Reading is not one of them: the source reads too.
const MASK: WatchFlags = WatchFlags::ONLYDIR
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::MOVE_SELF)
    // The only event of a write through a memory map.
    .union(WatchFlags::CLOSE_WRITE);

/// After these, a path may lead to another thing or to none.
const MOVES: ReadFlags = ReadFlags::DELETE
    .union(ReadFlags::DELETE_SELF)
    .union(ReadFlags::IGNORED)
    .union(ReadFlags::MOVED_FROM)
    .union(ReadFlags::MOVED_TO)
    .union(ReadFlags::MOVE_SELF)
    .union(ReadFlags::UNMOUNT);

pub(crate) fn open(dispatcher: Arc<EventDispatcher>) -> Result<Box<dyn Backend>, WatchError> {
    // First of all: if it fails, the process has too many open files, not the user too many instances.
    let end = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(denied)?;
    let instance = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(
        |error| match error {
            Errno::MFILE => WatchError::Exhausted(WatchLimit::of_instances()),
            error => denied(error),
        },
    )?;
    let (instance, end) = (Arc::new(instance), Arc::new(end));
    let mounts = File::open("/proc/self/mountinfo").ok();
    let reader = InotifyThread {
        instance: instance.clone(),
        end: end.clone(),
        mounts,
        dispatcher,
    };
    let thread = thread::Builder::new()
        .name("skill-watch".into())
        .spawn(move || reader.run());
    let thread = thread.map_err(|error| WatchError::Denied(file::cause(&error)))?;
    Ok(Box::new(InotifyBackend {
        instance,
        end,
        thread: Some(thread),
    }))
}

impl Backend for InotifyBackend {
    fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<WatchId, WatchError>> {
        let mut exhausted = None;
        let watch = |folder: &Arc<Path>| match &exhausted {
            Some(error) => Err(WatchError::clone(error)),
            None => inotify::add_watch(&self.instance, &**folder, MASK)
                .map(watch_id)
                .map_err(|error| match error {
                    Errno::NOENT | Errno::NOTDIR => WatchError::Absent,
                    Errno::NOSPC => exhausted
                        .insert(WatchError::Exhausted(WatchLimit::of_watches()))
                        .clone(),
                    error => denied(error),
                }),
        };
        folders.iter().map(watch).collect()
    }

    fn unwatch(&self, ids: &[WatchId]) {
        for id in ids {
            // Refused when the folder is gone, and the watch with it.
            let _ = i32::try_from(id.0)
                .map(|descriptor| inotify::remove_watch(&self.instance, descriptor));
        }
    }
}

impl Drop for InotifyBackend {
    fn drop(&mut self) {
        rustix::io::write(&self.end, &1_u64.to_ne_bytes())
            .expect("the first write to a counter has room");
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl InotifyThread {
    fn run(self) {
        if let Err(error) = self.until_the_end() {
            self.dispatcher
                .dispatch(WatchEvent::Failed(&file::cause(&error.into())));
        }
    }

    fn until_the_end(&self) -> Result<(), Errno> {
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut ready = vec![
            PollFd::new(&self.end, PollFlags::IN),
            PollFd::new(&self.instance, PollFlags::IN),
        ];
        // Polling resets a change of mounts, so that each is dispatched once.
        ready.extend(
            self.mounts
                .as_ref()
                .map(|mounts| PollFd::new(mounts, PollFlags::PRI)),
        );
        loop {
            match poll(&mut ready, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error),
            }
            let is_ready = |which: usize| {
                ready
                    .get(which)
                    .is_some_and(|one| !one.revents().is_empty())
            };
            if is_ready(0) {
                return Ok(());
            }
            if is_ready(1) {
                self.read(&mut buffer)?;
            }
            if is_ready(2) {
                self.dispatcher.dispatch(WatchEvent::Anything);
            }
        }
    }

    fn read(&self, buffer: &mut [MaybeUninit<u8>]) -> Result<(), Errno> {
        let mut events = Reader::new(&self.instance, buffer);
        loop {
            match events.next() {
                Ok(event) => self.dispatch(&event),
                Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
                Err(error) => return Err(error),
            }
            if events.is_buffer_empty() {
                return Ok(());
            }
        }
    }

    fn dispatch(&self, event: &Event<'_>) {
        let flags = event.events();
        self.dispatcher
            .dispatch(if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                WatchEvent::Anything
            } else {
                let name = event
                    .file_name()
                    .map(|name| OsStr::from_bytes(name.to_bytes()));
                WatchEvent::At {
                    id: watch_id(event.wd()),
                    name,
                    moves: flags.intersects(MOVES),
                }
            });
    }
}

fn watch_id(descriptor: i32) -> WatchId {
    WatchId(u64::from(descriptor.unsigned_abs()))
}

fn denied(error: Errno) -> WatchError {
    WatchError::Denied(file::cause(&error.into()))
}
