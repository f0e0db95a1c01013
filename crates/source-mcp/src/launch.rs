//! A server in a process of its own.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;

use crate::McpOptions;
use crate::entry::excerpt as told;

/// Bytes of what a program said at last that an error shows.
const SAID: usize = 4096;

/// How long the last words of a program may take.
const PATIENCE: Duration = Duration::from_millis(250);

/// A program that is ended, with all that it started, when this is dropped. Without a keeper, what left its group lives on.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    #[cfg_attr(not(unix), expect(dead_code, reason = "signals are for Unix alone"))]
    is_kept: bool,
    said: Arc<Mutex<Vec<u8>>>,
    /// Ends with what it says.
    speaking: watch::Receiver<()>,
}

impl Program {
    /// Starts the program, and reads what it says to people.
    pub(crate) fn start(command: &Path, options: &McpOptions) -> io::Result<(Program, ChildStdout, ChildStdin)> {
        let (keeper, is_kept) = (options.keeper.split_first(), !options.keeper.is_empty());
        let mut started = Command::new(keeper.map_or(command.as_os_str(), |(keeper, _)| keeper));
        if let Some((_, arguments)) = keeper {
            let memory = memory(options).map_or_else(|| "-".to_owned(), |memory| memory.to_string());
            started.args(arguments).arg(memory).arg(command);
        }
        started
            .args(&options.args)
            .env_clear()
            .envs(options.inherited.iter().map(|(key, value)| (key, value)))
            .envs(&options.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A keeper is asked to end, so that it ends the others.
            .kill_on_drop(!is_kept);
        if let Some(directory) = &options.directory {
            started.current_dir(directory);
        }
        #[cfg(unix)]
        started.process_group(0);
        let mut child = started.spawn()?;
        let (speech, speaking) = watch::channel(());
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let program = Program { child, is_kept, said: Arc::default(), speaking };
        if !is_kept {
            program.confine(options)?;
        }
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(io::Error::other("its standard streams are gone"));
        };
        tokio::spawn(listen(stderr, Arc::clone(&program.said), speech));
        Ok((program, stdout, stdin))
    }

    /// What it said at last, if anything; of a program that has ended.
    pub(crate) async fn last_words(&self) -> Option<String> {
        // One that closed its output and lives on may never be silent.
        let _ = tokio::time::timeout(PATIENCE, self.speaking.clone().changed()).await;
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&said);
        let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(told(last.trim()))
    }

    #[cfg(target_os = "linux")]
    fn confine(&self, options: &McpOptions) -> io::Result<()> {
        use rustix::process::{Resource, Rlimit, prlimit};

        let Some(memory) = memory(options) else { return Ok(()) };
        let limit = Rlimit { current: Some(memory), maximum: Some(memory) };
        prlimit(self.pid(), Resource::As, limit)?;
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn confine(&self, _: &McpOptions) -> io::Result<()> {
        Ok(())
    }

    /// Its process id, as long as nobody else can have that.
    #[cfg(unix)]
    fn pid(&self) -> Option<rustix::process::Pid> {
        rustix::process::Pid::from_raw(i32::try_from(self.child.id()?).ok()?)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(pid) = self.pid() {
            use rustix::process::{Signal, kill_process, kill_process_group};

            if self.is_kept {
                let _ = kill_process(pid, Signal::TERM);
                return;
            }
            // The child is killed by its own drop, and those that it started with its group.
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let _ = self.child.start_kill();
    }
}

/// Returns the bytes of address space that the program gets, if they are limited.
fn memory(options: &McpOptions) -> Option<u64> {
    options.memory_mib.map(|mib| mib.saturating_mul(1 << 20))
}

/// Keeps the end of what comes, so that nothing ever waits for a reader.
async fn listen(mut stream: ChildStderr, said: Arc<Mutex<Vec<u8>>>, _until_then: watch::Sender<()>) {
    let mut buffer = vec![0; SAID];
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        said.extend_from_slice(&buffer[..count]);
        let surplus = said.len().saturating_sub(SAID);
        said.drain(..surplus);
    }
}
