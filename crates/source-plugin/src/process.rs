//! A source of a plugin in a process of its own.

use std::fmt;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use repertoire_core::{SourceError, SourceErrorKind};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::Containment;
use crate::calls::Calls;
use crate::file::PluginFile;
use crate::frame::{self, Frame};
use crate::guest::{Door, Guest, SHORT, failure, told};
use crate::host::PLUGIN_HOST;
use crate::source::overdue;

/// A source that another process made.
#[derive(Debug)]
pub(crate) struct Process {
    features: String,
    input: Mutex<ChildStdin>,
    calls: Arc<Calls<Frame>>,
    group: Arc<Group>,
}

/// The processes to end; nothing once they are.
struct Group(Mutex<Option<Pid>>, Leader);

/// Which process leads the group.
#[derive(Clone, Copy)]
enum Leader {
    /// The runner, in a group with what it starts.
    Runner,
    /// A keeper, which ends the runner and all that it started when it is asked to end.
    Keeper,
}

impl Group {
    fn kill(&self) {
        // Not reaped before this is taken, so that the number is still that of these processes.
        if let Some(group) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = match self.1 {
                Leader::Runner => kill_process_group(group, Signal::KILL),
                Leader::Keeper => kill_process(group, Signal::TERM),
            };
        }
    }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Group").field(&self.0).finish()
    }
}

/// How long the last words of a process are waited for.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// Bytes of what a process wrote to its standard error that are told.
const WORDS: usize = 2048;

fn unavailable(message: impl Into<String>) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, message)
}

impl Process {
    /// Starts a process that loads `file` and makes a source; `request` is a `create` message.
    ///
    /// The process has no environment, a group of its own, and no more memory and processor time than it is given.
    ///
    /// Nobody else knows of it yet, who could end it: what takes longer than `deadline` is ended here.
    pub(crate) fn start(
        how: &Containment,
        file: &PluginFile,
        request: &[u8],
        deadline: Duration,
    ) -> Result<Process, SourceError> {
        let (mut command, leader) = match how.keeper.split_first() {
            None => (Command::new(&how.runner), Leader::Runner),
            Some((keeper, arguments)) => {
                let mut command = Command::new(keeper);
                command.args(arguments).arg("-").arg(&how.runner);
                (command, Leader::Keeper)
            }
        };
        command.arg(PLUGIN_HOST).arg(&file.path).arg(file.digest.to_string());
        command.args([how.memory, how.cpu.as_secs()].map(|most| most.to_string()));
        command.env_clear().process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let cannot = |error| unavailable(format!("`{}` cannot be started", how.runner.display())).caused_by(error);
        let mut child = command.spawn().map_err(cannot)?;
        let group = Arc::new(Group(Mutex::new(Some(Pid::from_child(&child))), leader));
        let taken = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = taken else { unreachable!("all three are piped") };
        let calls = Arc::new(Calls::new());
        let mut process = Process { features: String::new(), input: Mutex::new(input), calls, group };
        let words = listen(errors);
        let (calls, group) = (process.calls.clone(), process.group.clone());
        thread::Builder::new()
            .name("plugin replies".to_owned())
            .spawn(move || follow(child, output, &words, &calls, &group))
            .map_err(|error| unavailable("no thread can be started").caused_by(error))?;
        let features = match process.begin(frame::CREATE, request, SHORT)?.recv_timeout(deadline) {
            Err(RecvTimeoutError::Timeout) => {
                process.group.kill();
                // As whoever asked says it, whose own time is over now too.
                return Err(overdue(deadline));
            }
            features => process.answer(features.ok())?,
        };
        process.features = told(&String::from_utf8_lossy(&features));
        Ok(process)
    }

    /// Asks; the reply comes through what this gives.
    fn begin(&self, tag: u32, request: &[u8], limit: usize) -> Result<mpsc::Receiver<Frame>, SourceError> {
        let (call, reply) = self.calls.begin(limit).map_err(unavailable)?;
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        // A request that cannot be written is one whose reply will not come.
        let _ = frame::write(&mut *input, call, tag, request);
        Ok(reply)
    }

    /// What a reply says, or why there is none.
    fn answer(&self, reply: Option<Frame>) -> Result<Vec<u8>, SourceError> {
        match reply {
            Some(Frame { tag: frame::ERROR, message, .. }) => Err(failure(&message)),
            Some(Frame { message, .. }) => Ok(message),
            None => Err(unavailable(self.calls.ended().unwrap_or_else(|| "the plugin does not answer".to_owned()))),
        }
    }
}

impl Guest for Process {
    fn features(&self) -> &str {
        &self.features
    }

    fn call(&self, door: Door, request: &[u8]) -> Result<Vec<u8>, SourceError> {
        let reply = self.begin(door as u32, request, door.limit())?;
        self.answer(reply.recv().ok())
    }

    fn stop(&self) {
        self.group.kill();
    }

    fn is_alive(&self) -> bool {
        self.calls.ended().is_none()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// Hands replies to who waits for them, until there are no more; then sees to it that the process has ended.
fn follow(
    mut child: Child,
    mut output: ChildStdout,
    words: &mpsc::Receiver<String>,
    calls: &Calls<Frame>,
    group: &Group,
) {
    let error = loop {
        match frame::read(&mut output, |call| calls.limit(call)) {
            Ok(Some(frame)) => calls.reply(frame.call, frame),
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    group.kill();
    let status = child.wait();
    let mut ended = match error {
        Some(error) => format!("the plugin's process was ended: {error}"),
        None => format!("the plugin's process ended{}", status.map(how).unwrap_or_default()),
    };
    if let Ok(words) = words.recv_timeout(LAST_WORDS)
        && !words.is_empty()
    {
        ended.push_str(&format!("; it said: {words}"));
    }
    calls.end(ended);
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!(" with exit code {code}"),
        (None, Some(signal)) if signal == Signal::XCPU.as_raw() => ", since its processor time was used up".to_owned(),
        (None, Some(signal)) => format!(" by signal {signal}"),
        (None, None) => String::new(),
    }
}

/// The end of what a process writes to its standard error.
fn listen(mut errors: ChildStderr) -> mpsc::Receiver<String> {
    let (send, words) = mpsc::channel();
    let listen = move || {
        let (mut tail, mut buffer) = (Vec::new(), [0; 4096]);
        while let Ok(more @ 1..) = errors.read(&mut buffer) {
            tail.extend_from_slice(&buffer[..more]);
            tail.drain(..tail.len().saturating_sub(WORDS));
        }
        // Nobody may want to know.
        let _ = send.send(told(String::from_utf8_lossy(&tail).trim()));
    };
    // Without it the process writes to a pipe that nobody reads, which is its own affair.
    let _ = thread::Builder::new().name("plugin errors".to_owned()).spawn(listen);
    words
}
