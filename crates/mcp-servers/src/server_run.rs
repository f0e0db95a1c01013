//! The life of one supervised server.

mod call;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use repertoire_core::{Backoff, SourceError};
use rmcp::model::{ClientRequest, PingRequest};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use crate::error::seconds;
use crate::redaction::Redaction;
use crate::resolution::{ResolvedServer, resolve};
use crate::supervisor_options::{ServersShared, SupervisorMode};
use crate::tool_list::ToolList;
use crate::{
    Connection, ConnectionOptions, FollowedList, ServerState, ServerStatus, ServerTool,
    SupervisedServer,
};

/// The failed starts in a row after which the supervisor gives up.
const MOST_FAILURES: u32 = 8;

/// The time after giving up in which calls do not try again.
const FAILURE_REST: Duration = Duration::from_secs(60);

/// The shortest time between two listings of a server that reports changes.
const LISTING_INTERVAL: Duration = Duration::from_millis(100);

/// The interval at which a server at a URL is asked whether it is still there.
const PING_INTERVAL: Duration = Duration::from_secs(30);

/// One supervised server. Its task is [`supervise`](ServerRun::supervise).
#[derive(Debug)]
pub(crate) struct ServerRun {
    definition: SupervisedServer,
    shared: Arc<ServersShared>,
    slot: watch::Sender<ServerSlot>,
    /// `true` if a call or a listing needs a server that does not run.
    wanted: watch::Sender<bool>,
    restart: Notify,
    ending: watch::Sender<bool>,
    usage: Mutex<ServerUsage>,
}

/// The published state of a server.
#[derive(Debug, Clone)]
struct ServerSlot {
    state: ServerState,
    since: SystemTime,
    live: Option<Arc<LiveServer>>,
    /// The tools of the last listing.
    tools: Option<Arc<[ServerTool]>>,
    last_error: Option<Arc<str>>,
    warnings: Vec<Arc<str>>,
    starts: u64,
    /// The time of the next attempt to start it.
    attempt_at: Option<Instant>,
    /// `true` after an error, until it runs again.
    is_recovering: bool,
}

#[derive(Debug)]
struct LiveServer {
    connection: Connection,
    redaction: Redaction,
    changed: Arc<Notify>,
}

#[derive(Debug)]
struct ServerUsage {
    calls: usize,
    last: Instant,
    has_answered: bool,
}

/// The reason for which a server that ran does not run any more.
enum RunEnd {
    Closed(Arc<str>),
    Idle,
    Restart,
}

/// A failed start.
struct StartFailure {
    message: Arc<str>,
    /// `true` if a different outcome needs a different definition.
    is_final: bool,
}

#[derive(Default)]
struct StartAttempts {
    backoff: Backoff,
    failures: u32,
}

impl ServerRun {
    pub(crate) fn new(definition: SupervisedServer, shared: Arc<ServersShared>) -> ServerRun {
        ServerRun {
            definition,
            shared,
            slot: watch::Sender::new(ServerSlot {
                state: ServerState::Stopped,
                since: SystemTime::now(),
                live: None,
                tools: None,
                last_error: None,
                warnings: Vec::new(),
                starts: 0,
                attempt_at: None,
                is_recovering: false,
            }),
            wanted: watch::Sender::new(false),
            restart: Notify::new(),
            ending: watch::Sender::new(false),
            usage: Mutex::new(ServerUsage {
                calls: 0,
                last: Instant::now(),
                has_answered: false,
            }),
        }
    }

    pub(crate) fn definition(&self) -> &SupervisedServer {
        &self.definition
    }

    /// Supervises the server until an end is requested, and ends it.
    pub(crate) async fn supervise(&self) {
        let mut ending = self.ending.subscribe();
        tokio::select! {
            biased;
            _ = ending.wait_for(|is_ending| *is_ending) => {}
            () = self.keep_running() => {}
        }
        let live = self.slot.borrow().live.clone();
        self.publish(ServerState::Stopped, |slot| slot.live = None);
        if let Some(live) = live {
            live.connection.end().await;
        }
    }

    pub(crate) fn request_end(&self) {
        self.ending.send_replace(true);
    }

    async fn keep_running(&self) {
        let mut attempts = StartAttempts::default();
        let mut is_wanted = self.definition.starts_at_once;
        loop {
            if !is_wanted {
                let _ = self.wanted.subscribe().wait_for(|wanted| *wanted).await;
            }
            let mut modes = self.shared.mode.subscribe();
            let _ = modes
                .wait_for(|mode| *mode == SupervisorMode::Running)
                .await;
            self.wait_for_attempt(&mut attempts).await;
            match self.start().await {
                Ok(live) => {
                    attempts.failures = 0;
                    let end = self.follow(&live).await;
                    is_wanted = self.publish_end(end, &mut attempts);
                    live.connection.end().await;
                }
                Err(failure) => {
                    attempts.failures += 1;
                    is_wanted = true;
                    self.publish(ServerState::BackingOff, |slot| slot.fail(&failure.message));
                    if failure.is_final || attempts.failures >= MOST_FAILURES {
                        self.give_up().await;
                        attempts = StartAttempts::default();
                    }
                }
            }
        }
    }

    async fn wait_for_attempt(&self, attempts: &mut StartAttempts) {
        while let Err(wait) = attempts.backoff.begin(Instant::now().into_std()) {
            let attempt_at = Instant::now() + wait;
            self.publish(ServerState::BackingOff, |slot| {
                slot.attempt_at = Some(attempt_at);
            });
            tokio::select! {
                () = tokio::time::sleep_until(attempt_at) => {}
                () = self.restart.notified() => attempts.backoff = Backoff::default(),
            }
        }
    }

    /// Publishes the failure, and returns when another attempt is due.
    async fn give_up(&self) {
        self.wanted.send_replace(false);
        self.publish(ServerState::Failed, |slot| slot.tools = None);
        let demand = async {
            tokio::time::sleep(FAILURE_REST).await;
            // Calls until now were answered with the failure.
            self.wanted.send_replace(false);
            let _ = self.wanted.subscribe().wait_for(|wanted| *wanted).await;
        };
        tokio::select! {
            () = demand => {}
            () = self.restart.notified() => {}
        }
    }

    async fn start(&self) -> Result<Arc<LiveServer>, StartFailure> {
        self.publish(ServerState::Starting, |slot| {
            slot.attempt_at = None;
            slot.starts += 1;
        });
        let resolved = resolve(&self.definition, &self.shared.options);
        let ResolvedServer {
            endpoint,
            redaction,
            warnings,
        } = resolved.map_err(|message| StartFailure {
            message: message.into(),
            is_final: true,
        })?;
        let mut options = ConnectionOptions::new(FollowedList::Tools);
        options.start = self.definition.start;
        options.redaction = redaction.clone();
        let changed = Arc::new(Notify::new());
        let notified = Arc::clone(&changed);
        let opened = Connection::open(&endpoint, &options, move || notified.notify_one()).await;
        let connection = opened.map_err(|error| StartFailure::of(&error, &redaction))?;
        let limit = self.definition.start;
        let reading = ToolList::read(&connection, &self.definition.id, &redaction);
        let list = match tokio::time::timeout(limit, reading).await {
            Ok(Ok(list)) => list,
            Ok(Err(error)) => {
                connection.end().await;
                return Err(StartFailure::of(&error, &redaction));
            }
            Err(_) => {
                connection.end().await;
                let message = format!(
                    "the list of tools was not complete within {}",
                    seconds(limit)
                );
                return Err(StartFailure {
                    message: message.into(),
                    is_final: false,
                });
            }
        };
        let live = Arc::new(LiveServer {
            connection,
            redaction,
            changed,
        });
        self.usage.lock().last = Instant::now();
        self.wanted.send_replace(false);
        self.publish(ServerState::Running, |slot| {
            slot.live = Some(Arc::clone(&live));
            slot.tools = Some(list.tools.into());
            slot.warnings = warnings.into_iter().chain(list.warnings).collect();
            slot.is_recovering = false;
        });
        Ok(live)
    }

    /// Follows a server that runs, until it ends.
    async fn follow(&self, live: &LiveServer) -> RunEnd {
        loop {
            tokio::select! {
                error = live.connection.closed() => {
                    return RunEnd::Closed(described(&error, &live.redaction));
                }
                () = live.changed.notified() => self.list_again(live).await,
                () = self.idle() => return RunEnd::Idle,
                () = self.restart.notified() => return RunEnd::Restart,
                () = self.ping_pause() => {
                    // An error that means an end is reported by the connection.
                    let request = ClientRequest::PingRequest(PingRequest::default());
                    let _ = live.connection.ask(request).await;
                }
            }
        }
    }

    async fn list_again(&self, live: &LiveServer) {
        tokio::time::sleep(LISTING_INTERVAL).await;
        let reading = ToolList::read(&live.connection, &self.definition.id, &live.redaction);
        let read = tokio::time::timeout(self.definition.start, reading).await;
        let error: Arc<str> = match read {
            Ok(Ok(list)) => {
                let state = self.slot.borrow().state;
                return self.publish(state, |slot| slot.tools = Some(list.tools.into()));
            }
            Ok(Err(error)) => described(&error, &live.redaction),
            Err(_) => "the changed list of tools was not complete in time".into(),
        };
        let state = self.slot.borrow().state;
        self.publish(state, |slot| slot.last_error = Some(error));
    }

    async fn ping_pause(&self) {
        match self.definition.url {
            Some(_) => tokio::time::sleep(PING_INTERVAL).await,
            None => std::future::pending().await,
        }
    }

    /// Publishes that a server on demand is stopped, when it was not used for some time.
    async fn idle(&self) {
        if self.definition.starts_at_once {
            return std::future::pending().await;
        }
        loop {
            let rest = {
                let usage = self.usage.lock();
                let rest = match usage.calls {
                    0 => self.definition.idle.saturating_sub(usage.last.elapsed()),
                    _ => self.definition.idle,
                };
                if rest.is_zero() {
                    // Under the lock, so that no call begins with a connection that is closed.
                    self.wanted.send_replace(false);
                    self.publish(ServerState::Stopped, |slot| slot.live = None);
                    return;
                }
                rest
            };
            tokio::time::sleep(rest).await;
        }
    }

    /// Publishes the end of a run, and returns whether the server is started again by itself.
    fn publish_end(&self, end: RunEnd, attempts: &mut StartAttempts) -> bool {
        let has_answered = std::mem::take(&mut self.usage.lock().has_answered);
        if has_answered || matches!(end, RunEnd::Restart) {
            attempts.backoff = Backoff::default();
        }
        let goes_on = self.definition.starts_at_once || matches!(end, RunEnd::Restart);
        match end {
            RunEnd::Idle => return false,
            RunEnd::Closed(error) => {
                let state = if goes_on {
                    ServerState::BackingOff
                } else {
                    self.wanted.send_replace(false);
                    ServerState::Stopped
                };
                self.publish(state, |slot| slot.fail(&error));
            }
            RunEnd::Restart => self.publish(ServerState::BackingOff, |slot| slot.live = None),
        }
        goes_on
    }

    /// Changes the published state.
    fn publish(&self, state: ServerState, change: impl FnOnce(&mut ServerSlot)) {
        self.slot.send_modify(|slot| {
            if slot.state != state {
                slot.state = state;
                slot.since = SystemTime::now();
            }
            change(slot);
        });
        self.shared.bump();
    }

    /// Starts a server that is stopped or failed, and ends one that runs, which is started again.
    pub(crate) fn restart(&self) {
        match self.slot.borrow().state {
            ServerState::Stopped => {
                self.wanted.send_replace(true);
            }
            ServerState::Starting => {}
            _ => self.restart.notify_one(),
        }
    }

    pub(crate) fn retry_if_failed(&self) {
        if self.slot.borrow().state == ServerState::Failed {
            self.restart.notify_one();
        }
    }

    /// Starts the server if its tools are not known yet.
    pub(crate) fn demand_tools(&self) {
        let slot = self.slot.borrow();
        if slot.state == ServerState::Stopped && slot.tools.is_none() {
            self.wanted
                .send_if_modified(|wanted| !std::mem::replace(wanted, true));
        }
    }

    /// Returns whether it has never listed its tools, and nothing has failed yet.
    pub(crate) fn is_listing(&self) -> bool {
        let slot = self.slot.borrow();
        // A server that failed stays without tools while it is started again.
        slot.tools.is_none() && !slot.is_recovering
    }

    pub(crate) fn tools(&self) -> Arc<[ServerTool]> {
        self.slot.borrow().tools.clone().unwrap_or_default()
    }

    pub(crate) fn status(&self) -> ServerStatus {
        let slot = self.slot.borrow();
        let since = slot.since.duration_since(UNIX_EPOCH).unwrap_or_default();
        ServerStatus {
            id: Arc::clone(&self.definition.id),
            state: slot.state,
            since: since.as_secs(),
            tools: slot.tools.as_ref().map(|tools| tools.len()),
            restarts: slot.starts.saturating_sub(1),
            last_error: slot.last_error.clone(),
            warnings: slot.warnings.clone(),
        }
    }
}

impl ServerSlot {
    fn fail(&mut self, error: &Arc<str>) {
        self.live = None;
        self.last_error = Some(Arc::clone(error));
        self.is_recovering = true;
    }
}

impl StartFailure {
    fn of(error: &SourceError, redaction: &Redaction) -> StartFailure {
        StartFailure {
            message: described(error, redaction),
            is_final: false,
        }
    }
}

/// Returns the error with its cause.
fn described(error: &SourceError, redaction: &Redaction) -> Arc<str> {
    let text = match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    };
    redaction.of_text(&text).into()
}
