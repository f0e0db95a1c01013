//! The process of an agent, with everything that it starts.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use repertoire_process::{OutputTail, ProcessGroup, command};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use crate::start::AGENT_VARIABLE;
use crate::ticket::{TICKET_VARIABLE, TicketFile};
use crate::{AgentExit, Launch, recovery};

const STDERR_TAIL_BYTES: usize = 4096;

/// The time after the end of a process in which its standard error is read to the end.
const STDERR_TIMEOUT: Duration = Duration::from_millis(250);

/// The time in which a supervisor has to end everything. It gives up after three seconds.
const KILL_TIMEOUT: Duration = Duration::from_secs(4);

/// A running program. Dropping it ends its process group, and under a supervisor everything that it started.
#[derive(Debug)]
pub(crate) struct AgentProcess {
    // Dropped before the child, so that the process id is not reused yet.
    group: ProcessGroup,
    child: Child,
    is_supervised: bool,
    agent_id: String,
    secret: String,
    stderr: Arc<Mutex<OutputTail>>,
    stderr_open: watch::Receiver<()>,
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
        let is_supervised = !supervisor.is_empty();
        let mut command = Command::from(command(supervisor, memory, program.command.as_os_str()));
        let environment = program.environment.iter().chain(agent.marks);
        command
            .args(&program.args)
            .envs(environment.map(|(name, value)| (name, value)))
            .current_dir(agent.folder)
            // A supervisor gets the signal `TERM`, so that it can end the others.
            .kill_on_drop(!is_supervised);
        if let Some(file) = &ticket {
            command.env(TICKET_VARIABLE, OsString::from(file.path()));
        }
        let mut child = command.spawn()?;
        let group = ProcessGroup::new(child.id().unwrap_or_default()).supervised_by(supervisor);
        if let Some(memory) = memory.filter(|_| !is_supervised) {
            group.limit_memory(memory)?;
        }
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stream)) = streams else {
            unreachable!("all three are piped")
        };
        let stderr = Arc::new(Mutex::new(OutputTail::new(STDERR_TAIL_BYTES)));
        let (open, stderr_open) = watch::channel(());
        tokio::spawn(read_stderr(stream, Arc::clone(&stderr), open));
        let token = agent.ticket.token.as_ref();
        let process = AgentProcess {
            group,
            child,
            is_supervised,
            agent_id: agent.ticket.agent_id.clone(),
            secret: token.map_or_else(String::new, |token| token.as_str().to_owned()),
            stderr,
            stderr_open,
            _ticket: ticket,
        };
        Ok((process, stdin, stdout))
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
        // A process that left may hold the stream open.
        let _ = tokio::time::timeout(STDERR_TIMEOUT, self.stderr_open.changed()).await;
        let tail = self.redact(self.stderr.lock().text());
        let last = tail.lines().rev().find(|line| !line.trim().is_empty());
        AgentExit {
            code: status.and_then(|status| status.code()),
            stderr_tail: last.map(|line| line.trim().to_owned()),
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
        recovery::sweep(AGENT_VARIABLE, &self.agent_id, Duration::ZERO).await;
        self.wait().await
    }

    async fn ends_within(&mut self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.child.wait()).await.is_ok()
    }
}

/// Reads to the end, so that the program never blocks on a full pipe.
async fn read_stderr(
    mut stream: ChildStderr,
    tail: Arc<Mutex<OutputTail>>,
    _open: watch::Sender<()>,
) {
    let mut buffer = vec![0; STDERR_TAIL_BYTES];
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        tail.lock().push(&buffer[..count]);
    }
}
