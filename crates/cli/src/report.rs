//! Findings and failures with their place, as a compiler shows them.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Padding, Renderer, Snippet};

use crate::shown::{shown, veiled};

/// One finding or failure, ready to be drawn.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) level: Level<'a>,
    pub(crate) code: Option<&'a str>,
    pub(crate) message: &'a str,
    pub(crate) path: Option<&'a str>,
    pub(crate) excerpt: Option<&'a Excerpt>,
    /// The path of the other file that it is about.
    pub(crate) other: Option<&'a str>,
    pub(crate) help: Option<&'a str>,
}

/// A line of a text and the part of it that is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The number of the line, from 1.
    line: usize,
    /// The line, each hidden character replaced by one sign.
    text: String,
    /// The part, in bytes of `text`; never empty unless the line is.
    span: Range<usize>,
}

impl Excerpt {
    /// The first line of the bytes `span` of `source`.
    pub(crate) fn of(source: &str, span: Range<usize>) -> Excerpt {
        let start = floor(source, span.start);
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = source[start..].find('\n').map_or(source.len(), |at| start + at);
        let line = source[line_start..line_end].trim_end_matches('\r');
        let end = floor(source, span.end).clamp(start, line_end) - line_start;
        let number = source[..line_start].matches('\n').count() + 1;
        Excerpt::new(number, line, start - line_start..end)
    }

    /// The value or the word at a line and a column, both from 1; `None` where the text has no such line.
    pub(crate) fn at(source: &str, line: u32, column: u32) -> Option<Excerpt> {
        let number = usize::try_from(line).ok()?;
        let text = lines(source).nth(number.checked_sub(1)?)?;
        let before = usize::try_from(column).ok()?.saturating_sub(1);
        let start = text.char_indices().nth(before).map_or(text.len(), |(at, _)| at);
        Some(Excerpt::new(number, text, start..start + meant(text, start)))
    }

    fn new(line: usize, text: &str, span: Range<usize>) -> Excerpt {
        let start = floor(text, span.start.min(text.len()));
        let least = text[start..].chars().next().map_or(start, |c| start + c.len_utf8());
        let end = floor(text, span.end.min(text.len())).max(least);
        let shown = veiled(text);
        // As many characters, of other lengths.
        let place = |at: usize| shown.char_indices().nth(text[..at].chars().count()).map_or(shown.len(), |(at, _)| at);
        let span = place(start)..place(end);
        Excerpt { line, text: shown.into_owned(), span }
    }
}

/// The length of what begins at `start` of a line: a comment, a text in quotes, a whole value behind a colon or a dash, or
/// a word.
fn meant(line: &str, start: usize) -> usize {
    let (before, rest) = line.split_at(start);
    let first = rest.chars().next();
    let is_value = before.trim_end_matches([' ', '\t']).len() < before.len() && before.trim_end().ends_with([':', '-']);
    if first == Some('#') && before.ends_with([' ', '\t']) {
        return rest.trim_end().len();
    }
    if let Some(quote) = first.filter(|c| matches!(c, '"' | '\'')) {
        let mut inner = rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = inner.next() {
            match c {
                '\\' if quote == '"' => drop(inner.next()),
                // Two in a row stand for one.
                c if c == quote && quote == '\'' && inner.peek().is_some_and(|(_, next)| *next == quote) => {
                    inner.next();
                }
                c if c == quote => return at + 1,
                _ => {}
            }
        }
    }
    if is_value {
        let value = rest.find(" #").map_or(rest, |comment| &rest[..comment]);
        // Inside of a list or a map on one line, a value ends where the next sign does.
        let is_within = before.matches(['[', '{']).count() > before.matches([']', '}']).count();
        let end = value.find([',', ']', '}']).filter(|_| is_within).unwrap_or(value.len());
        return value[..end].trim_end().len();
    }
    rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_')).unwrap_or(rest.len())
}

/// The lines of a text, whatever ends them.
fn lines(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(source.strip_prefix('\u{FEFF}').unwrap_or(source));
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\n', '\r']) else { return rest.take() };
        let after = &text[end..];
        rest = Some(after.strip_prefix("\r\n").unwrap_or(&after[1..]));
        Some(&text[..end])
    })
}

/// The last character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

impl Report<'_> {
    /// The report as text, its last line ended.
    pub(crate) fn draw(&self, coloured: bool) -> String {
        let mut title = self.level.clone().primary_title(shown(self.message));
        if let Some(code) = self.code {
            title = title.id(shown(code));
        }
        let path = self.path.map(shown);
        let place: Option<Element<'_>> = match (path, self.excerpt) {
            (Some(path), Some(excerpt)) => {
                let meant = AnnotationKind::Primary.span(excerpt.span.clone());
                let text = Snippet::source(excerpt.text.as_str()).line_start(excerpt.line).path(path);
                Some(text.annotation(meant).into())
            }
            (Some(path), None) => Some(Origin::path(path).into()),
            (None, _) => None,
        };
        let has_excerpt = self.excerpt.is_some();
        let other = self.other.map(|path| Origin::path(shown(path)));
        let mut group = title.elements(place).elements(other);
        if let Some(help) = self.help {
            if has_excerpt {
                group = group.element(Padding);
            }
            group = group.element(Level::HELP.message(shown(help)));
        }
        let renderer = if coloured { Renderer::styled() } else { Renderer::plain() };
        let mut text = renderer.render(&[group]);
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests;
