//! Diagnostics for the operator.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::record::{RecordReader, RecordWriter};
use crate::{Code, Severity, Strictness};

/// A diagnostic about a file or a source, for the operator. The operation itself succeeded.
///
/// Messages quote untrusted text: escape them for the place they go to. Thousands of them are cheap to keep.
///
/// ```
/// use repertoire_core::{Code, Diagnostic};
///
/// let diagnostic = Diagnostic::new(Code::DUPLICATE_ID, "skill `tea` is defined twice")
///     .at_path("team/tea/SKILL.md")
///     .at(2, 7)
///     .help("rename one of them");
/// assert_eq!(diagnostic.place().as_deref(), Some("team/tea/SKILL.md:2:7"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The stable code.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub code: Code,
    /// One sentence, lower case, no final dot, names and paths in backticks.
    pub message: String,
    /// The file, as the source spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Arc<str>>,
    /// The line in the file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub line: Option<u32>,
    /// The column in the line, in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub column: Option<u32>,
    /// The other file of a diagnostic about two: the one that hides this one, or that came first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Arc<str>>,
    /// The advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Diagnostic {
    /// Creates a diagnostic with the lenient severity of `code` and no place yet.
    pub fn new(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: code.severity(Strictness::Lenient),
            code,
            message: message.into(),
            path: None,
            line: None,
            column: None,
            other: None,
            help: None,
        }
    }

    /// Sets the file.
    #[must_use]
    pub fn at_path(mut self, path: impl Into<Arc<str>>) -> Diagnostic {
        self.path = Some(path.into());
        self
    }

    /// Sets the line and the column, both from 1.
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Diagnostic {
        self.line = Some(line);
        self.column = Some(column);
        self
    }

    /// Sets the other file.
    #[must_use]
    #[doc(hidden)]
    pub fn and_path(mut self, path: impl Into<Arc<str>>) -> Diagnostic {
        self.other = Some(path.into());
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Sets the severity that its code has under `strictness`.
    #[must_use]
    #[doc(hidden)]
    pub fn under(mut self, strictness: Strictness) -> Diagnostic {
        self.severity = self.code.severity(strictness);
        self
    }

    /// Returns `path:line:column`, as far as known.
    pub fn place(&self) -> Option<String> {
        let path = self.path.as_deref()?;
        Some(match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{path}:{line}:{column}"),
            (Some(line), None) => format!("{path}:{line}"),
            _ => path.to_owned(),
        })
    }
}

impl Diagnostic {
    /// Writes every field.
    #[doc(hidden)]
    pub fn write(&self, record: &mut RecordWriter) {
        let Diagnostic {
            severity,
            code,
            message,
            path,
            line,
            column,
            other,
            help,
        } = self;
        record.byte(*severity as u8);
        record.text(&code.name().into());
        record.text(&message.as_str().into());
        record.optional_text(path.as_ref());
        // Lines and columns begin at 1.
        record.count(line.unwrap_or_default() as usize);
        record.count(column.unwrap_or_default() as usize);
        record.optional_text(other.as_ref());
        record.optional_text(help.as_deref().map(Arc::from).as_ref());
    }

    /// Reads what [`write`](Diagnostic::write) wrote.
    #[doc(hidden)]
    pub fn read(record: &mut RecordReader<'_>) -> Option<Diagnostic> {
        const SEVERITIES: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Error];
        let severity = usize::from(record.byte()?);
        let code = Code::named(record.written()?)?;
        let position = |count: usize| u32::try_from(count).ok().filter(|count| *count > 0);
        Some(Diagnostic {
            severity: *SEVERITIES.get(severity)?,
            code,
            message: record.written()?.to_owned(),
            path: record.optional_text()?,
            line: position(record.count()?),
            column: position(record.count()?),
            other: record.optional_text()?,
            help: record.optional(RecordReader::written)?.map(str::to_owned),
        })
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)
    }
}
