//! The event stream.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use repertoire::Skill;
use repertoire::config::{AgentDefinition, ServerDefinition};
use repertoire::registry::{Entry, Subscription, Update};
use repertoire::skill::Item;
use repertoire_mcp_servers::{ServerStatus, ServerTool, Supervisor, ToolProvider};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, watch};

use super::ApiState;
use super::event_log::{EventLog, LogHead, ReadFrame};
use super::problem::Problem;
use crate::agents::AgentEvent;
use crate::reload_queue::Outcome;
use crate::{Gateway, GatewayError, GatewayState, WorkflowFile};

/// The interval of comments in a silent stream, by which both sides find that the connection is lost.
const SILENCE: Duration = Duration::from_secs(15);

/// Sends the changes of the gateway as server-sent events.
///
/// The stream begins with `state`: the generations of the lists. Then follow `registry` (the ids that changed, with the new
/// generation), `mcp-server` (the status of a process, after a change of it or of its tools), `agent` (an agent of the store after its event), `gateway` (the new state) and
/// `reload` (the outcome). A client that
/// connects again with `Last-Event-ID` gets what it missed; if that is too much, `state` is sent again, and the client reads the
/// lists again.
#[utoipa::path(get, path = "/api/v1/events", tag = "gateway",
    params(("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that the client got")),
    responses((status = 200, description = "The events", body = String, content_type = "text/event-stream")))]
pub(super) async fn events(
    State(api): State<ApiState>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let log = api.events()?;
    let mut reader = EventReader {
        api,
        head: log.head(),
        next: 0,
        ready: VecDeque::new(),
        log,
    };
    let last = headers.get("last-event-id");
    let last = last.and_then(|last| last.to_str().ok());
    match last.and_then(|last| reader.log.after(last)) {
        Some(next) => reader.next = next,
        None => reader.begin(),
    }
    let frames = stream::unfold(reader, |mut reader| async move {
        let frame = reader.next().await?;
        Some((Ok::<_, Infallible>(frame), reader))
    });
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, Body::from_stream(frames)).into_response())
}

/// The position of a client in the log.
struct EventReader {
    api: ApiState,
    log: Arc<EventLog>,
    head: watch::Receiver<LogHead>,
    next: u64,
    /// Frames for this client alone, which come first.
    ready: VecDeque<Bytes>,
}

impl EventReader {
    /// Goes to the end of the log, and sends the state.
    fn begin(&mut self) {
        // Before the state is read, so that a change in between is sent too.
        self.next = self.log.head().borrow().next;
        let state = generations(&self.api.gateway);
        // A client that connects again with this id gets the next event.
        let frame = match self.next.checked_sub(1) {
            Some(last) => self.log.frame(last, "state", &state),
            None => Bytes::from(format!("event: state\ndata: {state}\n\n")),
        };
        self.ready.push_back(frame);
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(frame);
            }
            let head = *self.head.borrow_and_update();
            match self.log.read(self.next) {
                ReadFrame::Frame(frame) => {
                    self.next += 1;
                    return Some(frame);
                }
                ReadFrame::Missed => self.begin(),
                ReadFrame::NotYet if head.is_closed => return None,
                ReadFrame::NotYet => {
                    tokio::select! {
                        changed = self.head.changed() => changed.ok()?,
                        () = tokio::time::sleep(SILENCE) => return Some(Bytes::from_static(b":\n\n")),
                    }
                }
            }
        }
    }
}

fn generations(gateway: &Gateway) -> Value {
    let state = gateway.state();
    match gateway.registries() {
        Ok(registries) => json!({
            "state": state,
            "generations": {
                "skills": registries.skills.snapshot().generation(),
                "workflows": registries.workflows.snapshot().generation(),
                "agents": registries.agents.snapshot().generation(),
                "mcp-servers": registries.mcp_servers.snapshot().generation(),
            },
        }),
        Err(_) => json!({ "state": state }),
    }
}

/// The subscriptions from which the log is written.
pub(super) struct EventSources {
    skills: Subscription<Skill>,
    workflows: Subscription<WorkflowFile>,
    agents: Subscription<AgentDefinition>,
    mcp_servers: Subscription<ServerDefinition>,
    supervisor: Supervisor,
    servers: Vec<ServerStatus>,
    tools: Arc<[ServerTool]>,
    servers_revision: watch::Receiver<u64>,
    states: watch::Receiver<GatewayState>,
    reloads: watch::Receiver<Option<Outcome>>,
    agent_events: Option<broadcast::Receiver<AgentEvent>>,
}

impl EventSources {
    /// Subscribes to everything that `gateway` has.
    pub(super) fn subscribe(gateway: &Gateway) -> Result<EventSources, GatewayError> {
        let (registries, supervisor) = (gateway.registries()?, gateway.supervisor()?);
        let servers_revision = supervisor.revision();
        Ok(EventSources {
            skills: registries.skills.subscribe(),
            workflows: registries.workflows.subscribe(),
            agents: registries.agents.subscribe(),
            mcp_servers: registries.mcp_servers.subscribe(),
            servers_revision,
            servers: supervisor.status(),
            tools: supervisor.known_tools(),
            supervisor,
            states: gateway.states(),
            reloads: gateway.reload_outcomes(),
            agent_events: gateway.agents().map(|agents| agents.events()),
        })
    }

    /// Writes events to `log` until the gateway stops or the log is dropped.
    pub(super) async fn follow(mut self, log: Weak<EventLog>) {
        let Some(dropped) = log.upgrade().map(|log| log.dropped()) else {
            return;
        };
        let mut dropped = pin!(dropped);
        loop {
            let event = tokio::select! {
                update = self.skills.next() => update.map(|update| of_update("skills", &update)),
                update = self.workflows.next() => update.map(|update| of_update("workflows", &update)),
                update = self.agents.next() => update.map(|update| of_update("agents", &update)),
                update = self.mcp_servers.next() => update.map(|update| of_update("mcp-servers", &update)),
                changed = self.states.changed() => changed.ok().map(|()| self.of_state()),
                changed = self.reloads.changed() => changed.ok().map(|()| self.of_reload()),
                changed = self.servers_revision.changed() => {
                    changed.ok().map(|()| self.of_servers())
                }
                event = next_agent_event(&mut self.agent_events) => {
                    Some(vec![("agent", json!(event))])
                }
                () = &mut dropped => return,
            };
            let Some(log) = log.upgrade() else { return };
            // The registries are closed together, at the stop.
            let is_end = event.is_none();
            let events = event.unwrap_or_else(|| self.of_state());
            for (name, data) in events {
                log.push(name, &data);
            }
            if is_end {
                log.close();
                return;
            }
        }
    }

    fn of_state(&mut self) -> Vec<Event> {
        let state = *self.states.borrow_and_update();
        vec![("gateway", json!({ "state": state }))]
    }

    fn of_reload(&mut self) -> Vec<Event> {
        let outcome = self.reloads.borrow_and_update();
        let event = match &*outcome {
            Some(Ok(changes)) => json!({ "changes": changes }),
            Some(Err(error)) => json!({ "error": error.to_string() }),
            None => return Vec::new(),
        };
        vec![("reload", event)]
    }

    /// Returns an event for each server whose status or tools changed.
    fn of_servers(&mut self) -> Vec<Event> {
        self.servers_revision.mark_unchanged();
        let before = std::mem::replace(&mut self.servers, self.supervisor.status());
        let tools = std::mem::replace(&mut self.tools, self.supervisor.known_tools());
        let changed = self.servers.iter().filter(|now| {
            // The status has only the number of tools.
            !before.contains(now) || !tools_of(&tools, now).eq(tools_of(&self.tools, now))
        });
        changed
            .map(|server| ("mcp-server", json!(server)))
            .collect()
    }
}

fn tools_of<'a>(
    tools: &'a [ServerTool],
    server: &'a ServerStatus,
) -> impl Iterator<Item = &'a ServerTool> {
    tools.iter().filter(|tool| tool.server == server.id)
}

/// Waits for an event of an agent. Those that were sent while the log lagged too far behind are lost.
async fn next_agent_event(events: &mut Option<broadcast::Receiver<AgentEvent>>) -> AgentEvent {
    while let Some(receiver) = events {
        match receiver.recv().await {
            Ok(event) => return event,
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => *events = None,
        }
    }
    std::future::pending().await
}

type Event = (&'static str, Value);

fn of_update<T: Item>(registry: &str, update: &Update<T>) -> Vec<Event> {
    let change = &update.change;
    let event = json!({
        "registry": registry,
        "generation": update.snapshot.generation(),
        "added": ids(change.added.iter()),
        "modified": ids(change.modified.iter().map(|modified| &modified.new)),
        "removed": ids(change.removed.iter()),
    });
    vec![("registry", event)]
}

fn ids<'a, T: Item>(entries: impl Iterator<Item = &'a Arc<Entry<T>>>) -> Vec<&'a str> {
    entries.map(|entry| entry.id.as_str()).collect()
}
