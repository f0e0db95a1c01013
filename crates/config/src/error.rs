//! The error of a configuration.

use std::error::Error;
use std::fmt;
use std::io;
use std::ops::Range;

use repertoire_core::text::{masked, terminal_line};

/// The error returned when a configuration cannot be used, with its place in the file if one is at fault.
///
/// `{}` prints one line. `{:#}` also prints the line of the file, with carets below the faulty part, and advice.
#[derive(Debug)]
pub struct ConfigurationError {
    message: String,
    place: Option<Box<Place>>,
    help: Option<&'static str>,
    cause: Option<io::Error>,
}

#[derive(Debug)]
struct Place {
    file: String,
    line: usize,
    text: String,
    marked: Range<usize>,
    is_quotable: bool,
}

impl ConfigurationError {
    pub(crate) fn new(message: impl Into<String>) -> ConfigurationError {
        ConfigurationError {
            message: message.into(),
            place: None,
            help: None,
            cause: None,
        }
    }

    pub(crate) fn caused_by(self, cause: io::Error) -> ConfigurationError {
        ConfigurationError {
            cause: Some(cause),
            ..self
        }
    }

    pub(crate) fn help_with(self, help: &'static str) -> ConfigurationError {
        ConfigurationError {
            help: Some(help),
            ..self
        }
    }

    /// Adds the place of the bytes at `span` of `source`, the text of `file`.
    pub(crate) fn at(
        self,
        file: &str,
        source: &str,
        span: Range<usize>,
        is_quotable: bool,
    ) -> ConfigurationError {
        let start = source.floor_char_boundary(span.start);
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = source[start..]
            .find('\n')
            .map_or(source.len(), |at| start + at);
        let text = source[line_start..line_end]
            .trim_end_matches('\r')
            .to_owned();
        let is_quotable = is_quotable && !may_have_secrets(&source[..line_start], &text);
        let start = (start - line_start).min(text.len());
        let first = text[start..].chars().next().map_or(0, char::len_utf8);
        let end = text
            .floor_char_boundary(span.end.saturating_sub(line_start))
            .max(start + first);
        let line = source[..line_start].matches('\n').count() + 1;
        let place = Place {
            file: file.to_owned(),
            line,
            text,
            marked: start..end,
            is_quotable,
        };
        ConfigurationError {
            place: Some(Box::new(place)),
            ..self
        }
    }

    /// Returns the message without the place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the name of the file, as given to the reader.
    pub fn file(&self) -> Option<&str> {
        Some(&self.place.as_ref()?.file)
    }

    /// Returns advice, if there is any.
    pub fn help(&self) -> Option<&str> {
        self.help
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> Option<usize> {
        Some(self.place.as_ref()?.line)
    }

    /// Returns the number of the first faulty character in its line, from 1.
    pub fn column(&self) -> Option<usize> {
        let place = self.place.as_ref()?;
        Some(place.text[..place.marked.start].chars().count() + 1)
    }

    /// Returns the line of the file, unchanged, and its faulty bytes.
    ///
    /// `None` if a link leads to the file from outside of its folder: a stranger could choose the file that is quoted. `None` also
    /// if the line may have values of `env` or `headers`.
    pub fn excerpt(&self) -> Option<(&str, Range<usize>)> {
        let place = self.place.as_ref().filter(|place| place.is_quotable)?;
        Some((&place.text, place.marked.clone()))
    }
}

/// Returns whether `line`, or the heading of the table above it, names the environment or the headers of a server.
fn may_have_secrets(above: &str, line: &str) -> bool {
    let mut lines = above.lines().rev();
    let heading = lines.find(|line| line.trim_start().starts_with('['));
    let mut texts = [Some(line), heading].into_iter().flatten();
    texts.any(|text| text.contains("env") || text.contains("headers"))
}

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(file), Some(line), Some(column)) = (self.file(), self.line(), self.column()) {
            write!(f, "{}:{line}:{column}: ", terminal_line(file))?;
        }
        f.write_str(&terminal_line(&self.message))?;
        if !f.alternate() {
            return Ok(());
        }
        if let Some((text, marked)) = self.excerpt() {
            let before: String = text[..marked.start]
                .chars()
                .map(|c| if c == '\t' { c } else { ' ' })
                .collect();
            write!(
                f,
                "\n{}\n{before}{}",
                masked(text),
                "^".repeat(text[marked].chars().count().max(1))
            )?;
        }
        self.help.map_or(Ok(()), |help| write!(f, "\nhelp: {help}"))
    }
}

impl Error for ConfigurationError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| cause as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_span_is_a_place_in_the_text() {
        for (source, span, expected) in [
            ("", 0..9, (1, 1, "", 0..0)),
            ("é\nö\n", 1..2, (1, 1, "é", 0..2)),
            ("é\nö\n", 3..3, (2, 1, "ö", 0..2)),
            ("é\nö\n", 98..99, (3, 1, "", 0..0)),
            ("a\r\nb", 1..4, (1, 2, "a", 1..1)),
        ] {
            let error = ConfigurationError::new("odd").at("a.toml", source, span, true);
            let (text, marked) = error.excerpt().expect("it may be quoted");
            let found = (
                error.line().unwrap_or(0),
                error.column().unwrap_or(0),
                text,
                marked,
            );
            assert_eq!(found, expected, "{source:?}");
            assert!(format!("{error:#}").contains('^'), "{source:?}");
        }
    }
}
