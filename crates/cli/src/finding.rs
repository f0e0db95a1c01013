//! Diagnostics as the commands tell of them.

use std::fs::File;
use std::io::Read;

use std::sync::Arc;

use annotate_snippets::Level;
use repertoire::{Diagnostic, Severity};
use serde::Serialize;

use crate::report::{Excerpt, Report};
use crate::session::Session;

/// A diagnostic and the source it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Finding {
    pub(crate) source: Arc<str>,
    #[serde(flatten)]
    pub(crate) diagnostic: Diagnostic,
}

impl Finding {
    pub(crate) fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }
}

/// How many findings of each severity there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Counts {
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) infos: usize,
}

impl Counts {
    pub(crate) fn of(findings: &[Finding]) -> Counts {
        let count = |severity| findings.iter().filter(|finding| finding.diagnostic.severity == severity).count();
        Counts { errors: count(Severity::Error), warnings: count(Severity::Warning), infos: count(Severity::Info) }
    }

    /// `2 errors, 1 warning`; what there is none of is left out.
    pub(crate) fn sentence(self) -> String {
        let parts = [(self.errors, "error"), (self.warnings, "warning"), (self.infos, "info")];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts.map(|(count, what)| counted(count, what)).collect();
        if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
    }
}

/// `1 skill`, `2 skills`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Draws findings with the lines that they are about. A file is read once for its findings.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    last: Option<(String, Option<String>)>,
}

/// The most of a file that is read to show a line of it; larger ones are not listed either.
const READ: u64 = 1 << 20;

impl Sources {
    pub(crate) fn draw(&mut self, finding: &Finding, session: &Session<'_>, coloured: bool) -> String {
        let diagnostic = &finding.diagnostic;
        let excerpt = match (&diagnostic.path, diagnostic.line) {
            (Some(path), Some(line)) => {
                let column = diagnostic.column.unwrap_or(1);
                self.text(path).and_then(|text| Excerpt::at(text, line, column))
            }
            _ => None,
        };
        let place = match (&diagnostic.path, &excerpt) {
            // Where there is nothing to point at, the numbers still tell.
            (Some(path), None) => Some(match (diagnostic.line, diagnostic.column) {
                (Some(line), Some(column)) => format!("{}:{line}:{column}", session.near(path)),
                (Some(line), None) => format!("{}:{line}", session.near(path)),
                _ => session.near(path).to_owned(),
            }),
            (Some(path), Some(_)) => Some(session.near(path).to_owned()),
            (None, _) => None,
        };
        let report = Report {
            level: match diagnostic.severity {
                Severity::Error => Level::ERROR,
                Severity::Warning => Level::WARNING,
                Severity::Info => Level::INFO,
            },
            code: Some(diagnostic.code.name()),
            message: &diagnostic.message,
            path: place.as_deref(),
            excerpt: excerpt.as_ref(),
            help: diagnostic.help.as_deref(),
        };
        report.draw(coloured)
    }

    fn text(&mut self, path: &str) -> Option<&str> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            self.last = Some((path.to_owned(), read(path)));
        }
        self.last.as_ref()?.1.as_deref()
    }
}

fn read(path: &str) -> Option<String> {
    let file = File::open(path).ok()?;
    // A pipe would keep us waiting.
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
