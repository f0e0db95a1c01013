//! The rows of the page.

use repertoire::Skill;
use repertoire::config::AgentDefinition;
use repertoire::registry::{Entry, Status};
use repertoire::search::SearchHit;
use repertoire::skill::Item;
use repertoire_agents::{AgentRecord, AuditEntry};
use serde::Serialize;
use serde_json::{Value, json};

use super::age::age;
use super::frame::encoded;
use crate::WorkflowFile;

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
    pub(super) link: String,
    pub(super) path: String,
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
    pub(super) link: String,
    pub(super) state: String,
    pub(super) class: &'static str,
    pub(super) fail_reason: Option<String>,
    pub(super) profile: String,
    pub(super) pool: String,
    pub(super) task: String,
    pub(super) lease: String,
    pub(super) writeback: &'static str,
    pub(super) parent: Option<String>,
    pub(super) epoch: u64,
    pub(super) branch: String,
    pub(super) created: String,
}

/// A row of the audit log of an agent.
pub(super) struct AgentAuditRow {
    pub(super) when: String,
    pub(super) actor: String,
    pub(super) event: String,
    /// The change of the state.
    pub(super) change: String,
    pub(super) detail: String,
}

pub(super) struct EventRow {
    pub(super) number: u64,
    pub(super) name: String,
    pub(super) summary: String,
}

/// A result of a search.
pub(super) struct FoundRow {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) link: String,
    pub(super) why: String,
    pub(super) description: String,
}

pub(super) fn skill_link(id: &str) -> String {
    format!("/skills/{}", encoded(id))
}

fn workflow_link(id: &str) -> String {
    format!("/workflows/{}", encoded(id))
}

/// Returns a word as JSON has it.
pub(super) fn word(value: &impl Serialize) -> String {
    match json!(value) {
        Value::String(word) => word,
        other => other.to_string(),
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

    /// Adds the number of the diagnostics of its files.
    pub(super) fn counting(mut self, diagnostics: usize) -> SkillRow {
        let text = match diagnostics {
            0 => return self,
            1 => "1 diagnostic".to_owned(),
            count => format!("{count} diagnostics"),
        };
        let class = "warning";
        self.badges.push(Badge { class, text });
        self
    }
}

impl WorkflowRow {
    pub(super) fn of(entry: &Entry<WorkflowFile>) -> WorkflowRow {
        WorkflowRow {
            id: entry.id.to_string(),
            link: workflow_link(entry.id.as_str()),
            path: entry.item().path.to_string(),
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
            link: format!("/agents/{}", encoded(&record.id)),
            parent: record.parent.clone(),
            epoch: record.epoch,
            branch: record.branch.clone(),
            created: age(record.created_at, now),
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

impl AgentAuditRow {
    pub(super) fn of(entry: &AuditEntry, now: u64) -> AgentAuditRow {
        AgentAuditRow {
            when: age(entry.at, now),
            actor: entry.actor.clone(),
            event: entry.event.clone(),
            change: match (&entry.from, &entry.to) {
                (Some(from), Some(to)) => format!("{from} → {to}"),
                (None, Some(to)) => to.clone(),
                _ => String::new(),
            },
            detail: entry.detail.clone(),
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
            summary: summary(&field("data: ")?),
        })
    }
}

/// Returns the data of an event in words, or as they are.
fn summary(data: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(data) else {
        return data.to_owned();
    };
    let text = |path: &str| value.pointer(path).and_then(Value::as_str);
    if let Some(registry) = text("/registry") {
        let changes = ["added", "modified", "removed"].map(|kind| {
            let ids = value[kind].as_array().into_iter().flatten();
            let ids: Vec<_> = ids.filter_map(Value::as_str).collect();
            (!ids.is_empty()).then(|| format!("{kind} {}", ids.join(", ")))
        });
        let changes: Vec<_> = changes.into_iter().flatten().collect();
        return match changes.is_empty() {
            true => format!("{registry}: other facts changed"),
            false => format!("{registry}: {}", changes.join("; ")),
        };
    }
    if let (Some(event), Some(profile), Some(task), Some(state)) = (
        text("/event"),
        text("/agent/profile"),
        text("/agent/task_id"),
        text("/agent/state"),
    ) {
        return format!("{profile}, task {task}: {event}, {state}");
    }
    match (text("/id"), text("/state")) {
        (Some(server), Some(state)) => format!("{server}: {state}"),
        _ => data.to_owned(),
    }
}

impl FoundRow {
    pub(super) fn of_skill(hit: &SearchHit<Skill>) -> FoundRow {
        FoundRow::of(hit, skill_link(hit.entry.id.as_str()))
    }

    pub(super) fn of_workflow(hit: &SearchHit<WorkflowFile>) -> FoundRow {
        FoundRow::of(hit, workflow_link(hit.entry.id.as_str()))
    }

    fn of<T: Item>(hit: &SearchHit<T>, link: String) -> FoundRow {
        let description = hit.entry.item().description();
        FoundRow {
            id: hit.entry.id.to_string(),
            kind: T::KIND,
            link,
            why: hit.why.to_string(),
            description: description.unwrap_or_default().to_owned(),
        }
    }
}
