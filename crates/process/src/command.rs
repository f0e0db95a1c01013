//! Command lines of child processes, and the end of what they print.

use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};

/// Returns a command that runs `program` in a process group of its own, without an environment and with piped streams.
///
/// `supervisor` is the command line of a program such as `repertoire-helper supervise`. It runs the program behind it, and ends
/// everything that this one started, also on the signal `TERM`. It gets `memory`, the bytes of address space of the
/// program, or `-` for no limit. An empty `supervisor` starts the program itself, without the limit.
pub fn command(supervisor: &[OsString], memory: Option<u64>, program: &OsStr) -> Command {
    let mut command = match supervisor.split_first() {
        None => Command::new(program),
        Some((supervisor, arguments)) => {
            let memory = memory.map_or_else(|| "-".to_owned(), |memory| memory.to_string());
            let mut command = Command::new(supervisor);
            command.args(arguments).arg(memory).arg(program);
            command
        }
    };
    command
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// The last bytes of an output stream.
///
/// ```
/// use repertoire_process::OutputTail;
///
/// let mut tail = OutputTail::new(5);
/// tail.push(b"one ");
/// tail.push(b"two");
/// assert_eq!(tail.text(), "e two");
/// ```
#[derive(Debug)]
pub struct OutputTail {
    bytes: Vec<u8>,
    limit: usize,
}

impl OutputTail {
    /// Creates an empty tail of at most `limit` bytes.
    pub fn new(limit: usize) -> OutputTail {
        OutputTail {
            bytes: Vec::new(),
            limit,
        }
    }

    /// Appends what was read, and drops what exceeds the limit at the front.
    pub fn push(&mut self, read: &[u8]) {
        self.bytes.extend_from_slice(read);
        self.bytes
            .drain(..self.bytes.len().saturating_sub(self.limit));
    }

    /// Returns the tail as text, with a replacement character for each invalid sequence.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

#[cfg(test)]
mod tests;
