//! One run: a process and its descendants.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use tokio::process::{Child, Command};

use crate::group::RunMark;
use crate::{CleanupScope, ProcessGroup};

/// A process to start.
#[derive(Debug)]
pub struct Start<'a> {
    /// The program and its arguments.
    pub line: Vec<OsString>,
    /// The whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// The working folder.
    pub folder: &'a Path,
    /// The command line of a supervisor, on Linux; empty for none.
    pub supervisor: &'a [OsString],
    /// The bytes of standard input; `None` for an empty one.
    pub input: Option<&'a [u8]>,
}

/// A process and its descendants. Dropped, it ends those that it can.
#[derive(Debug)]
pub struct ProcessTree(Ender);

#[derive(Debug)]
enum Ender {
    Group(ProcessGroup),
    #[cfg(target_os = "linux")]
    Supervisor(Box<client::SupervisorClient>),
}

impl Start<'_> {
    /// Starts the process with piped output streams. Standard input is piped if there is input and no supervisor.
    ///
    /// # Errors
    /// Returns the error of the system.
    pub fn spawn(&self) -> io::Result<(Child, ProcessTree)> {
        let mark = RunMark::unique();
        #[cfg(target_os = "linux")]
        if !self.supervisor.is_empty() {
            let (client, stdin) = client::SupervisorClient::new(mark)?;
            let line = client.command_line(self.supervisor, &self.line, self.input);
            // The supervisor is not killed with the handle: it ends the run when the connection closes.
            let child = self.command(&line).stdin(stdin).spawn()?;
            return Ok((child, ProcessTree(Ender::Supervisor(Box::new(client)))));
        }
        let stdin = if self.input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        let child = self
            .command(&self.line)
            .envs(mark.variables())
            .stdin(stdin)
            .kill_on_drop(true)
            .spawn()?;
        let group = ProcessGroup::new(child.id().unwrap_or_default()).marked(mark);
        Ok((child, ProcessTree(Ender::Group(group))))
    }

    fn command(&self, line: &[OsString]) -> Command {
        let (program, arguments) = line.split_first().expect("a command line has a program");
        let mut command = Command::from(crate::command(&[], None, program));
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        command
            .args(arguments)
            .envs(environment)
            .current_dir(self.folder);
        command
    }
}

impl ProcessTree {
    /// Sends the input to a supervisor; without one, the input goes through the pipe of the child.
    pub async fn feed(&mut self, input: &[u8]) {
        match &mut self.0 {
            Ender::Group(_) => {
                let _ = input;
            }
            #[cfg(target_os = "linux")]
            Ender::Supervisor(client) => client.feed(input).await,
        }
    }

    /// Waits for the end of the command.
    ///
    /// # Errors
    /// Returns an error if the command did not start; of the kind `UnexpectedEof` if the supervisor failed before.
    ///
    /// # Cancel safety
    /// Dropped, it can be called again.
    pub async fn wait(&mut self, child: &mut Child) -> io::Result<ExitStatus> {
        match &mut self.0 {
            Ender::Group(_) => child.wait().await,
            #[cfg(target_os = "linux")]
            Ender::Supervisor(client) => client.wait(child).await,
        }
    }

    /// Sends `TERM` to the command and its group.
    pub fn terminate(&self) {
        match &self.0 {
            Ender::Group(group) => group.terminate(),
            #[cfg(target_os = "linux")]
            Ender::Supervisor(client) => client.send(protocol::TERMINATE),
        }
    }

    /// Kills everything.
    pub fn kill(&self) {
        match &self.0 {
            Ender::Group(group) => group.kill(),
            #[cfg(target_os = "linux")]
            Ender::Supervisor(client) => client.send(protocol::KILL),
        }
    }

    /// Returns the processes that have ended with the run, or end when this is dropped.
    pub fn scope(&self) -> CleanupScope {
        match &self.0 {
            Ender::Group(_) => ProcessGroup::SCOPE,
            #[cfg(target_os = "linux")]
            Ender::Supervisor(client) => client.scope,
        }
    }
}

#[cfg(target_os = "linux")]
pub use protocol::{RUN, SUPERVISE};

/// The messages between a host and the supervisor of one run, and the words that select a task of the helper program.
#[cfg(target_os = "linux")]
pub(crate) mod protocol {
    use serde::{Deserialize, Serialize};

    /// The first argument of a helper that runs one command for a host, which it reports to over standard input.
    pub const RUN: &str = "run";

    /// The first argument of a helper that runs a program whose streams are the host's own.
    pub const SUPERVISE: &str = "supervise";

    /// A message of the supervisor: one line of JSON.
    #[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) enum SupervisorMessage {
        /// The command is about to start. Even if the supervisor ends now, the command may have run.
        Starting,
        /// The command runs as this process, the leader of a group.
        Started(i32),
        /// The command could not be started.
        NotStarted(String),
        /// The command ended with this status of `wait`. `left` if some of its descendants could not be ended.
        Ended { status: i32, left: bool },
    }

    /// A byte of the host: sends `TERM` to the command. Any other byte, and the end of the stream, kill everything.
    pub(crate) const TERMINATE: u8 = b'?';

    /// A byte of the host: kills everything.
    pub(crate) const KILL: u8 = b'!';
}

#[cfg(target_os = "linux")]
mod client {
    use std::os::fd::OwnedFd;
    use std::os::unix::net;
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::{Pid, Signal, kill_process_group};
    use tokio::io::AsyncWriteExt;
    use tokio::net::UnixStream;

    use super::protocol::{RUN, SupervisorMessage};
    use super::*;

    /// The host's side of the connection to a supervisor.
    ///
    /// The supervisor ends the run when the connection closes: because this is dropped, or because the host is killed.
    #[derive(Debug)]
    pub(super) struct SupervisorClient {
        connection: UnixStream,
        received: Vec<u8>,
        is_starting: bool,
        /// The group of the command, once it has started.
        command: Option<Pid>,
        mark: RunMark,
        pub(super) scope: CleanupScope,
    }

    impl SupervisorClient {
        pub(super) fn new(mark: RunMark) -> io::Result<(SupervisorClient, Stdio)> {
            let (connection, other) = net::UnixStream::pair()?;
            connection.set_nonblocking(true)?;
            let connection = UnixStream::from_std(connection)?;
            let client = SupervisorClient {
                connection,
                received: Vec::new(),
                is_starting: false,
                command: None,
                mark,
                scope: CleanupScope::Marked,
            };
            Ok((client, Stdio::from(OwnedFd::from(other))))
        }

        pub(super) fn command_line(
            &self,
            supervisor: &[OsString],
            line: &[OsString],
            input: Option<&[u8]>,
        ) -> Vec<OsString> {
            let mark = self.mark.variables().map(|(_, value)| value);
            let length = input.map_or_else(|| "none".to_owned(), |input| input.len().to_string());
            supervisor
                .iter()
                .cloned()
                .chain([RUN.into()])
                .chain(mark)
                .chain([length.into()])
                .chain(line.iter().cloned())
                .collect()
        }

        pub(super) async fn feed(&mut self, input: &[u8]) {
            // `wait` reports a supervisor that is gone.
            let _ = self.connection.write_all(input).await;
        }

        pub(super) async fn wait(&mut self, supervisor: &mut Child) -> io::Result<ExitStatus> {
            loop {
                match self.receive().await {
                    Some(SupervisorMessage::Starting) => self.is_starting = true,
                    Some(SupervisorMessage::Started(process)) => {
                        self.command = Pid::from_raw(process)
                    }
                    Some(SupervisorMessage::NotStarted(reason)) => {
                        return Err(io::Error::other(reason));
                    }
                    Some(SupervisorMessage::Ended { status, left }) => {
                        self.scope = if left {
                            CleanupScope::Marked
                        } else {
                            CleanupScope::All
                        };
                        supervisor.wait().await?;
                        return Ok(ExitStatus::from_raw(status));
                    }
                    None if !self.is_starting => return Err(io::ErrorKind::UnexpectedEof.into()),
                    // The supervisor was killed. How the command ended is unknown.
                    None => return supervisor.wait().await,
                }
            }
        }

        async fn receive(&mut self) -> Option<SupervisorMessage> {
            loop {
                if let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                    let line: Vec<u8> = self.received.drain(..=end).collect();
                    return serde_json::from_slice(&line).ok();
                }
                self.connection.readable().await.ok()?;
                match self.connection.try_read_buf(&mut self.received) {
                    Ok(0) => return None,
                    Err(error) if error.kind() != io::ErrorKind::WouldBlock => return None,
                    _ => {}
                }
            }
        }

        pub(super) fn send(&self, byte: u8) {
            let _ = self.connection.try_write(&[byte]);
        }
    }

    impl Drop for SupervisorClient {
        fn drop(&mut self) {
            if self.scope == CleanupScope::All {
                return;
            }
            // What this process can find ends now. The supervisor, if it is alive, ends the rest.
            if let Some(command) = self.command {
                let _ = kill_process_group(command, Signal::KILL);
            }
            self.mark.kill_bearers();
        }
    }
}
