//! Diagnostics and failures with their place, as a compiler prints them.

use repertoire::skill::text::{masked, terminal_line};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Padding, Renderer, Snippet};

/// A diagnostic or failure, ready to print.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) level: Level<'a>,
    pub(crate) code: Option<&'a str>,
    pub(crate) message: &'a str,
    pub(crate) path: Option<&'a str>,
    pub(crate) excerpt: Option<&'a Excerpt>,
    /// The path of a second file.
    pub(crate) other: Option<&'a str>,
    pub(crate) help: Option<&'a str>,
}

/// A line of a text with a marked part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The number of the line, from 1.
    line: usize,
    /// The line, with each hidden character replaced by a visible one.
    text: String,
    /// The marked part in bytes of `text`; empty only if the line is.
    span: Range<usize>,
}

impl Excerpt {
    pub(crate) fn at(source: &str, line: u32, column: u32) -> Option<Excerpt> {
        let number = usize::try_from(line).ok()?;
        let text = lines(source).nth(number.checked_sub(1)?)?;
        let before = usize::try_from(column).ok()?.saturating_sub(1);
        let start = text
            .char_indices()
            .nth(before)
            .map_or(text.len(), |(at, _)| at);
        Some(Excerpt::new(
            number,
            text,
            start..start + marked_length(text, start),
        ))
    }

    pub(crate) fn new(line: usize, text: &str, span: Range<usize>) -> Excerpt {
        let start = floor(text, span.start.min(text.len()));
        let least = text[start..]
            .chars()
            .next()
            .map_or(start, |c| start + c.len_utf8());
        let end = floor(text, span.end.min(text.len())).max(least);
        let shown = masked(text);
        // The masked text has the same number of characters, with different lengths.
        let place = |at: usize| {
            shown
                .char_indices()
                .nth(text[..at].chars().count())
                .map_or(shown.len(), |(at, _)| at)
        };
        let span = place(start)..place(end);
        Excerpt {
            line,
            text: shown.into_owned(),
            span,
        }
    }
}

fn marked_length(line: &str, start: usize) -> usize {
    let (before, rest) = line.split_at(start);
    let first = rest.chars().next();
    let is_value = before.trim_end_matches([' ', '\t']).len() < before.len()
        && before.trim_end().ends_with([':', '-']);
    if first == Some('#') && before.ends_with([' ', '\t']) {
        return rest.trim_end().len();
    }
    if let Some(quote) = first.filter(|c| matches!(c, '"' | '\'')) {
        let mut inner = rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = inner.next() {
            match c {
                '\\' if quote == '"' => drop(inner.next()),
                // A doubled single quote is an escaped one.
                c if c == quote
                    && quote == '\''
                    && inner.peek().is_some_and(|(_, next)| *next == quote) =>
                {
                    inner.next();
                }
                c if c == quote => return at + 1,
                _ => {}
            }
        }
    }
    if is_value {
        let value = rest.find(" #").map_or(rest, |comment| &rest[..comment]);
        // In a flow sequence or mapping, a value ends at the next separator.
        let is_within = before.matches(['[', '{']).count() > before.matches([']', '}']).count();
        let end = value
            .find([',', ']', '}'])
            .filter(|_| is_within)
            .unwrap_or(value.len());
        return value[..end].trim_end().len();
    }
    rest.find(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'))
        .unwrap_or(rest.len())
}

fn lines(source: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(source.strip_prefix('\u{FEFF}').unwrap_or(source));
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\n', '\r']) else {
            return rest.take();
        };
        let after = &text[end..];
        rest = Some(after.strip_prefix("\r\n").unwrap_or(&after[1..]));
        Some(&text[..end])
    })
}

fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

impl Report<'_> {
    pub(crate) fn draw(&self, coloured: bool) -> String {
        let mut title = self
            .level
            .clone()
            .primary_title(terminal_line(self.message));
        if let Some(code) = self.code {
            title = title.id(terminal_line(code));
        }
        let path = self.path.map(terminal_line);
        let place: Option<Element<'_>> = match (path, self.excerpt) {
            (Some(path), Some(excerpt)) => {
                let marked = AnnotationKind::Primary.span(excerpt.span.clone());
                let text = Snippet::source(excerpt.text.as_str())
                    .line_start(excerpt.line)
                    .path(path);
                Some(text.annotation(marked).into())
            }
            (Some(path), None) => Some(Origin::path(path).into()),
            (None, _) => None,
        };
        let has_excerpt = self.excerpt.is_some();
        let other = self.other.map(|path| Origin::path(terminal_line(path)));
        let mut group = title.elements(place).elements(other);
        if let Some(help) = self.help {
            if has_excerpt {
                group = group.element(Padding);
            }
            group = group.element(Level::HELP.message(terminal_line(help)));
        }
        let renderer = if coloured {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let mut text = renderer.render(&[group]);
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests;
