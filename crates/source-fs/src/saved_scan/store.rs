//! The folder of saved scans.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use repertoire_core::Digest;

use super::{MAX_BYTES, SavedScan, record};
use crate::file;
use crate::file_system::FileSystem;
use crate::owner::FileOwner;
use crate::root::SearchPlan;
use crate::skill_files::SkillFileTable;
use crate::stamp::Identity;

/// The ending of the name of a saved scan.
const SCAN: &str = "scan";

/// The ending of the name of a file that is being written.
const PART: &str = "part";

/// The time after which a saved scan that was not written again is removed.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The time after which a file that is being written was left behind by a process that ended.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// A folder with the saved scans of one build of a program.
#[derive(Debug)]
pub(crate) struct ScanStore {
    folder: PathBuf,
    build: String,
    /// The time by which the clock of this store is ahead of the system's, in tests.
    ahead: Duration,
    fault: Mutex<Option<String>>,
}

impl ScanStore {
    pub(crate) fn new(folder: PathBuf, build: String) -> ScanStore {
        ScanStore {
            folder,
            build,
            ahead: Duration::ZERO,
            fault: Mutex::default(),
        }
    }

    /// Returns the same store with a clock that is ahead of the system's.
    #[cfg(test)]
    pub(super) fn ahead(self, ahead: Duration) -> ScanStore {
        ScanStore { ahead, ..self }
    }

    pub(crate) fn now(&self) -> SystemTime {
        SystemTime::now() + self.ahead
    }

    /// Returns the reason why the last scan was not read or not saved.
    pub(crate) fn fault(&self) -> Option<String> {
        self.fault.lock().clone()
    }

    /// Reads the saved scan of `plan`. A file that cannot be used counts as absent.
    pub(crate) fn load(&self, plan: &SearchPlan) -> Option<Arc<SavedScan>> {
        let path = self.path(plan);
        let read = match read(&path) {
            Ok(Some(bytes)) => {
                SavedScan::read(bytes, self.now()).map_err(|fault| fault.message().to_owned())
            }
            Ok(None) => return None,
            Err(error) => Err(file::cause(&error)),
        };
        read.map_err(|message| {
            let shown = file::shown(&path);
            *self.fault.lock() = Some(format!("`{shown}` is not used: {message}"));
        })
        .ok()
        .map(Arc::new)
    }

    /// Saves the scan with `files`, unless it is nearly `loaded`. A failure leaves what was saved before.
    pub(crate) fn save(
        &self,
        plan: &SearchPlan,
        files: &SkillFileTable,
        loaded: Option<&SavedScan>,
    ) {
        let devices = local_devices(plan);
        let states = files.iter().filter_map(|file| record::state_of(file));
        let states: Vec<_> = states
            .filter(|state| devices.contains(&state.device()))
            .collect();
        let is_kept = match loaded {
            Some(loaded) => loaded.is_nearly(states.len()),
            None => states.is_empty(),
        };
        if is_kept {
            return;
        }
        let Some(bytes) = SavedScan::write(&states, self.now()) else {
            return;
        };
        let path = self.path(plan);
        if let Err(error) = self.replace(&path, &bytes) {
            let (shown, cause) = (file::shown(&path), file::cause(&error));
            *self.fault.lock() = Some(format!("`{shown}` is not written: {cause}"));
        }
    }

    /// Returns the path of the saved scan of `plan`: a different build, user or configuration has a different file.
    pub(super) fn path(&self, plan: &SearchPlan) -> PathBuf {
        #[cfg(unix)]
        let user = rustix::process::geteuid().as_raw();
        #[cfg(not(unix))]
        let user = 0;
        let version = env!("CARGO_PKG_VERSION");
        let key = format!("{version}\n{}\n{user}\n{plan:?}", self.build);
        let name = Digest::of(key.as_bytes()).to_string();
        let name = name.trim_start_matches("sha256:");
        self.folder.join(format!("{name}.{SCAN}"))
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.folder)?;
        self.remove_old();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let part = path.with_extension(format!("{}-{number}.{PART}", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Not synchronised: the checksum finds what a crash of the system cuts off.
        let written = options
            .open(&part)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| fs::rename(&part, path));
        if written.is_err() {
            let _ = fs::remove_file(&part);
        }
        written
    }

    fn remove_old(&self) {
        for entry in self.folder.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            let limit = match ending(&path) {
                Some(SCAN) => UNUSED,
                Some(PART) => ABANDONED,
                _ => continue,
            };
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            let age = modified
                .ok()
                .and_then(|time| self.now().duration_since(time).ok());
            if age.is_some_and(|age| age > limit) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Removes every saved scan in `folder`. Returns their number and their size in bytes.
///
/// # Errors
/// The first file that cannot be removed. An absent folder has none.
#[doc(hidden)]
pub fn remove_saved_scans(folder: &Path) -> io::Result<(usize, u64)> {
    let (mut count, mut size) = (0, 0);
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if file::is_gone(&error) => return Ok((0, 0)),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if !matches!(ending(&path), Some(SCAN | PART)) {
            continue;
        }
        let length = entry.metadata().map_or(0, |metadata| metadata.len());
        match fs::remove_file(&path) {
            Ok(()) => (count, size) = (count + 1, size + length),
            Err(error) if file::is_gone(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((count, size))
}

fn ending(path: &Path) -> Option<&str> {
    path.extension()?.to_str()
}

/// Returns the bytes of the file at `path`, or `None` if there is none.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        file::careful_flags() | rustix::fs::OFlags::NOFOLLOW.bits().cast_signed(),
    );
    let mut file = match options.open(path) {
        Ok(file) => file,
        Err(error) if file::is_gone(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        let message = format!("expected a file of at most {MAX_BYTES} bytes");
        return Err(io::Error::other(message));
    }
    if let Some(reason) = FileOwner::of(&metadata).distrust(path) {
        return Err(io::Error::other(format!("it {reason}")));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    (&mut file).take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Returns the devices of the starts whose files change here only, and get a new change time then.
fn local_devices(plan: &SearchPlan) -> HashSet<u64> {
    let paths = plan.starts.iter().map(|start| start.path.as_path());
    let local = paths.filter(|path| FileSystem::of(path) == FileSystem::Local);
    let devices = local.filter_map(|path| {
        let metadata = path.metadata().ok()?;
        Some(Identity::of(path, &metadata).device())
    });
    devices.collect()
}
