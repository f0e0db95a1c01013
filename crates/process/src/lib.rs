//! Child processes that end with everything they started, and files that only their owner can have written.
//!
//! Commands of skills, plugins in a process of their own and MCP servers are all started and ended here:
//!
//! - `command` builds the command line: a process group of its own, no environment, piped streams.
//! - `ProcessGroup` ends the group, and on Linux the processes that left it with the mark of the run.
//! - `PipedChild` starts it for tokio, and reads the end of its standard error.
//! - On Linux a supervisor, a separate program, is the subreaper of what it starts. It ends all descendants, also when the
//!   host is killed. `Start` and `ProcessTree` are the host's side of it.
//!
//! `ApprovalFile` stores which content a user has approved.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![allow(
    clippy::disallowed_methods,
    reason = "this crate starts processes and reads files"
)]

#[cfg(feature = "approval-file")]
mod approval_file;
#[cfg(feature = "start")]
mod command;
#[cfg(feature = "start")]
#[cfg_attr(
    not(feature = "client"),
    expect(dead_code, reason = "only the client marks its groups")
)]
mod group;
#[cfg(feature = "child")]
mod piped_child;
#[cfg(all(target_os = "linux", feature = "supervisor"))]
mod supervisor;
#[cfg(feature = "client")]
mod tree;

use std::fmt;

use serde::Serialize;

#[cfg(feature = "approval-file")]
pub use approval_file::ApprovalFile;
#[cfg(feature = "start")]
pub use command::{OutputTail, command};
#[cfg(feature = "start")]
pub use group::{ProcessGroup, kill_marked};
#[cfg(feature = "child")]
pub use piped_child::{PipedChild, StderrTail};
#[cfg(all(target_os = "linux", feature = "supervisor"))]
pub use supervisor::{run, supervise};
#[cfg(feature = "client")]
pub use tree::{ProcessTree, Start};
#[cfg(all(target_os = "linux", feature = "client"))]
pub use tree::{RUN, SUPERVISE};

/// The processes that were looked for and ended at the end of a run, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CleanupScope {
    /// The process that was started, and no other.
    #[default]
    Process,
    /// Its process group. A process that left the group may live on.
    Group,
    /// Its process group, and processes elsewhere with the mark of the run in their environment. A process that cleared its
    /// environment may live on.
    Marked,
    /// Everything that the run started.
    All,
}

impl fmt::Display for CleanupScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            CleanupScope::Process => "the process alone",
            CleanupScope::Group => "its process group",
            CleanupScope::Marked => {
                "its process group, and processes that left it with its environment"
            }
            CleanupScope::All => "everything that it started",
        })
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
