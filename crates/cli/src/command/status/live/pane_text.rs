//! The entries of a pane.

use std::path::Path;
use std::sync::Arc;

use repertoire_profiles::{AgentSkill, AgentView, SeenName};

use crate::command::status::agent_problems;
use crate::command::status::left_out::LeftOutSkills;
use crate::command::status::lock_changes;
use crate::command::status::skill_grid::{SkillRow, legend};
use crate::command::status::surveyed_status::SurveyedStatus;
use crate::styled_line::StyledLine;
use crate::table::{Cell, TextTable};

/// A part of the screen of `status`, of which one is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pane {
    Skills,
    Problems,
    LeftOut,
    Lock,
}

impl Pane {
    pub(super) const ALL: [Pane; 4] = [Pane::Skills, Pane::Problems, Pane::LeftOut, Pane::Lock];

    pub(super) fn title(self) -> &'static str {
        match self {
            Pane::Skills => "skills",
            Pane::Problems => "problems",
            Pane::LeftOut => "left out",
            Pane::Lock => "since the lock",
        }
    }

    pub(super) fn after(self, steps: usize) -> Pane {
        let at = Pane::ALL.iter().position(|pane| *pane == self);
        Pane::ALL[(at.unwrap_or_default() + steps) % Pane::ALL.len()]
    }
}

/// The part of a survey that a pane is about.
#[derive(Debug)]
pub(super) struct PaneView<'s> {
    pub(super) status: &'s SurveyedStatus,
    pub(super) pane: Pane,
    /// The agent to which the screen is limited.
    pub(super) agent: Option<&'s Arc<str>>,
    /// The position of this agent among the views.
    pub(super) column: Option<usize>,
    /// The words that entries contain.
    pub(super) search: &'s str,
    pub(super) columns: usize,
}

impl PaneView<'_> {
    fn views(&self) -> &[AgentView] {
        let views = &self.status.seen.views;
        match self.column {
            Some(column) => &views[column..=column],
            None => views,
        }
    }
}

/// The entries of the visible pane, and the lines around them.
#[derive(Debug, Default)]
pub(super) struct PaneText {
    pub(super) heading: Vec<StyledLine>,
    pub(super) entries: Vec<PaneEntry>,
    pub(super) legend: Vec<StyledLine>,
}

/// One or more lines that are selected together, with the skill and the file that they are about.
#[derive(Debug, Default)]
pub(super) struct PaneEntry {
    pub(super) lines: Vec<StyledLine>,
    pub(super) skill: Option<Arc<str>>,
    pub(super) file: Option<Arc<Path>>,
}

impl PaneText {
    /// Returns the entries that match the search and the agent.
    pub(super) fn of(screen: &PaneView<'_>) -> PaneText {
        match screen.pane {
            Pane::Skills => PaneText::skills(screen),
            Pane::Problems => PaneText::problems(screen),
            Pane::LeftOut => PaneText::left_out(screen),
            Pane::Lock => PaneText::lock(screen),
        }
    }

    fn skills(screen: &PaneView<'_>) -> PaneText {
        let grid = &screen.status.grid;
        let column = screen.column;
        let rows = grid.rows.iter().filter(|row| {
            let descriptions = row.descriptions.iter().map(|text| &**text);
            let texts: Vec<&str> = descriptions.chain([&*row.name]).collect();
            column.is_none_or(|column| row.is_read_by(column)) && is_found(&texts, screen.search)
        });
        let rows: Vec<&SkillRow> = rows.collect();
        let columns = entry_columns(screen);
        let layout = grid.layout(columns);
        let table = match column {
            Some(column) => of_agent(&rows, column, screen),
            None => grid.table(&rows, layout),
        };
        let mut lines = table.lines(columns).into_iter();
        let is_numbered = column.is_none() && layout.is_numbered() && !rows.is_empty();
        PaneText {
            heading: lines.next().into_iter().collect(),
            legend: match is_numbered {
                true => legend(&rows, columns),
                false => Vec::new(),
            },
            entries: lines
                .zip(&rows)
                .map(|(line, row)| PaneEntry {
                    lines: vec![line],
                    skill: Some(row.name.clone()),
                    file: None,
                })
                .collect(),
        }
    }

    fn problems(screen: &PaneView<'_>) -> PaneText {
        let (paths, columns) = (&screen.status.seen.paths, entry_columns(screen));
        let problems = screen.status.problems.iter();
        let problems =
            problems.filter(|problem| screen.agent.is_none_or(|agent| problem.is_of(agent)));
        PaneText::matching(
            problems.map(|problem| PaneEntry {
                lines: agent_problems::lines(problem, paths, columns),
                skill: problem.skill.clone(),
                file: problem.paths.first().cloned(),
            }),
            screen,
        )
    }

    fn left_out(screen: &PaneView<'_>) -> PaneText {
        let left_out = LeftOutSkills::of(screen.views(), &screen.status.seen.paths);
        let entries = left_out.entries(true, entry_columns(screen));
        PaneText::matching(entries.into_iter().map(PaneEntry::of_lines), screen)
    }

    fn lock(screen: &PaneView<'_>) -> PaneText {
        let lock = screen.status.lock.iter();
        let lines = lock.flat_map(|lock| lock_changes::lines(lock, entry_columns(screen)));
        PaneText::matching(lines.map(|line| PaneEntry::of_lines(vec![line])), screen)
    }

    fn matching(entries: impl Iterator<Item = PaneEntry>, screen: &PaneView<'_>) -> PaneText {
        let entries = entries.filter(|entry| {
            let lines = entry.lines.iter().flat_map(StyledLine::parts);
            let texts: Vec<&str> = lines.map(|(text, _)| text).collect();
            is_found(&texts, screen.search)
        });
        PaneText {
            entries: entries.collect(),
            ..PaneText::default()
        }
    }
}

impl PaneEntry {
    fn of_lines(lines: Vec<StyledLine>) -> PaneEntry {
        PaneEntry {
            lines,
            ..PaneEntry::default()
        }
    }
}

/// Returns the table of one agent: the result for each skill, and its reason.
fn of_agent(rows: &[&SkillRow], column: usize, screen: &PaneView<'_>) -> TextTable {
    let status = &screen.status;
    let view = &status.seen.views[column];
    let mut table = TextTable::new(&["name", "result", "*because"]);
    for row in rows {
        let outcome = best_file(view, &row.name).map(|file| &file.outcome);
        let outcome = outcome.map(|outcome| outcome.text(&status.seen.paths));
        let cells = [
            Cell::from(&row.name),
            row.result(column),
            outcome.unwrap_or_default().into(),
        ];
        table.row(cells);
    }
    table
}

/// Returns whether the texts contain each word of the search, in any letter case.
fn is_found(texts: &[&str], search: &str) -> bool {
    let texts = texts.join(" ").to_lowercase();
    let search = search.to_lowercase();
    search.split_whitespace().all(|word| texts.contains(word))
}

/// Returns the width of entries, beside the mark of the selected one.
fn entry_columns(screen: &PaneView<'_>) -> usize {
    screen.columns.saturating_sub(2).max(20)
}

/// Returns the file of this name that the agent prefers.
pub(super) fn best_file<'v>(view: &'v AgentView, skill: &str) -> Option<&'v AgentSkill> {
    let files = view.skills.iter().filter(|file| *file.name == *skill);
    let name = SeenName {
        files: files.collect(),
    };
    let preferred = name.contenders().next();
    preferred.or_else(|| name.files.first().copied())
}
