//! Pools of agents.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A group of agents with one purpose and one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentPool {
    /// Agents that find out.
    Research,
    /// Agents that change code.
    Implementation,
    /// Agents that check results.
    Verification,
    /// Agents that judge changes.
    Review,
}

impl AgentPool {
    /// All pools.
    #[doc(hidden)]
    pub const ALL: [AgentPool; 4] = [
        AgentPool::Research,
        AgentPool::Implementation,
        AgentPool::Verification,
        AgentPool::Review,
    ];

    /// Returns the name.
    #[doc(hidden)]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Research => "research",
            Self::Implementation => "implementation",
            Self::Verification => "verification",
            Self::Review => "review",
        }
    }
}

impl fmt::Display for AgentPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The settings of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PoolSettings {
    /// The most agents of the pool that live at a time; 4 by default.
    pub max: u32,
    /// The most requests that wait; 16 by default.
    pub queue_max: u32,
    /// The rule that orders candidates; capacity-aware by default.
    pub strategy: AllocationStrategy,
    /// The rule for agents that end without writeback; enforced by default.
    pub contract: WritebackContract,
    /// The time that a heartbeat lasts, in milliseconds; 30,000 by default.
    pub lease_ms: u64,
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self {
            max: 4,
            queue_max: 16,
            strategy: AllocationStrategy::default(),
            contract: WritebackContract::default(),
            lease_ms: 30_000,
        }
    }
}

/// A rule that orders the eligible profiles of a request.
///
/// Ties go to the profile with fewer living agents, then to the one assigned longest ago, then to the lesser name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AllocationStrategy {
    /// The profile assigned longest ago.
    Fifo,
    /// The rule `Fifo`, with a queue that is ordered by priority, which rises by one per minute of waiting.
    PriorityQueue,
    /// The next name after the one chosen last.
    RoundRobin,
    /// The profile that uses the least share of its limit.
    LeastLoaded,
    /// The profile with the highest score.
    #[default]
    CapacityAware,
}

/// A rule for agents that end without complete writeback.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WritebackContract {
    /// The store refuses the end.
    #[default]
    Enforce,
    /// The store flags the agent as orphaned.
    Warn,
}
