//! Child processes with piped streams, for tokio.

use std::ffi::OsString;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use crate::{OutputTail, ProcessGroup};

/// A running child with its streams. Dropping it ends its process group, and under a supervisor everything that it started.
#[derive(Debug)]
pub struct PipedChild {
    // Dropped before the child, so that the process id is not reused yet.
    /// The process group.
    pub group: ProcessGroup,
    /// The process itself.
    pub child: Child,
    /// Its standard input.
    pub stdin: ChildStdin,
    /// Its standard output.
    pub stdout: ChildStdout,
    /// The end of its standard error.
    pub stderr: StderrTail,
}

impl PipedChild {
    /// Starts `command`, which [`command`](crate::command) built with the same `supervisor` and `memory`.
    ///
    /// # Errors
    /// The process cannot be started, or its memory cannot be limited.
    ///
    /// # Panics
    /// If called outside of a tokio runtime, or if a stream of the command is not piped.
    pub fn spawn(
        command: std::process::Command,
        supervisor: &[OsString],
        memory: Option<u64>,
    ) -> io::Result<PipedChild> {
        let is_supervised = !supervisor.is_empty();
        let mut command = Command::from(command);
        // A supervisor gets the signal `TERM`, so that it can end the others.
        command.kill_on_drop(!is_supervised);
        let mut child = command.spawn()?;
        let group = ProcessGroup::new(child.id().unwrap_or_default()).supervised_by(supervisor);
        if let Some(memory) = memory.filter(|_| !is_supervised) {
            group.limit_memory(memory)?;
        }
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            unreachable!("all three are piped")
        };
        Ok(PipedChild {
            group,
            child,
            stdin,
            stdout,
            stderr: StderrTail::read(stderr),
        })
    }
}

/// The end of the standard error of a child, which is read at all times, so that the child never blocks on a full pipe.
#[derive(Debug)]
pub struct StderrTail {
    tail: Arc<Mutex<OutputTail>>,
    open: watch::Receiver<()>,
}

const TAIL_BYTES: usize = 4096;

/// The time after the end of a process in which its standard error is read to the end.
const TIMEOUT: Duration = Duration::from_millis(250);

impl StderrTail {
    fn read(stream: ChildStderr) -> StderrTail {
        let tail = Arc::new(Mutex::new(OutputTail::new(TAIL_BYTES)));
        let (open, is_open) = watch::channel(());
        tokio::spawn(read_to_end(stream, Arc::clone(&tail), open));
        StderrTail {
            tail,
            open: is_open,
        }
    }

    /// Returns the last line that is not blank, of a child that has ended.
    ///
    /// `redact` removes secrets of at most `longest` bytes. If the beginning of the output was dropped, the first `longest`
    /// bytes of the rest are dropped too, since a part of a secret may be in them.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn last_line(
        &self,
        longest: usize,
        redact: impl FnOnce(&str) -> String,
    ) -> Option<String> {
        // A child that closed its output and goes on, or a process that it left, may hold the stream open.
        let _ = tokio::time::timeout(TIMEOUT, self.open.clone().changed()).await;
        let tail = self.tail.lock().text();
        let mut text = redact(&tail);
        if tail.len() >= TAIL_BYTES {
            let cut = text.ceil_char_boundary(longest.min(text.len()));
            text.drain(..cut);
        }
        let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(last.trim().to_owned())
    }
}

async fn read_to_end(
    mut stream: ChildStderr,
    tail: Arc<Mutex<OutputTail>>,
    _open: watch::Sender<()>,
) {
    let mut buffer = vec![0; TAIL_BYTES];
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        tail.lock().push(&buffer[..count]);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    async fn last_line(script: &str) -> Option<String> {
        let mut command = crate::command(&[], None, "/bin/sh".as_ref());
        command.args(["-c", script]);
        let mut started = PipedChild::spawn(command, &[], None).expect("a shell starts");
        started.child.wait().await.expect("the shell ends");
        let redact = |text: &str| text.replace("secret", "[hidden]");
        started.stderr.last_line("secret".len(), redact).await
    }

    #[tokio::test]
    async fn the_last_line_is_returned_redacted() {
        let line = last_line("echo first >&2; echo ' a secret ' >&2; echo >&2").await;
        assert_eq!(line.as_deref(), Some("a [hidden]"));
        assert_eq!(last_line("echo out").await, None);
    }

    #[tokio::test]
    async fn a_secret_cut_at_the_front_is_dropped() {
        // The tail begins within the secret.
        let line = last_line("printf 'secret%04092d' 7 >&2").await.unwrap();
        assert_eq!((line.len(), line.trim_start_matches('0')), (4090, "7"));
    }
}
