//! The rows of the page.

use std::collections::HashMap;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use repertoire::Skill;
use repertoire::config::AgentDefinition;
use repertoire::registry::{Entry, Snapshot, Status};
use repertoire::search::SearchHit;
use repertoire::skill::{Diagnostic, Item, Severity};
use repertoire_agents::AgentRecord;
use repertoire_mcp_servers::{ServerState, ServerStatus};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{GatewayStatus, Registries, WorkflowFile};

/// Something that is wrong, or that may surprise.
pub(super) struct ProblemRow {
    pub(super) severity: Severity,
    pub(super) message: String,
    /// The view that explains it.
    pub(super) link: Option<String>,
    pub(super) place: Option<String>,
    pub(super) help: Option<String>,
}

/// A word about a row, with its colour.
pub(super) struct Badge {
    pub(super) class: &'static str,
    pub(super) text: String,
}

pub(super) struct SkillRow {
    pub(super) id: String,
    pub(super) link: String,
    pub(super) description: String,
    pub(super) source: String,
    pub(super) tier: String,
    pub(super) badges: Vec<Badge>,
}

pub(super) struct WorkflowRow {
    pub(super) id: String,
    pub(super) format: String,
    pub(super) description: String,
}

pub(super) struct AgentRow {
    pub(super) id: String,
    pub(super) runtime: String,
    pub(super) lifecycle: String,
    pub(super) description: String,
}

/// An agent of the store.
pub(super) struct RecordRow {
    pub(super) id: String,
    pub(super) state: String,
    pub(super) class: &'static str,
    pub(super) fail_reason: Option<String>,
    pub(super) profile: String,
    pub(super) pool: String,
    pub(super) task: String,
    pub(super) lease: String,
    pub(super) writeback: &'static str,
}

pub(super) struct ServerRow {
    pub(super) id: String,
    pub(super) state: String,
    pub(super) class: &'static str,
    pub(super) tools: String,
    pub(super) restarts: u64,
    pub(super) error: String,
    pub(super) warnings: Vec<String>,
}

pub(super) struct EventRow {
    pub(super) number: u64,
    pub(super) name: String,
    pub(super) data: String,
}

/// A result of a search.
pub(super) struct FoundRow {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) link: Option<String>,
    pub(super) why: String,
    pub(super) description: String,
}

/// Returns a text as a part of a path or query.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn skill_link(id: &str) -> String {
    format!("/skills/{}", encoded(id))
}

/// Returns a word as JSON has it.
fn word(value: &impl Serialize) -> String {
    match json!(value) {
        Value::String(word) => word,
        other => other.to_string(),
    }
}

/// Returns everything that is wrong, the worst first.
pub(super) fn problems(registries: &Registries, status: &GatewayStatus) -> Vec<ProblemRow> {
    let mut problems = Vec::new();
    if let Some(error) = &status.reload_error {
        let message = format!("The last reload was not applied: {error}");
        problems.push(ProblemRow::of_gateway(Severity::Error, message, None));
    }
    let servers = status.mcp_servers.iter();
    problems.extend(servers.filter_map(ProblemRow::of_server));
    for skill in &status.not_ready {
        let message = format!("The skill `{}` is not ready: {}", skill.id, skill.reason);
        let link = skill_link(skill.id.as_str());
        problems.push(ProblemRow::of_gateway(
            Severity::Warning,
            message,
            Some(link),
        ));
    }
    let skills = registries.skills.snapshot();
    let ids = ids_by_location(&skills);
    let link = |found: &Diagnostic| {
        let paths = [found.path.as_deref(), found.other.as_deref()];
        let id = paths.into_iter().flatten().find_map(|path| ids.get(path))?;
        Some(skill_link(id))
    };
    for found in skills.diagnostics() {
        problems.push(ProblemRow::of(&found.diagnostic, link(&found.diagnostic)));
    }
    for found in &registries.unknown_workflows() {
        problems.push(ProblemRow::of(found, link(found)));
    }
    problems.extend(of_snapshot(&registries.workflows.snapshot()));
    problems.extend(of_snapshot(&registries.agents.snapshot()));
    problems.extend(of_snapshot(&registries.mcp_servers.snapshot()));
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    problems
}

fn of_snapshot<T: Item>(snapshot: &Snapshot<T>) -> Vec<ProblemRow> {
    let found = snapshot.diagnostics().iter();
    found
        .map(|found| ProblemRow::of(&found.diagnostic, None))
        .collect()
}

/// Returns the ids of skills by the locations of all their candidates.
fn ids_by_location(skills: &Snapshot<Skill>) -> HashMap<&str, &str> {
    let entries = skills.entries().iter();
    let places = entries.flat_map(|entry| {
        let candidates = entry.candidates();
        let places = candidates.filter_map(|candidate| candidate.item.location());
        places.map(|place| (place, entry.id.as_str()))
    });
    places.collect()
}

impl ProblemRow {
    fn of(found: &Diagnostic, link: Option<String>) -> ProblemRow {
        ProblemRow {
            severity: found.severity,
            message: found.message.clone(),
            link,
            place: found.place(),
            help: found.help.clone(),
        }
    }

    fn of_gateway(severity: Severity, message: String, link: Option<String>) -> ProblemRow {
        ProblemRow {
            severity,
            message,
            link,
            place: None,
            help: None,
        }
    }

    fn of_server(server: &ServerStatus) -> Option<ProblemRow> {
        let severity = match server.state {
            ServerState::Failed => Severity::Error,
            ServerState::BackingOff => Severity::Warning,
            _ => return None,
        };
        let error = server.last_error.as_deref().unwrap_or("it ended");
        let message = format!("The MCP server `{}` does not run: {error}", server.id);
        let link = Some("/mcp-servers".to_owned());
        Some(ProblemRow::of_gateway(severity, message, link))
    }
}

impl SkillRow {
    /// Returns the row of a skill, which may lack tools.
    pub(super) fn of(entry: &Entry<Skill>, lacks_tools: bool) -> SkillRow {
        let id = entry.id.as_str();
        let mut badges = Vec::new();
        let mut add = |class, text: String| badges.push(Badge { class, text });
        match entry.candidate.status {
            Status::Active if lacks_tools => add("warning", "not ready".to_owned()),
            Status::Active => add("good", "active".to_owned()),
            other => add("warning", other.to_string()),
        }
        if entry.item().disable_model_invocation {
            add("", "hidden from models".to_owned());
        }
        if !entry.shadows.is_empty() {
            add("", format!("hides {}", entry.shadows.len()));
        }
        SkillRow {
            id: id.to_owned(),
            link: skill_link(id),
            description: entry.item().description.to_string(),
            source: entry.origin().source.to_string(),
            tier: entry.origin().tier.to_string(),
            badges,
        }
    }
}

impl WorkflowRow {
    pub(super) fn of(entry: &Entry<WorkflowFile>) -> WorkflowRow {
        WorkflowRow {
            id: entry.id.to_string(),
            format: word(&entry.item().format),
            description: entry.item().description().unwrap_or_default().to_owned(),
        }
    }
}

impl AgentRow {
    pub(super) fn of(entry: &Entry<AgentDefinition>) -> AgentRow {
        let agent = entry.item();
        AgentRow {
            id: entry.id.to_string(),
            runtime: word(&agent.runtime),
            lifecycle: word(&agent.lifecycle),
            description: agent.description.clone().unwrap_or_default(),
        }
    }
}

impl RecordRow {
    /// Returns the row of an agent at a time in milliseconds since 1970.
    pub(super) fn of(record: &AgentRecord, now: u64) -> RecordRow {
        let state = word(&record.state);
        let lease = record
            .lease_expires_at
            .map(|end| match end.checked_sub(now) {
                Some(left) => format!("in {} s", left / 1000),
                None => "expired".to_owned(),
            });
        RecordRow {
            id: record.id.clone(),
            class: match state.as_str() {
                "FAILED" => "error",
                "BUSY" | "READY" => "good",
                _ => "",
            },
            writeback: match state.as_str() {
                _ if record.orphaned => "missing",
                "TERMINATED" => "complete",
                "FAILED" => "none",
                _ => "open",
            },
            state,
            fail_reason: record.fail_reason.as_ref().map(word),
            profile: record.profile.clone(),
            pool: word(&record.pool),
            task: record.task_id.clone(),
            lease: lease.unwrap_or_else(|| "-".to_owned()),
        }
    }
}

impl ServerRow {
    pub(super) fn of(server: &ServerStatus) -> ServerRow {
        let warnings = server.warnings.iter();
        ServerRow {
            id: server.id.to_string(),
            state: server.state.to_string(),
            class: match server.state {
                ServerState::Running => "good",
                ServerState::Failed => "error",
                ServerState::BackingOff => "warning",
                _ => "",
            },
            tools: server
                .tools
                .map_or("-".to_owned(), |tools| tools.to_string()),
            restarts: server.restarts,
            error: server.last_error.as_deref().unwrap_or_default().to_owned(),
            warnings: warnings.map(ToString::to_string).collect(),
        }
    }
}

impl EventRow {
    /// Reads a frame of the event stream.
    pub(super) fn of(number: u64, frame: &[u8]) -> Option<EventRow> {
        let text = std::str::from_utf8(frame).ok()?;
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.to_owned())
        };
        Some(EventRow {
            number,
            name: field("event: ")?,
            data: field("data: ")?,
        })
    }
}

impl FoundRow {
    pub(super) fn of_skill(hit: &SearchHit<Skill>) -> FoundRow {
        let link = Some(skill_link(hit.entry.id.as_str()));
        FoundRow {
            link,
            ..FoundRow::of(hit)
        }
    }

    pub(super) fn of_workflow(hit: &SearchHit<WorkflowFile>) -> FoundRow {
        FoundRow::of(hit)
    }

    fn of<T: Item>(hit: &SearchHit<T>) -> FoundRow {
        FoundRow {
            id: hit.entry.id.to_string(),
            kind: T::KIND,
            link: None,
            why: hit.why.to_string(),
            description: hit
                .entry
                .item()
                .description()
                .unwrap_or_default()
                .to_owned(),
        }
    }
}
