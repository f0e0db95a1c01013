//! Columns of text for people.

use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::shown::shown;

/// Rows under a heading, in columns as wide as their widest cell, up to a bound: a wider cell is shown whole, moves the
/// rest of its row and no other row. Cells are made safe for a terminal.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug)]
struct Column {
    heading: &'static str,
    right: bool,
}

/// How wide a column gets for the sake of one cell: seven columns of the usual widths still fit 80 characters.
const WIDEST: usize = 32;

/// One text of a row.
#[derive(Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// The same text in `style`, where colours are welcome.
    pub(crate) fn styled(mut self, style: Style) -> Cell {
        self.style = style;
        self
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: shown(text.as_ref()).into_owned(), style: Style::new() }
    }
}

impl Table {
    /// A table with these headings; one that starts with `>` heads a column of numbers.
    pub(crate) fn new(headings: &[&'static str]) -> Table {
        let column = |heading: &&'static str| match heading.strip_prefix('>') {
            Some(heading) => Column { heading, right: true },
            None => Column { heading, right: false },
        };
        Table { columns: headings.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row: one cell to a column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes heading and rows; nothing for a table without rows.
    pub(crate) fn write(&self, out: &mut dyn Write, coloured: bool) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let heading: Vec<_> =
            self.columns.iter().map(|column| Cell::from(column.heading).styled(Style::new().bold())).collect();
        let mut widths = vec![0; self.columns.len()];
        for row in std::iter::once(&heading).chain(&self.rows) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width().min(WIDEST));
            }
        }
        for row in std::iter::once(&heading).chain(&self.rows) {
            self.write_row(out, row, &widths, coloured)?;
        }
        Ok(())
    }

    fn write_row(&self, out: &mut dyn Write, row: &[Cell], widths: &[usize], coloured: bool) -> io::Result<()> {
        let mut pending = 0;
        for ((cell, column), width) in row.iter().zip(&self.columns).zip(widths) {
            let blank = width.saturating_sub(cell.text.width());
            let before = if column.right { blank } else { 0 };
            if !cell.text.is_empty() {
                let style = if coloured { cell.style } else { Style::new() };
                write!(out, "{:1$}{style}{2}{style:#}", "", pending + before, cell.text)?;
                pending = 0;
            } else {
                pending += before;
            }
            // Blanks are written when something follows: no line ends in them.
            pending += blank - before + 2;
        }
        writeln!(out)
    }
}
