//! The operations on stored agents.

use serde_json::Value;

use crate::audit::{self, AuditEntry, AuditEvent};
use crate::name::check_names;
use crate::orphans::{self, ScanMode};
use crate::transaction::{TransactionKind, TransactionalStorage, log, transact};
use crate::{
    AgentPhase, AgentPool, AgentRecord, AllocationRequest, CapabilityProfile, Checkpoint,
    OrphanReport, PoolSettings, ProfileRating, StoreError, Transition, WritebackFault,
    WritebackKind, advance, allocation,
};

/// A store of agents.
///
/// - Each change of a state is one transaction with its row in the audit log.
/// - A change that is refused leaves at most a `rejected` row.
/// - Times are milliseconds since 1970, and the caller passes them: a store has no clock.
/// - Two changes never run at a time, also from several threads.
pub trait AgentStore: TransactionalStorage {
    /// Adds the profile, or replaces it; the history of a profile that exists stays.
    ///
    /// # Errors
    /// Fails if the name has more than 1,024 bytes or control characters.
    fn put_profile(&self, name: &str, profile: &CapabilityProfile) -> Result<(), StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            check_names([("a profile", name)])?;
            let mut profile = profile.clone();
            if let Some(known) = transaction.profile(name)? {
                profile.history = known.history;
            }
            transaction.put_profile(name, &profile)
        })
    }

    /// Returns all profiles by name, with their histories.
    ///
    /// # Errors
    /// Fails if the database fails.
    fn profiles(&self) -> Result<Vec<(String, CapabilityProfile)>, StoreError> {
        transact(self, TransactionKind::Read, |transaction| {
            let rows = transaction.profiles()?.into_iter();
            Ok(rows.map(|row| (row.name, row.profile)).collect())
        })
    }

    /// Sets the limits and rules of a pool.
    ///
    /// # Errors
    /// Fails if the database fails.
    fn put_pool(&self, pool: AgentPool, settings: PoolSettings) -> Result<(), StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            transaction.put_pool(pool, settings)
        })
    }

    /// Returns the limits and rules of a pool.
    ///
    /// # Errors
    /// Fails if the database fails.
    #[doc(hidden)]
    fn pool(&self, pool: AgentPool) -> Result<PoolSettings, StoreError> {
        transact(self, TransactionKind::Read, |transaction| {
            transaction.pool(pool)
        })
    }

    /// Reserves an agent for 60 seconds, or puts the request into the queue of its pool and returns `None`.
    ///
    /// A request that waits asks again with its key. A key that was used before gives the agent that it got. Requests that wait are served first.
    ///
    /// # Errors
    /// Fails if no profile can ever serve the request, or if the queue is full.
    fn allocate(
        &self,
        request: &AllocationRequest,
        now: u64,
    ) -> Result<Option<AgentRecord>, StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            allocation::allocate(transaction, request, now)
        })?
    }

    /// Reserves agents for waiting requests; a request that must wait does not block later ones.
    ///
    /// # Errors
    /// Fails if the database fails.
    fn place_waiting(&self, pool: AgentPool, now: u64) -> Result<Vec<AgentRecord>, StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            allocation::place_waiting(transaction, pool, now)
        })
    }

    /// Returns the rating of every profile for the request, the one that would be chosen first.
    ///
    /// # Errors
    /// Fails if the parent is unknown or ended.
    fn explain(&self, request: &AllocationRequest) -> Result<Vec<ProfileRating>, StoreError> {
        transact(self, TransactionKind::Read, |transaction| {
            allocation::ratings(transaction, request)
        })
    }

    /// Returns one agent.
    ///
    /// # Errors
    /// Fails if the agent is unknown.
    fn agent(&self, id: &str) -> Result<AgentRecord, StoreError> {
        transact(self, TransactionKind::Read, |transaction| {
            advance::find(transaction, id)
        })
    }

    /// Returns all agents in order of their reservation.
    ///
    /// # Errors
    /// Fails if the database fails.
    fn agents(&self) -> Result<Vec<AgentRecord>, StoreError> {
        transact(self, TransactionKind::Read, |transaction| {
            transaction.agents()
        })
    }

    /// Changes the state of an agent, and its history if a task ends.
    ///
    /// # Errors
    /// Fails if the agent has a different state or epoch, or if the writeback is not complete.
    fn advance(
        &self,
        id: &str,
        epoch: u64,
        transition: &Transition,
        now: u64,
    ) -> Result<AgentRecord, StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            advance::advance(transaction, id, epoch, transition, now)
        })?
    }

    /// Stores the branch and the folder of an agent without a task, before they are made.
    ///
    /// # Errors
    /// Fails if the agent is busy, ended, or has a different epoch.
    #[doc(hidden)]
    fn record_worktree(
        &self,
        id: &str,
        epoch: u64,
        branch: &str,
        path: &str,
        now: u64,
    ) -> Result<AgentRecord, StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            advance::record_worktree(transaction, id, epoch, (branch, path), now)
        })?
    }

    /// Extends the lease of a living agent by the time of its pool.
    ///
    /// # Errors
    /// Fails if the agent ended or has a different epoch.
    fn heartbeat(&self, id: &str, epoch: u64, now: u64) -> Result<(), StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            advance::heartbeat(transaction, id, epoch, now)
        })?
    }

    /// Stores a record of a busy agent; the last record of a kind counts.
    ///
    /// # Errors
    /// Fails with every fault of the record.
    fn write_back(
        &self,
        id: &str,
        epoch: u64,
        kind: WritebackKind,
        record: &Value,
        now: u64,
    ) -> Result<(), StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            advance::write_back(transaction, id, epoch, (kind, record), now)
        })?
    }

    /// Returns the faults for which the end of a task would be refused now; none if the agent is not busy.
    ///
    /// # Errors
    /// Fails if the agent is unknown.
    #[doc(hidden)]
    fn owed(&self, id: &str) -> Result<Vec<WritebackFault>, StoreError> {
        transact(self, TransactionKind::Read, |transaction| {
            advance::owed(transaction, id)
        })
    }

    /// Stores a checkpoint of a busy agent at the beginning of a phase.
    ///
    /// # Errors
    /// Fails if the agent is not busy or has a different epoch.
    fn checkpoint(
        &self,
        id: &str,
        epoch: u64,
        phase: AgentPhase,
        note: &str,
        now: u64,
    ) -> Result<(), StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            advance::checkpoint(transaction, id, epoch, (phase, note), now)
        })?
    }

    /// Returns the checkpoints of one agent, oldest first.
    ///
    /// # Errors
    /// Fails if the database fails.
    fn checkpoints(&self, id: &str) -> Result<Vec<Checkpoint>, StoreError> {
        transact(
            self,
            TransactionKind::Read,
            |transaction| match check_names([("an agent", id)]) {
                Ok(()) => transaction.checkpoints(id),
                Err(_) => Ok(Vec::new()),
            },
        )
    }

    /// Reports lost agents and changes nothing.
    ///
    /// # Errors
    /// Fails if the database fails.
    fn orphans(&self, now: u64) -> Result<OrphanReport, StoreError> {
        transact(self, TransactionKind::Read, |transaction| {
            orphans::scan(transaction, ScanMode::Report, now)
        })
    }

    /// Ends agents without lease, marks orphans as reported, and reports both.
    ///
    /// # Errors
    /// Fails if the database fails.
    fn reap(&self, now: u64) -> Result<OrphanReport, StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            orphans::scan(transaction, ScanMode::Apply, now)
        })
    }

    /// Appends rows about a party that is not an agent, in one transaction: of each the time, the event and the facts.
    ///
    /// # Errors
    /// Fails if the database fails. No row is stored then.
    #[doc(hidden)]
    fn record_events(
        &self,
        party: &str,
        events: &[(u64, String, Value)],
    ) -> Result<(), StoreError> {
        transact(self, TransactionKind::Write, |transaction| {
            events.iter().try_for_each(|(at, event, detail)| {
                let event = AuditEvent {
                    at: *at,
                    agent_id: party,
                    actor: party,
                    event,
                    states: (None, None),
                    detail: detail.clone(),
                };
                log(transaction, event)
            })
        })
    }

    /// Returns the audit log of one agent.
    ///
    /// # Errors
    /// Fails if the database fails.
    fn audit(&self, id: &str) -> Result<Vec<AuditEntry>, StoreError> {
        transact(
            self,
            TransactionKind::Read,
            |transaction| match check_names([("an agent", id)]) {
                Ok(()) => transaction.audit(Some(id)),
                Err(_) => Ok(Vec::new()),
            },
        )
    }

    /// Checks the whole audit log, and returns its rows.
    ///
    /// The log ends with the row whose hash is stored apart. An attacker who owns the database can change both: note the
    /// hash of the last row elsewhere, and look for it in the rows of a later check.
    ///
    /// # Errors
    /// Fails with the number of the first row that is missing or changed.
    fn verify_audit(&self) -> Result<Vec<AuditEntry>, StoreError> {
        transact(self, TransactionKind::Read, |transaction| {
            let rows = transaction.audit(None)?;
            audit::verify(&rows)?;
            transaction.audit_ends()?.checked()?;
            Ok(rows)
        })
    }
}
