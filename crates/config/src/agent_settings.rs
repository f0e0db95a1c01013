//! The settings for the agents of a gateway: the table `[gateway.agents]`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The settings for the agents of a gateway: the table `[gateway.agents]`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "GatewayAgents",
        transform = crate::schema::spelled(&[("scan-ms", "scanMs")])
    )
)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct AgentSettings {
    /// The SQLite file of the agents, relative to the folder of this file, or an address that begins with `postgres://`.
    /// Default: the file of the command `agents`.
    pub store: Option<String>,
    /// The folder of the agents' worktrees, relative to the folder of this file. Default: `worktrees` beside the store.
    pub worktrees: Option<String>,
    /// The interval of the scan for lost agents, in milliseconds. Default 10,000.
    #[serde(alias = "scanMs")]
    scan_ms: u64,
    /// The settings of the pools `research`, `implementation`, `verification` and `review`.
    pools: BTreeMap<PoolName, PoolRow>,
}

/// A pool of agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum PoolName {
    Research,
    Implementation,
    Verification,
    Review,
}

/// The settings of a pool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        rename = "AgentPool",
        rename_all = "kebab-case",
        transform = crate::schema::spelled(&[("queue-max", "queueMax")])
    )
)]
#[serde(
    default,
    deny_unknown_fields,
    rename_all(serialize = "snake_case", deserialize = "kebab-case")
)]
struct PoolRow {
    /// The most agents that live at a time. Default 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u32>,
    /// The most requests that wait. Default 16.
    #[serde(alias = "queueMax", skip_serializing_if = "Option::is_none")]
    queue_max: Option<u32>,
    /// Default `capacity-aware`.
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<PoolStrategy>,
    /// The rule for agents that end without writeback. Default `enforce`.
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<PoolContract>,
}

/// The rule that orders profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum PoolStrategy {
    Fifo,
    PriorityQueue,
    RoundRobin,
    LeastLoaded,
    CapacityAware,
}

/// The rule for agents that end without writeback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum PoolContract {
    /// The end is refused.
    Enforce,
    /// The agent is flagged as orphaned.
    Warn,
}

impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings {
            store: None,
            worktrees: None,
            scan_ms: 10_000,
            pools: BTreeMap::new(),
        }
    }
}

impl AgentSettings {
    /// Returns the interval of the scan for lost agents, at least 100 milliseconds.
    pub fn scan_interval(&self) -> Duration {
        Duration::from_millis(self.scan_ms.max(100))
    }

    /// Returns the settings of each pool that the file names, as `repertoire_agents` reads both.
    pub fn pools(&self) -> Map<String, Value> {
        match json!(self.pools) {
            Value::Object(pools) => pools,
            _ => Map::new(),
        }
    }
}
