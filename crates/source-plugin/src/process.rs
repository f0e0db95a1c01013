//! An instance of a plugin in a process of its own.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use repertoire_core::SourceError;
use repertoire_process::{OutputTail, ProcessGroup, command};
use rustix::process::Signal;

use crate::backend::{
    PluginBackend, PluginMethod, SMALL_REPLY_BYTES, excerpt, overdue, reply_error, unavailable,
};
use crate::file::PluginFile;
use crate::frame::{self, PluginFrame};
use crate::host::PLUGIN_HOST;
use crate::options::ProcessIsolation;
use crate::pending_calls::PendingCalls;

/// An instance in a process of its own.
#[derive(Debug)]
pub(crate) struct PluginProcess {
    features: String,
    input: Mutex<ChildStdin>,
    calls: Arc<PendingCalls<PluginFrame>>,
    group: Arc<ProcessGroup>,
}

/// The time after the end of a process in which its standard error is read to the end.
const STDERR_TIMEOUT: Duration = Duration::from_millis(200);

const STDERR_TAIL_BYTES: usize = 2048;

impl PluginProcess {
    /// Starts a process that loads `file` and makes a source; `request` is a `create` message.
    ///
    /// The process has no environment and a group of its own. It is killed if the reply takes longer than `deadline`.
    pub(crate) fn start(
        isolation: &ProcessIsolation,
        file: &PluginFile,
        request: &[u8],
        deadline: Duration,
    ) -> Result<PluginProcess, SourceError> {
        // The runner limits its memory itself.
        let mut command = command(&isolation.supervisor, None, isolation.runner.as_os_str());
        command
            .arg(PLUGIN_HOST)
            .arg(&file.path)
            .arg(file.digest.to_string());
        command.args([isolation.memory, isolation.cpu_s].map(|limit| limit.to_string()));
        let mut child = command.spawn().map_err(|error| {
            unavailable(format!(
                "`{}` cannot be started",
                isolation.runner.display()
            ))
            .caused_by(error)
        })?;
        let group = Arc::new(ProcessGroup::new(child.id()).supervised_by(&isolation.supervisor));
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(stderr)) = streams else {
            unreachable!("all three are piped")
        };
        let calls = Arc::new(PendingCalls::new());
        let mut process = PluginProcess {
            features: String::new(),
            input: Mutex::new(input),
            calls,
            group,
        };
        let stderr = spawn_stderr_reader(stderr);
        let (calls, group) = (process.calls.clone(), process.group.clone());
        thread::Builder::new()
            .name("plugin replies".to_owned())
            .spawn(move || read_replies(child, output, &stderr, &calls, &group))
            .map_err(|error| unavailable("no thread can be started").caused_by(error))?;
        let features = match process
            .send(frame::CREATE, request, SMALL_REPLY_BYTES)?
            .recv_timeout(deadline)
        {
            Err(RecvTimeoutError::Timeout) => {
                process.group.kill();
                return Err(overdue(deadline));
            }
            features => process.result(features.ok())?,
        };
        process.features = excerpt(&String::from_utf8_lossy(&features));
        Ok(process)
    }

    fn send(
        &self,
        tag: u32,
        request: &[u8],
        limit: usize,
    ) -> Result<mpsc::Receiver<PluginFrame>, SourceError> {
        let (call, reply) = self.calls.begin(limit).map_err(unavailable)?;
        // If the request cannot be written, no reply arrives, and the caller gets the reason for that.
        let _ = frame::write(&mut *self.input.lock(), call, tag, request);
        Ok(reply)
    }

    fn result(&self, reply: Option<PluginFrame>) -> Result<Vec<u8>, SourceError> {
        match reply {
            Some(PluginFrame {
                tag: frame::ERROR,
                message,
                ..
            }) => Err(reply_error(&message)),
            Some(PluginFrame { message, .. }) => Ok(message),
            None => Err(unavailable(
                self.calls
                    .ended()
                    .unwrap_or_else(|| "the plugin does not answer".to_owned()),
            )),
        }
    }
}

impl PluginBackend for PluginProcess {
    fn features(&self) -> &str {
        &self.features
    }

    fn call(&self, method: PluginMethod, request: &[u8]) -> Result<Vec<u8>, SourceError> {
        let reply = self.send(method as u32, request, method.limit())?;
        self.result(reply.recv().ok())
    }

    fn stop(&self) {
        self.group.kill();
    }

    fn is_alive(&self) -> bool {
        self.calls.ended().is_none()
    }
}

impl Drop for PluginProcess {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// Hands replies to their callers until the output ends, then ends the process and the calls that are left.
fn read_replies(
    mut child: Child,
    mut output: ChildStdout,
    stderr: &mpsc::Receiver<String>,
    calls: &PendingCalls<PluginFrame>,
    group: &ProcessGroup,
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
    let mut reason = match error {
        Some(error) => format!("the plugin's process was ended: {error}"),
        None => format!(
            "the plugin's process ended{}",
            status.map(describe).unwrap_or_default()
        ),
    };
    if let Ok(stderr) = stderr.recv_timeout(STDERR_TIMEOUT)
        && !stderr.is_empty()
    {
        reason.push_str(&format!("; standard error: {stderr}"));
    }
    calls.end(reason);
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!(" with exit code {code}"),
        (None, Some(signal)) if signal == Signal::XCPU.as_raw() => {
            ", since its processor time was used up".to_owned()
        }
        (None, Some(signal)) => format!(" by signal {signal}"),
        (None, None) => String::new(),
    }
}

/// Returns the channel of the last bytes that a process writes to its standard error.
fn spawn_stderr_reader(mut stderr: ChildStderr) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    // Without the thread, the message lacks this text.
    let _ = thread::Builder::new()
        .name("plugin errors".to_owned())
        .spawn(move || {
            let (mut tail, mut buffer) = (OutputTail::new(STDERR_TAIL_BYTES), [0; 4096]);
            while let Ok(count @ 1..) = stderr.read(&mut buffer) {
                tail.push(&buffer[..count]);
            }
            let _ = sender.send(excerpt(tail.text().trim()));
        });
    receiver
}
