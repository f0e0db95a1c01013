//! Everything that is wrong in a gateway.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use repertoire::Skill;
use repertoire::registry::Snapshot;
use repertoire::skill::{Diagnostic, Item, Severity};
use repertoire_agents::AgentRecord;
use repertoire_mcp_servers::{ServerState, ServerStatus};

use super::frame::encoded;
use super::rows::{skill_link, word};
use crate::Gateway;
use crate::api::agent_routes::{RequestCaller, caller_of};
use crate::api::problem::Problem;
use crate::clock::now;

/// The time after which the end of an agent is not a problem any more, in milliseconds.
const RECENT: u64 = 3_600_000;

/// Something that is wrong, or that may surprise.
pub(super) struct ProblemRow {
    /// A name by which the same problem is found again.
    pub(super) key: String,
    pub(super) severity: Severity,
    pub(super) message: String,
    /// The page that explains it.
    pub(super) link: String,
    pub(super) place: Option<String>,
    pub(super) help: Option<String>,
    pub(super) other: Option<String>,
    pub(super) source: Option<String>,
    /// The code of a diagnostic, with its meaning.
    pub(super) code: Option<(String, &'static str)>,
}

/// The number of problems of each severity.
#[derive(Default)]
pub(super) struct ProblemSummary {
    pub(super) errors: usize,
    pub(super) warnings: usize,
    pub(super) notes: usize,
}

impl ProblemSummary {
    pub(super) fn of(problems: &[ProblemRow]) -> ProblemSummary {
        let mut summary = ProblemSummary::default();
        for problem in problems {
            *match problem.severity {
                Severity::Error => &mut summary.errors,
                Severity::Warning => &mut summary.warnings,
                Severity::Info => &mut summary.notes,
            } += 1;
        }
        summary
    }
}

impl fmt::Display for ProblemSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.errors, "error"),
            (self.warnings, "warning"),
            (self.notes, "note"),
        ];
        let counts = counts.map(|(count, noun)| match count {
            1 => format!("1 {noun}"),
            count => format!("{count} {noun}s"),
        });
        f.write_str(&counts.join(", "))
    }
}

/// Returns everything that is wrong, the worst first.
pub(super) async fn all(
    gateway: &Gateway,
    caller: RequestCaller,
) -> Result<Vec<ProblemRow>, Problem> {
    let (registries, status) = (gateway.registries()?, gateway.status());
    let mut problems = Vec::new();
    if let Some(error) = &status.reload_error {
        let message = format!("the last reload was not applied: {error}");
        problems.push(ProblemRow::new(Severity::Error, message));
    }
    problems.extend(status.mcp_servers.iter().filter_map(ProblemRow::of_server));
    let skills = registries.skills.snapshot();
    let ids = ids_by_location(&skills);
    for found in skills.diagnostics() {
        let row = ProblemRow::of(&found.diagnostic).about(&ids, &found.diagnostic);
        problems.push(row.in_source(&found.source));
    }
    for found in &gateway.diagnostics() {
        problems.push(ProblemRow::of(found).about(&ids, found));
    }
    problems.extend(of_snapshot(&registries.workflows.snapshot()));
    problems.extend(of_snapshot(&registries.agents.snapshot()));
    problems.extend(of_snapshot(&registries.mcp_servers.snapshot()));
    if let Some(agents) = gateway.agents() {
        let (records, now) = (agents.list(&caller_of(caller)).await?, now());
        let recent = records
            .iter()
            .filter(|record| record.updated_at + RECENT > now);
        problems.extend(recent.filter_map(ProblemRow::of_agent));
    }
    let project = gateway.configuration().registries().project.clone();
    for problem in &mut problems {
        problem.shorten_paths(&project);
    }
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    Ok(problems)
}

fn of_snapshot<T: Item>(snapshot: &Snapshot<T>) -> Vec<ProblemRow> {
    let found = snapshot.diagnostics().iter();
    found
        .map(|found| ProblemRow::of(&found.diagnostic).in_source(&found.source))
        .collect()
}

/// Returns a path below the project without it, and each other text as it is.
pub(super) fn below<'p>(project: &Path, text: &'p str) -> &'p str {
    let below = Path::new(text).strip_prefix(project).ok();
    let below = below.and_then(Path::to_str);
    below.filter(|below| !below.is_empty()).unwrap_or(text)
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
    /// Returns a problem with a page of its own.
    fn new(severity: Severity, message: String) -> ProblemRow {
        let mut row = ProblemRow {
            key: String::new(),
            severity,
            message,
            link: String::new(),
            place: None,
            help: None,
            other: None,
            source: None,
            code: None,
        };
        row.name();
        row
    }

    fn name(&mut self) {
        let mut hasher = DefaultHasher::new();
        (&self.message, &self.place).hash(&mut hasher);
        self.key = format!("{:016x}", hasher.finish());
        self.link = format!("/problems/{}", self.key);
    }

    fn of(found: &Diagnostic) -> ProblemRow {
        let mut row = ProblemRow {
            place: found.place(),
            help: found.help.clone(),
            other: found.other.as_deref().map(str::to_owned),
            code: Some((found.code.to_string(), found.code.about())),
            ..ProblemRow::new(found.severity, found.message.clone())
        };
        row.name();
        row
    }

    /// Writes paths below the project without it.
    fn shorten_paths(&mut self, project: &Path) {
        for text in [&mut self.place, &mut self.other].into_iter().flatten() {
            *text = below(project, text).to_owned();
        }
    }

    fn in_source(self, source: &str) -> ProblemRow {
        ProblemRow {
            source: Some(source.to_owned()),
            ..self
        }
    }

    /// Links the page of the skill that the diagnostic is about, if it is listed.
    fn about(self, ids: &HashMap<&str, &str>, found: &Diagnostic) -> ProblemRow {
        let paths = [found.path.as_deref(), found.other.as_deref()];
        let id = paths.into_iter().flatten().find_map(|path| ids.get(path));
        match id {
            Some(id) => ProblemRow {
                link: skill_link(id),
                ..self
            },
            None => self,
        }
    }

    fn of_server(server: &ServerStatus) -> Option<ProblemRow> {
        let severity = match server.state {
            ServerState::Failed => Severity::Error,
            // A server that has never run will most likely not run at the next attempt.
            ServerState::BackingOff if server.tools.is_none() => Severity::Error,
            ServerState::Starting if server.tools.is_none() && server.last_error.is_some() => {
                Severity::Error
            }
            ServerState::BackingOff => Severity::Warning,
            _ => return None,
        };
        let message = format!("the MCP server `{}` does not run", server.id);
        Some(ProblemRow {
            link: format!("/mcp-servers/{}", encoded(&server.id)),
            place: server.last_error.as_deref().map(str::to_owned),
            ..ProblemRow::new(severity, message)
        })
    }

    fn of_agent(agent: &AgentRecord) -> Option<ProblemRow> {
        let fault = match &agent.fail_reason {
            _ if agent.orphaned => "ended without complete writeback".to_owned(),
            Some(reason) => format!("failed: {}", word(reason)),
            None => return None,
        };
        let message = format!(
            "the agent for the task `{}` ({}) {fault}",
            agent.task_id, agent.profile
        );
        Some(ProblemRow {
            link: format!("/agents/{}", encoded(&agent.id)),
            ..ProblemRow::new(Severity::Warning, message)
        })
    }
}
