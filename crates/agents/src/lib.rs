//! The life of agents: states, allocation, writeback and an audit log.
//!
//! A host describes the agents that it can start as [`CapabilityProfile`]s. An [`AgentStore`] reserves one for each
//! [`AllocationRequest`], moves it through its [states](AgentState), and refuses its end without writeback.
//!
//! ```
//! use repertoire_agents::*;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = MemoryAgentStore::default();
//! let profile = serde_json::from_str(r#"{ "agent_type": "coder" }"#)?;
//! store.put_profile("coder", &profile)?;
//!
//! let request = AllocationRequest::new("T-1", AgentPool::Implementation, "T-1/1");
//! let Some(agent) = store.allocate(&request, 0)? else {
//!     panic!("the pool has places");
//! };
//! let start = Lifecycle::default().transition(
//!     AgentState::Pending,
//!     AgentState::Initializing,
//!     Actor::Parent,
//! )?;
//! let agent = store.advance(&agent.id, agent.epoch, &start, 5)?;
//! assert_eq!(agent.state, AgentState::Initializing);
//! # Ok(())
//! # }
//! ```

mod advance;
mod agent;
mod allocation;
mod audit;
mod checkpoint;
mod error;
mod lifecycle;
mod memory;
mod name;
mod orphans;
mod pattern;
mod pool;
#[cfg(feature = "postgres")]
mod postgres;
mod profile;
mod rating;
mod request;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod state;
mod store;
mod transaction;
mod writeback;

pub use agent::AgentRecord;
pub use audit::AuditEntry;
pub use checkpoint::{AgentPhase, Checkpoint};
pub use error::StoreError;
pub use lifecycle::{Lifecycle, Transition};
pub use memory::MemoryAgentStore;
pub use orphans::OrphanReport;
#[doc(hidden)]
pub use pattern::matches;
pub use pool::{AgentPool, AllocationStrategy, PoolSettings, WritebackContract};
#[cfg(feature = "postgres")]
pub use postgres::PostgresAgentStore;
pub use profile::{CapabilityProfile, Permissions};
pub use rating::{IneligibleReason, ProfileRating};
pub use request::AllocationRequest;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteAgentStore;
pub use state::{Actor, AgentState, FailReason};
pub use store::AgentStore;
pub use writeback::{WritebackFault, WritebackKind};

/// The example of the README, which is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
