//! The versions of the schema.

use postgres::{Client, Transaction};

use crate::StoreError;
use crate::lifecycle::TRANSITIONS;

/// The schema of all tables.
pub(super) const NAME: &str = "repertoire_agents";

/// The number of the lock that writers hold; `RPAG` in ASCII.
const LOCK: i64 = 0x5250_4147;

/// The scripts that lead from each version to the next; never change one that was released.
const MIGRATIONS: [&str; 2] = [include_str!("version_1.sql"), include_str!("version_2.sql")];

/// The trigger that the filled table of transitions gets.
const FIXED_TRANSITIONS: &str = "CREATE TRIGGER transitions_are_kept \
    BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON agent_transitions \
    FOR EACH STATEMENT EXECUTE FUNCTION refuse('the table of transitions does not change')";

/// Waits until no other writer is at work. The lock ends with the transaction.
pub(super) fn lock(transaction: &mut Transaction<'_>) -> Result<(), StoreError> {
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
    Ok(())
}

/// Brings the database to the newest version.
pub(super) fn migrate(client: &mut Client) -> Result<(), StoreError> {
    let mut transaction = client.transaction()?;
    lock(&mut transaction)?;
    let found = version(&mut transaction)?;
    let known = MIGRATIONS.len();
    if found > known {
        return Err(StoreError::Refused(format!(
            "expected a database of version {known} or older, found version {found}"
        )));
    }
    match found {
        0 => transaction.batch_execute(&format!("CREATE SCHEMA {NAME}"))?,
        _ if found < known => back_up(&mut transaction, found)?,
        _ => {}
    }
    for (at, script) in MIGRATIONS.iter().enumerate().skip(found) {
        transaction.batch_execute(script)?;
        if at == 0 {
            insert_transitions(&mut transaction)?;
        }
    }
    if found < known {
        let version = i64::try_from(known).expect("there are few versions");
        let sql = format!("INSERT INTO {NAME}.schema_versions (version) VALUES ($1)");
        transaction.execute(&sql, &[&version])?;
    }
    Ok(transaction.commit()?)
}

/// Copies all tables into a schema of their own.
fn back_up(transaction: &mut Transaction<'_>, version: usize) -> Result<(), StoreError> {
    let backup = format!("{NAME}_v{version}");
    transaction.batch_execute(&format!("CREATE SCHEMA {backup}"))?;
    let sql = "SELECT tablename::text FROM pg_tables WHERE schemaname = $1";
    for row in transaction.query(sql, &[&NAME])? {
        let table: String = row.try_get(0)?;
        transaction.batch_execute(&format!(
            "CREATE TABLE {backup}.{table} AS TABLE {NAME}.{table}"
        ))?;
    }
    Ok(())
}

fn insert_transitions(transaction: &mut Transaction<'_>) -> Result<(), StoreError> {
    let insert = transaction.prepare("INSERT INTO agent_transitions VALUES ($1, $2)")?;
    for row in &TRANSITIONS {
        transaction.execute(&insert, &[&row.from.as_str(), &row.to.as_str()])?;
    }
    transaction.batch_execute(FIXED_TRANSITIONS)?;
    Ok(())
}

/// Returns the version of the schema, 0 if it does not exist.
fn version(transaction: &mut Transaction<'_>) -> Result<usize, StoreError> {
    let sql =
        "SELECT to_regnamespace($1) IS NOT NULL, to_regclass($1 || '.schema_versions') IS NOT NULL";
    let row = transaction.query_one(sql, &[&NAME])?;
    match (row.try_get(0)?, row.try_get(1)?) {
        (false, _) => Ok(0),
        (true, false) => Err(foreign_database()),
        (true, true) => {
            let sql = format!("SELECT max(version) FROM {NAME}.schema_versions");
            let version: Option<i64> = transaction.query_one(&sql, &[])?.try_get(0)?;
            let version = version.and_then(|version| usize::try_from(version).ok());
            version.ok_or_else(foreign_database)
        }
    }
}

fn foreign_database() -> StoreError {
    StoreError::Refused(format!("expected the schema `{NAME}` to be one of agents"))
}
