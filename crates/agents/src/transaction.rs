//! The primitive operations of a store, from which all public ones are made.

use serde_json::Value;

use crate::audit::{AuditEnds, AuditEntry, AuditEvent};
use crate::request::WaitingRequest;
use crate::{
    AgentPool, AgentRecord, AgentState, CapabilityProfile, Checkpoint, PoolSettings, StoreError,
    WritebackKind,
};

/// The two kinds of transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransactionKind {
    /// Reads one consistent state.
    Read,
    /// Excludes all other writers.
    Write,
}

/// A stored profile with what its living agents use.
#[derive(Debug, Clone)]
pub struct ProfileRow {
    pub(crate) name: String,
    pub(crate) profile: CapabilityProfile,
    pub(crate) last_assigned: Option<u64>,
    pub(crate) active: u32,
    pub(crate) reserved_tokens: u64,
}

/// A place that runs transactions.
///
/// - A closure that returns an error leaves no trace.
/// - Two write transactions never run at a time.
pub trait TransactionalStorage: Send + Sync {
    /// Runs the closure once in a transaction.
    fn transact(
        &self,
        kind: TransactionKind,
        body: &mut dyn FnMut(&mut dyn AgentTransaction) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;
}

/// The rows that a transaction reads and writes.
pub trait AgentTransaction {
    fn profiles(&mut self) -> Result<Vec<ProfileRow>, StoreError>;
    fn profile(&mut self, name: &str) -> Result<Option<CapabilityProfile>, StoreError>;
    fn put_profile(&mut self, name: &str, profile: &CapabilityProfile) -> Result<(), StoreError>;

    fn pool(&mut self, pool: AgentPool) -> Result<PoolSettings, StoreError>;
    fn put_pool(&mut self, pool: AgentPool, settings: PoolSettings) -> Result<(), StoreError>;
    /// Returns the name of the profile chosen last for the pool.
    fn cursor(&mut self, pool: AgentPool) -> Result<Option<String>, StoreError>;
    /// Notes that the profile was chosen for the pool.
    fn note_choice(&mut self, pool: AgentPool, name: &str, now: u64) -> Result<(), StoreError>;
    fn living_in(&mut self, pool: AgentPool) -> Result<u32, StoreError>;

    fn agent(&mut self, id: &str) -> Result<Option<AgentRecord>, StoreError>;
    fn agent_with_key(&mut self, key: &str) -> Result<Option<AgentRecord>, StoreError>;
    fn agents(&mut self) -> Result<Vec<AgentRecord>, StoreError>;
    fn insert_agent(&mut self, agent: &AgentRecord) -> Result<(), StoreError>;
    /// Replaces the row if it still has this state and epoch; returns whether it had.
    fn replace_agent(
        &mut self,
        agent: &AgentRecord,
        state: AgentState,
        epoch: u64,
    ) -> Result<bool, StoreError>;
    /// Returns living agents whose lease ended before `now`.
    fn lapsed(&mut self, now: u64, most: u32) -> Result<Vec<AgentRecord>, StoreError>;
    /// Returns agents that ended after a task without a reflection on it, those without alert first.
    fn unmatched(&mut self, most: u32) -> Result<Vec<AgentRecord>, StoreError>;

    fn put_writeback(
        &mut self,
        agent: &AgentRecord,
        kind: WritebackKind,
        body: &Value,
        now: u64,
    ) -> Result<(), StoreError>;
    /// Returns the last record of the agent about its current task.
    fn writeback(
        &mut self,
        agent: &AgentRecord,
        kind: WritebackKind,
    ) -> Result<Option<Value>, StoreError>;

    fn put_checkpoint(&mut self, agent: &str, checkpoint: &Checkpoint) -> Result<(), StoreError>;
    /// Returns the checkpoints of the agent in the order of their reports.
    fn checkpoints(&mut self, agent: &str) -> Result<Vec<Checkpoint>, StoreError>;

    fn enqueue(&mut self, waiting: &WaitingRequest) -> Result<(), StoreError>;
    fn dequeue(&mut self, seq: u64) -> Result<(), StoreError>;
    /// Returns the queue of the pool in order of arrival.
    fn queue(&mut self, pool: AgentPool) -> Result<Vec<WaitingRequest>, StoreError>;
    /// Returns a number greater than those of all requests in queues.
    fn next_in_queue(&mut self) -> Result<u64, StoreError>;

    fn audit_ends(&mut self) -> Result<AuditEnds, StoreError>;
    fn append_audit(&mut self, entry: &AuditEntry) -> Result<(), StoreError>;
    fn audit(&mut self, agent: Option<&str>) -> Result<Vec<AuditEntry>, StoreError>;
}

/// Runs a closure with a result in a transaction.
pub(crate) fn transact<S: TransactionalStorage + ?Sized, T>(
    store: &S,
    kind: TransactionKind,
    mut body: impl FnMut(&mut dyn AgentTransaction) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut result = None;
    store.transact(kind, &mut |transaction| {
        result = Some(body(transaction)?);
        Ok(())
    })?;
    Ok(result.expect("a transaction without error ran its closure"))
}

/// Appends the row that follows the last one.
pub(crate) fn log(
    transaction: &mut dyn AgentTransaction,
    event: AuditEvent<'_>,
) -> Result<(), StoreError> {
    let last = transaction.audit_ends()?.checked()?;
    transaction.append_audit(&event.after(last))
}
