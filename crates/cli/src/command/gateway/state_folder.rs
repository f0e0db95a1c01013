//! The state folder of a gateway: its lock, and its state for other commands.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::gateway_output::{GatewayListOutput, SavedState};
use crate::failure::Failure;
#[cfg(unix)]
use crate::options::SOCKET;

/// A locked state folder. The lock ends with the process.
#[derive(Debug)]
pub(super) struct StateFolder {
    path: PathBuf,
    _lock: File,
}

const LOCK: &str = "lock";
const STATE: &str = "state.json";
const LISTS: &str = "registries.json";

/// The number of attempts to lock a folder, with a pause after each.
const TRIES: usize = 10;

const PAUSE: Duration = Duration::from_millis(20);

impl StateFolder {
    /// Locks the folder at `path`, which is created if it does not exist.
    pub(super) fn lock(path: &Path) -> Result<StateFolder, Failure> {
        let cannot =
            |error: io::Error| Failure::io(format!("cannot use `{}`", path.display()), &error);
        create(path).map_err(cannot)?;
        let lock = open_lock(path).map_err(cannot)?;
        // A command that reads the state holds the lock for a moment.
        for _ in 0..TRIES {
            match lock.try_lock() {
                Ok(()) => {
                    return Ok(StateFolder {
                        path: path.to_owned(),
                        _lock: lock,
                    });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(cannot(error)),
            }
        }
        let message = format!("another gateway uses `{}`", path.display());
        let help = "stop it with `repertoire gateway stop`, or pass another `--state-dir`";
        Err(Failure::new(message).help(help))
    }

    /// Returns the path of the Unix socket.
    #[cfg(unix)]
    pub(super) fn socket_path(&self) -> PathBuf {
        self.path.join(SOCKET)
    }

    /// Replaces the state that other commands read.
    pub(super) fn save(&self, state: &SavedState) -> Result<(), Failure> {
        self.replace(STATE, state)
    }

    /// Replaces the lists that other commands read.
    pub(super) fn save_lists(&self, lists: &GatewayListOutput) -> Result<(), Failure> {
        self.replace(LISTS, lists)
    }

    fn replace(&self, name: &str, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_vec(value).expect("it has text keys");
        let (new, path) = (self.path.join(format!("{name}.new")), self.path.join(name));
        let saved = fs::write(&new, text).and_then(|()| fs::rename(&new, &path));
        saved.map_err(|error| Failure::io(format!("cannot write `{}`", path.display()), &error))
    }

    /// Returns the state of the gateway that has locked the folder at `path`, or `None` if there is none.
    pub(super) fn read(path: &Path) -> Result<Option<SavedState>, Failure> {
        read_locked(path, STATE)
    }

    /// Returns the lists of the gateway that has locked the folder at `path`, or `None` if there is none.
    pub(super) fn read_lists(path: &Path) -> Result<Option<GatewayListOutput>, Failure> {
        read_locked(path, LISTS)
    }
}

/// Reads a file of a folder that is locked.
fn read_locked<T: DeserializeOwned>(path: &Path, name: &str) -> Result<Option<T>, Failure> {
    let cannot =
        |error: io::Error| Failure::io(format!("cannot read `{}`", path.display()), &error);
    let lock = match OpenOptions::new().read(true).open(path.join(LOCK)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(cannot)?,
    };
    match lock.try_lock_shared() {
        Ok(()) => return Ok(None),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => return Err(cannot(error)),
    }
    let text = fs::read(path.join(name)).map_err(cannot)?;
    let value = serde_json::from_slice(&text).map_err(|error| cannot(error.into()))?;
    Ok(Some(value))
}

/// Returns the path of the access tokens in the state folder at `path`.
pub(super) fn token_path(path: &Path) -> PathBuf {
    path.join("tokens.json")
}

/// Creates the folder at `path`, for its owner only, if it does not exist.
pub(super) fn create(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path.join(LOCK))
}
