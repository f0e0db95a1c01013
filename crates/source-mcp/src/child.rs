//! A server program as a child process.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use repertoire_process::{OutputTail, ProcessGroup, command};
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use crate::McpOptions;
use crate::error::excerpt;

const STDERR_TAIL_BYTES: usize = 4096;

/// The time after the end of a program in which its standard error is read to the end.
const STDERR_TIMEOUT: Duration = Duration::from_millis(250);

/// A running server program. Dropping it ends its process group, and under a supervisor everything that it started.
#[derive(Debug)]
pub(crate) struct ServerProcess {
    // Dropped before the child, so that the process id is not reused yet.
    _group: ProcessGroup,
    _child: Child,
    stderr: Arc<Mutex<OutputTail>>,
    stderr_open: watch::Receiver<()>,
}

impl ServerProcess {
    pub(crate) fn start(
        program: &Path,
        options: &McpOptions,
    ) -> io::Result<(ServerProcess, ChildStdout, ChildStdin)> {
        let memory = options.memory_mib.map(|mib| mib.saturating_mul(1 << 20));
        let is_supervised = !options.supervisor.is_empty();
        let mut command = Command::from(command(&options.supervisor, memory, program.as_os_str()));
        command
            .args(&options.args)
            .envs(options.inherited.iter().map(|(key, value)| (key, value)))
            .envs(&options.env);
        // A supervisor gets the signal `TERM`, so that it can end the others.
        command.kill_on_drop(!is_supervised);
        if let Some(directory) = &options.directory {
            command.current_dir(directory);
        }
        let mut child = command.spawn()?;
        let group =
            ProcessGroup::new(child.id().unwrap_or_default()).supervised_by(&options.supervisor);
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
                _group: group,
                _child: child,
                stderr,
                stderr_open,
            },
            stdout,
            stdin,
        ))
    }

    /// Returns the last line of standard error, if there is one, of a program that has ended.
    pub(crate) async fn stderr_tail(&self) -> Option<String> {
        // A program that closed its output and goes on may keep the stream open.
        let _ = tokio::time::timeout(STDERR_TIMEOUT, self.stderr_open.clone().changed()).await;
        let text = self.stderr.lock().text();
        let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(excerpt(last.trim()))
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
