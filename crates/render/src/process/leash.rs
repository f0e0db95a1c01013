//! The host's end of the line to a helper that stays.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::process::Child;

use super::sweep::Mark;
use super::told::{ASK, FORCE, KEEP, Told};
use crate::Sweep;

/// The line to a helper that stays with a run, and ends all of it when the line is cut: by us, or because this process ended.
#[derive(Debug)]
pub(crate) struct Leash {
    line: UnixStream,
    heard: Vec<u8>,
    begins: bool,
    /// The group of the command, once it has begun.
    command: Option<Pid>,
    mark: Mark,
    sweep: Sweep,
}

impl Leash {
    /// A line, and its other end for the standard input of the helper.
    pub(crate) fn new(mark: Mark) -> io::Result<(Leash, Stdio)> {
        let (line, other) = net::UnixStream::pair()?;
        line.set_nonblocking(true)?;
        let line = UnixStream::from_std(line)?;
        let leash = Leash { line, heard: Vec::new(), begins: false, command: None, mark, sweep: Sweep::Marked };
        Ok((leash, Stdio::from(OwnedFd::from(other))))
    }

    /// The command line of the helper that runs `line`, with this input.
    pub(crate) fn around(&self, helper: &[OsString], line: &[OsString], input: Option<&[u8]>) -> Vec<OsString> {
        let (_, mark) = self.mark.variable();
        let length = input.map_or_else(|| "none".to_owned(), |input| input.len().to_string());
        helper.iter().cloned().chain([KEEP.into(), mark, length.into()]).chain(line.iter().cloned()).collect()
    }

    /// Gives the input.
    pub(crate) async fn feed(&mut self, input: &[u8]) {
        // A helper that is gone is noticed at its end.
        let _ = self.line.write_all(input).await;
    }

    /// How the command ended; an error if it did not begin.
    ///
    /// # Cancel safety
    /// Dropped, it can be called again.
    pub(crate) async fn ended(&mut self, helper: &mut Child) -> io::Result<ExitStatus> {
        loop {
            match self.told().await {
                Some(Told::Begins) => self.begins = true,
                Some(Told::Begun(process)) => self.command = Pid::from_raw(process),
                Some(Told::NotBegun(reason)) => return Err(io::Error::other(reason)),
                Some(Told::Ended { status, left }) => {
                    self.sweep = if left { Sweep::Marked } else { Sweep::All };
                    helper.wait().await?;
                    return Ok(ExitStatus::from_raw(status));
                }
                None if !self.begins => return Err(io::ErrorKind::UnexpectedEof.into()),
                // Somebody ended the helper. How the command ended, nobody knows.
                None => return helper.wait().await,
            }
        }
    }

    async fn told(&mut self) -> Option<Told> {
        loop {
            if let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                return serde_json::from_slice(&line).ok();
            }
            self.line.readable().await.ok()?;
            match self.line.try_read_buf(&mut self.heard) {
                Ok(0) => return None,
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return None,
                _ => {}
            }
        }
    }

    /// Asks the command to end.
    pub(crate) fn ask(&self) {
        self.say(ASK);
    }

    /// Makes everything end.
    pub(crate) fn force(&self) {
        self.say(FORCE);
    }

    fn say(&self, word: u8) {
        // A helper that does not listen is ended, in time.
        let _ = self.line.try_write(&[word]);
    }

    pub(crate) fn sweep(&self) -> Sweep {
        self.sweep
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        if self.sweep == Sweep::All {
            return;
        }
        // What can be found from here is ended here and now; the helper, if it is still there, ends the rest.
        if let Some(command) = self.command {
            let _ = kill_process_group(command, Signal::KILL);
        }
        self.mark.sweep();
    }
}
