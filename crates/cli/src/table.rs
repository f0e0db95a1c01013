//! Tables for people.

use anstyle::Style;
use repertoire::skill::text::terminal_line;
use unicode_width::UnicodeWidthStr;

use crate::output::Output;

/// A table whose columns are as wide as their widest cell, up to a limit. A wider cell shifts the rest of its row only.
/// Control characters in cells are escaped.
#[derive(Debug)]
pub(crate) struct TextTable {
    /// The heading, then the rows.
    rows: Vec<Vec<Cell>>,
    /// Whether each column is aligned to the right.
    right: Vec<bool>,
}

const WIDEST: usize = 32;

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
    /// Returns a table with these headings. A column whose heading begins with `>` is aligned to the right.
    pub(crate) fn new(headings: &[&str]) -> TextTable {
        let heading = headings
            .iter()
            .map(|text| Cell::from(text.trim_start_matches('>')).styled(Style::new().bold()));
        TextTable {
            rows: vec![heading.collect()],
            right: headings.iter().map(|text| text.starts_with('>')).collect(),
        }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes heading and rows; an empty table writes nothing.
    pub(crate) fn write(&self, out: &mut Output) {
        if self.rows.len() == 1 {
            return;
        }
        let mut widths = vec![0; self.right.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width().min(WIDEST));
            }
        }
        for row in &self.rows {
            self.write_row(row, &widths, out);
        }
    }

    fn write_row(&self, row: &[Cell], widths: &[usize], out: &mut Output) {
        let mut pending = 0;
        for ((cell, right), width) in row.iter().zip(&self.right).zip(widths) {
            let blank = width.saturating_sub(cell.text.width());
            let before = if *right { blank } else { 0 };
            pending += before;
            if !cell.text.is_empty() {
                let style = if out.is_coloured() {
                    cell.style
                } else {
                    Style::new()
                };
                out.bytes(format!("{:pending$}{style}{}{style:#}", "", cell.text));
                pending = 0;
            }
            // Pending blanks are written before the next cell, so that no line ends with blanks.
            pending += blank - before + 2;
        }
        out.bytes("\n");
    }
}
