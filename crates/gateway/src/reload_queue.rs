//! Coalescing of reloads.

use std::sync::Arc;

use parking_lot::Mutex;
use repertoire::config::Configuration;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::{GatewayError, Reloaded};

/// The reloads that wait for their turn. They share one run, with the configuration of the last of them that has one.
#[derive(Debug, Default)]
pub(crate) struct ReloadQueue {
    /// Held during a run, and while the gateway starts or stops.
    turn: Arc<Turn<()>>,
    state: Mutex<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    next: Option<Configuration>,
    /// The number of the run that takes what is waiting.
    run: u64,
    finished: Option<(u64, Outcome)>,
}

pub(crate) type Outcome = Result<Reloaded, GatewayError>;

/// A place in the queue: the number of the run that begins after the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ticket(u64);

impl ReloadQueue {
    pub(crate) fn enter(&self, configuration: Option<Configuration>) -> Ticket {
        let mut state = self.state.lock();
        if configuration.is_some() {
            state.next = configuration;
        }
        Ticket(state.run)
    }

    pub(crate) async fn turn(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.turn).lock_owned().await
    }

    /// Returns the outcome of the run of `ticket`, or of a later one.
    pub(crate) fn outcome(&self, ticket: Ticket) -> Option<Outcome> {
        let state = self.state.lock();
        let (run, outcome) = state.finished.as_ref()?;
        (*run >= ticket.0).then(|| outcome.clone())
    }

    /// Takes what is waiting: the number of the run, and the configuration to apply.
    pub(crate) fn begin(&self) -> (Ticket, Option<Configuration>) {
        let mut state = self.state.lock();
        let run = state.run;
        state.run += 1;
        (Ticket(run), state.next.take())
    }

    pub(crate) fn finish(&self, run: Ticket, outcome: Outcome) {
        self.state.lock().finished = Some((run.0, outcome));
    }
}
