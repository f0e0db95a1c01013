//! One process from its start to its end.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures_util::future::join3;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::timeout;

use super::Limits;
use super::capture::Capture;
use super::group::Group;
use super::hold::Hold;
#[cfg(target_os = "linux")]
use super::leash::Leash;
use super::sweep::Mark;
use crate::{Ended, Printed, Run, Sandbox};

/// How long pipes may stay open once every process of a run that can be found is gone.
const DRAIN: Duration = Duration::from_secs(1);

/// How long a helper that stays may take to end everything: longer than it does.
const FORCED: Duration = Duration::from_secs(5);

/// What to start.
#[derive(Debug)]
pub(crate) struct Start<'a> {
    pub(crate) line: Vec<OsString>,
    pub(crate) environment: &'a [(OsString, OsString)],
    pub(crate) folder: &'a Path,
    /// Who stays with it, if somebody does.
    pub(crate) helper: &'a [OsString],
    /// What it runs in; nothing where a helper confines it, and tells.
    pub(crate) sandbox: Option<Sandbox>,
    /// For its standard input; without it there is none.
    pub(crate) input: Option<Vec<u8>>,
}

impl Start<'_> {
    /// Runs it to its end, at most for `time`, and leaves none of its processes.
    ///
    /// # Cancel safety
    /// Dropped, it ends them as well.
    pub(crate) async fn run(self, time: Duration, limits: &Limits) -> io::Result<Run> {
        let (mut child, mut hold) = self.start()?;
        let mut stdout = Capture::new(child.stdout.take(), limits.stdout);
        let mut stderr = Capture::new(child.stderr.take(), limits.stderr);
        if self.sandbox.is_none() {
            stderr = stderr.with_report();
        }
        let stdin = child.stdin.take();
        let input = self.input.unwrap_or_default();
        let ended = {
            // Streams are served until the process ends, and a little longer.
            let mut serving = pin!(join3(stdout.fill(), stderr.fill(), feed(stdin, &input)));
            let mut served = false;
            let ended = {
                let mut ending = pin!(end(&mut child, &mut hold, &input, time, limits.grace));
                loop {
                    tokio::select! {
                        ended = &mut ending => break ended,
                        _ = &mut serving, if !served => served = true,
                    }
                }
            };
            let sweep = hold.sweep();
            // What it left behind in the background would hold the pipes.
            drop(hold);
            if !served {
                let _ = timeout(DRAIN, serving.as_mut()).await;
            }
            ended.map(|ended| (ended, sweep))
        };
        let (ended, sweep) = match ended {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(helpless(&stderr.printed())),
            ended => ended?,
        };
        let sandbox = match self.sandbox {
            Some(sandbox) => sandbox,
            None => stderr.take_report().ok_or_else(|| helpless(&stderr.printed()))?,
        };
        Ok(Run { ended, stdout: stdout.printed(), stderr: stderr.printed(), sandbox, sweep })
    }

    fn start(&self) -> io::Result<(Child, Hold)> {
        let mark = Mark::new();
        #[cfg(not(target_os = "linux"))]
        let _ = self.helper;
        #[cfg(target_os = "linux")]
        if !self.helper.is_empty() {
            let (leash, stdin) = Leash::new(mark)?;
            let line = leash.around(self.helper, &self.line, self.input.as_deref());
            // Dropped, the helper is left to its work.
            let child = self.command(&line).stdin(stdin).spawn()?;
            return Ok((child, Hold::Leash(leash)));
        }
        let stdin = if self.input.is_some() { Stdio::piped() } else { Stdio::null() };
        let child = self.command(&self.line).envs([mark.variable()]).stdin(stdin).kill_on_drop(true).spawn()?;
        let group = Group::of(&child, mark);
        Ok((child, Hold::Group(group)))
    }

    fn command(&self, line: &[OsString]) -> Command {
        let (program, arguments) = line.split_first().expect("a command line has a program");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(self.folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        command
    }
}

/// The helper failed, so the command has not begun.
fn helpless(stderr: &Printed) -> io::Error {
    io::Error::other(format!("the helper failed: {}", stderr.text().trim()))
}

/// Waits for the end; when the time is over, brings it about.
async fn end(child: &mut Child, hold: &mut Hold, input: &[u8], time: Duration, grace: Duration) -> io::Result<Ended> {
    let run = async {
        hold.feed(input).await;
        hold.ended(child).await
    };
    if let Ok(status) = timeout(time, run).await {
        return status.map(how);
    }
    hold.ask();
    // Whether it obeys or not, it is the time that ended it.
    if timeout(grace, hold.ended(child)).await.is_err() {
        hold.force();
        if timeout(FORCED, hold.ended(child)).await.is_err() {
            child.start_kill()?;
            child.wait().await?;
        }
    }
    Ok(Ended::TimedOut(time))
}

fn how(status: ExitStatus) -> Ended {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ended::Signal(signal);
    }
    Ended::Exit(status.code().unwrap_or(-1))
}

async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin {
        // One that does not care for its input closes it early.
        let _ = stdin.write_all(input).await;
    }
}
