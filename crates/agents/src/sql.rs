//! The operations of a store in SQL, for any database.

mod row;

use serde_json::Value;

use self::row::unexpected;
pub(crate) use self::row::{SqlRow, SqlValue};
use crate::audit::{AuditEnds, AuditEntry};
use crate::request::WaitingRequest;
use crate::transaction::{AgentTransaction, ProfileRow};
use crate::{
    AgentPool, AgentRecord, AgentState, CapabilityProfile, Checkpoint, PoolSettings, StoreError,
    WritebackKind,
};

/// A connection with an open transaction. Statements name their values `?1`, `?2` and so on.
pub(crate) trait SqlConnection {
    /// Runs a statement, and returns the number of changed rows.
    fn execute(&mut self, sql: &str, values: &[SqlValue]) -> Result<u64, StoreError>;

    /// Runs a query, and returns its rows.
    fn rows(&mut self, sql: &str, values: &[SqlValue]) -> Result<Vec<SqlRow>, StoreError>;
}

/// The columns of an agent, in the order in which they are read and written.
const AGENT: &str = "id, profile, pool, status, task_id, parent_id, epoch, branch_name, permissions, est_tokens, \
     lease_expires_at, started_at, fail_reason, retry_of, orphaned, alerted_at, idempotency_key, created_at, updated_at, host, worktree";

const AUDIT: &str =
    "seq, at, agent_id, actor, event, from_state, to_state, detail, prev_hash, hash";

/// The condition of living agents, as the partial index has it.
const LIVING: &str = "status NOT IN ('TERMINATED', 'FAILED')";

/// An open transaction on a database.
pub(crate) struct SqlTransaction<C>(pub(crate) C);

impl<C: SqlConnection> SqlTransaction<C> {
    fn all<T>(
        &mut self,
        sql: &str,
        values: &[SqlValue],
        read: fn(SqlRow) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.0.rows(sql, values)?.into_iter().map(read).collect()
    }

    fn first<T>(
        &mut self,
        sql: &str,
        values: &[SqlValue],
        read: fn(SqlRow) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.0.rows(sql, values)?.pop().map(read).transpose()
    }
}

impl<C: SqlConnection> AgentTransaction for SqlTransaction<C> {
    fn profiles(&mut self) -> Result<Vec<ProfileRow>, StoreError> {
        // The sum of numbers with a sign may overflow, that of floating-point numbers cannot.
        let sql = format!(
            "SELECT p.name, p.profile, p.last_assigned, count(a.profile), sum(CAST(a.est_tokens AS DOUBLE PRECISION)) \
             FROM profiles p LEFT JOIN (SELECT profile, est_tokens FROM agents WHERE {LIVING}) a ON a.profile = p.name \
             GROUP BY p.name ORDER BY p.name"
        );
        self.all(&sql, &[], |mut row| {
            Ok(ProfileRow {
                name: row.text()?,
                profile: row.json()?,
                last_assigned: row.optional_number()?,
                active: row.count()?,
                reserved_tokens: row.number()?,
            })
        })
    }

    fn profile(&mut self, name: &str) -> Result<Option<CapabilityProfile>, StoreError> {
        let sql = "SELECT profile FROM profiles WHERE name = ?1";
        self.first(sql, &[name.into()], |mut row| row.json())
    }

    fn put_profile(&mut self, name: &str, profile: &CapabilityProfile) -> Result<(), StoreError> {
        let sql = "INSERT INTO profiles (name, profile) VALUES (?1, ?2) \
                   ON CONFLICT (name) DO UPDATE SET profile = excluded.profile";
        let profile = serde_json::to_string(profile)?;
        self.0.execute(sql, &[name.into(), profile.into()])?;
        Ok(())
    }

    fn pool(&mut self, pool: AgentPool) -> Result<PoolSettings, StoreError> {
        let sql = "SELECT settings FROM pools WHERE pool = ?1 AND settings IS NOT NULL";
        let settings = self.first(sql, &[pool.as_str().into()], |mut row| row.json())?;
        Ok(settings.unwrap_or_default())
    }

    fn put_pool(&mut self, pool: AgentPool, settings: PoolSettings) -> Result<(), StoreError> {
        let sql = "INSERT INTO pools (pool, settings) VALUES (?1, ?2) \
                   ON CONFLICT (pool) DO UPDATE SET settings = excluded.settings";
        let settings = serde_json::to_string(&settings)?;
        self.0
            .execute(sql, &[pool.as_str().into(), settings.into()])?;
        Ok(())
    }

    fn cursor(&mut self, pool: AgentPool) -> Result<Option<String>, StoreError> {
        let sql = "SELECT cursor FROM pools WHERE pool = ?1";
        let cursor = self.first(sql, &[pool.as_str().into()], |mut row| row.optional_text())?;
        Ok(cursor.flatten())
    }

    fn note_choice(&mut self, pool: AgentPool, name: &str, now: u64) -> Result<(), StoreError> {
        let sql = "INSERT INTO pools (pool, cursor) VALUES (?1, ?2) \
                   ON CONFLICT (pool) DO UPDATE SET cursor = excluded.cursor";
        self.0.execute(sql, &[pool.as_str().into(), name.into()])?;
        let sql = "UPDATE profiles SET last_assigned = ?2 WHERE name = ?1";
        self.0.execute(sql, &[name.into(), now.into()])?;
        Ok(())
    }

    fn living_in(&mut self, pool: AgentPool) -> Result<u32, StoreError> {
        let sql = format!("SELECT count(*) FROM agents WHERE {LIVING} AND pool = ?1");
        let count = self.first(&sql, &[pool.as_str().into()], |mut row| row.count())?;
        Ok(count.unwrap_or_default())
    }

    fn agent(&mut self, id: &str) -> Result<Option<AgentRecord>, StoreError> {
        let sql = format!("SELECT {AGENT} FROM agents WHERE id = ?1");
        self.first(&sql, &[id.into()], SqlRow::agent)
    }

    fn agent_with_key(&mut self, key: &str) -> Result<Option<AgentRecord>, StoreError> {
        let sql = format!("SELECT {AGENT} FROM agents WHERE idempotency_key = ?1");
        self.first(&sql, &[key.into()], SqlRow::agent)
    }

    fn agents(&mut self) -> Result<Vec<AgentRecord>, StoreError> {
        let sql = format!("SELECT {AGENT} FROM agents ORDER BY created_at, id");
        self.all(&sql, &[], SqlRow::agent)
    }

    fn insert_agent(&mut self, agent: &AgentRecord) -> Result<(), StoreError> {
        let sql = format!(
            "INSERT INTO agents ({AGENT}) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)"
        );
        let values = [
            (&agent.id).into(),
            (&agent.profile).into(),
            agent.pool.as_str().into(),
            agent.state.as_str().into(),
            (&agent.task_id).into(),
            agent.parent.as_deref().into(),
            agent.epoch.into(),
            (&agent.branch).into(),
            serde_json::to_string(&agent.permissions)?.into(),
            agent.est_tokens.into(),
            agent.lease_expires_at.into(),
            agent.started_at.into(),
            agent.fail_reason.map(|reason| reason.as_str()).into(),
            agent.retry_of.as_deref().into(),
            agent.orphaned.into(),
            agent.alerted_at.into(),
            (&agent.idempotency_key).into(),
            agent.created_at.into(),
            agent.updated_at.into(),
            agent.host.as_deref().into(),
            agent.worktree.as_deref().into(),
        ];
        self.0.execute(&sql, &values)?;
        Ok(())
    }

    fn replace_agent(
        &mut self,
        agent: &AgentRecord,
        state: AgentState,
        epoch: u64,
    ) -> Result<bool, StoreError> {
        let mut values = vec![
            (&agent.id).into(),
            (&agent.task_id).into(),
            agent.epoch.into(),
            (&agent.branch).into(),
            agent.lease_expires_at.into(),
            agent.started_at.into(),
            agent.fail_reason.map(|reason| reason.as_str()).into(),
            agent.orphaned.into(),
            agent.alerted_at.into(),
            agent.updated_at.into(),
            agent.worktree.as_deref().into(),
            state.as_str().into(),
            epoch.into(),
        ];
        // The trigger refuses every write of `status` that is not a transition.
        let status = if agent.state == state {
            ""
        } else {
            values.push(agent.state.as_str().into());
            "status = ?14, "
        };
        let sql = format!(
            "UPDATE agents SET {status}task_id = ?2, epoch = ?3, branch_name = ?4, lease_expires_at = ?5, \
             started_at = ?6, fail_reason = ?7, orphaned = ?8, alerted_at = ?9, updated_at = ?10, worktree = ?11 \
             WHERE id = ?1 AND status = ?12 AND epoch = ?13"
        );
        Ok(self.0.execute(&sql, &values)? == 1)
    }

    fn lapsed(&mut self, now: u64, most: u32) -> Result<Vec<AgentRecord>, StoreError> {
        let sql = format!(
            "SELECT {AGENT} FROM agents WHERE {LIVING} AND lease_expires_at < ?1 \
             ORDER BY lease_expires_at, id LIMIT ?2"
        );
        self.all(&sql, &[now.into(), most.into()], SqlRow::agent)
    }

    fn unmatched(&mut self, most: u32) -> Result<Vec<AgentRecord>, StoreError> {
        let sql = format!(
            "SELECT {AGENT} FROM agents WHERE status = 'TERMINATED' AND started_at IS NOT NULL AND NOT EXISTS \
             (SELECT 1 FROM writebacks w WHERE w.agent_id = agents.id AND w.kind = 'thought_record' \
              AND w.epoch = agents.epoch AND w.task_id = agents.task_id AND w.at >= agents.started_at) \
             ORDER BY alerted_at IS NOT NULL, id LIMIT ?1"
        );
        self.all(&sql, &[most.into()], SqlRow::agent)
    }

    fn put_writeback(
        &mut self,
        agent: &AgentRecord,
        kind: WritebackKind,
        body: &Value,
        now: u64,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO writebacks (agent_id, task_id, epoch, kind, at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = [
            (&agent.id).into(),
            (&agent.task_id).into(),
            agent.epoch.into(),
            kind.as_str().into(),
            now.into(),
            body.to_string().into(),
        ];
        self.0.execute(sql, &values)?;
        Ok(())
    }

    fn writeback(
        &mut self,
        agent: &AgentRecord,
        kind: WritebackKind,
    ) -> Result<Option<Value>, StoreError> {
        let sql = "SELECT body FROM writebacks WHERE agent_id = ?1 AND task_id = ?2 AND epoch = ?3 AND kind = ?4 \
                   AND at >= ?5 ORDER BY seq DESC LIMIT 1";
        let values = [
            (&agent.id).into(),
            (&agent.task_id).into(),
            agent.epoch.into(),
            kind.as_str().into(),
            agent.started_at.into(),
        ];
        self.first(sql, &values, |mut row| row.json())
    }

    fn put_checkpoint(&mut self, agent: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let sql = "INSERT INTO checkpoints (agent_id, task_id, epoch, phase, note, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = [
            agent.into(),
            (&checkpoint.task_id).into(),
            checkpoint.epoch.into(),
            checkpoint.phase.as_str().into(),
            (&checkpoint.note).into(),
            checkpoint.at.into(),
        ];
        self.0.execute(sql, &values)?;
        Ok(())
    }

    fn checkpoints(&mut self, agent: &str) -> Result<Vec<Checkpoint>, StoreError> {
        let sql = "SELECT task_id, epoch, phase, note, at FROM checkpoints WHERE agent_id = ?1 ORDER BY seq";
        self.all(sql, &[agent.into()], SqlRow::checkpoint)
    }

    fn enqueue(&mut self, waiting: &WaitingRequest) -> Result<(), StoreError> {
        let sql = "INSERT INTO waiting (seq, pool, since, request) VALUES (?1, ?2, ?3, ?4)";
        let values = [
            waiting.seq.into(),
            waiting.request.pool.as_str().into(),
            waiting.since.into(),
            serde_json::to_string(&waiting.request)?.into(),
        ];
        self.0.execute(sql, &values)?;
        Ok(())
    }

    fn dequeue(&mut self, seq: u64) -> Result<(), StoreError> {
        self.0
            .execute("DELETE FROM waiting WHERE seq = ?1", &[seq.into()])?;
        Ok(())
    }

    fn queue(&mut self, pool: AgentPool) -> Result<Vec<WaitingRequest>, StoreError> {
        let sql = "SELECT seq, since, request FROM waiting WHERE pool = ?1 ORDER BY seq";
        self.all(sql, &[pool.as_str().into()], |mut row| {
            Ok(WaitingRequest {
                seq: row.number()?,
                since: row.number()?,
                request: row.json()?,
            })
        })
    }

    fn next_in_queue(&mut self) -> Result<u64, StoreError> {
        let sql = "SELECT max(seq) FROM waiting";
        let last = self.first(sql, &[], |mut row| row.number())?;
        Ok(last.unwrap_or_default() + 1)
    }

    fn audit_ends(&mut self) -> Result<AuditEnds, StoreError> {
        let sql = "SELECT h.seq, h.hash, l.seq, l.hash FROM (SELECT max(seq) AS seq FROM audit_log) AS m \
                   LEFT JOIN audit_head h ON TRUE LEFT JOIN audit_log l ON l.seq = m.seq";
        let ends = self.first(sql, &[], |mut row| {
            let copy = row.audit_head()?;
            let last = row.audit_head()?.unwrap_or_default();
            Ok(AuditEnds { last, copy })
        })?;
        ends.ok_or_else(|| unexpected("the end of the log", None))
    }

    fn append_audit(&mut self, entry: &AuditEntry) -> Result<(), StoreError> {
        let sql = format!(
            "INSERT INTO audit_log ({AUDIT}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        );
        let values = [
            entry.seq.into(),
            entry.at.into(),
            (&entry.agent_id).into(),
            (&entry.actor).into(),
            (&entry.event).into(),
            entry.from.as_deref().into(),
            entry.to.as_deref().into(),
            (&entry.detail).into(),
            (&entry.prev_hash).into(),
            (&entry.hash).into(),
        ];
        self.0.execute(&sql, &values)?;
        Ok(())
    }

    fn audit(&mut self, agent: Option<&str>) -> Result<Vec<AuditEntry>, StoreError> {
        match agent {
            Some(id) => {
                let sql = format!("SELECT {AUDIT} FROM audit_log WHERE agent_id = ?1 ORDER BY seq");
                self.all(&sql, &[id.into()], SqlRow::audit_entry)
            }
            None => {
                let sql = format!("SELECT {AUDIT} FROM audit_log ORDER BY seq");
                self.all(&sql, &[], SqlRow::audit_entry)
            }
        }
    }
}
