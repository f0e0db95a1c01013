//! `repertoire status`.

mod agent_problems;
mod left_out;
mod lock_changes;
mod skill_grid;

use std::path::Path;

use anstyle::{AnsiColor, Style};
use clap::Args;
use repertoire_profiles::{AgentView, BudgetUnit, BudgetUse, SkillOutcome, UnseenReason};
use serde::Serialize;

use self::agent_problems::AgentProblem;
use self::left_out::LeftOutSkills;
use self::skill_grid::SkillGrid;
use super::verify::VerifyOutput;
use crate::Environment;
use crate::agent_views::AgentViews;
use crate::arguments::SourceOptions;
use crate::failure::Failure;
use crate::output::Output;
use crate::screen_text::{bar, number};
use crate::seen_name::SeenName;
use crate::table::{Cell, TextTable};

/// Show what each agent on this machine sees: skills, budget, problems, and changes since the lock.
#[derive(Debug, Args)]
#[command(
    visible_alias = "doctor",
    after_help = "Examples:\n  repertoire status\n  repertoire status --agent claude-code --all\n  repertoire status --check"
)]
pub(crate) struct StatusCommand {
    /// List every skill, also those that all agents see alike.
    #[arg(long)]
    all: bool,
    /// Exit with 1 if there is a problem or a change since the lock.
    #[arg(long)]
    check: bool,
}

/// What the agents see.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct StatusOutput<'a> {
    agents: Vec<AgentRow<'a>>,
    problems: Vec<AgentProblem>,
    /// The comparison with the lock files of the working folder; null without any.
    lock: Option<VerifyOutput>,
    /// The files in which this program keeps its state.
    state: Vec<StateFile>,
}

/// One agent, with counts of its view.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AgentRow<'a> {
    /// The skill files that load for certain; one of several, if the question is which.
    loaded: usize,
    /// The names that may load, as sources disagree or say nothing.
    unsure: usize,
    /// The files in its folders that it does not load.
    left_out: usize,
    problems: usize,
    #[serde(flatten)]
    view: &'a AgentView,
}

/// A file in which this program keeps its state.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct StateFile {
    content: &'static str,
    path: String,
    exists: bool,
}

impl StatusCommand {
    pub(super) async fn run(
        &self,
        sources: &SourceOptions,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let seen = AgentViews::survey(&sources.agents, environment)?;
        let problems = agent_problems::find(&seen);
        let rows = seen.views.iter().map(|view| AgentRow::of(view, &problems));
        let status = StatusOutput {
            agents: rows.collect(),
            lock: lock_changes::find(sources, environment).await?,
            state: state_files(environment),
            problems,
        };
        let is_changed = status.lock.as_ref().is_some_and(VerifyOutput::is_changed);
        out.found_problems(self.check && (is_changed || !status.problems.is_empty()));
        if !out.write_json(&status) {
            self.write(&status, &seen, out);
            out.notes(seen.notes());
        }
        Ok(())
    }

    fn write(&self, status: &StatusOutput<'_>, seen: &AgentViews, out: &mut Output) {
        if status.agents.is_empty() {
            out.line("no agent was found on this machine");
            out.note("`repertoire status --agent NAME` shows one; `repertoire list --agent repertoire` lists skills");
        } else {
            let grid = SkillGrid::of(&seen.views);
            let layout = grid.layout(out.columns());
            status.write_agents(layout.is_numbered(), out);
            grid.write(&layout, self.all, out);
            LeftOutSkills::of(seen).write(self.all, out);
        }
        agent_problems::write(&status.problems, seen, out);
        if let Some(lock) = &status.lock {
            lock_changes::write(lock, out);
        }
        status.write_state(seen, out);
    }
}

/// Writes the heading of a part of the screen below a blank line.
fn write_heading(text: &str, out: &mut Output) {
    let style = match out.is_coloured() {
        true => Style::new().bold(),
        false => Style::new(),
    };
    out.bytes(format!("\n{style}{text}{style:#}\n"));
}

impl<'a> AgentRow<'a> {
    fn of(view: &'a AgentView, problems: &[AgentProblem]) -> AgentRow<'a> {
        let names = SeenName::all(view);
        let unsure = names
            .values()
            .filter(|name| name.may_load() && name.loaded() == 0);
        let outcomes = view.skills.iter().map(|skill| &skill.outcome);
        AgentRow {
            loaded: names.values().map(SeenName::loaded).sum(),
            unsure: unsure.count(),
            left_out: outcomes.filter(|outcome| is_left_out(outcome)).count(),
            problems: problems
                .iter()
                .filter(|problem| problem.is_of(&view.agent))
                .count(),
            view,
        }
    }

    fn skills(&self) -> String {
        match self.unsure {
            0 => self.loaded.to_string(),
            unsure => format!("{}-{}", self.loaded, self.loaded + unsure),
        }
    }
}

/// Returns whether a file in a folder of the agent is not loaded.
fn is_left_out(outcome: &SkillOutcome) -> bool {
    match outcome {
        SkillOutcome::Omitted { reason } => !matches!(
            reason,
            UnseenReason::FolderNotRead { .. }
                | UnseenReason::PluginNotInstalled
                | UnseenReason::SameFile { .. }
        ),
        _ => false,
    }
}

impl StatusOutput<'_> {
    fn write_state(&self, seen: &AgentViews, out: &mut Output) {
        let folder = self
            .state
            .first()
            .and_then(|file| Path::new(&file.path).parent());
        let Some(folder) = folder else {
            return;
        };
        write_heading(&format!("state in {}", seen.paths.path(folder)), out);
        let mut table = TextTable::headless(3);
        for file in &self.state {
            let name = Path::new(&file.path).file_name().unwrap_or_default();
            let presence = if file.exists { "present" } else { "absent" };
            let name = name.to_string_lossy();
            table.row([name.as_ref().into(), presence.into(), file.content.into()]);
        }
        table.write(out);
    }

    fn write_agents(&self, is_numbered: bool, out: &mut Output) {
        let mut headings = vec!["agent", ">skills", "*budget", ">left out", ">problems"];
        if is_numbered {
            headings.insert(0, ">#");
        }
        let mut table = TextTable::new(&headings);
        for (number, row) in (1..).zip(&self.agents) {
            let (budget, style) = budget(&row.view.budget, out.columns());
            let problems = match row.problems {
                0 => Style::new(),
                _ => AnsiColor::Yellow.on_default(),
            };
            let mut cells = vec![
                row.view.agent.as_ref().into(),
                row.skills().into(),
                Cell::from(budget).styled(style),
                row.left_out.to_string().into(),
                Cell::from(row.problems.to_string()).styled(problems),
            ];
            if is_numbered {
                cells.insert(0, usize::to_string(&number).into());
            }
            table.row(cells);
        }
        table.write(out);
    }
}

/// Returns the use of a budget as text: a bar where there is room, the size of the list, its limit, and the cuts.
pub(super) fn budget(budget: &BudgetUse, columns: usize) -> (String, Style) {
    let unit = match budget.unit {
        BudgetUnit::Characters => "chars",
        BudgetUnit::Bytes => "bytes",
        BudgetUnit::Tokens => "tokens",
    };
    let used = number(budget.used);
    let is_narrow = columns < 80;
    let Some(limit) = budget.limit else {
        let limit = match budget.is_limit_unknown {
            true => "limit unknown",
            false => "no limit",
        };
        let text = match is_narrow {
            true => limit.to_owned(),
            false => format!("{used} {unit}, {limit}"),
        };
        return (text, Style::new());
    };
    let percent = 100 * budget.used / limit.max(1);
    let color = match percent {
        0..80 => AnsiColor::Green,
        80..=100 => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    let mut text = match columns {
        0..80 => format!("{percent} %"),
        80..120 => format!(
            "{} {used} of {} {unit}",
            bar(budget.used, limit, 6),
            number(limit)
        ),
        _ => format!(
            "{} {used} of {} {unit}",
            bar(budget.used, limit, 24),
            number(limit)
        ),
    };
    if budget.cut > 0 {
        text += &format!(", {} cut", budget.cut);
    }
    (text, color.on_default())
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
