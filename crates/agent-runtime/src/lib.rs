//! Runs agents: tickets, git worktrees, leases, whole process trees, and recovery after a killed host.
//!
//! The crate `repertoire-agents` stores what happens to agents; this crate makes it happen. An [`AgentRunner`] reserves an agent,
//! makes its [worktree](Worktrees), resolves its skills by digest, checks its tools, and starts its program through a [`Runtime`].
//! The agent gets a [`Ticket`], sends [`AgentMessage`]s, and gets [`HostMessage`]s.
//!
//! # A run
//! | state | what happens | what ends it |
//! |---|---|---|
//! | `PENDING` | the skills are resolved, the worktree is made | `init-error`, `spawn-error` |
//! | `INITIALIZING` | the program starts and reads its ticket | `spawn-error`, no `ready` in time |
//! | `READY` | skills and tools were checked again | |
//! | `BUSY` | the agent works, and sends phases and records | `timeout`, `budget`, `crash` |
//! | `TERMINATED` | the checks passed, and all records are there | |
//!
//! In each living state, an agent that is silent for a lease is lost (`lease-expired`), and it can be `cancelled`. When the end
//! of a run is reported, none of its processes is left, whatever it did: a supervisor is the subreaper of all of them, and the
//! others are found by a variable in their environment.
//!
//! # An agent in the shell
//! ```text
//! read -r ticket
//! echo '{"type":"ready"}'
//! read -r assigned
//! echo '{"type":"phase","phase":"APPLY"}'
//! echo '{"type":"writeback","kind":"task_update","record":{"status":"done","progress":100,"summary":"fixed"}}'
//! echo '{"type":"done"}'
//! ```
//!
//! # Contributing
//! `start.rs` has the steps of a start in order, `conversation.rs` turns messages into rows, `run.rs` ends runs, and `lease.rs` has
//! leases and time limits. `recovery.rs` accounts for a killed host.
#![cfg(unix)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::disallowed_methods,
    reason = "this crate starts processes and makes folders"
)]

#[cfg(feature = "acp")]
mod acp_runtime;
mod agent_process;
mod conversation;
mod error;
mod event;
mod git;
mod host;
mod journal;
mod lease;
mod message;
mod options;
mod process_runtime;
mod recovery;
mod request;
mod requirements;
mod run;
mod runner;
mod runtime;
mod shared;
mod start;
mod ticket;
mod token;
mod worktree;

#[cfg(feature = "acp")]
pub use acp_runtime::AcpRuntime;
pub use error::{LaunchError, RequirementFault, RunnerError, SpawnError, WorktreeError};
pub use event::{RunnerEvent, RunnerEventKind};
pub use host::{AgentHost, CheckResult, KnownSkill, SkillCheck};
pub use message::{AgentExit, AgentMessage, HostMessage, Received};
pub use options::{RunnerOptions, TimeFn};
pub use process_runtime::ProcessRuntime;
pub use recovery::RecoveryReport;
pub use request::{SpawnRequest, Spawned};
pub use runner::{AgentRunner, AgentStatus};
pub use runtime::{AgentLifetime, AgentProgram, Launch, RunningAgent, Runtime};
pub use ticket::{SkillRef, TICKET_VARIABLE, Ticket, TicketDelivery};
pub use token::{AgentIdentity, AgentToken};
pub use worktree::{FoundWorktree, Worktrees};

/// The example of the README, which is compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
