//! Reservations and the queues of pools.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::json;

use crate::agent::{agent_id, branch_name};
use crate::audit::AuditEvent;
use crate::name::check_names;
use crate::profile::RunHistory;
use crate::rating::{self, RatedCandidate};
use crate::request::WaitingRequest;
use crate::transaction::AgentTransaction;
use crate::{
    AgentPool, AgentRecord, AgentState, AllocationRequest, AllocationStrategy, ProfileRating,
    StoreError, advance,
};

/// The time for which a reservation holds without a process.
const RESERVATION_MS: u64 = 60_000;

/// Returns the ratings of all profiles, best first.
pub(crate) fn ratings(
    transaction: &mut dyn AgentTransaction,
    request: &AllocationRequest,
) -> Result<Vec<ProfileRating>, StoreError> {
    if let Some(failed) = &request.retry_of {
        advance::find(transaction, failed)?;
    }
    let parent = match &request.parent {
        Some(id) => {
            let parent = advance::find(transaction, id)?;
            if parent.state.is_final() {
                return Err(StoreError::AgentEnded(parent.state));
            }
            Some(parent.permissions)
        }
        None => None,
    };
    let strategy = transaction.pool(request.pool)?.strategy;
    let cursor = transaction.cursor(request.pool)?;
    Ok(rating::rate(
        strategy,
        request,
        parent.as_ref(),
        &candidates(transaction)?,
        cursor.as_deref(),
    ))
}

fn candidates(transaction: &mut dyn AgentTransaction) -> Result<Vec<RatedCandidate>, StoreError> {
    let rows = transaction.profiles()?;
    let mut types: BTreeMap<String, RunHistory> = BTreeMap::new();
    for row in &rows {
        let (sum, own) = (
            types.entry(row.profile.agent_type.clone()).or_default(),
            row.profile.history,
        );
        sum.successes += own.successes;
        sum.failures += own.failures;
    }
    let rows = rows.into_iter();
    Ok(rows
        .map(|row| RatedCandidate {
            type_history: types[&row.profile.agent_type],
            name: row.name,
            profile: row.profile,
            active: row.active,
            reserved_tokens: row.reserved_tokens,
            last_assigned: row.last_assigned,
        })
        .collect())
}

/// Reserves or queues; the inner error is a refusal that keeps what else was placed.
pub(crate) fn allocate(
    transaction: &mut dyn AgentTransaction,
    request: &AllocationRequest,
    now: u64,
) -> Result<Result<Option<AgentRecord>, StoreError>, StoreError> {
    let key = &request.idempotency_key;
    let host = request.host.as_deref().map(|host| ("a host", host));
    check_names([("a task", &*request.task_id), ("a key", key)])?;
    check_names(host)?;
    if let Some(agent) = transaction.agent_with_key(key)? {
        return Ok(Ok(Some(agent)));
    }
    let queue = transaction.queue(request.pool)?;
    let waits = queue
        .iter()
        .any(|waiting| waiting.request.idempotency_key == *key);
    let seq = transaction.next_in_queue()?;
    if !waits {
        let ratings = ratings(transaction, request)?;
        if !ratings.iter().any(may_serve) {
            return Err(StoreError::Ineligible(ratings));
        }
        if queue.is_empty()
            && has_place(transaction, request.pool)?
            && let Some(agent) = reserve(transaction, request, &ratings, now)?
        {
            return Ok(Ok(Some(agent)));
        }
        transaction.enqueue(&WaitingRequest {
            seq,
            since: now,
            request: request.clone(),
        })?;
    }
    let placed = place_waiting(transaction, request.pool, now)?;
    if let Some(own) = placed.into_iter().find(|one| one.idempotency_key == *key) {
        return Ok(Ok(Some(own)));
    }
    let queue_max = transaction.pool(request.pool)?.queue_max as usize;
    if !waits && transaction.queue(request.pool)?.len() > queue_max {
        transaction.dequeue(seq)?;
        return Ok(Err(StoreError::PoolFull(request.pool)));
    }
    Ok(Ok(None))
}

fn may_serve(rating: &ProfileRating) -> bool {
    rating.reasons.iter().all(|reason| reason.is_temporary)
}

/// Reserves agents for requests of the queue, in the order of the pool's strategy.
pub(crate) fn place_waiting(
    transaction: &mut dyn AgentTransaction,
    pool: AgentPool,
    now: u64,
) -> Result<Vec<AgentRecord>, StoreError> {
    let strategy = transaction.pool(pool)?.strategy;
    let mut queue = transaction.queue(pool)?;
    if strategy == AllocationStrategy::PriorityQueue {
        queue.sort_by_key(|waiting| Reverse(waiting.aged_priority(now)));
    }
    let mut placed = Vec::new();
    for waiting in queue {
        if !has_place(transaction, pool)? {
            break;
        }
        match ratings(transaction, &waiting.request) {
            Ok(ratings) => {
                if let Some(agent) = reserve(transaction, &waiting.request, &ratings, now)? {
                    transaction.dequeue(waiting.seq)?;
                    placed.push(agent);
                }
            }
            // Its parent ended in the meantime.
            Err(StoreError::AgentEnded(_)) => transaction.dequeue(waiting.seq)?,
            Err(error) => return Err(error),
        }
    }
    Ok(placed)
}

fn has_place(transaction: &mut dyn AgentTransaction, pool: AgentPool) -> Result<bool, StoreError> {
    Ok(transaction.living_in(pool)? < transaction.pool(pool)?.max)
}

/// Reserves an agent of the best profile, if that is eligible.
fn reserve(
    transaction: &mut dyn AgentTransaction,
    request: &AllocationRequest,
    ratings: &[ProfileRating],
    now: u64,
) -> Result<Option<AgentRecord>, StoreError> {
    let pool = request.pool;
    let Some(chosen) = ratings.first().filter(|best| best.reasons.is_empty()) else {
        return Ok(None);
    };
    let profile = transaction
        .profile(&chosen.profile)?
        .expect("a rated profile exists");
    let last = transaction.audit_ends()?.checked()?;
    let agent = AgentRecord {
        // The hash of the last row never repeats within a store, the key not between requests.
        id: agent_id(now, &format!("{}{}", last.hash, request.idempotency_key)),
        profile: chosen.profile.clone(),
        pool,
        state: AgentState::Pending,
        task_id: request.task_id.clone(),
        parent: request.parent.clone(),
        epoch: 1,
        host: request.host.clone(),
        worktree: None,
        branch: branch_name(&request.task_id),
        permissions: profile.permissions,
        lease_expires_at: Some(now.saturating_add(RESERVATION_MS)),
        started_at: None,
        fail_reason: None,
        retry_of: request.retry_of.clone(),
        orphaned: false,
        created_at: now,
        updated_at: now,
        alerted_at: None,
        // Databases have no larger numbers.
        est_tokens: request.est_tokens.min(i64::MAX as u64),
        idempotency_key: request.idempotency_key.clone(),
    };
    transaction.insert_agent(&agent)?;
    transaction.note_choice(pool, &agent.profile, now)?;
    let event = AuditEvent {
        at: now,
        agent_id: &agent.id,
        actor: "allocator",
        event: "allocated",
        states: (None, Some(agent.state.as_str())),
        detail: json!({
            "profile": agent.profile,
            "task_id": agent.task_id,
            "idempotency_key": agent.idempotency_key,
            "score": chosen.score,
        }),
    };
    transaction.append_audit(&event.after(last))?;
    Ok(Some(agent))
}
