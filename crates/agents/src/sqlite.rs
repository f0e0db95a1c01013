//! A store in a SQLite file.

mod group;
mod schema;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, OpenFlags, Row, ToSql, params_from_iter};

use self::group::GroupedConnection;
use crate::sql::{SqlConnection, SqlRow, SqlTransaction, SqlValue};
use crate::transaction::{AgentTransaction, TransactionKind, TransactionalStorage};
use crate::{AgentStore, StoreError};

/// The time for which a writer waits for the writer of a different process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A store in one SQLite file, which several processes of one host may share.
///
/// - The file has a write-ahead log, and each change reaches the disk before the call returns.
/// - Changes of several threads share a commit: threads that wait while a change runs join its transaction.
/// - Triggers refuse illegal states and changes of the audit log, also to other programs.
///
/// ```no_run
/// use repertoire_agents::{AgentStore, SqliteAgentStore};
///
/// let store = SqliteAgentStore::open("agents.db")?;
/// for agent in store.agents()? {
///     println!("{} is {}", agent.id, agent.state);
/// }
/// # Ok::<(), repertoire_agents::StoreError>(())
/// ```
pub struct SqliteAgentStore {
    path: PathBuf,
    connection: GroupedConnection,
}

impl SqliteAgentStore {
    /// Opens the file, and creates it if it does not exist.
    ///
    /// A file of an older version is copied to `FILE.vN.bak`, then changed to the current version.
    ///
    /// # Errors
    /// Fails if the file has a newer version, is not a database of agents, is read-only, or cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = Connection::open_with_flags(path, flags)?;
        // SQLite opens a protected file for reading only, and then fails at the first change.
        if connection.is_readonly("main")? {
            let path = path.display();
            let message = format!("expected a file that can be written, and `{path}` is read-only");
            return Err(StoreError::Refused(message));
        }
        connection.busy_timeout(BUSY_TIMEOUT)?;
        schema::migrate(&mut connection, path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(Self {
            path: path.to_owned(),
            connection: GroupedConnection::new(connection),
        })
    }

    /// Sets that a crash of the system may lose the last changes, and never the order of changes.
    ///
    /// # Errors
    /// Fails if the database fails.
    #[doc(hidden)]
    pub fn without_sync(self) -> Result<Self, StoreError> {
        self.connection
            .alone(|connection| Ok(connection.pragma_update(None, "synchronous", "NORMAL")?))?;
        Ok(self)
    }
}

impl fmt::Debug for SqliteAgentStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteAgentStore")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl AgentStore for SqliteAgentStore {}

impl TransactionalStorage for SqliteAgentStore {
    fn transact(
        &self,
        kind: TransactionKind,
        body: &mut dyn FnMut(&mut dyn AgentTransaction) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut on = |connection: &Connection| body(&mut SqlTransaction(connection));
        match kind {
            TransactionKind::Read => self.connection.alone(|connection| {
                let transaction = connection.transaction()?;
                on(&transaction)?;
                Ok(transaction.commit()?)
            }),
            TransactionKind::Write => self.connection.grouped(&mut on),
        }
    }
}

impl SqlConnection for &Connection {
    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError> {
        let count = self
            .prepare_cached(sql)?
            .execute(params_from_iter(values))?;
        Ok(count as u64)
    }

    fn rows(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<SqlRow>, StoreError> {
        let mut statement = self.prepare_cached(sql)?;
        let count = statement.column_count();
        let mut rows = statement.query(params_from_iter(values))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let columns = (0..count).map(|at| column(row, at));
            found.push(SqlRow::from(columns.collect::<Result<Vec<_>, _>>()?));
        }
        Ok(found)
    }
}

fn column(row: &Row<'_>, at: usize) -> Result<SqlValue, StoreError> {
    Ok(match row.get(at)? {
        Value::Null => SqlValue::Null,
        Value::Integer(number) => SqlValue::Integer(number),
        Value::Real(number) => SqlValue::Real(number),
        Value::Text(text) => SqlValue::Text(text),
        Value::Blob(_) => return Err(StoreError::Database("found bytes in a column".into())),
    })
}

impl ToSql for SqlValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            SqlValue::Null => ValueRef::Null,
            SqlValue::Integer(number) => ValueRef::Integer(*number),
            SqlValue::Real(number) => ValueRef::Real(*number),
            SqlValue::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => schema::foreign_database(),
            _ => Self::Database(error.into()),
        }
    }
}

#[cfg(test)]
mod tests;
