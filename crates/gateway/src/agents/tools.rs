//! The MCP tools about agents.

use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use repertoire::SkillRegistry;
use repertoire::permission::{Audience, VisibilityPolicy};
use repertoire::registry::Status;
use repertoire::skill::ToolSpec;
use repertoire_agents::{AgentRecord, AgentState, WritebackKind};
use repertoire_mcp::{Caller, HostTools};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::fields::{self, ArgumentField, FieldKind};
use super::request::SPAWN_FIELDS;
use super::{AgentEvent, AgentRefusal, AgentRequest, GatewayAgents, SpawnedAgent};

/// The tools about agents, and the tool that lists skills for them.
pub(crate) struct AgentTools {
    pub(crate) agents: GatewayAgents,
    pub(crate) skills: SkillRegistry,
    pub(crate) visibility: VisibilityPolicy,
}

/// A tool about agents.
struct AgentTool {
    name: &'static str,
    about: &'static str,
    fields: &'static [ArgumentField],
    action: AgentAction,
}

/// The action of a tool.
#[derive(Clone, Copy)]
enum AgentAction {
    Spawn,
    Status,
    List,
    Record(WritebackKind),
    Message,
    Skills,
}

const AGENT_ID: &str = "agent_id";
const OWN_ID: ArgumentField = ArgumentField::optional(
    AGENT_ID,
    FieldKind::Text,
    "The agent. Not needed with the token of an agent.",
);

/// The most agents in one answer.
const MOST_AGENTS: usize = 100;

const MESSAGES: &[&str] = &["ready", "heartbeat", "phase", "tokens", "done"];

const PHASES: &[&str] = &["GATHER", "ANALYZE", "PLAN", "APPLY", "VERIFY"];

const STATES: &[&str] = &[
    "PENDING",
    "INITIALIZING",
    "READY",
    "BUSY",
    "TERMINATED",
    "FAILED",
];

const TOOLS: [AgentTool; 9] = [
    AgentTool {
        name: "agent_spawn",
        about: "Reserves an agent for a task and starts it. If its pool is full, the request waits: ask again with its key.",
        fields: SPAWN_FIELDS,
        action: AgentAction::Spawn,
    },
    AgentTool {
        name: "gsd_agent_spawn",
        about: "The same as agent_spawn.",
        fields: SPAWN_FIELDS,
        action: AgentAction::Spawn,
    },
    AgentTool {
        name: "agent_status",
        about: "Returns the state of an agent.",
        fields: &[OWN_ID],
        action: AgentAction::Status,
    },
    AgentTool {
        name: "agent_list",
        about: "Lists agents, the latest first. An agent sees itself and those that it spawned.",
        fields: &[ArgumentField::optional(
            "state",
            FieldKind::Word(STATES),
            "Only agents in this state.",
        )],
        action: AgentAction::List,
    },
    AgentTool {
        name: "task_update",
        about: "Records the result of your task. Both task_update and thought_record are needed before an agent may end.",
        fields: &[
            OWN_ID,
            ArgumentField::required(
                "status",
                FieldKind::Word(&["done", "cancelled", "blocked"]),
                "The result.",
            ),
            ArgumentField::required(
                "progress",
                FieldKind::Count,
                "From 0 to 100; 100 when the task is done.",
            ),
            ArgumentField::required("summary", FieldKind::Text, "What was done."),
        ],
        action: AgentAction::Record(WritebackKind::TaskUpdate),
    },
    AgentTool {
        name: "thought_record",
        about: "Records the reflection on your task: branch, commit, tests and blockers.",
        fields: &[
            OWN_ID,
            ArgumentField::required("task_id", FieldKind::Text, "The task of the agent."),
            ArgumentField::required("type", FieldKind::Word(&["reflection"]), "`reflection`."),
            ArgumentField::required("branch", FieldKind::Text, "The branch of the agent."),
            ArgumentField::required(
                "commit_sha",
                FieldKind::Text,
                "The commit: 7 to 64 hexadecimal digits, or `none` for an agent that may not write.",
            ),
            ArgumentField::required("tests_run", FieldKind::Texts, "The tests that were run."),
            ArgumentField::required(
                "blockers",
                FieldKind::Texts,
                "The obstacles; at least one if the status is `blocked`.",
            ),
        ],
        action: AgentAction::Record(WritebackKind::ThoughtRecord),
    },
    AgentTool {
        name: "memory_pack",
        about: "Records the session whose memory is to be kept. Optional.",
        fields: &[
            OWN_ID,
            ArgumentField::required("session_id", FieldKind::Text, "The session."),
        ],
        action: AgentAction::Record(WritebackKind::MemoryPack),
    },
    AgentTool {
        name: "agent_message",
        about: "Reports your progress to the host: `ready` after you read your ticket, `phase` at each boundary, `done` after the writeback.",
        fields: &[
            ArgumentField::required("type", FieldKind::Word(MESSAGES), "The message."),
            ArgumentField::optional("phase", FieldKind::Word(PHASES), "The phase that begins."),
            ArgumentField::optional("note", FieldKind::Text, "A remark about the phase."),
            ArgumentField::optional(
                "used",
                FieldKind::Count,
                "The tokens that were used since the last `tokens`.",
            ),
        ],
        action: AgentAction::Message,
    },
    AgentTool {
        name: "skill_list",
        about: "Lists the skills, with the words of `search` in the name or description, and with a capability.",
        fields: &[
            ArgumentField::optional(
                "search",
                FieldKind::Text,
                "A part of the name or description, in any case.",
            ),
            ArgumentField::optional("capability", FieldKind::Text, "A capability, exactly."),
        ],
        action: AgentAction::Skills,
    },
];

impl AgentAction {
    fn is_read_only(self) -> bool {
        matches!(
            self,
            AgentAction::Status | AgentAction::List | AgentAction::Skills
        )
    }

    fn is_offered_to(self, caller: &Caller) -> bool {
        match caller {
            Caller::Agent { .. } => true,
            Caller::Operator => !matches!(self, AgentAction::Message),
            _ => self.is_read_only(),
        }
    }
}

#[async_trait]
impl HostTools for AgentTools {
    fn tools(&self, caller: &Caller) -> Vec<ToolSpec> {
        let offered = TOOLS
            .iter()
            .filter(|tool| tool.action.is_offered_to(caller));
        let specs = offered.map(|tool| {
            ToolSpec::new(tool.name, tool.about, fields::schema(tool.fields))
                .expect("the names are valid")
        });
        specs.collect()
    }

    fn has_tool(&self, caller: &Caller, tool: &str) -> bool {
        find(tool).is_some_and(|tool| tool.action.is_offered_to(caller))
    }

    fn is_read_only(&self, tool: &str) -> bool {
        find(tool).is_some_and(|tool| tool.action.is_read_only())
    }

    async fn call(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, Value> {
        let tool = find(tool).ok_or_else(|| json!({ "error": "no such tool" }))?;
        let answer = self.answer(caller, tool, arguments).await;
        answer.map_err(|refusal| refusal.json())
    }

    fn messages(&self, caller: &Caller) -> BoxStream<'static, Value> {
        let parent = match caller {
            Caller::Operator => None,
            Caller::Agent { id, .. } => Some(id.to_string()),
            _ => return stream::empty().boxed(),
        };
        let ends = stream::unfold(self.agents.events(), |mut events| async move {
            Some((next(&mut events).await?, events))
        });
        let own = ends.filter_map(move |event| {
            let is_own = event.is_end() && event.agent.parent == parent;
            std::future::ready(is_own.then(|| message(&event)))
        });
        own.boxed()
    }
}

/// Returns the next event; those that were sent while the session lagged too far behind are lost.
async fn next(events: &mut broadcast::Receiver<AgentEvent>) -> Option<AgentEvent> {
    loop {
        match events.recv().await {
            Ok(event) => return Some(event),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

/// Returns the message for a parent about the end of its agent.
fn message(event: &AgentEvent) -> Value {
    let agent = &event.agent;
    json!({
        "event": "agent-ended",
        "agent_id": agent.id,
        "task_id": agent.task_id,
        "state": agent.state,
        "fail_reason": agent.fail_reason,
        "orphaned": agent.orphaned,
    })
}

fn find(name: &str) -> Option<&'static AgentTool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl AgentTools {
    async fn answer(
        &self,
        caller: &Caller,
        tool: &AgentTool,
        mut arguments: Map<String, Value>,
    ) -> Result<Value, AgentRefusal> {
        let agents = &self.agents;
        match tool.action {
            AgentAction::Spawn => {
                let request = AgentRequest::read(arguments)?;
                let SpawnedAgent { agent, key } = agents.spawn(caller, request).await?;
                Ok(match agent {
                    Some(agent) => row(&agent),
                    None => json!({ "state": "QUEUED", "idempotency_key": key }),
                })
            }
            AgentAction::Status => {
                fields::check(tool.fields, &mut arguments)?;
                let id = subject(caller, &arguments)?;
                Ok(row(&agents.get(caller, &id).await?))
            }
            AgentAction::List => {
                fields::check(tool.fields, &mut arguments)?;
                let state = arguments.get("state").cloned();
                let state = state.and_then(|state| serde_json::from_value(state).ok());
                Ok(listed(agents.list(caller).await?, state))
            }
            AgentAction::Record(kind) => {
                let id = arguments.remove(AGENT_ID);
                let mut named: Map<_, _> =
                    id.map(|id| (AGENT_ID.to_owned(), id)).into_iter().collect();
                // The store checks the other arguments, as it does for records on standard output.
                fields::check(&[OWN_ID], &mut named)?;
                let id = named.get(AGENT_ID).and_then(Value::as_str);
                let record = Value::Object(arguments);
                let (agent, owed) = agents.write_back(caller, id, kind, record).await?;
                Ok(json!({
                    "recorded": kind,
                    "agent_id": agent.id,
                    "task_id": agent.task_id,
                    "owed": owed,
                }))
            }
            AgentAction::Message => {
                fields::check(tool.fields, &mut arguments)?;
                check_message(&arguments)?;
                let message = Value::Object(arguments);
                agents.message(caller, message).await?;
                Ok(json!({ "accepted": true }))
            }
            AgentAction::Skills => {
                fields::check(tool.fields, &mut arguments)?;
                Ok(self.skills(&arguments))
            }
        }
    }

    /// Returns the skills that models see and that fit the arguments.
    fn skills(&self, arguments: &Map<String, Value>) -> Value {
        let text = |name| arguments.get(name).and_then(Value::as_str);
        let search = text("search").map(str::to_lowercase);
        let snapshot = self.skills.snapshot();
        let rows = snapshot.entries().iter().filter_map(|entry| {
            let (skill, candidate) = (entry.item(), &entry.candidate);
            let is_seen = candidate.status == Status::Active
                && self.visibility.sees(Audience::Model, candidate);
            let is_found = search.as_ref().is_none_or(|search| {
                let texts = [entry.id.as_str(), &*skill.description];
                texts
                    .iter()
                    .any(|text| text.to_lowercase().contains(search))
            });
            let capabilities: Vec<_> = skill
                .extension(&["capabilities"])
                .map_or(&[][..], |found| found.items())
                .iter()
                .filter_map(|capability| capability.as_text())
                .collect();
            let is_capable = text("capability").is_none_or(|wanted| capabilities.contains(&wanted));
            (is_seen && is_found && is_capable).then(|| {
                json!({
                    "name": entry.id,
                    "description": skill.description,
                    "capabilities": capabilities,
                    "source": entry.origin().source,
                })
            })
        });
        let rows: Vec<_> = rows.collect();
        json!({ "total": rows.len(), "skills": rows })
    }
}

/// Checks the fields that only some messages need.
fn check_message(message: &Map<String, Value>) -> Result<(), AgentRefusal> {
    let needed = match message.get("type").and_then(Value::as_str) {
        Some("phase") => "phase",
        Some("tokens") => "used",
        _ => return Ok(()),
    };
    match message.contains_key(needed) {
        true => Ok(()),
        false => {
            let fault = (needed.to_owned(), "missing".to_owned());
            Err(AgentRefusal::invalid(vec![fault]))
        }
    }
}

/// Returns the agent that a question is about.
fn subject(caller: &Caller, arguments: &Map<String, Value>) -> Result<String, AgentRefusal> {
    match (arguments.get(AGENT_ID).and_then(Value::as_str), caller) {
        (Some(id), _) => Ok(id.to_owned()),
        (None, Caller::Agent { id, .. }) => Ok(id.to_string()),
        (None, _) => {
            let fault = (AGENT_ID.to_owned(), "missing".to_owned());
            Err(AgentRefusal::invalid(vec![fault]))
        }
    }
}

/// Returns an agent as tools show it.
fn row(agent: &AgentRecord) -> Value {
    let mut row = json!(agent);
    row["agent_id"] = row["id"].take();
    row.as_object_mut().map(|row| row.remove("id"));
    row
}

/// Returns the latest agents in this state.
fn listed(mut agents: Vec<AgentRecord>, state: Option<AgentState>) -> Value {
    agents.retain(|agent| state.is_none_or(|state| agent.state == state));
    let rows: Vec<_> = agents.iter().rev().take(MOST_AGENTS).map(row).collect();
    json!({ "total": agents.len(), "agents": rows })
}
