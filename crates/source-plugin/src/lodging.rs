//! Where a plugin lives, and what becomes of it there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use repertoire_core::{Backoff, Code, Diagnostic, Revision, SourceError, SourceErrorKind, Stamp};
use repertoire_plugin_sdk::message::{Create, Wait, Waited};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::file::{PluginFile, stamp};
use crate::guest::{Door, Guest};
use crate::library::{Instance, Library};
use crate::reader::{self, Reader};
use crate::room::{Closed, Room};
use crate::{Containment, PluginOptions};

/// How often the file of a plugin is looked at while somebody waits for changes, and how long a plugin is asked to wait.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The least time between two changes of one plugin that are told.
const LEAST_PAUSE: Duration = Duration::from_millis(20);

/// How a plugin runs.
#[derive(Debug)]
pub(crate) enum Way {
    /// In this process.
    Loaded,
    /// In one of its own.
    #[cfg_attr(not(unix), expect(dead_code, reason = "processes are contained on Unix alone"))]
    Contained(Containment),
}

/// Where a plugin lives: the guest of now, and how it came to be.
#[derive(Debug)]
pub(crate) struct Lodging {
    pub(crate) name: String,
    pub(crate) options: PluginOptions,
    way: Way,
    room: Room<dyn Guest>,
    state: Mutex<State>,
    /// Used on the plugin's own thread alone.
    reader: Mutex<Reader>,
    /// How often this source was seen to be something else.
    revision: watch::Sender<u64>,
}

/// What is known of the files.
#[derive(Debug, Default)]
struct State {
    /// The files at the last look.
    looked: Option<[Stamp; 2]>,
    /// Why what is in the file now is not what runs.
    finding: Option<Diagnostic>,
    starts: Backoff,
}

impl Lodging {
    pub(crate) fn new(name: String, options: PluginOptions, way: Way) -> Lodging {
        let (room, reader) = (Room::new(), Mutex::new(Reader::new(&name)));
        Lodging { name, options, way, room, state: Mutex::default(), reader, revision: watch::Sender::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn reader(&self) -> MutexGuard<'_, Reader> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be told about the plugin itself.
    pub(crate) fn finding(&self) -> Option<Diagnostic> {
        self.state().finding.clone()
    }

    /// The guest, made of what is in the file now if somebody has approved that, else the one there is.
    ///
    /// Runs foreign code; called on the plugin's own thread, with no lock held meanwhile.
    pub(crate) fn guest(&self) -> Result<Arc<dyn Guest>, SourceError> {
        let stamps = self.stamps();
        let old = self.room.guest().map_err(closed)?.filter(|(guest, _)| guest.is_alive());
        if let Some((guest, _)) = &old
            && self.state().looked == Some(stamps)
        {
            return Ok(guest.clone());
        }
        let made = match self.options.admitted() {
            Ok(file) if old.as_ref().is_some_and(|(_, digest)| *digest == file.digest) => Ok(None),
            Ok(file) => self.open(&file).map(|guest| Some((guest, file.digest))),
            Err(error) => Err(error.into()),
        };
        let mut state = self.state();
        if state.looked.replace(stamps).is_some_and(|before| before != stamps) {
            // Whatever comes of it, it was worth a look.
            self.revision.send_modify(|revision| *revision += 1);
        }
        match (made, old) {
            (Ok(None), Some((old, _))) => {
                state.finding = None;
                Ok(old)
            }
            (Ok(Some((guest, digest))), _) => {
                state.finding = None;
                drop(state);
                retire(self.room.move_in(guest.clone(), digest));
                Ok(guest)
            }
            (Err(error), Some((old, _))) => {
                let message = format!("{error}; the one that was loaded before stays");
                state.finding = Some(Diagnostic::new(Code::PLUGIN_REPLACED, message));
                Ok(old)
            }
            (Err(error), None) => Err(error),
            (Ok(None), None) => unreachable!("nothing is left as it is where nothing was"),
        }
    }

    fn open(&self, file: &PluginFile) -> Result<Arc<dyn Guest>, SourceError> {
        let create = Create::new(self.name.as_str(), self.options.options.clone());
        let request = serde_json::to_vec(&create).expect("messages have text keys and no fallible parts");
        match &self.way {
            Way::Loaded => Ok(Arc::new(Instance::create(Library::load(file)?, &request)?)),
            #[cfg(unix)]
            Way::Contained(how) => {
                self.state().starts.begin(Instant::now()).map_err(|wait| {
                    let message = format!("the plugin's process ended again and again; it is started in {wait:.1?}");
                    SourceError::new(SourceErrorKind::Unavailable, message)
                })?;
                // What no machine could use needs no process to find out.
                crate::Inspection::of_file(file)?;
                Ok(Arc::new(crate::process::Process::start(how, file, &request, self.options.deadline())?))
            }
            #[cfg(not(unix))]
            Way::Contained(_) => unreachable!("processes are contained on Unix alone"),
        }
    }

    /// What stands for the files that decide what runs.
    fn stamps(&self) -> [Stamp; 2] {
        let approvals = self.options.approvals.as_deref().filter(|_| self.options.digest.is_none());
        [stamp(&self.options.path), approvals.map_or(Stamp::of(&()), stamp)]
    }

    /// The source's revision for one that `guest` told.
    ///
    /// It only ever counts: a guest may begin anew, or say a number that it said before.
    pub(crate) fn saw(&self, guest: &Arc<dyn Guest>, told: u64) -> Revision {
        if self.room.saw(guest, told) {
            self.revision.send_modify(|revision| *revision += 1);
        }
        Revision(*self.revision.borrow())
    }

    /// Resolves once this source is past `since`.
    pub(crate) async fn changed(self: &Arc<Lodging>, since: Revision) {
        let mut revision = self.revision.subscribe();
        loop {
            if *revision.borrow_and_update() > since.0 {
                return;
            }
            self.watch();
            if timeout(LOOK_EVERY, revision.changed()).await.is_err() && self.look().await {
                return;
            }
        }
    }

    /// Whether listing again would bring something that no guest tells.
    async fn look(self: &Arc<Lodging>) -> bool {
        let lodging = self.clone();
        let stamps = tokio::task::spawn_blocking(move || lodging.stamps()).await.ok();
        if let Some(guest) = self.room.waits_too_long(LOOK_EVERY + self.options.deadline()) {
            retire(Some(guest));
            return false;
        }
        let is_gone = self.room.guest().is_ok_and(|guest| guest.is_some_and(|(guest, _)| !guest.is_alive()));
        let state = self.state();
        let is_touched = stamps.is_some() && state.looked.is_some() && state.looked != stamps;
        let result = is_touched || (is_gone && state.starts.wait(Instant::now()).is_zero());
        drop(state);
        if result {
            self.revision.send_modify(|revision| *revision += 1);
        }
        result
    }

    /// Lets the guest wait for changes on a thread of its own, if it can and nobody does yet.
    fn watch(self: &Arc<Lodging>) {
        let Some(guest) = self.room.begin_wait(|guest| guest.is_alive() && guest.has("changes")) else { return };
        let (lodging, waiting) = (Arc::downgrade(self), guest.clone());
        let watch = move || while lodging.upgrade().is_some_and(|lodging| lodging.wait_on(&waiting)) {};
        if thread::Builder::new().name("plugin waits".to_owned()).spawn(watch).is_err() {
            self.room.end_wait(&guest);
        }
    }

    /// Waits once. Whether to wait again.
    fn wait_on(&self, guest: &Arc<dyn Guest>) -> bool {
        let Some(since) = self.room.wait_on(guest) else { return false };
        let request = serde_json::to_vec(&Wait::new(since, LOOK_EVERY)).expect("numbers are JSON");
        let waited = guest.call(Door::Wait, &request).and_then(|reply| reader::message::<Waited>(&reply));
        match waited {
            Ok(waited) => {
                if waited.revision > since {
                    self.saw(guest, waited.revision);
                    thread::sleep(LEAST_PAUSE);
                }
                true
            }
            Err(_) if guest.is_alive() => {
                thread::sleep(LOOK_EVERY);
                true
            }
            Err(_) => {
                self.room.end_wait(guest);
                self.revision.send_modify(|revision| *revision += 1);
                false
            }
        }
    }

    /// Ends what takes too long, by whatever means there are; nobody waits for that either.
    pub(crate) fn give_up(&self) {
        retire(self.room.guest().ok().flatten().map(|(guest, _)| guest));
    }

    /// Ends what runs. The guest is unmade when the last call returns.
    pub(crate) fn close(&self) {
        retire(self.room.close());
    }
}

fn closed(_: Closed) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, "the source is closed")
}

/// Asks what runs in a guest to end, without waiting for anything; the last who holds it unmakes it.
fn retire(guest: Option<Arc<dyn Guest>>) {
    if let Some(guest) = guest {
        aside(move || guest.stop());
    }
}

/// Does what may hang where nobody waits for it.
fn aside(work: impl FnOnce() + Send + 'static) {
    // Without a thread it is left undone: the guest stays, and nobody hangs.
    let _ = thread::Builder::new().name("plugin end".to_owned()).spawn(work);
}
