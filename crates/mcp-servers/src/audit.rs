//! The audit log of a host of MCP servers: a file of JSON lines.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use repertoire_core::Digest;
use serde::Serialize;
use serde_json::{Map, Value};

/// The size at which a file is moved aside.
const MOST_BYTES: u64 = 16 << 20;

/// The number of files that are kept besides the current one.
const OLDER_FILES: usize = 8;

const PREVIOUS: &str = "previous";

/// An append-only log of events: one JSON object per line. Cheap to clone; clones are one log.
///
/// - Each row is one `write` to a file that is open for appending. On Unix its mode is 0600.
/// - A row has the time in milliseconds since 1970 (`at`), the `event`, the id of the `process`, and the facts of the event.
/// - `previous` is the SHA-256 of the line before. A changed or removed line breaks this chain. The last line is not protected.
/// - Several processes may write. A lock orders their rows.
/// - A row outlives a crash of the process. It is not synchronised to the disk, so a crash of the system may lose the last seconds.
/// - A file of 16 MiB is renamed to `NAME.1`, and older ones up to `NAME.8`. The ninth is removed. The chain continues.
/// - Arguments of calls are left out, unless the operator [wants them](AuditLog::with_arguments).
///
/// ```
/// use repertoire_mcp_servers::{AuditEvent, AuditKind, AuditLog};
///
/// let folder = tempfile::tempdir()?;
/// let log = AuditLog::open(folder.path().join("audit.jsonl"))?;
/// log.record(AuditEvent::new(AuditKind::Called).fact("server", "time").fact("tool", "now"));
///
/// let rows = AuditLog::read(folder.path().join("audit.jsonl"))?;
/// assert_eq!((rows[0].fields["tool"].as_str(), rows[0].is_chained), (Some("now"), true));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct AuditLog {
    path: Arc<Path>,
    open: Arc<Mutex<OpenLog>>,
    has_arguments: bool,
}

struct OpenLog {
    file: File,
    /// The end of the last row that this process knows, and its digest.
    length: u64,
    previous: String,
    lost: Option<(u64, Arc<str>)>,
}

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum AuditKind {
    /// A gateway or a run started.
    Started,
    /// A gateway or a run ended.
    Stopped,
    /// A configuration was read again, applied or not.
    Reloaded,
    /// A session activated a skill.
    Activated,
    /// A session deactivated a skill.
    Deactivated,
    /// A call was passed to a server.
    Called,
    /// A call was refused.
    Denied,
    /// A person or a grant allowed a call.
    Approved,
    /// A person refused a call.
    Declined,
}

/// An event that is not recorded yet.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    kind: AuditKind,
    facts: Map<String, Value>,
    arguments: Option<Map<String, Value>>,
}

/// A row of a log.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuditRow {
    /// The fields, empty for a line that is not a JSON object.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
    /// `true` if the row names the digest of the line before it. The first row that is left has no line before it.
    #[serde(skip)]
    pub is_chained: bool,
}

impl AuditEvent {
    /// Creates an event without facts.
    pub fn new(kind: AuditKind) -> AuditEvent {
        AuditEvent {
            kind,
            facts: Map::new(),
            arguments: None,
        }
    }

    /// Adds a fact, unless it is null.
    #[must_use]
    pub fn fact(mut self, name: &str, value: impl Into<Value>) -> AuditEvent {
        let value = value.into();
        if !value.is_null() {
            self.facts.insert(name.to_owned(), value);
        }
        self
    }

    /// Adds the arguments of a call, for a log [with arguments](AuditLog::with_arguments).
    #[must_use]
    pub fn arguments(mut self, arguments: &Map<String, Value>) -> AuditEvent {
        self.arguments = Some(arguments.clone());
        self
    }
}

impl AuditLog {
    /// Opens the log at `path`, which is created if it does not exist.
    ///
    /// # Errors
    /// The error of the file.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<AuditLog> {
        let path = path.into();
        let open = OpenLog {
            file: open_file(&path)?,
            length: 0,
            previous: String::new(),
            lost: None,
        };
        Ok(AuditLog {
            path: path.into(),
            open: Arc::new(Mutex::new(open)),
            has_arguments: false,
        })
    }

    /// Also records the arguments of calls, which may contain secrets.
    #[must_use]
    pub fn with_arguments(self) -> AuditLog {
        AuditLog {
            has_arguments: true,
            ..self
        }
    }

    /// Appends a row. If that fails, [`lost`](AuditLog::lost) counts it, and the next row has the number of lost ones.
    pub fn record(&self, event: AuditEvent) {
        let mut open = self.open.lock();
        match open.append(&self.path, self.has_arguments, event) {
            Ok(()) => open.lost = None,
            Err(error) => {
                let count = open.lost.as_ref().map_or(0, |(count, _)| *count);
                open.lost = Some((count + 1, error.to_string().into()));
            }
        }
    }

    /// Returns the number of rows that could not be written since the last one that was, and the last error.
    pub fn lost(&self) -> Option<(u64, Arc<str>)> {
        self.open.lock().lost.clone()
    }

    /// Reads the rows of the log at `path`, with those of its older files, in their order.
    ///
    /// # Errors
    /// The error of a file, except for one that does not exist.
    pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<AuditRow>> {
        let path = path.as_ref();
        let mut text = Vec::new();
        let older = (1..=OLDER_FILES).rev().map(|age| older_path(path, age));
        for file in older.chain([path.to_owned()]) {
            match fs::read(file) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                read => text.extend(read?),
            }
        }
        let mut rows = Vec::new();
        let mut previous: Option<String> = None;
        for line in text.split(|byte| *byte == b'\n') {
            if line.is_empty() {
                continue;
            }
            let fields: Map<String, Value> = serde_json::from_slice(line).unwrap_or_default();
            let named = fields.get(PREVIOUS).and_then(Value::as_str);
            let is_chained = match &previous {
                Some(previous) => named == Some(previous),
                None => named.is_some(),
            };
            rows.push(AuditRow { fields, is_chained });
            previous = Some(digest(line));
        }
        Ok(rows)
    }
}

impl OpenLog {
    fn append(&mut self, path: &Path, has_arguments: bool, event: AuditEvent) -> io::Result<()> {
        self.lock(path)?;
        let written = self.append_locked(path, has_arguments, event);
        let unlocked = self.file.unlock();
        written.and(unlocked)
    }

    /// Locks the file at `path`. A different process may have moved the one that is open.
    fn lock(&mut self, path: &Path) -> io::Result<()> {
        loop {
            self.file.lock()?;
            if is_at(&self.file, path) {
                return Ok(());
            }
            self.file = open_file(path)?;
            self.length = 0;
        }
    }

    fn append_locked(
        &mut self,
        path: &Path,
        has_arguments: bool,
        event: AuditEvent,
    ) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        if length != self.length || length == 0 {
            self.previous = last_line(&mut self.file, path)?;
        }
        self.length = length;
        let line = self.line(has_arguments, event);
        if length + line.len() as u64 > MOST_BYTES && length > 0 {
            move_aside(path)?;
            self.file = open_file(path)?;
            self.file.lock()?;
            self.length = 0;
        }
        let count = self.file.write(line.as_bytes())?;
        self.length += count as u64;
        self.previous = digest(line.trim_end().as_bytes());
        if count == line.len() {
            return Ok(());
        }
        // What was written is a broken line, which the next row ends.
        self.length = 0;
        Err(ErrorKind::WriteZero.into())
    }

    fn line(&self, has_arguments: bool, event: AuditEvent) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX));
        let mut row = Map::new();
        row.insert("at".to_owned(), at.into());
        row.insert("event".to_owned(), kind_name(event.kind).into());
        row.insert("process".to_owned(), std::process::id().into());
        row.extend(event.facts);
        if let Some(arguments) = event.arguments.filter(|_| has_arguments) {
            row.insert("arguments".to_owned(), arguments.into());
        }
        if let Some((count, _)) = &self.lost {
            row.insert("lost".to_owned(), (*count).into());
        }
        row.insert(PREVIOUS.to_owned(), self.previous.as_str().into());
        Value::Object(row).to_string() + "\n"
    }
}

fn kind_name(kind: AuditKind) -> String {
    match serde_json::to_value(kind) {
        Ok(Value::String(name)) => name,
        _ => unreachable!("a kind is a word"),
    }
}

fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let (Ok(open), Ok(named)) = (file.metadata(), fs::metadata(path)) else {
        return false;
    };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

fn older_path(path: &Path, age: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{age}"));
    name.into()
}

fn move_aside(path: &Path) -> io::Result<()> {
    for age in (1..OLDER_FILES).rev() {
        match fs::rename(older_path(path, age), older_path(path, age + 1)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            moved => moved?,
        }
    }
    fs::rename(path, older_path(path, 1))
}

/// Returns the digest of the last line, and ends a line that a crash of the system left open. A new file continues the older one.
fn last_line(file: &mut File, path: &Path) -> io::Result<String> {
    let mut text = tail(file)?;
    if text.is_empty() {
        match File::open(older_path(path, 1)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            older => text = tail(&mut older?)?,
        }
    } else if !text.ends_with(b"\n") {
        file.write_all(b"\n")?;
    }
    let line = text.strip_suffix(b"\n").unwrap_or(&text);
    match line.rsplit(|byte| *byte == b'\n').next() {
        Some(line) if !line.is_empty() => Ok(digest(line)),
        _ => Ok(String::new()),
    }
}

/// Returns the end of the file, with at least one whole line.
fn tail(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let mut size = 4096;
    loop {
        let start = length.saturating_sub(size);
        file.seek(SeekFrom::Start(start))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let ends = text.iter().filter(|byte| **byte == b'\n').count();
        if start == 0 || ends > 1 {
            return Ok(text);
        }
        size *= 4;
    }
}

fn digest(line: &[u8]) -> String {
    let digest = Digest::of(line);
    let bytes = digest.as_bytes().iter();
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLog")
            .field("path", &self.path)
            .field("has_arguments", &self.has_arguments)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
