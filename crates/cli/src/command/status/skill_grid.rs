//! The skills with one column for each agent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use repertoire_profiles::{AgentView, SeenName, SkillMark};
use unicode_width::UnicodeWidthStr;

use crate::styled_line::StyledLine;
use crate::table::{Cell, TextTable};

/// The most rows without `--all`.
const MOST_ROWS: usize = 30;
/// The width that a name has at least.
const NAME_WIDTH: usize = 24;

/// Each name with the result of each agent.
#[derive(Debug)]
pub(super) struct SkillGrid {
    agents: Vec<Arc<str>>,
    /// By name.
    pub(super) rows: Vec<SkillRow>,
}

/// A name with the result of each agent.
#[derive(Debug)]
pub(super) struct SkillRow {
    pub(super) name: Arc<str>,
    /// Those of all files.
    pub(super) descriptions: BTreeSet<Arc<str>>,
    marks: Vec<SkillMark>,
}

/// The columns of a grid: words below the names of agents, or letters below their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GridLayout {
    Words,
    Letters,
}

impl GridLayout {
    pub(super) fn is_numbered(self) -> bool {
        self == GridLayout::Letters
    }
}

impl SkillGrid {
    pub(super) fn of(views: &[AgentView]) -> SkillGrid {
        let mut rows: BTreeMap<&str, SkillRow> = BTreeMap::new();
        for (column, view) in views.iter().enumerate() {
            for (name, seen) in SeenName::all(view) {
                let row = rows.entry(name).or_insert_with(|| SkillRow {
                    name: name.into(),
                    descriptions: BTreeSet::new(),
                    marks: vec![SkillMark::NotRead; views.len()],
                });
                row.marks[column] = SkillMark::of_name(&seen);
                let files = seen.files.iter();
                let descriptions = files.filter_map(|file| file.description.clone());
                row.descriptions.extend(descriptions);
            }
        }
        rows.retain(|_, row| row.marks.iter().any(|mark| *mark != SkillMark::NotRead));
        SkillGrid {
            agents: views.iter().map(|view| view.agent.clone()).collect(),
            rows: rows.into_values().collect(),
        }
    }

    /// Returns the layout for a screen of this width.
    pub(super) fn layout(&self, columns: usize) -> GridLayout {
        let names = self.agents.iter().map(|name| name.width().max(7) + 2);
        match NAME_WIDTH + names.sum::<usize>() <= columns {
            true => GridLayout::Words,
            false => GridLayout::Letters,
        }
    }

    /// Returns rows by name, without `all` the most telling ones; then a note about the others, and a legend of the letters.
    pub(super) fn lines(&self, layout: GridLayout, all: bool, columns: usize) -> Vec<StyledLine> {
        let most = if all { usize::MAX } else { MOST_ROWS };
        let mut shown: Vec<_> = self.rows.iter().collect();
        if shown.len() > most {
            shown.sort_by_key(|row| row.is_alike());
            shown.truncate(most);
            shown.sort_by_key(|row| &row.name);
        }
        let mut lines = self.table(&shown, layout).lines(columns);
        if shown.len() < self.rows.len() {
            lines.push(StyledLine::plain(format!(
                "and {} more; `repertoire status --all` lists them",
                self.rows.len() - shown.len()
            )));
        }
        if layout.is_numbered() && !shown.is_empty() {
            lines.extend(legend(&shown, columns));
        }
        lines
    }

    /// Returns the table of some rows.
    pub(super) fn table(&self, rows: &[&SkillRow], layout: GridLayout) -> TextTable {
        let numbers: Vec<_> = (1..=self.agents.len()).map(|at| at.to_string()).collect();
        let mut headings = vec!["*name"];
        match layout {
            GridLayout::Words => headings.extend(self.agents.iter().map(|agent| &**agent)),
            GridLayout::Letters => headings.extend(numbers.iter().map(String::as_str)),
        }
        let mut table = TextTable::new(&headings);
        for row in rows {
            let cells = row.marks.iter().map(|mark| {
                let (word, letter) = mark.spelled();
                let text = if layout.is_numbered() { letter } else { word };
                Cell::from(text).styled(style(*mark))
            });
            table.row(std::iter::once(Cell::from(&row.name)).chain(cells));
        }
        table
    }
}

impl SkillRow {
    /// Returns whether the agent in this column reads a folder with the skill.
    #[cfg(feature = "watch")]
    pub(super) fn is_read_by(&self, column: usize) -> bool {
        self.marks[column] != SkillMark::NotRead
    }

    /// Returns the result of the agent in this column in a word.
    #[cfg(feature = "watch")]
    pub(super) fn result(&self, column: usize) -> Cell {
        let mark = self.marks[column];
        Cell::from(mark.spelled().0).styled(style(mark))
    }

    /// Returns whether all agents load the skill from folders of one scope.
    fn is_alike(&self) -> bool {
        let first = self.marks[0];
        matches!(first, SkillMark::Loaded(_)) && self.marks.iter().all(|mark| *mark == first)
    }
}

/// Returns the meanings of the letters in these rows.
pub(super) fn legend(rows: &[&SkillRow], columns: usize) -> Vec<StyledLine> {
    let mut marks: Vec<_> = rows.iter().flat_map(|row| &row.marks).collect();
    marks.sort();
    marks.dedup();
    let meanings = marks.into_iter().map(|mark| match mark {
        SkillMark::NotRead => "- not read".to_owned(),
        mark => {
            let (word, letter) = mark.spelled();
            format!("{letter} {word}")
        }
    });
    let (mut lines, mut line) = (Vec::new(), String::new());
    for meaning in meanings {
        if !line.is_empty() && line.width() + 2 + meaning.width() > columns {
            lines.push(StyledLine::plain(std::mem::take(&mut line)));
        }
        if !line.is_empty() {
            line += ", ";
        }
        line += &meaning;
    }
    lines.push(StyledLine::plain(line));
    lines
}

fn style(mark: SkillMark) -> Style {
    match mark {
        SkillMark::Loaded(_) => AnsiColor::Green.on_default(),
        SkillMark::Manual | SkillMark::Later => AnsiColor::Cyan.on_default(),
        SkillMark::Cut | SkillMark::Unsure | SkillMark::Hidden => AnsiColor::Yellow.on_default(),
        SkillMark::Refused => AnsiColor::Red.on_default(),
        SkillMark::NotRead => Style::new().dimmed(),
    }
}
