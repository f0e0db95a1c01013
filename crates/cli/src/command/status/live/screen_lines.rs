//! The lines of the live screen.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::live_screen::{Dialog, HideQuestion, LiveScreen};
use super::pane_text::{Pane, PaneEntry, best_file};
use crate::command::why::WhyOutput;
use crate::diagnostics::counted;
use crate::screen_text::{cut, wrapped};
use crate::styled_line::StyledLine;

/// The keys of the panes, with their meaning in a word and in a sentence.
const KEYS: [(&str, &str, &str); 12] = [
    ("/", "search", "search names, descriptions and problems"),
    (
        "Enter",
        "why",
        "show a skill, and why each agent loads it or does not; also `w`",
    ),
    (
        "a",
        "agent",
        "show one agent; also the arrow keys left and right",
    ),
    (
        "d",
        "turn off",
        "turn the skill off for the agent, after a question",
    ),
    (
        "o",
        "open",
        "open the file in the program of `VISUAL` or `EDITOR`; also `e`",
    ),
    (
        "Tab",
        "part",
        "show the next part: skills, problems, left out, since the lock",
    ),
    (
        "up, down",
        "",
        "select an entry; also `k`, `j`, the page keys, `g` and `G`",
    ),
    ("r", "", "survey again; files are followed by themselves"),
    ("Esc", "", "end the search or leave a text, else quit"),
    ("Ctrl-C", "", "quit"),
    ("?", "help", "show the keys"),
    ("q", "quit", "quit"),
];

/// The height from which on the letters of marks are explained.
const LEGEND_ROWS: usize = 14;

/// The width of the names of keys, with a gap.
const KEY_COLUMNS: usize = 10;

const BOLD: Style = Style::new().bold();

impl LiveScreen {
    /// Returns the lines for the size of the screen.
    pub(super) fn lines(&self) -> Vec<StyledLine> {
        match &self.dialog {
            None => self.pane_lines(),
            Some(Dialog::Help) => self.framed(help(self.columns), 0, "Esc back"),
            Some(Dialog::Details { skill, first }) => {
                let keys = "o open  d turn off  Esc back";
                self.framed(self.details(skill), *first, keys)
            }
            Some(Dialog::Hide(question)) => {
                self.framed(self.question(question), 0, "y write  n cancel")
            }
        }
    }

    /// Returns the number of lines between the first and the last line of a text.
    pub(super) fn text_rows(&self) -> usize {
        self.rows.saturating_sub(2)
    }

    fn pane_lines(&self) -> Vec<StyledLine> {
        let mut pane = self.pane_text();
        if self.rows < LEGEND_ROWS {
            pane.legend.clear();
        }
        let mut lines = vec![self.title()];
        lines.extend(self.agents());
        lines.push(StyledLine::default());
        lines.push(self.tabs());
        lines.extend(pane.heading.iter().map(|line| line.behind("  ")));
        let used = lines.len() + pane.legend.len() + 1;
        let room = self.rows.saturating_sub(used);
        let shown = window(&pane.entries, self.selected, room);
        for at in shown {
            let is_selected = at == self.selected;
            lines.extend(self.entry(&pane.entries[at], is_selected));
        }
        if pane.entries.is_empty() {
            lines.push(StyledLine::plain(self.nothing()));
        }
        lines.truncate(self.rows.saturating_sub(pane.legend.len() + 1));
        lines.resize(
            self.rows.saturating_sub(pane.legend.len() + 1),
            StyledLine::default(),
        );
        lines.extend(pane.legend.iter().map(|line| line.behind("  ")));
        lines.push(self.footer(pane.entries.len()));
        lines
    }

    fn title(&self) -> StyledLine {
        let views = self.views();
        let text = match &self.agent {
            Some(agent) => format!("  {agent} alone"),
            None => format!("  {}", counted(views.len(), "agent")),
        };
        let name = "repertoire status";
        let room = self.columns.saturating_sub(name.width());
        StyledLine::styled(name, BOLD).with(cut(&text, room), Style::new())
    }

    /// Returns the table of agents, or the part of it that fits.
    fn agents(&self) -> Vec<StyledLine> {
        let status = &self.status;
        let columns = self.columns.saturating_sub(2);
        let is_numbered = status.grid.layout(columns).is_numbered();
        let mut table = status.agent_table(is_numbered, self.columns).lines(columns);
        if table.is_empty() {
            return vec![StyledLine::plain("no agent was found on this machine")];
        }
        let rows = table.split_off(1);
        let chosen = self.agent_column();
        let room = (self.rows / 2).saturating_sub(3);
        if room < 2 {
            return Vec::new();
        }
        let first = chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(room));
        let rows = rows.into_iter().enumerate().skip(first).take(room);
        let heading = table.into_iter().map(|line| line.behind("  "));
        let rows = rows.map(|(at, line)| line.behind(mark(Some(at) == chosen)));
        heading.chain(rows).collect()
    }

    fn tabs(&self) -> StyledLine {
        let mut line = StyledLine::default();
        for pane in Pane::ALL {
            let (title, style) = match pane == self.pane {
                true => (format!("[{}]", pane.title()), BOLD),
                false => (format!(" {} ", pane.title()), Style::new()),
            };
            line.push(title, style);
            line.push(" ", Style::new());
        }
        line
    }

    fn entry(&self, entry: &PaneEntry, is_selected: bool) -> Vec<StyledLine> {
        let lines = entry.lines.iter().enumerate();
        let marked = lines.map(|(at, line)| {
            let line = line.behind(mark(is_selected && at == 0));
            match is_selected && at == 0 {
                true => line.inverted(self.columns),
                false => line,
            }
        });
        marked.collect()
    }

    fn nothing(&self) -> String {
        match (&*self.search, self.pane) {
            ("", Pane::Lock) if self.status.lock.is_none() => {
                "  no lock file is in the working folder".to_owned()
            }
            ("", _) => "  nothing".to_owned(),
            (search, _) => format!("  nothing matches `{search}`"),
        }
    }

    fn footer(&self, found: usize) -> StyledLine {
        if self.is_typing {
            return StyledLine::plain(format!("/{}", self.search)).with("_", BOLD);
        }
        if let Some(message) = &self.message {
            return StyledLine::styled(cut(message, self.columns), AnsiColor::Yellow.on_default());
        }
        if !self.search.is_empty() {
            let text = format!("/{}  {found} found  Esc shows all", self.search);
            return StyledLine::plain(cut(&text, self.columns));
        }
        let ends = ["? help", "q quit"].join("  ");
        let mut text = String::new();
        for (key, word, _) in KEYS
            .iter()
            .filter(|(key, word, _)| !word.is_empty() && !"?q".contains(key))
        {
            let hint = format!("{key} {word}  ");
            if text.width() + hint.width() + ends.width() > self.columns {
                break;
            }
            text += &hint;
        }
        StyledLine::plain(text + &ends)
    }

    /// Returns a text that fills the screen from its line `first`, with the keys that it has.
    fn framed(&self, text: Vec<StyledLine>, first: usize, keys: &str) -> Vec<StyledLine> {
        let rows = self.text_rows();
        let first = first.min(text.len().saturating_sub(rows));
        let more = text.len().saturating_sub(first + rows);
        let mut lines: Vec<_> = text.into_iter().skip(first).take(rows).collect();
        lines.resize(self.rows.saturating_sub(1), StyledLine::default());
        let footer = match &self.message {
            Some(message) => cut(message, self.columns).into_owned(),
            None if more > 0 => format!("{keys}  down {more} more"),
            None => keys.to_owned(),
        };
        lines.push(StyledLine::plain(footer));
        lines
    }

    /// Returns the description of a skill, and the reasons for each agent.
    pub(super) fn details(&self, skill: &Arc<str>) -> Vec<StyledLine> {
        let views = self.views();
        let mut lines = vec![StyledLine::styled(&**skill, BOLD)];
        let mut files = views.iter().filter_map(|view| best_file(view, skill));
        if let Some(description) = files.find_map(|file| file.description.as_ref()) {
            let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
            let wrapped = wrapped(&description, self.columns, 0).into_iter();
            lines.extend(wrapped.map(StyledLine::plain));
        }
        lines.push(StyledLine::default());
        let why = WhyOutput::of(skill, views);
        lines.extend(why.lines(&self.status.seen.paths, self.columns));
        lines
    }

    fn question(&self, question: &HideQuestion) -> Vec<StyledLine> {
        let setting = &question.setting;
        let file = self.status.seen.paths.path(&setting.file);
        let entry = setting.entry.get(0).unwrap_or(&setting.entry).to_string();
        let name = setting.file.file_name().map(Path::new);
        let name = name.map_or(String::new(), |name| name.display().to_string());
        let after = format!("The file before, if there is one, is kept as `{name}.bak`.");
        let title = format!("Turn off `{}` for {}?", question.skill, question.agent);
        let place = format!("`{}` in `{file}` gets:", setting.key.join("."));
        let mut texts = vec![String::new()];
        texts.extend(wrapped(&place, self.columns, 2));
        let entry = wrapped(&entry, self.columns.saturating_sub(2), 2);
        texts.extend(entry.into_iter().map(|line| format!("  {line}")));
        texts.push(String::new());
        texts.extend(wrapped(&after, self.columns, 2));
        let title = StyledLine::styled(cut(&title, self.columns), BOLD);
        let texts = texts.into_iter().map(StyledLine::plain);
        std::iter::once(title).chain(texts).collect()
    }
}

fn mark(is_marked: bool) -> &'static str {
    if is_marked { "> " } else { "  " }
}

/// Returns the entries around the selected one that fit into `room` lines, the selected one among them.
fn window(entries: &[PaneEntry], selected: usize, room: usize) -> Range<usize> {
    let selected = selected.min(entries.len().saturating_sub(1));
    let height = |at: usize| entries[at].lines.len();
    let mut end = (selected + 1).min(entries.len());
    let mut used: usize = (selected..end).map(height).sum();
    let mut start = selected;
    // First half of the room above, then the rest below, then what is left above.
    for most in [room / 2, room] {
        while start > 0 && used + height(start - 1) <= most {
            start -= 1;
            used += height(start);
        }
        while end < entries.len() && used + height(end) <= room {
            used += height(end);
            end += 1;
        }
    }
    start..end
}

fn help(columns: usize) -> Vec<StyledLine> {
    let mut lines = vec![StyledLine::styled("repertoire status --watch", BOLD)];
    lines.push(StyledLine::default());
    for (key, _, effect) in KEYS {
        let effect = wrapped(effect, columns.saturating_sub(KEY_COLUMNS), 0);
        for (at, line) in effect.into_iter().enumerate() {
            let key = if at == 0 { key } else { "" };
            let key = format!("{key:KEY_COLUMNS$}");
            lines.push(StyledLine::styled(key, BOLD).with(line, Style::new()));
        }
    }
    lines
}
