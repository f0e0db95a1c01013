//! Lines of a screen with styles.

use anstyle::Style;
use repertoire::skill::text::terminal_line;
#[cfg(feature = "watch")]
use unicode_width::UnicodeWidthStr;

/// A line of a screen: texts, each with one style. Control characters in the texts are escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StyledLine {
    parts: Vec<(String, Style)>,
}

impl StyledLine {
    pub(crate) fn plain(text: impl AsRef<str>) -> StyledLine {
        StyledLine::styled(text, Style::new())
    }

    pub(crate) fn styled(text: impl AsRef<str>, style: Style) -> StyledLine {
        StyledLine::default().with(text, style)
    }

    /// Returns the line with one more text at its end.
    #[must_use]
    pub(crate) fn with(mut self, text: impl AsRef<str>, style: Style) -> StyledLine {
        self.push(text, style);
        self
    }

    pub(crate) fn push(&mut self, text: impl AsRef<str>, style: Style) {
        let text = text.as_ref();
        if !text.is_empty() {
            self.parts.push((terminal_line(text).into_owned(), style));
        }
    }

    /// Returns the line behind a text without style.
    #[cfg(feature = "watch")]
    pub(crate) fn behind(&self, text: &str) -> StyledLine {
        let mut line = StyledLine::plain(text);
        line.parts.extend(self.parts.iter().cloned());
        line
    }

    /// Returns the line with its colours inverted, filled with blanks up to this width.
    #[cfg(feature = "watch")]
    pub(crate) fn inverted(mut self, columns: usize) -> StyledLine {
        let used: usize = self.parts.iter().map(|(text, _)| text.width()).sum();
        self.push(" ".repeat(columns.saturating_sub(used)), Style::new());
        for (_, style) in &mut self.parts {
            *style = style.invert();
        }
        self
    }

    /// Returns the texts with their styles.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&str, Style)> {
        self.parts.iter().map(|(text, style)| (&**text, *style))
    }
}
