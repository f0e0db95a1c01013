//! The signals of a long run.

use tokio::sync::mpsc::UnboundedReceiver;

/// A signal to a long run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// Stop the run.
    Stop,
    /// Reload the sources and the configuration file.
    Reload,
}

/// The source of the signals of a run.
#[derive(Debug)]
pub(crate) enum Signals {
    Nowhere,
    Sent(UnboundedReceiver<Signal>),
    /// Those of the process, once the run listens.
    Process(Option<ProcessSignals>),
}

impl Signals {
    pub(crate) fn listen(&mut self) -> std::io::Result<()> {
        if let Signals::Process(process @ None) = self {
            *process = Some(ProcessSignals::listen()?);
        }
        Ok(())
    }

    pub(crate) async fn next(&mut self) -> Signal {
        match self {
            Signals::Sent(receiver) => receiver.recv().await.unwrap_or(Signal::Stop),
            Signals::Process(Some(process)) => process.next().await,
            Signals::Nowhere | Signals::Process(None) => std::future::pending().await,
        }
    }
}

#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct ProcessSignals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl ProcessSignals {
    fn listen() -> std::io::Result<ProcessSignals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(ProcessSignals {
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
#[derive(Debug)]
pub(crate) struct ProcessSignals;

#[cfg(not(unix))]
impl ProcessSignals {
    fn listen() -> std::io::Result<ProcessSignals> {
        Ok(ProcessSignals)
    }

    async fn next(&mut self) -> Signal {
        // Without a handler the system ends the process.
        match tokio::signal::ctrl_c().await {
            Ok(()) => Signal::Stop,
            Err(_) => std::future::pending().await,
        }
    }
}

/// A signal that pauses a gateway or ends a pause.
#[cfg(feature = "gateway")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(unix),
    expect(dead_code, reason = "this system has no such signals")
)]
pub(crate) enum PauseSignal {
    Pause,
    Resume,
}

/// SIGUSR1 and SIGUSR2 of the process. Without such signals there are none.
#[cfg(feature = "gateway")]
#[derive(Debug)]
pub(crate) struct PauseSignals {
    #[cfg(unix)]
    pause: tokio::signal::unix::Signal,
    #[cfg(unix)]
    resume: tokio::signal::unix::Signal,
}

#[cfg(feature = "gateway")]
impl PauseSignals {
    #[cfg(unix)]
    pub(crate) fn listen() -> std::io::Result<PauseSignals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(PauseSignals {
            pause: signal(SignalKind::user_defined1())?,
            resume: signal(SignalKind::user_defined2())?,
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn listen() -> std::io::Result<PauseSignals> {
        Ok(PauseSignals {})
    }

    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> PauseSignal {
        tokio::select! {
            biased;
            _ = self.pause.recv() => PauseSignal::Pause,
            _ = self.resume.recv() => PauseSignal::Resume,
        }
    }

    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) -> PauseSignal {
        std::future::pending().await
    }
}
