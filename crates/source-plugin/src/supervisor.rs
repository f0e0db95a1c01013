//! The supervisor of a plugin: starts, replaces, restarts and stops its instance.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use repertoire_core::{Backoff, Code, Diagnostic, Revision, SourceError, SourceErrorKind, Stamp};
use repertoire_plugin_sdk::message::{Create, Wait, Waited};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::PluginOptions;
use crate::backend::{PluginBackend, PluginMethod};
use crate::file::{PluginFile, stamp};
use crate::library::{Library, LoadedInstance};
use crate::options::ProcessIsolation;
use crate::reader::{self, ListingReader};
use crate::slot::{InstanceSlot, SlotClosed};

/// The interval in which the file is checked while a caller waits for changes; also the length of one `wait` call.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The least time between two reported changes of one plugin.
const MIN_CHANGE_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) enum Isolation {
    None,
    #[cfg_attr(
        not(unix),
        expect(dead_code, reason = "processes are isolated on Unix alone")
    )]
    Process(ProcessIsolation),
}

/// The supervisor of a plugin.
#[derive(Debug)]
pub(crate) struct Supervisor {
    pub(crate) name: String,
    pub(crate) options: PluginOptions,
    isolation: Isolation,
    slot: InstanceSlot<dyn PluginBackend>,
    state: Mutex<FileState>,
    /// Used on the call thread alone.
    pub(crate) reader: Mutex<ListingReader>,
    revision: watch::Sender<u64>,
}

/// The last revisions of an instance and of the source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Revisions {
    reported: Option<u64>,
    source: Revision,
}

#[derive(Debug, Default)]
struct FileState {
    /// The plugin and its approvals when they were last read.
    stamps: Option<[Stamp; 2]>,
    /// The reason why the current content of the file does not run.
    diagnostic: Option<Diagnostic>,
    starts: Backoff,
}

impl Supervisor {
    pub(crate) fn new(name: String, options: PluginOptions, isolation: Isolation) -> Supervisor {
        let (slot, reader) = (InstanceSlot::new(), Mutex::new(ListingReader::new(&name)));
        let (state, revision) = (Mutex::default(), watch::Sender::new(0));
        Supervisor {
            name,
            options,
            isolation,
            slot,
            state,
            reader,
            revision,
        }
    }

    pub(crate) fn diagnostic(&self) -> Option<Diagnostic> {
        self.state.lock().diagnostic.clone()
    }

    /// Returns an instance of the file's current content if that is approved, else the running one.
    ///
    /// Runs foreign code, so it is called on the call thread and holds no lock during that.
    pub(crate) fn backend(&self) -> Result<Arc<dyn PluginBackend>, SourceError> {
        let stamps = self.stamps();
        let old = self
            .slot
            .current()
            .map_err(closed)?
            .filter(|(backend, _)| backend.is_alive());
        if let Some((backend, _)) = &old
            && self.state.lock().stamps == Some(stamps)
        {
            return Ok(backend.clone());
        }
        let made = match self.options.approved_file() {
            Ok(file)
                if old
                    .as_ref()
                    .is_some_and(|(_, digest)| *digest == file.digest) =>
            {
                Ok(None)
            }
            Ok(file) => self.open(&file).map(|backend| Some((backend, file.digest))),
            Err(error) => Err(error.into()),
        };
        let mut state = self.state.lock();
        if state
            .stamps
            .replace(stamps)
            .is_some_and(|before| before != stamps)
        {
            self.next_revision();
        }
        match (made, old) {
            (Ok(None), Some((old, _))) => {
                state.diagnostic = None;
                Ok(old)
            }
            (Ok(Some((backend, digest))), _) => {
                state.diagnostic = None;
                drop(state);
                stop_detached(self.slot.replace(backend.clone(), digest));
                Ok(backend)
            }
            (Err(error), Some((old, _))) => {
                let message = format!("{error}; the one that was loaded before stays");
                state.diagnostic = Some(Diagnostic::new(Code::PLUGIN_REPLACED, message));
                Ok(old)
            }
            (Err(error), None) => Err(error),
            (Ok(None), None) => unreachable!("nothing is unchanged where nothing was"),
        }
    }

    fn open(&self, file: &PluginFile) -> Result<Arc<dyn PluginBackend>, SourceError> {
        let create = Create::new(self.name.as_str(), self.options.options.clone());
        let request =
            serde_json::to_vec(&create).expect("messages have text keys and no fallible parts");
        match &self.isolation {
            Isolation::None => Ok(Arc::new(LoadedInstance::create(
                Library::load(file)?,
                &request,
            )?)),
            #[cfg(unix)]
            Isolation::Process(isolation) => {
                self.state.lock().starts.begin(Instant::now()).map_err(|wait| {
                    let message = format!("the plugin's process ended again and again; it is started in {wait:.1?}");
                    SourceError::new(SourceErrorKind::Unavailable, message)
                })?;
                // A file that no process could use needs none to find out.
                crate::Inspection::from_file(file)?;
                let deadline = self.options.deadline();
                Ok(Arc::new(crate::process::PluginProcess::start(
                    isolation, file, &request, deadline,
                )?))
            }
            #[cfg(not(unix))]
            Isolation::Process(_) => unreachable!("processes are isolated on Unix alone"),
        }
    }

    /// Returns fingerprints of the files that decide what runs.
    fn stamps(&self) -> [Stamp; 2] {
        let approvals = self
            .options
            .approvals
            .as_deref()
            .filter(|_| self.options.digest.is_none());
        [
            stamp(&self.options.path),
            approvals.map_or(Stamp::of(&()), stamp),
        ]
    }

    /// Returns the revisions before a listing is read.
    pub(crate) fn revisions(&self, backend: &Arc<dyn PluginBackend>) -> Revisions {
        let read = |reported: &mut Option<u64>| Revisions {
            reported: *reported,
            source: Revision(*self.revision.borrow()),
        };
        let revisions = self.slot.with_revision(backend, read);
        revisions.unwrap_or_else(|| read(&mut None))
    }

    /// Returns the revision of the source for a listing that was read after `before`.
    ///
    /// The source counts its own: an instance may repeat a number or begin again. A listing that was read while `wait` reported a
    /// change may lack the change, so it has the revision from before.
    pub(crate) fn record_listing(
        &self,
        backend: &Arc<dyn PluginBackend>,
        before: Revisions,
        listed: u64,
    ) -> Revision {
        let revision = self.slot.with_revision(backend, |reported| {
            if *reported != before.reported || *reported == Some(listed) {
                return before.source;
            }
            *reported = Some(listed);
            self.next_revision()
        });
        revision.unwrap_or(before.source)
    }

    /// Records the revision that `wait` reported, unless a listing has reported the same or a later one.
    fn record_wait(&self, backend: &Arc<dyn PluginBackend>, waited: u64) {
        self.slot.with_revision(backend, |reported| {
            if reported.is_none_or(|reported| reported < waited) {
                *reported = Some(waited);
                self.next_revision();
            }
        });
    }

    fn next_revision(&self) -> Revision {
        let mut next = Revision(0);
        self.revision.send_modify(|revision| {
            *revision += 1;
            next = Revision(*revision);
        });
        next
    }

    /// Completes once the revision of the source exceeds `since`.
    pub(crate) async fn changed(self: &Arc<Supervisor>, since: Revision) {
        let mut revision = self.revision.subscribe();
        loop {
            if *revision.borrow_and_update() > since.0 {
                return;
            }
            self.spawn_wait();
            if timeout(POLL_INTERVAL, revision.changed()).await.is_err() && self.poll().await {
                return;
            }
        }
    }

    /// Returns whether a new listing would have changes that no instance reports.
    async fn poll(self: &Arc<Supervisor>) -> bool {
        let supervisor = self.clone();
        let stamps = tokio::task::spawn_blocking(move || supervisor.stamps())
            .await
            .ok();
        if let Some(backend) = self
            .slot
            .take_overdue_wait(POLL_INTERVAL + self.options.deadline())
        {
            stop_detached(Some(backend));
            return false;
        }
        let has_ended = self
            .slot
            .current()
            .is_ok_and(|current| current.is_some_and(|(backend, _)| !backend.is_alive()));
        let state = self.state.lock();
        let is_touched = stamps.is_some() && state.stamps.is_some() && state.stamps != stamps;
        let has_changed = is_touched || (has_ended && state.starts.wait(Instant::now()).is_zero());
        drop(state);
        if has_changed {
            self.next_revision();
        }
        has_changed
    }

    /// Starts a thread that calls `wait` of the current instance, if it has that and no such thread runs.
    fn spawn_wait(self: &Arc<Supervisor>) {
        let found = self
            .slot
            .start_wait(|backend| backend.is_alive() && backend.has("changes"));
        let Some(backend) = found else { return };
        let (supervisor, waiting) = (Arc::downgrade(self), backend.clone());
        let thread = thread::Builder::new()
            .name("plugin waits".to_owned())
            .spawn(move || {
                while supervisor
                    .upgrade()
                    .is_some_and(|supervisor| supervisor.wait_once(&waiting))
                {}
            });
        if thread.is_err() {
            self.slot.end_wait(&backend);
        }
    }

    /// Returns whether to wait again.
    fn wait_once(&self, backend: &Arc<dyn PluginBackend>) -> bool {
        let Some(since) = self.slot.continue_wait(backend) else {
            return false;
        };
        let request =
            serde_json::to_vec(&Wait::new(since, POLL_INTERVAL)).expect("numbers are JSON");
        let waited = backend
            .call(PluginMethod::Wait, &request)
            .and_then(|reply| reader::message::<Waited>(&reply));
        match waited {
            Ok(waited) => {
                if waited.revision > since {
                    self.record_wait(backend, waited.revision);
                    thread::sleep(MIN_CHANGE_INTERVAL);
                }
                true
            }
            Err(_) if backend.is_alive() => {
                thread::sleep(POLL_INTERVAL);
                true
            }
            Err(_) => {
                self.slot.end_wait(backend);
                self.next_revision();
                false
            }
        }
    }

    /// Ends the calls in progress, without waiting for that.
    pub(crate) fn cancel(&self) {
        stop_detached(
            self.slot
                .current()
                .ok()
                .flatten()
                .map(|(backend, _)| backend),
        );
    }

    /// Stops the instance for good. It is dropped when its last call returns.
    pub(crate) fn close(&self) {
        stop_detached(self.slot.close());
    }
}

fn closed(_: SlotClosed) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, "the source is closed")
}

/// Stops an instance on a thread of its own, because `stop` and drop may hang. Without a thread the instance stays.
fn stop_detached(backend: Option<Arc<dyn PluginBackend>>) {
    if let Some(backend) = backend {
        let _ = thread::Builder::new()
            .name("plugin end".to_owned())
            .spawn(move || backend.stop());
    }
}
