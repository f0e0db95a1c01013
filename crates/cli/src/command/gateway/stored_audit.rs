//! The audit log in the store of the agents.

use std::io;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use repertoire_agents::{AgentStore, StoreError};
use repertoire_mcp_servers::AuditStore;
use serde_json::{Map, Value};

use crate::command::agents::StorePlace;
use crate::failure::Failure;

/// The party of the rows of gateways and runs.
const PARTY: &str = "gateway";

/// The most rows that wait for the store. More are lost, and counted.
const MOST_WAITING: usize = 4096;

/// The most rows of one transaction.
const MOST_AT_ONCE: usize = 256;

/// The time for which the end of a process waits for the store.
const PATIENCE: Duration = Duration::from_secs(10);

/// A row, or a request to answer once all rows before it are stored.
enum Message {
    Row(Map<String, Value>),
    Flush(Sender<()>),
}

/// The writer of rows into a store, in a thread of its own: a store waits for the disk, and a call must not.
///
/// A row that is not stored when the process is killed is lost.
pub(super) struct StoredAudit {
    /// Absent while it is dropped.
    rows: Option<SyncSender<Message>>,
    writer: Option<JoinHandle<()>>,
}

impl StoredAudit {
    /// Opens the store at `place`.
    pub(super) fn open(place: StorePlace) -> Result<StoredAudit, Failure> {
        let (rows, received) = sync_channel(MOST_WAITING);
        let (opened, opening) = channel();
        let writer = std::thread::spawn(move || match place.open() {
            Ok(store) => {
                let _ = opened.send(Ok(()));
                write_rows(store.as_ref(), &received);
            }
            Err(failure) => {
                let _ = opened.send(Err(failure));
            }
        });
        let opened = opening.recv().unwrap_or_else(|_| {
            let failure = Failure::new("the store of the agents was not opened");
            Err(failure.help("check it with `repertoire agents audit verify`"))
        });
        opened.map(|()| StoredAudit {
            rows: Some(rows),
            writer: Some(writer),
        })
    }
}

impl AuditStore for StoredAudit {
    fn append(&self, row: Map<String, Value>) -> io::Result<()> {
        let Some(rows) = &self.rows else {
            return Err(io::Error::other("the log is closed"));
        };
        rows.try_send(Message::Row(row))
            .map_err(|error| match error {
                TrySendError::Full(_) => io::Error::other("the store is too slow"),
                TrySendError::Disconnected(_) => io::Error::other("the writer has ended"),
            })
    }

    fn flush(&self) {
        let (flushed, flushing) = channel();
        if let Some(rows) = &self.rows
            && rows.send(Message::Flush(flushed)).is_ok()
        {
            let _ = flushing.recv_timeout(PATIENCE);
        }
    }
}

impl Drop for StoredAudit {
    fn drop(&mut self) {
        self.rows = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// Writes rows until no sender is left. A row that the store refuses is counted in the next one.
fn write_rows(store: &dyn AgentStore, received: &Receiver<Message>) {
    let mut lost = 0;
    while let Ok(first) = received.recv() {
        let (mut events, mut flushed) = (Vec::new(), None);
        for message in std::iter::once(first).chain(received.try_iter()) {
            match message {
                Message::Row(row) => events.push(event_of(row, std::mem::take(&mut lost))),
                Message::Flush(sender) => flushed = Some(sender),
            }
            if flushed.is_some() || events.len() == MOST_AT_ONCE {
                break;
            }
        }
        if !events.is_empty() && store.record_events(PARTY, &events).is_err() {
            let counts = events
                .iter()
                .map(|(_, _, detail)| 1 + count(detail.get("lost")));
            lost += counts.sum::<u64>();
        }
        if let Some(flushed) = flushed {
            let _ = flushed.send(());
        }
    }
}

fn count(lost: Option<&Value>) -> u64 {
    lost.and_then(Value::as_u64).unwrap_or_default()
}

fn event_of(mut row: Map<String, Value>, lost: u64) -> (u64, String, Value) {
    let at = row.remove("at").and_then(|at| at.as_u64());
    let event = row.remove("event");
    let event = event.as_ref().and_then(Value::as_str).unwrap_or_default();
    let lost = lost + count(row.get("lost"));
    if lost > 0 {
        row.insert("lost".to_owned(), lost.into());
    }
    (at.unwrap_or_default(), event.to_owned(), row.into())
}

/// The rows of gateways and runs in a store.
pub(super) struct StoredRows {
    pub(super) rows: Vec<Map<String, Value>>,
    /// The number of the first row of the whole store that is missing or was changed.
    pub(super) first_bad: Option<u64>,
}

impl StoredRows {
    /// Reads the rows of the store at `place`, if it exists.
    pub(super) fn read(place: Option<StorePlace>) -> Result<Option<StoredRows>, Failure> {
        match place {
            Some(StorePlace::File(path)) if !path.exists() => Ok(None),
            Some(place) => place.with_store(StoredRows::of).map(Some),
            None => Ok(None),
        }
    }

    fn of(store: &dyn AgentStore) -> Result<StoredRows, Failure> {
        let first_bad = match store.verify_audit() {
            Ok(_) => None,
            Err(StoreError::Tampered { seq }) => Some(seq),
            Err(error) => return Err(error.into()),
        };
        let entries = store.audit(PARTY)?.into_iter();
        let rows = entries.map(|entry| {
            let mut row = Map::new();
            row.insert("at".to_owned(), entry.at.into());
            row.insert("event".to_owned(), entry.event.into());
            let detail = serde_json::from_str::<Map<String, Value>>(&entry.detail);
            row.extend(detail.unwrap_or_default());
            row
        });
        Ok(StoredRows {
            rows: rows.collect(),
            first_bad,
        })
    }
}
