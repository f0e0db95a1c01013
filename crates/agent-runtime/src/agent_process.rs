//! The process of an agent, with everything that it starts.

use std::ffi::OsString;
use std::io;
use std::time::Duration;

use repertoire_process::{PipedChild, ProcessGroup, StderrTail, command};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::ticket::{TICKET_VARIABLE, TicketFile};
use crate::{AgentExit, Launch, recovery};

/// The time in which a supervisor has to end everything. It gives up after three seconds.
const KILL_TIMEOUT: Duration = Duration::from_secs(4);

/// A running program. Dropping it ends its process group, and under a supervisor everything that it started.
#[derive(Debug)]
pub(crate) struct AgentProcess {
    // Dropped before the child, so that the process id is not reused yet.
    group: ProcessGroup,
    child: Child,
    is_supervised: bool,
    marks: Vec<(OsString, OsString)>,
    secret: String,
    stderr: StderrTail,
    /// Removed with the process.
    _ticket: Option<TicketFile>,
}

impl AgentProcess {
    pub(crate) fn start(
        agent: &Launch<'_>,
        ticket: Option<TicketFile>,
    ) -> io::Result<(AgentProcess, ChildStdin, ChildStdout)> {
        let program = agent.program;
        let (supervisor, memory) = (agent.supervisor, program.memory);
        let mut command = command(supervisor, memory, program.command.as_os_str());
        let environment = program.environment.iter().chain(agent.marks);
        command
            .args(&program.args)
            .envs(environment.map(|(name, value)| (name, value)))
            .current_dir(agent.folder);
        if let Some(file) = &ticket {
            command.env(TICKET_VARIABLE, OsString::from(file.path()));
        }
        let started = PipedChild::spawn(command, supervisor, memory)?;
        let token = agent.ticket.token.as_ref();
        let process = AgentProcess {
            group: started.group,
            child: started.child,
            is_supervised: !supervisor.is_empty(),
            marks: agent.marks.to_vec(),
            secret: token.map_or_else(String::new, |token| token.as_str().to_owned()),
            stderr: started.stderr,
            _ticket: ticket,
        };
        Ok((process, started.stdin, started.stdout))
    }

    /// Returns the text without the token of the agent.
    pub(crate) fn redact(&self, text: String) -> String {
        match self.secret.is_empty() || !text.contains(&self.secret) {
            true => text,
            false => text.replace(&self.secret, "[token]"),
        }
    }

    /// Waits for the end of the program.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub(crate) async fn wait(&mut self) -> AgentExit {
        let status = self.child.wait().await.ok();
        match self.is_supervised {
            true => self.group.release(),
            false => self.group.kill(),
        }
        let redact = |text: &str| self.redact(text.to_owned());
        let stderr_tail = self.stderr.last_line(self.secret.len(), redact).await;
        AgentExit {
            code: status.and_then(|status| status.code()),
            stderr_tail,
        }
    }

    /// Waits up to `grace` for the end, and then ends everything that the program started.
    pub(crate) async fn end(&mut self, grace: Duration) -> AgentExit {
        let mut has_ended = false;
        if !grace.is_zero() {
            has_ended = tokio::time::timeout(grace, self.wait()).await.is_ok();
        }
        self.group.kill();
        if !has_ended && !self.ends_within(KILL_TIMEOUT).await {
            // The supervisor was stopped, or cannot end a process.
            let _ = self.child.start_kill();
            self.ends_within(KILL_TIMEOUT).await;
        }
        // The agent may have killed its supervisor.
        recovery::sweep(self.marks.clone(), Duration::ZERO).await;
        self.wait().await
    }

    async fn ends_within(&mut self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.child.wait()).await.is_ok()
    }
}
