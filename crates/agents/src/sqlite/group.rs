//! One commit for the changes of several threads.
//!
//! A thread that waits for the connection joins the open transaction when its turn comes, and the last one commits. Each
//! change has a savepoint, so a refused change takes no other one back. No call returns before the commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rusqlite::Connection;

use crate::StoreError;

/// The most changes in one transaction, so that other processes get their turn.
const MOST_CHANGES: usize = 256;

/// A connection on which threads take turns.
pub(super) struct GroupedConnection {
    shared: Mutex<SharedConnection>,
    /// The threads that wait for their turn.
    waiting: AtomicUsize,
}

struct SharedConnection {
    connection: Connection,
    open: Option<OpenTransaction>,
}

struct OpenTransaction {
    outcome: Arc<CommitOutcome>,
    changes: usize,
}

/// The result of a commit, for which the threads of its changes wait.
#[derive(Default)]
struct CommitOutcome {
    result: Mutex<Option<Result<(), String>>>,
    known: Condvar,
}

impl GroupedConnection {
    pub(super) fn new(connection: Connection) -> Self {
        Self {
            shared: Mutex::new(SharedConnection {
                connection,
                open: None,
            }),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Runs `body` while no transaction is open.
    pub(super) fn alone<T>(
        &self,
        body: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut turn = self.turn();
        turn.shared.commit();
        body(&mut turn.shared.connection)
    }

    /// Runs `body` in a transaction that other threads may share, and waits for the commit.
    pub(super) fn grouped(
        &self,
        body: &mut dyn FnMut(&Connection) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut turn = self.turn();
        let outcome = turn.shared.begin()?;
        let result = turn.shared.change(body);
        drop(turn);
        // The change, or its refusal, may follow from changes of others, so it counts only with them.
        match (outcome.wait(), result) {
            (Err(error), Ok(())) => Err(StoreError::Database(error.into())),
            (_, result) => result,
        }
    }

    fn turn(&self) -> Turn<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let shared = self.shared.lock();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        Turn {
            shared,
            waiting: &self.waiting,
        }
    }
}

/// Exclusive use of the connection. The end of the last turn commits, also if its change panics.
struct Turn<'a> {
    shared: MutexGuard<'a, SharedConnection>,
    waiting: &'a AtomicUsize,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let changes = self.shared.open.as_ref().map_or(0, |open| open.changes);
        if self.waiting.load(Ordering::SeqCst) == 0 || changes >= MOST_CHANGES {
            self.shared.commit();
        }
    }
}

impl SharedConnection {
    /// Returns the outcome of the open transaction, and begins one if there is none.
    fn begin(&mut self) -> Result<Arc<CommitOutcome>, StoreError> {
        if let Some(open) = &self.open {
            return Ok(Arc::clone(&open.outcome));
        }
        run(&self.connection, "BEGIN IMMEDIATE")?;
        let outcome = Arc::default();
        self.open = Some(OpenTransaction {
            outcome: Arc::clone(&outcome),
            changes: 0,
        });
        Ok(outcome)
    }

    fn change(
        &mut self,
        body: &mut dyn FnMut(&Connection) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let savepoint = Savepoint::begin(&self.connection)?;
        let result = body(&self.connection).and_then(|()| savepoint.release());
        if let Some(open) = &mut self.open {
            open.changes += 1;
        }
        // SQLite ends a transaction by itself, for example if the disk is full.
        if let Err(error) = &result
            && self.connection.is_autocommit()
            && let Some(open) = self.open.take()
        {
            open.outcome.set(Err(describe(error)));
        }
        result
    }

    fn commit(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        let result = run(&self.connection, "COMMIT");
        if !self.connection.is_autocommit() {
            // The commit failed, and its error is what the callers get.
            let _ = run(&self.connection, "ROLLBACK");
        }
        open.outcome.set(result.map_err(|error| describe(&error)));
    }
}

/// A savepoint that rolls back when it is dropped. Its statements are prepared once, unlike those of rusqlite.
struct Savepoint<'c>(Option<&'c Connection>);

impl<'c> Savepoint<'c> {
    fn begin(connection: &'c Connection) -> Result<Self, StoreError> {
        run(connection, "SAVEPOINT change")?;
        Ok(Self(Some(connection)))
    }

    fn release(mut self) -> Result<(), StoreError> {
        let connection = self.0.expect("a savepoint is released once");
        run(connection, "RELEASE change")?;
        self.0 = None;
        Ok(())
    }
}

impl Drop for Savepoint<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.0 {
            // It fails if SQLite has ended the transaction.
            let _ = run(connection, "ROLLBACK TO change");
            let _ = run(connection, "RELEASE change");
        }
    }
}

fn run(connection: &Connection, statement: &str) -> Result<(), StoreError> {
    connection.prepare_cached(statement)?.execute([])?;
    Ok(())
}

fn describe(error: &StoreError) -> String {
    match error {
        StoreError::Database(source) => source.to_string(),
        other => other.to_string(),
    }
}

impl CommitOutcome {
    fn set(&self, result: Result<(), String>) {
        *self.result.lock() = Some(result);
        self.known.notify_all();
    }

    fn wait(&self) -> Result<(), String> {
        let mut result = self.result.lock();
        loop {
            match &*result {
                Some(result) => return result.clone(),
                None => self.known.wait(&mut result),
            }
        }
    }
}

#[cfg(test)]
mod tests;
