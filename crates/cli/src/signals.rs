//! What the world asks of a run that goes on.

use std::fmt;

use tokio::sync::mpsc;

/// What the world asks of a run that goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// End.
    Stop,
    /// Read the configuration again.
    Reload,
}

/// From where a run hears [`Signal`]s. Only a run that goes on listens.
pub struct Signals(Kind);

enum Kind {
    Nowhere,
    Sender(mpsc::UnboundedReceiver<Signal>),
    Process(Option<Process>),
}

impl Signals {
    /// Nothing is ever asked.
    pub fn none() -> Signals {
        Signals(Kind::Nowhere)
    }

    /// What is sent; once the sender is gone, to stop.
    pub fn sent() -> (mpsc::UnboundedSender<Signal>, Signals) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (sender, Signals(Kind::Sender(receiver)))
    }

    /// What this process is sent: interrupts and requests to terminate stop it, a hang-up reloads.
    pub(crate) fn of_process() -> Signals {
        Signals(Kind::Process(None))
    }

    /// Listens from now on, if there is anything to listen to.
    pub(crate) fn listen(&mut self) -> std::io::Result<()> {
        if let Kind::Process(process @ None) = &mut self.0 {
            *process = Some(Process::listen()?);
        }
        Ok(())
    }

    /// The next one.
    ///
    /// # Cancel safety
    /// May be dropped at any await; none is lost.
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
        // Without a handler the system ends the process, which is what is asked.
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::Stop,
            Err(_) => std::future::pending().await,
        }
    }
}
