//! What Linux offers: inotify, and word of every mount.

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
use crate::watch::backend::{Backend, Place, Refusal, Told};
use crate::watch::hub::Audience;
use crate::watch::limit::Limit;

/// An instance of inotify and the thread that listens to it.
#[derive(Debug)]
struct Inotify {
    instance: Arc<OwnedFd>,
    /// Readable once the thread is to end.
    end: Arc<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread listens to.
struct Ear {
    instance: Arc<OwnedFd>,
    end: Arc<OwnedFd>,
    /// The table of mounts, where it can be read.
    mounts: Option<File>,
    audience: Arc<Audience>,
}

/// What is told of a folder. Not that something is read: we do so ourselves.
const MASK: WatchFlags = WatchFlags::ONLYDIR
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::MOVE_SELF)
    // The only word of what was written through a memory map.
    .union(WatchFlags::CLOSE_WRITE);

/// After these, a path may lead to another thing or to none.
const MOVES: ReadFlags = ReadFlags::DELETE
    .union(ReadFlags::DELETE_SELF)
    .union(ReadFlags::IGNORED)
    .union(ReadFlags::MOVED_FROM)
    .union(ReadFlags::MOVED_TO)
    .union(ReadFlags::MOVE_SELF)
    .union(ReadFlags::UNMOUNT);

/// Opens an instance.
pub(crate) fn open(audience: Arc<Audience>) -> Result<Box<dyn Backend>, Refusal> {
    // First of all: it tells a process that has too many files open from a user who has too many instances.
    let end = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map_err(denied)?;
    let instance = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).map_err(|error| match error {
        Errno::MFILE => Refusal::Exhausted(Limit::of_instances()),
        error => denied(error),
    })?;
    let (instance, end) = (Arc::new(instance), Arc::new(end));
    let mounts = File::open("/proc/self/mountinfo").ok();
    let ear = Ear { instance: instance.clone(), end: end.clone(), mounts, audience };
    let thread = thread::Builder::new().name("skill-watch".into()).spawn(move || ear.listen());
    let thread = thread.map_err(|error| Refusal::Denied(file::cause(&error)))?;
    Ok(Box::new(Inotify { instance, end, thread: Some(thread) }))
}

impl Backend for Inotify {
    fn watch(&self, folders: &[Arc<Path>]) -> Vec<Result<Place, Refusal>> {
        let mut exhausted = None;
        let watch = |folder: &Arc<Path>| match &exhausted {
            Some(refusal) => Err(Refusal::clone(refusal)),
            None => inotify::add_watch(&self.instance, &**folder, MASK).map(place).map_err(|error| match error {
                Errno::NOENT | Errno::NOTDIR => Refusal::Absent,
                Errno::NOSPC => exhausted.insert(Refusal::Exhausted(Limit::of_watches())).clone(),
                error => denied(error),
            }),
        };
        folders.iter().map(watch).collect()
    }

    fn unwatch(&self, place: Place) {
        // Refused when the folder is gone, and the watch with it.
        let _ = i32::try_from(place.0).map(|descriptor| inotify::remove_watch(&self.instance, descriptor));
    }
}

impl Drop for Inotify {
    /// Waits for the thread, so that no descriptor outlives the last source.
    fn drop(&mut self) {
        rustix::io::write(&self.end, &1_u64.to_ne_bytes()).expect("the first write to a counter has room");
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Ear {
    fn listen(self) {
        if let Err(error) = self.until_the_end() {
            self.audience.hear(Told::Failed(&file::cause(&error.into())));
        }
    }

    fn until_the_end(&self) -> Result<(), Errno> {
        let mut buffer = [MaybeUninit::uninit(); 16 << 10];
        let mut ready = vec![PollFd::new(&self.end, PollFlags::IN), PollFd::new(&self.instance, PollFlags::IN)];
        // Asking takes note of a change of mounts: none is told twice.
        ready.extend(self.mounts.as_ref().map(|mounts| PollFd::new(mounts, PollFlags::PRI)));
        loop {
            match poll(&mut ready, None) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error),
            }
            let is_ready = |which: usize| ready.get(which).is_some_and(|one| !one.revents().is_empty());
            if is_ready(0) {
                return Ok(());
            }
            if is_ready(1) {
                self.read(&mut buffer)?;
            }
            if is_ready(2) {
                self.audience.hear(Told::Anything);
            }
        }
    }

    /// Reads what there is, but no more than fits: it may never end.
    fn read(&self, buffer: &mut [MaybeUninit<u8>]) -> Result<(), Errno> {
        let mut events = Reader::new(&self.instance, buffer);
        loop {
            match events.next() {
                Ok(event) => self.tell(&event),
                Err(Errno::AGAIN | Errno::INTR) => return Ok(()),
                Err(error) => return Err(error),
            }
            if events.is_buffer_empty() {
                return Ok(());
            }
        }
    }

    fn tell(&self, event: &Event<'_>) {
        let flags = event.events();
        self.audience.hear(if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            Told::Anything
        } else {
            let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
            Told::At { place: place(event.wd()), name, moves: flags.intersects(MOVES) }
        });
    }
}

/// The system counts upwards, and begins again only after two thousand million.
fn place(descriptor: i32) -> Place {
    Place(u64::from(descriptor.unsigned_abs()))
}

fn denied(error: Errno) -> Refusal {
    Refusal::Denied(file::cause(&error.into()))
}
