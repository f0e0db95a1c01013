//! The four registries, and what is counted of them.

use std::collections::HashSet;
use std::sync::Arc;

use repertoire::config::{AgentDefinition, ServerDefinition};
use repertoire::registry::{Change, Entry, Registry, Snapshot, Status};
use repertoire::skill::{Code, Diagnostic, Item};
use repertoire::{Id, Skill, SkillRegistry};
use repertoire_mcp_servers::{ServerStatus, ToolTable};
use serde::Serialize;

use crate::{GatewayState, WorkflowFile};

/// The four registries of a gateway. Cheap to clone; clones are the same registries.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Registries {
    /// The skills.
    pub skills: SkillRegistry,
    /// The workflows.
    pub workflows: Registry<WorkflowFile>,
    /// The agents.
    pub agents: Registry<AgentDefinition>,
    /// The MCP servers.
    pub mcp_servers: Registry<ServerDefinition>,
}

/// The number of items of each registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct RegistryCounts {
    /// The skills.
    pub skills: usize,
    /// The workflows.
    pub workflows: usize,
    /// The agents.
    pub agents: usize,
    /// The MCP servers.
    pub mcp_servers: usize,
}

/// The state of a gateway and its registries at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct GatewayStatus {
    /// The state.
    pub state: GatewayState,
    /// The number of items, between start and stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registries: Option<RegistryCounts>,
    /// The status of each MCP server, between start and stop.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mcp_servers: Vec<ServerStatus>,
    /// The skills whose tools are missing or denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_ready: Vec<NotReadySkill>,
    /// The number of reloads that were applied.
    pub reloads: u64,
    /// The error of the last reload, if it was not applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload_error: Option<Arc<str>>,
}

impl GatewayStatus {
    /// Returns the reasons why skills are not ready, by id.
    #[cfg(feature = "http")]
    pub(crate) fn reasons(&self) -> std::collections::HashMap<&str, &Arc<str>> {
        let skills = self.not_ready.iter();
        skills
            .map(|skill| (skill.id.as_str(), &skill.reason))
            .collect()
    }
}

/// A skill whose tools are missing or denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotReadySkill {
    /// The id of the skill.
    pub id: Id,
    /// The reasons.
    pub reason: Arc<str>,
}

/// The number of ids that a reload changed in one registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct ChangeCounts {
    /// New ids.
    pub added: usize,
    /// Ids with a different item or content.
    pub modified: usize,
    /// Ids that are gone.
    pub removed: usize,
}

/// The changes that a reload made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Reloaded {
    /// Of the skills.
    pub skills: ChangeCounts,
    /// Of the workflows.
    pub workflows: ChangeCounts,
    /// Of the agents.
    pub agents: ChangeCounts,
    /// Of the MCP servers.
    pub mcp_servers: ChangeCounts,
}

impl Registries {
    /// Returns the number of items of each registry.
    pub fn counts(&self) -> RegistryCounts {
        RegistryCounts {
            skills: self.skills.snapshot().len(),
            workflows: self.workflows.snapshot().len(),
            agents: self.agents.snapshot().len(),
            mcp_servers: self.mcp_servers.snapshot().len(),
        }
    }

    /// Returns the active skills whose tools are missing or denied.
    pub(crate) fn not_ready(&self, tools: &ToolTable) -> Vec<NotReadySkill> {
        let skills = self.skills.snapshot();
        let rows = active(&skills).filter_map(|entry| {
            let reason = tools.not_ready(&entry.candidate)?;
            let id = entry.id.clone();
            Some(NotReadySkill { id, reason })
        });
        rows.collect()
    }

    /// Returns a diagnostic for each active skill whose tools are missing or denied.
    pub(crate) fn unready_skills(&self, tools: &ToolTable) -> Vec<Diagnostic> {
        let skills = self.skills.snapshot();
        let found = active(&skills).filter_map(|entry| tools.diagnostic(&entry.candidate));
        found.collect()
    }

    /// Returns a diagnostic for each workflow that a skill allows and that the registry does not have, by id or by name.
    pub fn unknown_workflows(&self) -> Vec<Diagnostic> {
        let (skills, workflows) = (self.skills.snapshot(), self.workflows.snapshot());
        let entries = workflows.entries().iter();
        let known: HashSet<&str> = entries
            .flat_map(|entry| [entry.id.as_str(), entry.item().name()])
            .collect();
        let mut found = Vec::new();
        for entry in skills.entries() {
            let skill = entry.item();
            for name in skill.allowed_workflows.iter().flatten() {
                if known.contains(name.as_ref()) {
                    continue;
                }
                let message = format!("skill `{}` allows an unknown workflow", entry.id);
                let mut diagnostic = Diagnostic::new(Code::UNKNOWN_WORKFLOW, message)
                    .help(format!("add the workflow `{name}`, or remove the name"));
                diagnostic.path = skill.location().map(Into::into);
                found.push(diagnostic);
            }
        }
        found
    }

    pub(crate) async fn close(&self) {
        tokio::join!(
            self.skills.close(),
            self.workflows.close(),
            self.agents.close(),
            self.mcp_servers.close(),
        );
    }

    pub(crate) fn snapshots(&self) -> Snapshots {
        Snapshots {
            skills: self.skills.snapshot(),
            workflows: self.workflows.snapshot(),
            agents: self.agents.snapshot(),
            mcp_servers: self.mcp_servers.snapshot(),
        }
    }
}

fn active(skills: &Snapshot<Skill>) -> impl Iterator<Item = &Arc<Entry<Skill>>> {
    let entries = skills.entries().iter();
    entries.filter(|entry| entry.candidate.status == Status::Active)
}

/// The snapshots of all registries before a reload.
pub(crate) struct Snapshots {
    skills: Snapshot<Skill>,
    workflows: Snapshot<WorkflowFile>,
    agents: Snapshot<AgentDefinition>,
    mcp_servers: Snapshot<ServerDefinition>,
}

impl Snapshots {
    pub(crate) fn changes_to(&self, now: &Snapshots) -> Reloaded {
        Reloaded {
            skills: ChangeCounts::of(&now.skills.changes_since(&self.skills)),
            workflows: ChangeCounts::of(&now.workflows.changes_since(&self.workflows)),
            agents: ChangeCounts::of(&now.agents.changes_since(&self.agents)),
            mcp_servers: ChangeCounts::of(&now.mcp_servers.changes_since(&self.mcp_servers)),
        }
    }
}

impl ChangeCounts {
    fn of<T: Item>(change: &Change<T>) -> ChangeCounts {
        ChangeCounts {
            added: change.added.len(),
            modified: change.modified.len(),
            removed: change.removed.len(),
        }
    }

    /// Returns whether nothing changed.
    pub fn is_none(self) -> bool {
        self == ChangeCounts::default()
    }
}
