//! The versions of the schema.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::StoreError;
use crate::lifecycle::TRANSITIONS;

/// The mark of our files in the header of SQLite; `RPAG` in ASCII.
const APPLICATION_ID: i64 = 0x5250_4147;

/// The scripts that lead from each version to the next; never change one that was released.
const MIGRATIONS: [&str; 3] = [
    include_str!("version_1.sql"),
    include_str!("version_2.sql"),
    include_str!("version_3.sql"),
];

/// Brings the database to the newest version.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let known = MIGRATIONS.len();
    match version(connection)? {
        found if found > known as u64 => Err(StoreError::Refused(format!(
            "expected a database of version {known} or older, found version {found}"
        ))),
        found if found == known as u64 => Ok(()),
        found => {
            if found > 0 {
                back_up(connection, path, found)?;
            }
            migrate_to(connection, known)
        }
    }
}

/// Makes all steps up to `target` in one transaction.
pub(super) fn migrate_to(connection: &mut Connection, target: usize) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // A different process may have been faster.
    let present = usize::try_from(version(&transaction)?).unwrap_or(target);
    for (at, script) in MIGRATIONS.iter().enumerate().take(target).skip(present) {
        transaction.execute_batch(script)?;
        if at == 0 {
            insert_transitions(&transaction)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        }
    }
    if target > present {
        transaction.pragma_update(None, "user_version", target as i64)?;
    }
    Ok(transaction.commit()?)
}

fn insert_transitions(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let mut insert = transaction.prepare("INSERT INTO agent_transitions VALUES (?1, ?2)")?;
    for row in &TRANSITIONS {
        insert.execute([row.from.as_str(), row.to.as_str()])?;
    }
    Ok(())
}

/// Returns the version of a database of agents, 0 for an empty file.
fn version(connection: &Connection) -> Result<u64, StoreError> {
    let version = pragma(connection, "user_version")?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if tables == 0 && version == 0 {
        return Ok(0);
    }
    match pragma(connection, "application_id")? {
        APPLICATION_ID => u64::try_from(version).map_err(|_| foreign_database()),
        _ => Err(foreign_database()),
    }
}

pub(super) fn foreign_database() -> StoreError {
    StoreError::Refused("expected a database of agents".to_owned())
}

fn pragma(connection: &Connection, name: &str) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, name, |row| row.get(0))?)
}

/// Copies the database with what its write-ahead log holds.
fn back_up(connection: &Connection, path: &Path, version: u64) -> Result<(), StoreError> {
    let backup = backup_path(path, version);
    // A backup that exists is one of an earlier attempt, which then changed nothing.
    if !backup.exists() {
        connection.execute("VACUUM INTO ?1", [backup.to_string_lossy()])?;
    }
    Ok(())
}

fn backup_path(path: &Path, version: u64) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".v{version}.bak"));
    name.into()
}
