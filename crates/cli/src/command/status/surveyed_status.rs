//! The view of each agent, as the screens show it.

use std::path::Path;

use anstyle::{AnsiColor, Style};
use repertoire_profiles::{AgentView, SeenName};
use serde::Serialize;

use super::agent_problems::{self, AgentProblem};
use super::left_out::{LeftOutSkills, is_left_out};
use super::lock_changes;
use super::observed_lists::ObservedLists;
use super::skill_grid::SkillGrid;
use crate::Environment;
use crate::agent_views::AgentViews;
#[cfg(feature = "process")]
use crate::command::approvals::ApprovalRow;
use crate::command::budget::budget_use;
use crate::command::verify::VerifyOutput;
use crate::failure::Failure;
use crate::options::SourceOptions;
use crate::styled_line::StyledLine;
use crate::table::{Cell, TextTable};

/// The views of the agents at one time, and what the screens derive from them.
#[derive(Debug)]
pub(super) struct SurveyedStatus {
    pub(super) seen: AgentViews,
    pub(super) grid: SkillGrid,
    pub(super) problems: Vec<AgentProblem>,
    pub(super) lock: Option<VerifyOutput>,
    /// The lists of the agents themselves, if they were requested.
    pub(super) observed: Option<ObservedLists>,
    /// The approvals of the user, if the screen shows them.
    #[cfg(feature = "process")]
    pub(super) approvals: Vec<ApprovalRow>,
    /// One for each view.
    counts: Vec<AgentCounts>,
    state: Vec<StateFile>,
}

/// The view of each agent.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct StatusOutput<'a> {
    agents: Vec<AgentRow<'a>>,
    problems: &'a [AgentProblem],
    /// The lists of the agents themselves; null without `--observed`.
    observed: &'a Option<ObservedLists>,
    /// The comparison with the lock files of the working folder; null without any.
    lock: &'a Option<VerifyOutput>,
    /// The files in which this program keeps its state.
    state: &'a [StateFile],
    /// The approvals of the user.
    #[cfg(feature = "process")]
    approvals: &'a [ApprovalRow],
}

/// One agent, with counts of its view.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AgentRow<'a> {
    #[serde(flatten)]
    counts: AgentCounts,
    #[serde(flatten)]
    view: &'a AgentView,
}

/// Counts of a view.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AgentCounts {
    /// The skill files that load for certain; one of several, if the question is which.
    loaded: usize,
    /// The names that may load, as sources disagree or say nothing.
    unsure: usize,
    /// The files in its folders that it does not load.
    left_out: usize,
    problems: usize,
}

/// A file in which this program keeps its state.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct StateFile {
    content: &'static str,
    path: String,
    exists: bool,
}

impl SurveyedStatus {
    pub(super) async fn survey(
        sources: &SourceOptions,
        environment: &mut Environment<'_>,
    ) -> Result<SurveyedStatus, Failure> {
        let seen = AgentViews::survey(&sources.agents, environment)?;
        let problems = agent_problems::find(&seen);
        let counts = seen.views.iter();
        let counts = counts
            .map(|view| AgentCounts::of(view, &problems))
            .collect();
        Ok(SurveyedStatus {
            grid: SkillGrid::of(&seen.views),
            lock: lock_changes::find(sources, environment).await?,
            state: state_files(environment),
            observed: None,
            #[cfg(feature = "process")]
            approvals: Vec::new(),
            seen,
            problems,
            counts,
        })
    }

    /// Returns whether no agent was found.
    pub(super) fn is_empty(&self) -> bool {
        self.seen.views.is_empty()
    }

    /// Returns whether there is a problem or a change since the lock.
    pub(super) fn has_problems(&self) -> bool {
        let is_changed = self.lock.as_ref().is_some_and(VerifyOutput::is_changed);
        is_changed || !self.problems.is_empty()
    }

    pub(super) fn output(&self) -> StatusOutput<'_> {
        let agents = self.counts.iter().zip(&self.seen.views);
        let agents = agents.map(|(counts, view)| AgentRow {
            counts: *counts,
            view,
        });
        StatusOutput {
            agents: agents.collect(),
            problems: &self.problems,
            observed: &self.observed,
            lock: &self.lock,
            state: &self.state,
            #[cfg(feature = "process")]
            approvals: &self.approvals,
        }
    }

    /// Returns the whole screen for this width.
    pub(super) fn lines(&self, all: bool, columns: usize) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        if self.is_empty() {
            lines.push(StyledLine::plain("no agent was found on this machine"));
        } else {
            let layout = self.grid.layout(columns);
            lines.extend(
                self.agent_table(layout.is_numbered(), columns)
                    .lines(columns),
            );
            add_part("skills", self.grid.lines(layout, all, columns), &mut lines);
            let left_out =
                LeftOutSkills::of(&self.seen.views, &self.seen.paths).lines(all, columns);
            add_part("left out", left_out, &mut lines);
        }
        if let Some(observed) = &self.observed {
            let listed = observed.lines(&self.seen.paths, columns);
            add_part("listed by the agents", listed, &mut lines);
        }
        add_part("problems", self.problem_lines(columns), &mut lines);
        if let Some(lock) = &self.lock {
            let changes = lock_changes::lines(lock, columns);
            add_part("since the lock", changes, &mut lines);
        }
        if let Some(folder) = self.state_folder() {
            let heading = format!("state in {}", self.seen.paths.path(folder));
            let state = self.state_table().lines(columns);
            #[cfg(feature = "process")]
            let state = {
                let approved = self.approvals.iter().map(|row| {
                    let line = format!("approved: {}", row.sentence());
                    StyledLine::plain(line)
                });
                state.into_iter().chain(approved).collect()
            };
            add_part(&heading, state, &mut lines);
        }
        lines
    }

    pub(super) fn problem_lines(&self, columns: usize) -> Vec<StyledLine> {
        let problems = self.problems.iter();
        problems
            .flat_map(|problem| agent_problems::lines(problem, &self.seen.paths, columns))
            .collect()
    }

    /// Returns one row for each agent.
    pub(super) fn agent_table(&self, is_numbered: bool, columns: usize) -> TextTable {
        let mut headings = vec!["agent", ">skills", "*budget", ">left out", ">problems"];
        if self.observed.is_some() {
            headings.insert(2, ">listed");
        }
        if is_numbered {
            headings.insert(0, ">#");
        }
        let mut table = TextTable::new(&headings);
        for (number, (counts, view)) in (1..).zip(self.counts.iter().zip(&self.seen.views)) {
            let (budget, style) = budget_use(&view.budget, columns);
            let problems = match counts.problems {
                0 => Style::new(),
                _ => AnsiColor::Yellow.on_default(),
            };
            let mut cells = vec![
                view.agent.as_ref().into(),
                counts.skills().into(),
                Cell::from(budget).styled(style),
                counts.left_out.to_string().into(),
                Cell::from(counts.problems.to_string()).styled(problems),
            ];
            if let Some(observed) = &self.observed {
                cells.insert(2, observed.listed(&view.agent).into());
            }
            if is_numbered {
                cells.insert(0, usize::to_string(&number).into());
            }
            table.row(cells);
        }
        table
    }

    fn state_folder(&self) -> Option<&Path> {
        Path::new(&self.state.first()?.path).parent()
    }

    fn state_table(&self) -> TextTable {
        let mut table = TextTable::headless(3);
        for file in &self.state {
            let name = Path::new(&file.path).file_name().unwrap_or_default();
            let presence = if file.exists { "present" } else { "absent" };
            let name = name.to_string_lossy();
            table.row([name.as_ref().into(), presence.into(), file.content.into()]);
        }
        table
    }
}

impl AgentCounts {
    fn of(view: &AgentView, problems: &[AgentProblem]) -> AgentCounts {
        let names = SeenName::all(view);
        let unsure = names
            .values()
            .filter(|name| name.may_load() && name.loaded() == 0);
        let outcomes = view.skills.iter().map(|skill| &skill.outcome);
        let problems = problems.iter();
        AgentCounts {
            loaded: names.values().map(SeenName::loaded).sum(),
            unsure: unsure.count(),
            left_out: outcomes.filter(|outcome| is_left_out(outcome)).count(),
            problems: problems
                .filter(|problem| problem.is_of(&view.agent))
                .count(),
        }
    }

    fn skills(&self) -> String {
        match self.unsure {
            0 => self.loaded.to_string(),
            unsure => format!("{}-{}", self.loaded, self.loaded + unsure),
        }
    }
}

/// Adds the lines of a part below a blank line and its heading; nothing for an empty part.
fn add_part(heading: &str, part: Vec<StyledLine>, lines: &mut Vec<StyledLine>) {
    if !part.is_empty() {
        lines.push(StyledLine::default());
        lines.push(StyledLine::styled(heading, Style::new().bold()));
        lines.extend(part);
    }
}

fn state_files(environment: &Environment<'_>) -> Vec<StateFile> {
    let Some(folder) = environment.own_state() else {
        return Vec::new();
    };
    let files = [
        ("approved commands", "approvals.json"),
        ("approved plugins", "plugins.json"),
    ];
    let files = files.map(|(content, name)| {
        let path = folder.join(name);
        StateFile {
            content,
            exists: path.exists(),
            path: path.to_string_lossy().into_owned(),
        }
    });
    files.into()
}
