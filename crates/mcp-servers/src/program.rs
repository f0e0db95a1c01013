//! A server program as a child process.

use std::io;
use std::time::Duration;

use repertoire_process::{PipedChild, ProcessGroup, StderrTail, command};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::ServerProgram;
use crate::redaction::Redaction;

/// The time in which a program that was killed, or its supervisor, has to end.
const KILL_TIMEOUT: Duration = Duration::from_secs(4);

/// A running server program. Dropping it ends its process group, and under a supervisor everything that it started.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    // Dropped before the child, so that the process id is not reused yet.
    group: ProcessGroup,
    child: tokio::sync::Mutex<Child>,
    redaction: Redaction,
    stderr: StderrTail,
}

impl ServerProcess {
    pub(crate) fn start(
        program: &ServerProgram,
        redaction: &Redaction,
    ) -> io::Result<(ServerProcess, ChildStdout, ChildStdin)> {
        let (memory, supervisor) = (program.memory, &program.supervisor);
        let mut command = command(supervisor, memory, program.command.as_os_str());
        command
            .args(&program.args)
            .envs(program.env.iter().map(|(key, value)| (key, value)));
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        let started = PipedChild::spawn(command, supervisor, memory)?;
        let process = ServerProcess {
            group: started.group,
            child: tokio::sync::Mutex::new(started.child),
            redaction: redaction.clone(),
            stderr: started.stderr,
        };
        Ok((process, started.stdout, started.stdin))
    }

    /// Kills the process group, or under a supervisor everything that the program started, and waits for the end.
    pub(crate) async fn end(&self) {
        self.group.kill();
        let ended = async { self.child.lock().await.wait().await };
        let _ = tokio::time::timeout(KILL_TIMEOUT, ended).await;
    }

    /// Returns the last line of standard error, if there is one, of a program that has ended.
    pub(crate) async fn stderr_tail(&self) -> Option<String> {
        let redact = |text: &str| self.redaction.of_text(text);
        let last = self.stderr.last_line(self.redaction.longest(), redact);
        Some(self.redaction.excerpt(&last.await?))
    }
}
