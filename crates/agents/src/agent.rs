//! The stored form of an agent.

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{AgentPool, AgentState, FailReason, Permissions};

/// A stored agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AgentRecord {
    /// The identifier, which no other agent ever gets; a UUID of version 7.
    pub id: String,
    /// The name of its profile.
    pub profile: String,
    /// The pool that it is in.
    pub pool: AgentPool,
    /// The state.
    pub state: AgentState,
    /// The task that it works on.
    pub task_id: String,
    /// The agent that asked for it.
    pub parent: Option<String>,
    /// The fencing token; a write with an older one is refused.
    pub epoch: u64,
    /// The name of the host that starts it.
    #[doc(hidden)]
    pub host: Option<String>,
    /// The folder that it works in, once it is known.
    #[doc(hidden)]
    pub worktree: Option<String>,
    /// The branch for its changes.
    pub branch: String,
    /// The rights that it got.
    pub permissions: Permissions,
    /// The time at which its lease ends, in milliseconds since 1970; `None` in a final state.
    pub lease_expires_at: Option<u64>,
    /// The start of the current or last task.
    pub(crate) started_at: Option<u64>,
    /// The cause of its failure.
    pub fail_reason: Option<FailReason>,
    /// The failed agent whose task it tries again.
    pub retry_of: Option<String>,
    /// `true` if it ended without complete writeback.
    pub orphaned: bool,
    /// The time of the reservation.
    pub created_at: u64,
    /// The time of the last change.
    #[doc(hidden)]
    pub updated_at: u64,
    #[serde(skip)]
    pub(crate) alerted_at: Option<u64>,
    #[serde(skip)]
    pub(crate) est_tokens: u64,
    #[serde(skip)]
    pub(crate) idempotency_key: String,
}

/// Returns a UUID of version 7 from a time and a text that never repeats.
pub(crate) fn agent_id(now: u64, unique: &str) -> String {
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&now.to_be_bytes()[2..]);
    bytes[6..].copy_from_slice(&Sha256::digest(unique)[..10]);
    bytes[6] = bytes[6] & 0x0f | 0x70;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = to_hex(&bytes);
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    parts.join("-")
}

/// Returns `feature/` and the letters and digits of the task; no character can leave a folder or pose as an option.
pub(crate) fn branch_name(task_id: &str) -> String {
    const MOST: usize = 50;
    let mut slug = String::new();
    for c in task_id.chars() {
        match c.is_ascii_alphanumeric() {
            true => slug.push(c.to_ascii_lowercase()),
            false if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            false => {}
        }
    }
    slug.truncate(MOST);
    let slug = slug.trim_end_matches('-');
    match slug.is_empty() {
        true => format!("feature/task-{}", &to_hex(&Sha256::digest(task_id)[..4])),
        false => format!("feature/{slug}"),
    }
}

pub(crate) fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_names_are_slugs() {
        for (task, branch) in [
            ("Fix: ../../etc & rm", "feature/fix-etc-rm"),
            ("--upload-pack=x", "feature/upload-pack-x"),
            ("T-1", "feature/t-1"),
            ("日本", "feature/task-cf2abf0c"),
        ] {
            assert_eq!(branch_name(task), branch);
        }
        assert_eq!(branch_name(&"a".repeat(80)).len(), "feature/".len() + 50);
    }
}
