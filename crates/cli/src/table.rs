//! Tables for people.

use anstyle::Style;
use repertoire::skill::text::terminal_line;
use unicode_width::UnicodeWidthStr;

use crate::output::Output;
use crate::screen_text;
use crate::styled_line::StyledLine;

/// A table whose columns are as wide as their widest cell, up to a limit. A wider cell shifts the rest of its row only.
/// A column can be cut so that rows fit the screen. Control characters in cells are escaped.
#[derive(Debug)]
pub(crate) struct TextTable {
    /// The heading, then the rows.
    rows: Vec<Vec<Cell>>,
    /// For each column, whether it is aligned to the right.
    right: Vec<bool>,
    /// The column that is cut to the width of the screen.
    cut: Option<usize>,
}

const WIDEST: usize = 32;
/// The blanks between two columns.
const GAP: usize = 2;
/// The least width of a column that is cut.
const SHORTEST: usize = 12;

/// One text of a row.
#[derive(Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn styled(self, style: Style) -> Cell {
        Cell { style, ..self }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell {
            text: terminal_line(text.as_ref()).into_owned(),
            style: Style::new(),
        }
    }
}

impl TextTable {
    /// Returns a table with these headings. A column whose heading begins with `>` is aligned to the right; the column whose
    /// heading begins with `*` is cut, so that rows fit the screen.
    pub(crate) fn new(headings: &[&str]) -> TextTable {
        let heading = headings.iter().map(|text| {
            Cell::from(text.trim_start_matches(['>', '*'])).styled(Style::new().bold())
        });
        TextTable {
            rows: vec![heading.collect()],
            right: headings.iter().map(|text| text.starts_with('>')).collect(),
            cut: headings.iter().position(|text| text.starts_with('*')),
        }
    }

    /// Returns a table of columns without headings.
    pub(crate) fn headless(columns: usize) -> TextTable {
        TextTable {
            rows: vec![Vec::new()],
            right: vec![false; columns],
            cut: None,
        }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes heading and rows; an empty table writes nothing.
    pub(crate) fn write(&self, out: &mut Output) {
        let columns = out.columns();
        out.styled_lines(self.lines(columns));
    }

    /// Returns heading and rows for a screen of this width; none for an empty table.
    pub(crate) fn lines(&self, columns: usize) -> Vec<StyledLine> {
        if self.rows.len() == 1 {
            return Vec::new();
        }
        let mut widths = vec![0; self.right.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width().min(WIDEST));
            }
        }
        let room = self.cut.map(|cut| {
            let others = widths.iter().enumerate().filter(|(at, _)| *at != cut);
            let others: usize = others.map(|(_, width)| width + GAP).sum();
            columns.saturating_sub(others).max(SHORTEST)
        });
        if let (Some(cut), Some(room)) = (self.cut, room) {
            widths[cut] = self.widest(cut).min(room);
        }
        let rows = self.rows.iter().filter(|row| !row.is_empty());
        rows.map(|row| self.row_line(row, &widths, room)).collect()
    }

    fn widest(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.text.width()).max().unwrap_or(0)
    }

    fn row_line(&self, row: &[Cell], widths: &[usize], room: Option<usize>) -> StyledLine {
        // Wide cells shift the rest of the row.
        let others = row.iter().zip(widths).enumerate();
        let others = others.filter(|(at, _)| self.cut != Some(*at));
        let shift: usize = others
            .map(|(_, (cell, width))| cell.text.width().saturating_sub(*width))
            .sum();
        let mut line = StyledLine::default();
        let mut pending = 0;
        for (at, ((cell, right), width)) in row.iter().zip(&self.right).zip(widths).enumerate() {
            let text = match room.filter(|_| self.cut == Some(at)) {
                Some(room) => {
                    screen_text::cut(&cell.text, room.saturating_sub(shift).max(SHORTEST))
                }
                None => cell.text.as_str().into(),
            };
            let blank = width.saturating_sub(text.width());
            let before = if *right { blank } else { 0 };
            pending += before;
            if !text.is_empty() {
                line.push(" ".repeat(pending), Style::new());
                line.push(text, cell.style);
                pending = 0;
            }
            // Pending blanks are added before the next cell, so that no line ends with blanks.
            pending += blank - before + GAP;
        }
        line
    }
}
