//! The audit log of a host of MCP servers.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::audit_store::{AuditFile, AuditStore, PREVIOUS, digest, read_all};

/// The number of rows that could not be written since the last one that was, and the last error.
type LostRows = Option<(u64, Arc<str>)>;

/// An append-only log of events: a file with one JSON object per line, or a [store](AuditStore) of the host. Cheap to clone; clones
/// are one log.
///
/// A file:
/// - Each row is one `write` to a file that is open for appending. On Unix its mode is 0600.
/// - A row has the time in milliseconds since 1970 (`at`), the `event`, the id of the `process`, and the facts of the event.
/// - `previous` is the SHA-256 of the line before. A changed or removed line breaks this chain. The last line is not protected.
/// - Several processes may write. A lock orders their rows.
/// - A row outlives a crash of the process. It is not synchronised to the disk, so a crash of the system may lose the last seconds.
/// - A file of 16 MiB is renamed to `NAME.1`, and older ones up to `NAME.8`. The ninth is removed. The chain continues.
///
/// Arguments of calls are left out, unless the operator [wants them](AuditLog::with_arguments).
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
    store: Arc<dyn AuditStore>,
    lost: Arc<Mutex<LostRows>>,
    has_arguments: bool,
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

    fn row(self, has_arguments: bool, lost: u64) -> Map<String, Value> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX));
        let mut row = Map::new();
        row.insert("at".to_owned(), at.into());
        row.insert("event".to_owned(), kind_name(self.kind).into());
        row.insert("process".to_owned(), std::process::id().into());
        row.extend(self.facts);
        if let Some(arguments) = self.arguments.filter(|_| has_arguments) {
            row.insert("arguments".to_owned(), arguments.into());
        }
        if lost > 0 {
            row.insert("lost".to_owned(), lost.into());
        }
        row
    }
}

impl AuditLog {
    /// Opens the log at `path`, which is created if it does not exist.
    ///
    /// # Errors
    /// The error of the file.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<AuditLog> {
        Ok(AuditLog::stored_by(AuditFile::open(path.into())?))
    }

    /// Creates a log whose rows a store of the host has.
    pub fn stored_by(store: impl AuditStore) -> AuditLog {
        AuditLog {
            store: Arc::new(store),
            lost: Arc::default(),
            has_arguments: false,
        }
    }

    /// Also records the arguments of calls, which may contain secrets.
    #[must_use]
    pub fn with_arguments(self) -> AuditLog {
        AuditLog {
            has_arguments: true,
            ..self
        }
    }

    pub(crate) fn has_arguments(&self) -> bool {
        self.has_arguments
    }

    /// Appends a row. If that fails, [`lost`](AuditLog::lost) counts it, and the next row has the number of lost ones.
    pub fn record(&self, event: AuditEvent) {
        let mut lost = self.lost.lock();
        let count = lost.as_ref().map_or(0, |(count, _)| *count);
        match self.store.append(event.row(self.has_arguments, count)) {
            Ok(()) => *lost = None,
            Err(error) => *lost = Some((count + 1, error.to_string().into())),
        }
    }

    /// Waits until every row is stored, at the end of a process.
    pub fn flush(&self) {
        self.store.flush();
    }

    /// Returns the number of rows that could not be written since the last one that was, and the last error.
    pub fn lost(&self) -> Option<(u64, Arc<str>)> {
        self.lost.lock().clone()
    }

    /// Reads the rows of the log at `path`, with those of its older files, in their order.
    ///
    /// # Errors
    /// The error of a file, except for one that does not exist.
    pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<AuditRow>> {
        let text = read_all(path.as_ref())?;
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

fn kind_name(kind: AuditKind) -> String {
    match serde_json::to_value(kind) {
        Ok(Value::String(name)) => name,
        _ => unreachable!("a kind is a word"),
    }
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLog")
            .field("has_arguments", &self.has_arguments)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
