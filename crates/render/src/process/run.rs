//! One run, from its start to its end.

use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use futures_util::future::join3;
use repertoire_process::{ProcessTree, Start};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin};
use tokio::time::timeout;

use super::sandbox::{MAX_REPORT_BYTES, read_report};
use crate::{CapturedOutput, CompletedRun, RunEnd, Sandbox};

/// The time that pipes may stay open once all processes that can be found have ended.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The time that a supervisor gets to end everything; longer than it takes.
const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// The limits of the commands and scripts of one body.
///
/// ```
/// use std::time::Duration;
/// use repertoire_render::RunLimits;
///
/// let mut limits = RunLimits::default();
/// limits.timeout = Duration::from_secs(120);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunLimits {
    /// The time of each command, after which it gets the signal `TERM`. Default 10 seconds.
    pub timeout: Duration,
    /// The time between `TERM` and `KILL`. Default 2 seconds.
    pub grace: Duration,
    /// The time for all directives of a body, after which no other starts. Default 60 seconds.
    pub total: Duration,
    /// The most bytes of standard output that are kept for each directive. Default 64 KiB.
    pub stdout: usize,
    /// The most bytes of standard error that are kept for each directive. Default 16 KiB.
    pub stderr: usize,
    /// The most directives that run at the same time. Default 4.
    pub concurrent: usize,
    /// The most directives of a body; later ones do not run. Default 16.
    pub directives: usize,
}

impl Default for RunLimits {
    fn default() -> RunLimits {
        RunLimits {
            timeout: Duration::from_secs(10),
            grace: Duration::from_secs(2),
            total: Duration::from_secs(60),
            stdout: 64 * 1024,
            stderr: 16 * 1024,
            concurrent: 4,
            directives: 16,
        }
    }
}

/// Runs `start` to its end, at most for `time`. `sandbox` is `None` if a helper confines the run and reports how.
///
/// # Cancel safety
/// Dropped, it ends all processes of the run.
pub(crate) async fn run(
    start: Start<'_>,
    sandbox: Option<Sandbox>,
    time: Duration,
    limits: &RunLimits,
) -> io::Result<CompletedRun> {
    let (mut child, mut tree) = start.spawn()?;
    let report_bytes = if sandbox.is_none() {
        MAX_REPORT_BYTES
    } else {
        0
    };
    let mut stdout = Capture::new(child.stdout.take(), limits.stdout);
    let mut stderr = Capture::new(child.stderr.take(), limits.stderr + report_bytes);
    let stdin = child.stdin.take();
    let input = start.input.unwrap_or_default();
    let ended = {
        let mut streams = pin!(join3(stdout.fill(), stderr.fill(), feed(stdin, input)));
        let mut are_closed = false;
        let ended = {
            let mut ending = pin!(end(&mut child, &mut tree, input, time, limits.grace));
            loop {
                tokio::select! {
                    ended = &mut ending => break ended,
                    _ = &mut streams, if !are_closed => are_closed = true,
                }
            }
        };
        let scope = tree.scope();
        // Processes in the background would hold the pipes open.
        drop(tree);
        if !are_closed {
            let _ = timeout(DRAIN_TIMEOUT, streams.as_mut()).await;
        }
        ended.map(|ended| (ended, scope))
    };
    let (ended, cleanup) = match ended {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(helper_failed(&stderr));
        }
        ended => ended?,
    };
    let sandbox = match sandbox {
        Some(sandbox) => sandbox,
        None => stderr.take_report().ok_or_else(|| helper_failed(&stderr))?,
    };
    Ok(CompletedRun {
        ended,
        stdout: stdout.printed(),
        stderr: stderr.printed(),
        sandbox,
        cleanup,
    })
}

/// Returns the error of a helper that failed before the command began.
fn helper_failed(stderr: &Capture<impl AsyncRead + Unpin>) -> io::Error {
    io::Error::other(format!(
        "the helper failed: {}",
        stderr.printed().text().trim()
    ))
}

/// Waits for the end of the command, and ends it after `time`.
async fn end(
    child: &mut Child,
    tree: &mut ProcessTree,
    input: &[u8],
    time: Duration,
    grace: Duration,
) -> io::Result<RunEnd> {
    let wait = async {
        tree.feed(input).await;
        tree.wait(child).await
    };
    if let Ok(status) = timeout(time, wait).await {
        return status.map(ended);
    }
    tree.terminate();
    // The time limit is the reason, also for a command that ends by itself now.
    if timeout(grace, tree.wait(child)).await.is_err() {
        tree.kill();
        if timeout(KILL_TIMEOUT, tree.wait(child)).await.is_err() {
            child.start_kill()?;
            child.wait().await?;
        }
    }
    Ok(RunEnd::TimedOut(time))
}

fn ended(status: ExitStatus) -> RunEnd {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return RunEnd::Signal(signal);
    }
    RunEnd::Exit(status.code().unwrap_or(-1))
}

async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin {
        // A command may close its input unread.
        let _ = stdin.write_all(input).await;
    }
}

/// The first bytes of an output stream, and the number of all.
#[derive(Debug)]
struct Capture<R> {
    stream: Option<R>,
    limit: usize,
    kept: Vec<u8>,
    total: u64,
}

impl<R: AsyncRead + Unpin> Capture<R> {
    fn new(stream: Option<R>, limit: usize) -> Capture<R> {
        Capture {
            stream,
            limit,
            kept: Vec::new(),
            total: 0,
        }
    }

    /// Reads to the end, also what exceeds the limit, so that the writer never blocks.
    ///
    /// # Cancel safety
    /// Dropped, it can be called again.
    async fn fill(&mut self) {
        let mut chunk = [0; 8192];
        while let Some(stream) = &mut self.stream {
            match stream.read(&mut chunk).await {
                Ok(0) | Err(_) => self.stream = None,
                Ok(count) => {
                    let room = self.limit.saturating_sub(self.kept.len()).min(count);
                    self.kept.extend_from_slice(&chunk[..room]);
                    self.total += count as u64;
                }
            }
        }
    }

    /// Removes and returns the report of a helper, which is the first line.
    fn take_report(&mut self) -> Option<Sandbox> {
        let (sandbox, length) = read_report(&self.kept)?;
        self.kept.drain(..length);
        self.kept.truncate(self.limit - MAX_REPORT_BYTES);
        self.total -= length as u64;
        Some(sandbox)
    }

    fn printed(&self) -> CapturedOutput {
        CapturedOutput::new(&self.kept, self.total)
    }
}
