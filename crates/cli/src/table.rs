//! Tables for people.

use repertoire::skill::text::terminal_line;
use std::io::{self, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::Stream;

/// A table whose columns are as wide as their widest cell, up to a limit. A wider cell shifts the rest of its row only.
/// Control characters in cells are escaped.
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

const WIDEST: usize = 32;

/// One text of a row.
#[derive(Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn styled(mut self, style: Style) -> Cell {
        self.style = style;
        self
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: terminal_line(text.as_ref()).into_owned(), style: Style::new() }
    }
}

impl Table {
    pub(crate) fn new(headings: &[&'static str]) -> Table {
        let columns = headings.iter().map(|heading| match heading.strip_prefix('>') {
            Some(heading) => Column { heading, right: true },
            None => Column { heading, right: false },
        });
        Table { columns: columns.collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Writes heading and rows; an empty table writes nothing.
    pub(crate) fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
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
            self.write_row(out, row, &widths)?;
        }
        Ok(())
    }

    fn write_row(&self, out: &mut Stream<'_>, row: &[Cell], widths: &[usize]) -> io::Result<()> {
        let coloured = out.is_coloured();
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
            // Pending blanks are written before the next cell, so that no line ends with blanks.
            pending += blank - before + 2;
        }
        writeln!(out)
    }
}
