//! Secrets with which agents call their host.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::io;

use parking_lot::Mutex;
use repertoire_core::Digest;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// A secret that is bound to one agent and its epoch. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentToken(String);

impl AgentToken {
    /// Returns the text for the header `Authorization: Bearer`.
    #[doc(hidden)]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AgentToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AgentToken(…)")
    }
}

/// An agent in one epoch, as its token or its connection proves it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct AgentIdentity {
    /// The agent.
    pub agent_id: String,
    /// The epoch that it started in.
    pub epoch: u64,
}

impl AgentIdentity {
    #[doc(hidden)]
    pub fn new(agent_id: impl Into<String>, epoch: u64) -> Self {
        Self {
            agent_id: agent_id.into(),
            epoch,
        }
    }
}

/// The digests of all valid tokens; the tokens themselves are not stored.
#[derive(Debug, Default)]
pub(crate) struct TokenTable(Mutex<HashMap<String, IssuedToken>>);

#[derive(Debug)]
struct IssuedToken {
    epoch: u64,
    digest: Digest,
}

impl TokenTable {
    /// Creates the token of an agent, which replaces an earlier one.
    pub(crate) fn issue(&self, identity: &AgentIdentity) -> io::Result<AgentToken> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let mut text = format!("{}.", identity.agent_id);
        for byte in random {
            let _ = write!(text, "{byte:02x}");
        }
        let issued = IssuedToken {
            epoch: identity.epoch,
            digest: Digest::of(text.as_bytes()),
        };
        self.0.lock().insert(identity.agent_id.clone(), issued);
        Ok(AgentToken(text))
    }

    /// Returns the agent that has this token. The secret is compared in constant time.
    pub(crate) fn identify(&self, token: &str) -> Option<AgentIdentity> {
        let (agent_id, _) = token.rsplit_once('.')?;
        let digest = Digest::of(token.as_bytes());
        let tokens = self.0.lock();
        let issued = tokens.get(agent_id)?;
        let is_same = bool::from(issued.digest.as_bytes().ct_eq(digest.as_bytes()));
        is_same.then(|| AgentIdentity::new(agent_id, issued.epoch))
    }

    pub(crate) fn revoke(&self, agent_id: &str) {
        self.0.lock().remove(agent_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_its_agent() {
        let tokens = TokenTable::default();
        let identity = AgentIdentity::new("a1", 3);
        let token = tokens.issue(&identity).unwrap();
        assert_eq!(tokens.identify(token.as_str()), Some(identity));
        assert_eq!(tokens.identify("a1.00"), None);
        assert_eq!(tokens.identify(&token.as_str().replace("a1", "a2")), None);
        assert_eq!(format!("{token:?}"), "AgentToken(…)");
        tokens.revoke("a1");
        assert_eq!(tokens.identify(token.as_str()), None);
    }
}
