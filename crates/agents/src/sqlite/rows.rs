//! The rows of a SQLite file.

use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, Row, ToSql, params};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::audit::AuditEntry;
use crate::request::WaitingRequest;
use crate::transaction::{AgentTransaction, ProfileRow};
use crate::{
    AgentPool, AgentRecord, AgentState, CapabilityProfile, PoolSettings, StoreError, WritebackKind,
};

pub(super) struct SqliteTransaction<'a> {
    pub(super) connection: &'a Connection,
}

/// The columns of an agent, in the order in which they are read and written.
const AGENT: &str = "id, profile, pool, status, task_id, parent_id, epoch, branch_name, permissions, est_tokens, \
     lease_expires_at, started_at, fail_reason, retry_of, orphaned, alerted_at, idempotency_key, created_at, updated_at";

const AUDIT: &str =
    "seq, at, agent_id, actor, event, from_state, to_state, detail, prev_hash, hash";

/// The condition of living agents, as the partial index has it.
const LIVING: &str = "status NOT IN ('TERMINATED', 'FAILED')";

impl SqliteTransaction<'_> {
    fn execute(&self, sql: &str, values: &[&dyn ToSql]) -> Result<usize, StoreError> {
        Ok(self.connection.prepare_cached(sql)?.execute(values)?)
    }

    fn rows<T>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
        read: fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(values)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read(row)?);
        }
        Ok(found)
    }

    fn row<T>(
        &self,
        sql: &str,
        values: &[&dyn ToSql],
        read: fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.rows(sql, values, read)?.pop())
    }
}

impl AgentTransaction for SqliteTransaction<'_> {
    fn profiles(&mut self) -> Result<Vec<ProfileRow>, StoreError> {
        let sql = format!(
            "SELECT p.name, p.profile, p.last_assigned, count(a.profile), total(a.est_tokens) FROM profiles p \
             LEFT JOIN (SELECT profile, est_tokens FROM agents WHERE {LIVING}) a ON a.profile = p.name \
             GROUP BY p.name ORDER BY p.name"
        );
        self.rows(&sql, &[], |row| {
            Ok(ProfileRow {
                name: row.get(0)?,
                profile: json_column(row, 1)?,
                last_assigned: optional_number(row, 2)?,
                active: u32::try_from(number(row, 3)?).unwrap_or(u32::MAX),
                reserved_tokens: row.get::<_, f64>(4)? as u64,
            })
        })
    }

    fn profile(&mut self, name: &str) -> Result<Option<CapabilityProfile>, StoreError> {
        let sql = "SELECT profile FROM profiles WHERE name = ?1";
        self.row(sql, &[&name], |row| json_column(row, 0))
    }

    fn put_profile(&mut self, name: &str, profile: &CapabilityProfile) -> Result<(), StoreError> {
        let sql = "INSERT INTO profiles (name, profile) VALUES (?1, ?2) \
                   ON CONFLICT (name) DO UPDATE SET profile = excluded.profile";
        self.execute(sql, &[&name, &serde_json::to_string(profile)?])?;
        Ok(())
    }

    fn pool(&mut self, pool: AgentPool) -> Result<PoolSettings, StoreError> {
        let sql = "SELECT settings FROM pools WHERE pool = ?1 AND settings IS NOT NULL";
        let settings = self.row(sql, &[&pool.as_str()], |row| json_column(row, 0))?;
        Ok(settings.unwrap_or_default())
    }

    fn put_pool(&mut self, pool: AgentPool, settings: PoolSettings) -> Result<(), StoreError> {
        let sql = "INSERT INTO pools (pool, settings) VALUES (?1, ?2) \
                   ON CONFLICT (pool) DO UPDATE SET settings = excluded.settings";
        let settings = serde_json::to_string(&settings)?;
        self.execute(sql, &[&pool.as_str(), &settings])?;
        Ok(())
    }

    fn cursor(&mut self, pool: AgentPool) -> Result<Option<String>, StoreError> {
        let sql = "SELECT cursor FROM pools WHERE pool = ?1";
        let cursor = self.row(sql, &[&pool.as_str()], |row| Ok(row.get(0)?))?;
        Ok(cursor.flatten())
    }

    fn note_choice(&mut self, pool: AgentPool, name: &str, now: u64) -> Result<(), StoreError> {
        let sql = "INSERT INTO pools (pool, cursor) VALUES (?1, ?2) \
                   ON CONFLICT (pool) DO UPDATE SET cursor = excluded.cursor";
        self.execute(sql, &[&pool.as_str(), &name])?;
        let sql = "UPDATE profiles SET last_assigned = ?2 WHERE name = ?1";
        self.execute(sql, &[&name, &signed(now)])?;
        Ok(())
    }

    fn living_in(&mut self, pool: AgentPool) -> Result<u32, StoreError> {
        let sql = format!("SELECT count(*) FROM agents WHERE {LIVING} AND pool = ?1");
        let count = self.row(&sql, &[&pool.as_str()], |row| number(row, 0))?;
        Ok(u32::try_from(count.unwrap_or_default()).unwrap_or(u32::MAX))
    }

    fn agent(&mut self, id: &str) -> Result<Option<AgentRecord>, StoreError> {
        let sql = format!("SELECT {AGENT} FROM agents WHERE id = ?1");
        self.row(&sql, &[&id], read_agent)
    }

    fn agent_with_key(&mut self, key: &str) -> Result<Option<AgentRecord>, StoreError> {
        let sql = format!("SELECT {AGENT} FROM agents WHERE idempotency_key = ?1");
        self.row(&sql, &[&key], read_agent)
    }

    fn agents(&mut self) -> Result<Vec<AgentRecord>, StoreError> {
        let sql = format!("SELECT {AGENT} FROM agents ORDER BY created_at, id");
        self.rows(&sql, &[], read_agent)
    }

    fn insert_agent(&mut self, agent: &AgentRecord) -> Result<(), StoreError> {
        let sql = format!(
            "INSERT INTO agents ({AGENT}) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.execute(params![
            agent.id,
            agent.profile,
            agent.pool.as_str(),
            agent.state.as_str(),
            agent.task_id,
            agent.parent,
            signed(agent.epoch),
            agent.branch,
            serde_json::to_string(&agent.permissions)?,
            signed(agent.est_tokens),
            agent.lease_expires_at.map(signed),
            agent.started_at.map(signed),
            agent.fail_reason.map(|reason| reason.as_str()),
            agent.retry_of,
            agent.orphaned,
            agent.alerted_at.map(signed),
            agent.idempotency_key,
            signed(agent.created_at),
            signed(agent.updated_at),
        ])?;
        Ok(())
    }

    fn replace_agent(
        &mut self,
        agent: &AgentRecord,
        state: AgentState,
        epoch: u64,
    ) -> Result<bool, StoreError> {
        // The trigger refuses every write of `status` that is not a transition.
        let status = match agent.state == state {
            true => "",
            false => "status = ?12, ",
        };
        let sql = format!(
            "UPDATE agents SET {status}task_id = ?2, epoch = ?3, branch_name = ?4, lease_expires_at = ?5, \
             started_at = ?6, fail_reason = ?7, orphaned = ?8, alerted_at = ?9, updated_at = ?10 \
             WHERE id = ?1 AND status = ?11 AND epoch = ?13"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let count = statement.execute(params![
            agent.id,
            agent.task_id,
            signed(agent.epoch),
            agent.branch,
            agent.lease_expires_at.map(signed),
            agent.started_at.map(signed),
            agent.fail_reason.map(|reason| reason.as_str()),
            agent.orphaned,
            agent.alerted_at.map(signed),
            signed(agent.updated_at),
            state.as_str(),
            agent.state.as_str(),
            signed(epoch),
        ])?;
        Ok(count == 1)
    }

    fn lapsed(&mut self, now: u64, most: u32) -> Result<Vec<AgentRecord>, StoreError> {
        let sql = format!(
            "SELECT {AGENT} FROM agents WHERE {LIVING} AND lease_expires_at < ?1 \
             ORDER BY lease_expires_at, id LIMIT ?2"
        );
        self.rows(&sql, &[&signed(now), &most], read_agent)
    }

    fn unmatched(&mut self, most: u32) -> Result<Vec<AgentRecord>, StoreError> {
        let sql = format!(
            "SELECT {AGENT} FROM agents WHERE status = 'TERMINATED' AND started_at IS NOT NULL AND NOT EXISTS \
             (SELECT 1 FROM writebacks w WHERE w.agent_id = agents.id AND w.kind = 'thought_record' \
              AND w.epoch = agents.epoch AND w.task_id = agents.task_id AND w.at >= agents.started_at) \
             ORDER BY alerted_at IS NOT NULL, id LIMIT ?1"
        );
        self.rows(&sql, &[&most], read_agent)
    }

    fn put_writeback(
        &mut self,
        agent: &AgentRecord,
        kind: WritebackKind,
        body: &Value,
        now: u64,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO writebacks (agent_id, task_id, epoch, kind, at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.execute(
            sql,
            &[
                &agent.id,
                &agent.task_id,
                &signed(agent.epoch),
                &kind.as_str(),
                &signed(now),
                &body.to_string(),
            ],
        )?;
        Ok(())
    }

    fn writeback(
        &mut self,
        agent: &AgentRecord,
        kind: WritebackKind,
    ) -> Result<Option<Value>, StoreError> {
        let sql = "SELECT body FROM writebacks WHERE agent_id = ?1 AND task_id = ?2 AND epoch = ?3 AND kind = ?4 \
                   AND at >= ?5 ORDER BY seq DESC LIMIT 1";
        let started = agent.started_at.map(signed);
        self.row(
            sql,
            &[
                &agent.id,
                &agent.task_id,
                &signed(agent.epoch),
                &kind.as_str(),
                &started,
            ],
            |row| json_column(row, 0),
        )
    }

    fn enqueue(&mut self, waiting: &WaitingRequest) -> Result<(), StoreError> {
        let sql = "INSERT INTO waiting (seq, pool, since, request) VALUES (?1, ?2, ?3, ?4)";
        let request = serde_json::to_string(&waiting.request)?;
        let pool = waiting.request.pool.as_str();
        self.execute(
            sql,
            &[
                &signed(waiting.seq),
                &pool,
                &signed(waiting.since),
                &request,
            ],
        )?;
        Ok(())
    }

    fn dequeue(&mut self, seq: u64) -> Result<(), StoreError> {
        self.execute("DELETE FROM waiting WHERE seq = ?1", &[&signed(seq)])?;
        Ok(())
    }

    fn queue(&mut self, pool: AgentPool) -> Result<Vec<WaitingRequest>, StoreError> {
        let sql = "SELECT seq, since, request FROM waiting WHERE pool = ?1 ORDER BY seq";
        self.rows(sql, &[&pool.as_str()], |row| {
            Ok(WaitingRequest {
                seq: number(row, 0)?,
                since: number(row, 1)?,
                request: json_column(row, 2)?,
            })
        })
    }

    fn next_in_queue(&mut self) -> Result<u64, StoreError> {
        // The counter of AUTOINCREMENT also counts rows that were removed.
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'waiting'";
        let last = self.row(sql, &[], |row| number(row, 0))?;
        Ok(last.unwrap_or_default() + 1)
    }

    fn last_audit(&mut self) -> Result<Option<(u64, String)>, StoreError> {
        let sql = "SELECT seq, hash FROM audit_log ORDER BY seq DESC LIMIT 1";
        self.row(sql, &[], |row| Ok((number(row, 0)?, row.get(1)?)))
    }

    fn append_audit(&mut self, entry: &AuditEntry) -> Result<(), StoreError> {
        let sql = format!(
            "INSERT INTO audit_log ({AUDIT}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.execute(params![
            signed(entry.seq),
            signed(entry.at),
            entry.agent_id,
            entry.actor,
            entry.event,
            entry.from,
            entry.to,
            entry.detail,
            entry.prev_hash,
            entry.hash,
        ])?;
        Ok(())
    }

    fn audit(&mut self, agent: Option<&str>) -> Result<Vec<AuditEntry>, StoreError> {
        match agent {
            Some(id) => {
                let sql = format!("SELECT {AUDIT} FROM audit_log WHERE agent_id = ?1 ORDER BY seq");
                self.rows(&sql, &[&id], read_audit)
            }
            None => {
                let sql = format!("SELECT {AUDIT} FROM audit_log ORDER BY seq");
                self.rows(&sql, &[], read_audit)
            }
        }
    }
}

fn read_agent(row: &Row<'_>) -> Result<AgentRecord, StoreError> {
    Ok(AgentRecord {
        id: row.get(0)?,
        profile: row.get(1)?,
        pool: name_column(row, 2)?,
        state: name_column(row, 3)?,
        task_id: row.get(4)?,
        parent: row.get(5)?,
        epoch: number(row, 6)?,
        branch: row.get(7)?,
        permissions: json_column(row, 8)?,
        est_tokens: number(row, 9)?,
        lease_expires_at: optional_number(row, 10)?,
        started_at: optional_number(row, 11)?,
        fail_reason: match row.get::<_, SqlValue>(12)? {
            SqlValue::Null => None,
            _ => Some(name_column(row, 12)?),
        },
        retry_of: row.get(13)?,
        orphaned: row.get(14)?,
        alerted_at: optional_number(row, 15)?,
        idempotency_key: row.get(16)?,
        created_at: number(row, 17)?,
        updated_at: number(row, 18)?,
    })
}

fn read_audit(row: &Row<'_>) -> Result<AuditEntry, StoreError> {
    Ok(AuditEntry {
        seq: number(row, 0)?,
        at: number(row, 1)?,
        agent_id: row.get(2)?,
        actor: row.get(3)?,
        event: row.get(4)?,
        from: row.get(5)?,
        to: row.get(6)?,
        detail: row.get(7)?,
        prev_hash: row.get(8)?,
        hash: row.get(9)?,
    })
}

fn json_column<T: DeserializeOwned>(row: &Row<'_>, at: usize) -> Result<T, StoreError> {
    Ok(serde_json::from_str(
        row.get_ref(at)?
            .as_str()
            .map_err(|error| StoreError::Database(error.into()))?,
    )?)
}

/// Reads an enum by the name that serde gives it.
fn name_column<T: DeserializeOwned>(row: &Row<'_>, at: usize) -> Result<T, StoreError> {
    Ok(serde_json::from_value(Value::String(row.get(at)?))?)
}

/// Returns the number for a column; SQLite has no unsigned numbers.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn number(row: &Row<'_>, at: usize) -> Result<u64, StoreError> {
    Ok(optional_number(row, at)?.unwrap_or_default())
}

fn optional_number(row: &Row<'_>, at: usize) -> Result<Option<u64>, StoreError> {
    let number: Option<i64> = row.get(at)?;
    Ok(number.map(|number| u64::try_from(number).unwrap_or_default()))
}
