//! The contract of runtimes, which start agents and talk to them.

use std::ffi::OsString;
use std::fmt::Debug;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use repertoire_core::async_trait;

use crate::{AgentExit, HostMessage, Received, Ticket};

/// A way to start agents.
#[async_trait]
pub trait Runtime: Debug + Send + Sync + 'static {
    /// Starts the program and hands over the ticket.
    ///
    /// # Errors
    /// Fails if the program did not start. Nothing of it is left then.
    async fn start(&self, agent: Launch<'_>) -> io::Result<Box<dyn RunningAgent>>;
}

/// A program that runs as an agent.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AgentProgram {
    /// The path or the name of the program.
    pub command: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment, besides variables of the runner.
    pub environment: Vec<(OsString, OsString)>,
    /// The most bytes of address space, on Linux.
    #[doc(hidden)]
    pub memory: Option<u64>,
    /// The way to start it and to talk to it.
    pub runtime: Arc<dyn Runtime>,
    /// The time that it lives.
    pub lifetime: AgentLifetime,
}

impl AgentProgram {
    /// Creates a program without arguments and environment, for one task.
    pub fn new(command: impl Into<PathBuf>, runtime: Arc<dyn Runtime>) -> Self {
        Self {
            command: command.into(),
            args: Vec::new(),
            environment: Vec::new(),
            memory: None,
            runtime,
            lifetime: AgentLifetime::default(),
        }
    }
}

/// The time that an agent lives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentLifetime {
    /// One task; it is not started again.
    #[default]
    Ephemeral,
    /// Task after task. A new agent replaces one that failed, after a growing delay.
    Resident,
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
