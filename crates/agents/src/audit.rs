//! The audit log: rows that name the hash of the row before.

use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::StoreError;
use crate::agent::to_hex;

/// A row of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditEntry {
    /// The number of the row, from 1 without gaps.
    pub seq: u64,
    /// The time in milliseconds since 1970.
    pub at: u64,
    /// The agent that the row is about.
    pub(crate) agent_id: String,
    /// The party that acted.
    pub actor: String,
    /// The event: `allocated`, `transition`, `worktree`, `recorded`, `checkpoint`, `orphaned`, `rejected`, or one of a gateway.
    pub event: String,
    /// The state before.
    pub from: Option<String>,
    /// The state after.
    pub to: Option<String>,
    /// Further facts, as JSON.
    pub detail: String,
    pub(crate) prev_hash: String,
    /// The SHA-256 of the other fields and of the hash of the row before, in hexadecimal digits.
    pub hash: String,
}

impl AuditEntry {
    /// Returns the SHA-256 of the previous hash and the other fields.
    pub(crate) fn computed_hash(&self) -> String {
        let Self {
            seq,
            at,
            agent_id,
            actor,
            event,
            from,
            to,
            detail,
            prev_hash,
            hash: _,
        } = self;
        let row = json!([prev_hash, seq, at, agent_id, actor, event, from, to, detail]);
        to_hex(&Sha256::digest(row.to_string()))
    }
}

/// The facts of a row that is not numbered yet.
#[derive(Debug)]
pub(crate) struct AuditEvent<'a> {
    pub(crate) at: u64,
    pub(crate) agent_id: &'a str,
    pub(crate) actor: &'a str,
    pub(crate) event: &'a str,
    pub(crate) states: (Option<&'a str>, Option<&'a str>),
    pub(crate) detail: Value,
}

impl AuditEvent<'_> {
    /// Makes the row that follows the one with this number and hash.
    pub(crate) fn after(self, last: AuditHead) -> AuditEntry {
        let mut entry = AuditEntry {
            seq: last.seq + 1,
            at: self.at,
            agent_id: self.agent_id.to_owned(),
            actor: self.actor.to_owned(),
            event: self.event.to_owned(),
            from: self.states.0.map(str::to_owned),
            to: self.states.1.map(str::to_owned),
            detail: self.detail.to_string(),
            prev_hash: last.hash,
            hash: String::new(),
        };
        entry.hash = entry.computed_hash();
        entry
    }
}

/// The number and the hash of the last row; those of an empty log are 0 and an empty text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AuditHead {
    pub(crate) seq: u64,
    pub(crate) hash: String,
}

/// The last row, and its copy that is stored apart.
#[derive(Debug)]
pub struct AuditEnds {
    pub(crate) last: AuditHead,
    pub(crate) copy: Option<AuditHead>,
}

impl AuditEnds {
    /// Returns the last row if it equals its copy.
    pub(crate) fn checked(self) -> Result<AuditHead, StoreError> {
        let Self { last, copy } = self;
        let seq = match copy {
            Some(copy) if copy == last => return Ok(last),
            Some(copy) if copy.seq < last.seq => copy.seq + 1,
            Some(copy) if copy.seq == last.seq => last.seq,
            _ => last.seq + 1,
        };
        Err(StoreError::Tampered { seq })
    }
}

/// Checks numbers and hashes from the first row.
pub(crate) fn verify(entries: &[AuditEntry]) -> Result<(), StoreError> {
    let (mut seq, mut hash) = (0, "");
    for entry in entries {
        seq += 1;
        let intact =
            entry.seq == seq && entry.prev_hash == hash && entry.hash == entry.computed_hash();
        if !intact {
            return Err(StoreError::Tampered { seq });
        }
        hash = &entry.hash;
    }
    Ok(())
}
