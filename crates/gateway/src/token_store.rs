//! Access tokens of the HTTP server.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use repertoire::skill::Digest;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// The requests that a token allows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "scope", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TokenScope {
    /// Requests that change nothing: `GET` below `/api/v1`, and `/metrics`.
    Read,
    /// All requests.
    Operate,
    /// Requests of one agent about itself: MCP, and its own state.
    Agent {
        /// The id of the agent.
        agent: Arc<str>,
        /// The epoch in which the token is valid.
        epoch: u64,
    },
}

/// A token without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NamedToken {
    /// The name, unique in its store.
    pub name: Arc<str>,
    /// The requests that it allows.
    #[serde(flatten)]
    pub scope: TokenScope,
    /// The time from which it is refused, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<u64>,
}

impl NamedToken {
    /// Creates a token that does not expire.
    pub fn new(name: impl Into<Arc<str>>, scope: TokenScope) -> NamedToken {
        NamedToken {
            name: name.into(),
            scope,
            expires_at: None,
        }
    }

    /// Limits the time in which it is valid, from now on.
    #[must_use]
    pub fn lifetime(mut self, time: Duration) -> NamedToken {
        self.expires_at = Some(now().saturating_add(time.as_secs()));
        self
    }
}

/// The tokens of a gateway: those of a file, and those of agents, which end with the process. Cheap to clone; clones are one store.
///
/// A store has digests (SHA-256) only, and compares in constant time. A file that another process changed is read again.
/// Without a file nothing is stored, and tokens of every scope end with the process.
///
/// ```
/// use repertoire_gateway::{NamedToken, TokenScope, TokenStore};
///
/// let tokens = TokenStore::default();
/// let text = tokens.issue(NamedToken::new("monitor", TokenScope::Read))?;
/// assert_eq!(tokens.scope(&text), Some(TokenScope::Read));
/// assert!(tokens.revoke("monitor")?);
/// assert_eq!(tokens.scope(&text), None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct TokenStore(Arc<StoredTokens>);

#[derive(Debug, Default)]
struct StoredTokens {
    path: Option<PathBuf>,
    state: Mutex<TokenTable>,
}

#[derive(Debug, Default)]
struct TokenTable {
    /// The rows of the file, as far as it could be read.
    saved: Vec<TokenRow>,
    /// The rows of this process.
    own: Vec<TokenRow>,
    /// The version of the file that was read, if there is a file.
    version: Option<FileVersion>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct TokenRow {
    #[serde(flatten)]
    token: NamedToken,
    digest: Digest,
}

/// The content of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct TokenFile {
    tokens: Vec<TokenRow>,
}

/// The facts that differ after a file was replaced or its mode was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileVersion {
    modified: Option<SystemTime>,
    length: u64,
    #[cfg(unix)]
    inode: u64,
    /// A change of the mode does not change the content.
    #[cfg(unix)]
    mode: u32,
    /// The time of the last change of content or facts, in seconds and nanoseconds.
    #[cfg(unix)]
    changed: (i64, i64),
}

/// The start of every token, by which scanners for secrets find it.
const PREFIX: &str = "repertoire_";

impl TokenStore {
    /// Creates the store of the file at `path`, which [`issue`](TokenStore::issue) creates. With the file, a token is required.
    pub fn open(path: impl Into<PathBuf>) -> TokenStore {
        TokenStore(Arc::new(StoredTokens {
            path: Some(path.into()),
            state: Mutex::default(),
        }))
    }

    /// Adds a token, and returns its text, which is not stored.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists) for a name that is used, and the errors of the file.
    pub fn issue(&self, token: NamedToken) -> io::Result<String> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let digits = random.iter().map(|byte| format!("{byte:02x}"));
        let text = format!("{PREFIX}{}", digits.collect::<String>());
        let row = TokenRow {
            digest: Digest::of(text.as_bytes()),
            token,
        };
        self.change(row.token.scope.storage(), |rows| {
            if rows.iter().any(|other| other.token.name == row.token.name) {
                let message = format!("there is a token `{}`", row.token.name);
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
            }
            rows.push(row);
            Ok(())
        })?;
        Ok(text)
    }

    /// Returns all tokens in the order in which they were issued, those of agents last.
    ///
    /// # Errors
    /// Those of the file.
    pub fn tokens(&self) -> io::Result<Vec<NamedToken>> {
        let saved = self.read()?.tokens;
        let own = self.0.state.lock().own.clone();
        let rows = saved.into_iter().chain(own);
        Ok(rows.map(|row| row.token).collect())
    }

    /// Removes the token of this name. Returns `false` if there is none.
    ///
    /// # Errors
    /// Those of the file.
    pub fn revoke(&self, name: &str) -> io::Result<bool> {
        let remove = |rows: &mut Vec<TokenRow>| {
            let before = rows.len();
            rows.retain(|row| &*row.token.name != name);
            Ok(rows.len() < before)
        };
        let is_own = self.change(Storage::Process, remove)?;
        let has_file = self.0.path.as_ref().is_some_and(|path| path.exists());
        Ok(is_own || has_file && self.change(Storage::File, remove)?)
    }

    /// Returns the scope of a valid token. A file that cannot be read has no valid token.
    #[doc(hidden)]
    pub fn scope(&self, text: &str) -> Option<TokenScope> {
        let digest = Digest::of(text.as_bytes());
        let mut state = self.0.state.lock();
        self.follow(&mut state);
        let rows = state.saved.iter().chain(&state.own);
        // All rows are compared, so that the time says nothing about any.
        let equal = rows.filter(|row| row.digest.as_bytes().ct_eq(digest.as_bytes()).into());
        let token = &equal.fold(None, |_, row| Some(row))?.token;
        let is_expired = token.expires_at.is_some_and(|time| time <= now());
        (!is_expired).then(|| token.scope.clone())
    }

    /// Returns whether a request needs a token: with a file, and with a token that is not an agent's.
    pub(crate) fn is_required(&self) -> bool {
        let mut state = self.0.state.lock();
        self.follow(&mut state);
        let is_of_operator = |row: &TokenRow| row.token.scope.storage() == Storage::File;
        state.version.is_some() || state.own.iter().any(is_of_operator)
    }

    /// Changes the rows of a storage. Without a file, all rows are in the process.
    fn change<T>(
        &self,
        storage: Storage,
        change: impl FnOnce(&mut Vec<TokenRow>) -> io::Result<T>,
    ) -> io::Result<T> {
        let Some(path) = self.0.path.as_deref().filter(|_| storage == Storage::File) else {
            return change(&mut self.0.state.lock().own);
        };
        let _lock = lock(path)?;
        let mut file = self.read()?;
        let changed = change(&mut file.tokens)?;
        write(path, &file)?;
        Ok(changed)
    }

    fn read(&self) -> io::Result<TokenFile> {
        match self.0.path.as_deref().map(read) {
            Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Some(Ok(file)) => Ok(file),
            _ => Ok(TokenFile::default()),
        }
    }

    /// Reads the file again if it is a different one.
    fn follow(&self, state: &mut TokenTable) {
        let Some(path) = &self.0.path else { return };
        let version = FileVersion::of(path);
        if state.version == version {
            return;
        }
        state.saved = self.read().unwrap_or_default().tokens;
        state.version = version;
    }
}

/// The place of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    File,
    Process,
}

impl TokenScope {
    fn storage(&self) -> Storage {
        match self {
            TokenScope::Agent { .. } => Storage::Process,
            TokenScope::Read | TokenScope::Operate => Storage::File,
        }
    }
}

impl FileVersion {
    /// Returns the version of the file at `path`. A file whose facts are unknown has one too.
    fn of(path: &Path) -> Option<FileVersion> {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt;

        let facts = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            facts => facts.ok(),
        };
        let facts = facts.as_ref();
        Some(FileVersion {
            modified: facts.and_then(|facts| facts.modified().ok()),
            length: facts.map_or(0, fs::Metadata::len),
            #[cfg(unix)]
            inode: facts.map_or(0, MetadataExt::ino),
            #[cfg(unix)]
            mode: facts.map_or(0, MetadataExt::mode),
            #[cfg(unix)]
            changed: facts.map_or((0, 0), |facts| (facts.ctime(), facts.ctime_nsec())),
        })
    }
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// Reads the file at `path`, which other users must not be able to read.
fn read(path: &Path) -> io::Result<TokenFile> {
    let file = File::open(path)?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&file.metadata()?) & 0o077 != 0 {
        let message = format!(
            "other users can read `{}`: its mode must be 0600",
            path.display()
        );
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    serde_json::from_reader(io::BufReader::new(file)).map_err(io::Error::from)
}

/// Replaces the file at `path`.
fn write(path: &Path, content: &TokenFile) -> io::Result<()> {
    let new = path.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private(OpenOptions::new().write(true).create_new(true)).open(&new)?;
    serde_json::to_writer_pretty(&mut file, content)?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&new, path)
}

/// Waits until no other process changes the file at `path`.
fn lock(path: &Path) -> io::Result<File> {
    let path = path.with_extension("lock");
    let lock = private(OpenOptions::new().write(true).create(true)).open(path)?;
    lock.lock()?;
    Ok(lock)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
