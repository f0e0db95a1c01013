//! A store in memory.

use std::collections::BTreeMap;
use std::fmt;

use parking_lot::Mutex;
use serde_json::Value;

use crate::audit::{AuditEnds, AuditEntry, AuditHead};
use crate::request::WaitingRequest;
use crate::transaction::{AgentTransaction, ProfileRow, TransactionKind, TransactionalStorage};
use crate::{
    AgentPool, AgentRecord, AgentState, AgentStore, CapabilityProfile, Checkpoint, PoolSettings,
    StoreError, WritebackKind,
};

/// A store that ends with its process.
#[derive(Default)]
pub struct MemoryAgentStore {
    rows: Mutex<MemoryRows>,
}

impl fmt::Debug for MemoryAgentStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agents = self.rows.lock().agents.len();
        f.debug_struct("MemoryAgentStore")
            .field("agents", &agents)
            .finish()
    }
}

impl AgentStore for MemoryAgentStore {}

#[derive(Default)]
struct MemoryRows {
    profiles: BTreeMap<String, (CapabilityProfile, Option<u64>)>,
    pools: BTreeMap<AgentPool, PoolSettings>,
    cursors: BTreeMap<AgentPool, String>,
    agents: BTreeMap<String, AgentRecord>,
    keys: BTreeMap<String, String>,
    writebacks: Vec<MemoryWriteback>,
    checkpoints: Vec<(String, Checkpoint)>,
    queue: BTreeMap<u64, WaitingRequest>,
    last_in_queue: u64,
    audit: Vec<AuditEntry>,
}

struct MemoryWriteback {
    agent_id: String,
    task_id: String,
    epoch: u64,
    kind: WritebackKind,
    at: u64,
    body: Value,
}

impl MemoryWriteback {
    fn is_about(&self, agent: &AgentRecord, kind: WritebackKind) -> bool {
        self.kind == kind
            && self.agent_id == agent.id
            && self.task_id == agent.task_id
            && self.epoch == agent.epoch
            && agent.started_at.is_some_and(|start| self.at >= start)
    }
}

type Undo = Box<dyn FnOnce(&mut MemoryRows)>;

/// A transaction that restores what it changed, last change first.
struct MemoryTransaction<'a> {
    rows: &'a mut MemoryRows,
    undo: Vec<Undo>,
}

impl TransactionalStorage for MemoryAgentStore {
    fn transact(
        &self,
        _: TransactionKind,
        body: &mut dyn FnMut(&mut dyn AgentTransaction) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut rows = self.rows.lock();
        let mut transaction = MemoryTransaction {
            rows: &mut rows,
            undo: Vec::new(),
        };
        let result = body(&mut transaction);
        if result.is_err() {
            let MemoryTransaction { rows, undo } = transaction;
            undo.into_iter().rev().for_each(|one| one(rows));
        }
        result
    }
}

impl MemoryTransaction<'_> {
    fn on_undo(&mut self, undo: impl FnOnce(&mut MemoryRows) + 'static) {
        self.undo.push(Box::new(undo));
    }

    /// Sets a value of a map, or removes it, and remembers the old one.
    fn set<K: Ord + Clone + 'static, V: Clone + 'static>(
        &mut self,
        map: fn(&mut MemoryRows) -> &mut BTreeMap<K, V>,
        key: K,
        value: Option<V>,
    ) {
        let place = map(self.rows);
        let old = match value {
            Some(value) => place.insert(key.clone(), value),
            None => place.remove(&key),
        };
        self.on_undo(move |rows| {
            match old {
                Some(old) => map(rows).insert(key, old),
                None => map(rows).remove(&key),
            };
        });
    }

    fn living(&self) -> impl Iterator<Item = &AgentRecord> {
        let agents = self.rows.agents.values();
        agents.filter(|agent| !agent.state.is_final())
    }
}

impl AgentTransaction for MemoryTransaction<'_> {
    fn profiles(&mut self) -> Result<Vec<ProfileRow>, StoreError> {
        let mut loads: BTreeMap<&str, (u32, u64)> = BTreeMap::new();
        for agent in self.living() {
            let (active, tokens) = loads.entry(&agent.profile).or_default();
            *active += 1;
            *tokens = tokens.saturating_add(agent.est_tokens);
        }
        let profiles = self.rows.profiles.iter();
        Ok(profiles
            .map(|(name, (profile, last_assigned))| {
                let (active, reserved_tokens) =
                    loads.get(name.as_str()).copied().unwrap_or_default();
                ProfileRow {
                    name: name.clone(),
                    profile: profile.clone(),
                    last_assigned: *last_assigned,
                    active,
                    reserved_tokens,
                }
            })
            .collect())
    }

    fn profile(&mut self, name: &str) -> Result<Option<CapabilityProfile>, StoreError> {
        let found = self.rows.profiles.get(name);
        Ok(found.map(|(profile, _)| profile.clone()))
    }

    fn put_profile(&mut self, name: &str, profile: &CapabilityProfile) -> Result<(), StoreError> {
        let known = self.rows.profiles.get(name);
        let last_assigned = known.and_then(|(_, last)| *last);
        self.set(
            |rows| &mut rows.profiles,
            name.to_owned(),
            Some((profile.clone(), last_assigned)),
        );
        Ok(())
    }

    fn pool(&mut self, pool: AgentPool) -> Result<PoolSettings, StoreError> {
        Ok(self.rows.pools.get(&pool).copied().unwrap_or_default())
    }

    fn put_pool(&mut self, pool: AgentPool, settings: PoolSettings) -> Result<(), StoreError> {
        self.set(|rows| &mut rows.pools, pool, Some(settings));
        Ok(())
    }

    fn cursor(&mut self, pool: AgentPool) -> Result<Option<String>, StoreError> {
        Ok(self.rows.cursors.get(&pool).cloned())
    }

    fn note_choice(&mut self, pool: AgentPool, name: &str, now: u64) -> Result<(), StoreError> {
        self.set(|rows| &mut rows.cursors, pool, Some(name.to_owned()));
        if let Some((profile, _)) = self.rows.profiles.get(name).cloned() {
            let value = Some((profile, Some(now)));
            self.set(|rows| &mut rows.profiles, name.to_owned(), value);
        }
        Ok(())
    }

    fn living_in(&mut self, pool: AgentPool) -> Result<u32, StoreError> {
        let count = self.living().filter(|agent| agent.pool == pool).count();
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    fn agent(&mut self, id: &str) -> Result<Option<AgentRecord>, StoreError> {
        Ok(self.rows.agents.get(id).cloned())
    }

    fn agent_with_key(&mut self, key: &str) -> Result<Option<AgentRecord>, StoreError> {
        let id = self.rows.keys.get(key);
        Ok(id.and_then(|id| self.rows.agents.get(id)).cloned())
    }

    fn agents(&mut self) -> Result<Vec<AgentRecord>, StoreError> {
        let mut agents: Vec<_> = self.rows.agents.values().cloned().collect();
        agents.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(agents)
    }

    fn insert_agent(&mut self, agent: &AgentRecord) -> Result<(), StoreError> {
        let id = agent.id.clone();
        let key = agent.idempotency_key.clone();
        self.set(|rows| &mut rows.keys, key, Some(id.clone()));
        self.set(|rows| &mut rows.agents, id, Some(agent.clone()));
        Ok(())
    }

    fn replace_agent(
        &mut self,
        agent: &AgentRecord,
        state: AgentState,
        epoch: u64,
    ) -> Result<bool, StoreError> {
        let known = self.rows.agents.get(&agent.id);
        if !known.is_some_and(|known| known.state == state && known.epoch == epoch) {
            return Ok(false);
        }
        self.set(
            |rows| &mut rows.agents,
            agent.id.clone(),
            Some(agent.clone()),
        );
        Ok(true)
    }

    fn lapsed(&mut self, now: u64, most: u32) -> Result<Vec<AgentRecord>, StoreError> {
        let mut lapsed: Vec<_> = self
            .living()
            .filter(|agent| agent.lease_expires_at.is_some_and(|lease| lease < now))
            .cloned()
            .collect();
        lapsed.sort_by(|a, b| (a.lease_expires_at, &a.id).cmp(&(b.lease_expires_at, &b.id)));
        lapsed.truncate(most as usize);
        Ok(lapsed)
    }

    fn unmatched(&mut self, most: u32) -> Result<Vec<AgentRecord>, StoreError> {
        let MemoryRows {
            agents, writebacks, ..
        } = &*self.rows;
        let mut unmatched: Vec<_> = agents
            .values()
            .filter(|agent| agent.state == AgentState::Terminated && agent.started_at.is_some())
            .filter(|agent| {
                let matches =
                    |one: &MemoryWriteback| one.is_about(agent, WritebackKind::ThoughtRecord);
                !writebacks.iter().any(matches)
            })
            .cloned()
            .collect();
        unmatched
            .sort_by(|a, b| (a.alerted_at.is_some(), &a.id).cmp(&(b.alerted_at.is_some(), &b.id)));
        unmatched.truncate(most as usize);
        Ok(unmatched)
    }

    fn put_writeback(
        &mut self,
        agent: &AgentRecord,
        kind: WritebackKind,
        body: &Value,
        now: u64,
    ) -> Result<(), StoreError> {
        self.rows.writebacks.push(MemoryWriteback {
            agent_id: agent.id.clone(),
            task_id: agent.task_id.clone(),
            epoch: agent.epoch,
            kind,
            at: now,
            body: body.clone(),
        });
        self.on_undo(|rows| {
            rows.writebacks.pop();
        });
        Ok(())
    }

    fn writeback(
        &mut self,
        agent: &AgentRecord,
        kind: WritebackKind,
    ) -> Result<Option<Value>, StoreError> {
        let mut latest = self.rows.writebacks.iter().rev();
        let found = latest.find(|one| one.is_about(agent, kind));
        Ok(found.map(|one| one.body.clone()))
    }

    fn put_checkpoint(&mut self, agent: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let row = (agent.to_owned(), checkpoint.clone());
        self.rows.checkpoints.push(row);
        self.on_undo(|rows| {
            rows.checkpoints.pop();
        });
        Ok(())
    }

    fn checkpoints(&mut self, agent: &str) -> Result<Vec<Checkpoint>, StoreError> {
        let rows = self.rows.checkpoints.iter();
        let own = rows.filter(|(id, _)| id == agent);
        Ok(own.map(|(_, checkpoint)| checkpoint.clone()).collect())
    }

    fn enqueue(&mut self, waiting: &WaitingRequest) -> Result<(), StoreError> {
        self.rows.last_in_queue = waiting.seq;
        self.set(|rows| &mut rows.queue, waiting.seq, Some(waiting.clone()));
        Ok(())
    }

    fn dequeue(&mut self, seq: u64) -> Result<(), StoreError> {
        self.set(|rows| &mut rows.queue, seq, None);
        Ok(())
    }

    fn queue(&mut self, pool: AgentPool) -> Result<Vec<WaitingRequest>, StoreError> {
        let queue = self.rows.queue.values();
        Ok(queue
            .filter(|waiting| waiting.request.pool == pool)
            .cloned()
            .collect())
    }

    fn next_in_queue(&mut self) -> Result<u64, StoreError> {
        Ok(self.rows.last_in_queue + 1)
    }

    fn audit_ends(&mut self) -> Result<AuditEnds, StoreError> {
        let last = self.rows.audit.last().map(|entry| AuditHead {
            seq: entry.seq,
            hash: entry.hash.clone(),
        });
        // No other program changes this memory.
        let last = last.unwrap_or_default();
        Ok(AuditEnds {
            copy: Some(last.clone()),
            last,
        })
    }

    fn append_audit(&mut self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.rows.audit.push(entry.clone());
        self.on_undo(|rows| {
            rows.audit.pop();
        });
        Ok(())
    }

    fn audit(&mut self, agent: Option<&str>) -> Result<Vec<AuditEntry>, StoreError> {
        let entries = self.rows.audit.iter();
        Ok(entries
            .filter(|entry| agent.is_none_or(|id| entry.agent_id == id))
            .cloned()
            .collect())
    }
}
