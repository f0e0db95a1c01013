//! The contract of runtimes, which start agents and talk to them.

use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::time::Duration;

use repertoire_core::async_trait;

use crate::{AgentExit, AgentProgram, HostMessage, Received, Ticket};

/// A way to start agents.
#[async_trait]
pub trait Runtime: Debug + Send + Sync + 'static {
    /// Starts the program and hands over the ticket.
    ///
    /// # Errors
    /// Fails if the program did not start. Nothing of it is left then.
    async fn start(&self, launch: Launch<'_>) -> io::Result<Box<dyn RunningAgent>>;
}

/// Everything that a runtime needs to start an agent.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Launch<'a> {
    /// The program.
    pub program: &'a AgentProgram,
    /// The ticket, with the token.
    pub ticket: &'a Ticket,
    /// The working folder.
    pub folder: &'a Path,
    /// Variables that every process of the agent has, so that lost ones are found.
    #[doc(hidden)]
    pub marks: &'a [(OsString, OsString)],
    /// The command line of a supervisor, on Linux; empty for none.
    #[doc(hidden)]
    pub supervisor: &'a [OsString],
    /// A private folder for tickets.
    #[doc(hidden)]
    pub ticket_folder: &'a Path,
}

/// A started agent. Dropped, it ends with everything that it started.
#[async_trait]
pub trait RunningAgent: Send {
    /// Returns whether silence means that the agent is lost. Otherwise the life of its process counts.
    fn sends_heartbeats(&self) -> bool {
        true
    }

    /// Waits for the next message, output or end.
    ///
    /// # Cancel safety
    /// May be dropped at any await; nothing is lost.
    async fn receive(&mut self) -> Received;

    /// Sends a message.
    ///
    /// # Errors
    /// Fails if the agent does not read any more.
    async fn send(&mut self, message: &HostMessage) -> io::Result<()>;

    /// Waits up to `grace` for the end, and then ends the process and everything that it started.
    async fn end(&mut self, grace: Duration) -> AgentExit;
}
