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
    /// The event: `allocated`, `transition`, `recorded`, `orphaned` or `rejected`.
    pub event: String,
    /// The state before.
    pub from: Option<String>,
    /// The state after.
    pub to: Option<String>,
    /// Further facts, as JSON.
    pub detail: String,
    pub(crate) prev_hash: String,
    pub(crate) hash: String,
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
    pub(crate) fn after(self, last: Option<(u64, String)>) -> AuditEntry {
        let (seq, prev_hash) = last.unwrap_or_default();
        let mut entry = AuditEntry {
            seq: seq + 1,
            at: self.at,
            agent_id: self.agent_id.to_owned(),
            actor: self.actor.to_owned(),
            event: self.event.to_owned(),
            from: self.states.0.map(str::to_owned),
            to: self.states.1.map(str::to_owned),
            detail: self.detail.to_string(),
            prev_hash,
            hash: String::new(),
        };
        entry.hash = entry.computed_hash();
        entry
    }
}

/// Checks numbers and hashes from the first row; returns the number of rows.
pub(crate) fn verify(entries: &[AuditEntry]) -> Result<u64, StoreError> {
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
    Ok(seq)
}
