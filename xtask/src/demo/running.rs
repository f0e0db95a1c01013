//! A command that runs while a scene changes files.

use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use repertoire_cli::{Environment, Exit, Signal, Stream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Failure;

/// The time limit for one line, far longer than any change takes.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A command on a thread of its own, with the lines that it prints.
pub(super) struct RunningCommand<'a> {
    command: &'a [&'a str],
    lines: Receiver<String>,
    signals: UnboundedSender<Signal>,
}

impl RunningCommand<'_> {
    /// Runs `command` in `root` until `act` returns. Fails if `act` or the command does.
    pub(super) fn during(
        root: &Path,
        command: &[&str],
        act: impl FnOnce(&RunningCommand<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (sender, lines) = mpsc::channel();
        let (signals, received) = unbounded_channel();
        let running = RunningCommand {
            command,
            lines,
            signals,
        };
        thread::scope(|scope| {
            let thread = scope.spawn(|| run(root, command, sender, received));
            let acted = act(&running);
            // Also after a failure, so that no thread waits forever.
            let _ = running.signals.send(Signal::Stop);
            acted?;
            let name = command.join(" ");
            match thread.join() {
                Ok(Exit::Success) => Ok(()),
                Ok(exit) => {
                    Err(format!("`{name}`: expected {:?}, found {exit:?}", Exit::Success).into())
                }
                Err(_) => Err(format!("`{name}` panicked").into()),
            }
        })
    }

    pub(super) fn reload(&self) -> Result<(), Failure> {
        Ok(self.signals.send(Signal::Reload)?)
    }

    /// Copies lines up to the first with this prefix.
    pub(super) fn copy_until(&self, start: &str, out: &mut impl Write) -> Result<(), Failure> {
        loop {
            let line = self.lines.recv_timeout(TIMEOUT);
            let line =
                line.map_err(|_| format!("`{}` did not print `{start}`", self.command.join(" ")))?;
            writeln!(out, "{line}")?;
            if line.starts_with(start) {
                return Ok(());
            }
        }
    }
}

/// Runs the command, and sends its output line by line.
fn run(
    root: &Path,
    command: &[&str],
    lines: Sender<String>,
    signals: UnboundedReceiver<Signal>,
) -> Exit {
    let (stdout, stderr) = (Stream::lines(lines.clone()), Stream::lines(lines));
    let environment = Environment::new(root)
        .stdout(stdout)
        .stderr(stderr)
        .signals(signals);
    repertoire_cli::run(command, environment)
}
