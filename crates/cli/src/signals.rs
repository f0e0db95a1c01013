//! The signals of a long run.

use std::fmt;

use tokio::sync::mpsc;

/// A signal to a long run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Stop the run.
    Stop,
    /// Reload the sources and the configuration file.
    Reload,
}

/// The source of [`Signal`]s. Only `serve`, `watch` and commands that run programs listen.
pub struct Signals(Kind);

enum Kind {
    Nowhere,
    Sender(mpsc::UnboundedReceiver<Signal>),
    Process(Option<Process>),
}

impl Signals {
    /// Returns a source without signals.
    pub fn none() -> Signals {
        Signals(Kind::Nowhere)
    }

    /// Returns a source, and a sender for it. Dropping the sender stops the run.
    pub fn sent() -> (mpsc::UnboundedSender<Signal>, Signals) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (sender, Signals(Kind::Sender(receiver)))
    }

    pub(crate) fn of_process() -> Signals {
        Signals(Kind::Process(None))
    }

    pub(crate) fn listen(&mut self) -> std::io::Result<()> {
        if let Kind::Process(process @ None) = &mut self.0 {
            *process = Some(Process::listen()?);
        }
        Ok(())
    }

    pub(crate) async fn next(&mut self) -> Signal {
        match &mut self.0 {
            Kind::Sender(receiver) => receiver.recv().await.unwrap_or(Signal::Stop),
            Kind::Process(Some(process)) => process.next().await,
            Kind::Nowhere | Kind::Process(None) => std::future::pending().await,
        }
    }
}

impl fmt::Debug for Signals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Nowhere => "Signals::none()",
            Kind::Sender(_) => "Signals::sent()",
            Kind::Process(_) => "Signals::of_process()",
        })
    }
}

#[cfg(unix)]
struct Process {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Process {
    fn listen() -> std::io::Result<Process> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Process {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> Signal {
        tokio::select! {
            biased;
            _ = self.interrupt.recv() => Signal::Stop,
            _ = self.terminate.recv() => Signal::Stop,
            _ = self.hang_up.recv() => Signal::Reload,
        }
    }
}

#[cfg(not(unix))]
struct Process;

#[cfg(not(unix))]
impl Process {
    fn listen() -> std::io::Result<Process> {
        Ok(Process)
    }

    async fn next(&mut self) -> Signal {
        // Without a handler the system ends the process.
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::Stop,
            Err(_) => std::future::pending().await,
        }
    }
}
