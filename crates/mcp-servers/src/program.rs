//! A server program as a child process.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use repertoire_process::{OutputTail, ProcessGroup, command};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use crate::ServerProgram;
use crate::redaction::Redaction;

const STDERR_TAIL_BYTES: usize = 4096;

/// The time after the end of a program in which its standard error is read to the end.
const STDERR_TIMEOUT: Duration = Duration::from_millis(250);

/// The time in which a program that was killed, or its supervisor, has to end.
const KILL_TIMEOUT: Duration = Duration::from_secs(4);

/// A running server program. Dropping it ends its process group, and under a supervisor everything that it started.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    // Dropped before the child, so that the process id is not reused yet.
    group: ProcessGroup,
    child: tokio::sync::Mutex<Child>,
    redaction: Redaction,
    stderr: Arc<Mutex<OutputTail>>,
    stderr_open: watch::Receiver<()>,
}

impl ServerProcess {
    pub(crate) fn start(
        program: &ServerProgram,
        redaction: &Redaction,
    ) -> io::Result<(ServerProcess, ChildStdout, ChildStdin)> {
        let (memory, supervisor) = (program.memory, &program.supervisor);
        let is_supervised = !supervisor.is_empty();
        let mut command = Command::from(command(supervisor, memory, program.command.as_os_str()));
        command
            .args(&program.args)
            .envs(program.env.iter().map(|(key, value)| (key, value)));
        // A supervisor gets the signal `TERM`, so that it can end the others.
        command.kill_on_drop(!is_supervised);
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
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
        Ok((
            ServerProcess {
                group,
                child: tokio::sync::Mutex::new(child),
                redaction: redaction.clone(),
                stderr,
                stderr_open,
            },
            stdout,
            stdin,
        ))
    }

    /// Kills the process group, or under a supervisor everything that the program started, and waits for the end.
    pub(crate) async fn end(&self) {
        self.group.kill();
        let ended = async { self.child.lock().await.wait().await };
        let _ = tokio::time::timeout(KILL_TIMEOUT, ended).await;
    }

    /// Returns the last line of standard error, if there is one, of a program that has ended.
    pub(crate) async fn stderr_tail(&self) -> Option<String> {
        // A program that closed its output and goes on may keep the stream open.
        let _ = tokio::time::timeout(STDERR_TIMEOUT, self.stderr_open.clone().changed()).await;
        let tail = self.stderr.lock().text();
        let mut text = self.redaction.of_text(&tail);
        if tail.len() >= STDERR_TAIL_BYTES {
            // The front may be the rest of a secret that was cut.
            let cut = text.ceil_char_boundary(self.redaction.longest().min(text.len()));
            text.drain(..cut);
        }
        let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(self.redaction.excerpt(last.trim()))
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
