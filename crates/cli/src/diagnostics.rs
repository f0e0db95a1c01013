//! Diagnostics as the commands report them.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annotate_snippets::Level;
use repertoire::FsSource;
use repertoire::registry::SourceDiagnostic;
use repertoire::skill::skill_md::Limits;
use repertoire::skill::{Code, Diagnostic, Severity};
use serde::Serialize;

use crate::file_slot::FileSlot;
use crate::output::Output;
use crate::relative_path::relative_to_cwd;
use crate::report::{Excerpt, Report};

/// A diagnostic, its source, and the severity that every command prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "SourceDiagnostic")
)]
pub(crate) struct ReportedDiagnostic {
    pub(crate) source: Arc<str>,
    #[serde(flatten)]
    pub(crate) diagnostic: Diagnostic,
}

impl ReportedDiagnostic {
    /// Returns a diagnostic of `source`.
    ///
    /// An invalid description is an error: this program loads the skill, but other agents drop the text by which a model
    /// chooses it.
    pub(crate) fn new(source: Arc<str>, mut diagnostic: Diagnostic) -> ReportedDiagnostic {
        if diagnostic.code == Code::INVALID_DESCRIPTION {
            diagnostic.severity = Severity::Error;
        }
        ReportedDiagnostic { source, diagnostic }
    }

    pub(crate) fn of(one: &SourceDiagnostic) -> ReportedDiagnostic {
        ReportedDiagnostic::new(Arc::clone(&one.source), one.diagnostic.clone())
    }
}

/// The number of diagnostics of each severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Counts {
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) infos: usize,
}

impl Counts {
    pub(crate) fn of(diagnostics: &[ReportedDiagnostic]) -> Counts {
        let mut counts = Counts::default();
        for reported in diagnostics {
            match reported.diagnostic.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Info => counts.infos += 1,
            }
        }
        counts
    }

    /// Returns the counts as words, without those that are zero: `2 errors, 1 warning`.
    pub(crate) fn sentence(self) -> String {
        let parts = [
            (self.errors, "error"),
            (self.warnings, "warning"),
            (self.infos, "info"),
        ];
        let parts = joined(
            parts
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| counted(*count, what)),
        );
        if parts.is_empty() {
            "no problems".to_owned()
        } else {
            parts
        }
    }
}

pub(crate) fn joined<T: Borrow<str>>(texts: impl IntoIterator<Item = T>) -> String {
    texts.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns names in backticks with commas between them.
pub(crate) fn quoted(names: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    joined(names.into_iter().map(|name| format!("`{name}`")))
}

/// Returns a count with its noun: `1 skill`, `2 skills`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

/// A printer of diagnostics with the lines that they refer to.
///
/// It quotes only files whose real path is below a folder of their source: a link in a repository may point to any file that
/// the user can read. Consecutive diagnostics of one file read it once.
#[derive(Debug)]
pub(crate) struct DiagnosticPrinter<'a> {
    quotable: QuotableFolders,
    cwd: &'a Path,
    is_coloured: bool,
    last: Option<(String, Option<String>)>,
}

/// The folders whose files may be quoted, by the name of their source.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuotableFolders(HashMap<String, Vec<PathBuf>>);

impl QuotableFolders {
    pub(crate) fn of(sources: &[(String, Arc<FsSource>)]) -> QuotableFolders {
        QuotableFolders(
            sources
                .iter()
                .map(|(name, source)| (name.clone(), source.starts()))
                .collect(),
        )
    }

    pub(crate) fn one(source: &str, folders: Vec<PathBuf>) -> QuotableFolders {
        QuotableFolders(HashMap::from([(source.to_owned(), folders)]))
    }

    /// Returns the content of a file of `source`; `None` if it may not be quoted or exceeds the size limit of skills.
    pub(crate) fn read(&self, source: &str, path: &Path) -> Option<Vec<u8>> {
        let limit = Limits::default().file_bytes;
        let slot = self
            .0
            .get(source)?
            .iter()
            .find_map(|folder| FileSlot::below(folder, path).ok())?;
        let (bytes, _) = slot.read(limit.saturating_add(1)).ok()?;
        (bytes.len() as u64 <= limit).then_some(bytes)
    }
}

impl<'a> DiagnosticPrinter<'a> {
    pub(crate) fn new(
        quotable: QuotableFolders,
        cwd: &'a Path,
        is_coloured: bool,
    ) -> DiagnosticPrinter<'a> {
        DiagnosticPrinter {
            quotable,
            cwd,
            is_coloured,
            last: None,
        }
    }

    pub(crate) fn write(&mut self, reported: &ReportedDiagnostic, out: &mut Output) {
        out.bytes(self.draw(reported) + "\n");
    }

    /// Returns the diagnostic as text, with its line if the file may be quoted.
    pub(crate) fn draw(&mut self, reported: &ReportedDiagnostic) -> String {
        let cwd = self.cwd;
        let Diagnostic {
            severity,
            code,
            message,
            path,
            line,
            column,
            other,
            help,
            ..
        } = &reported.diagnostic;
        let excerpt = match (path, line) {
            (Some(path), Some(line)) => {
                let text = self.text(&reported.source, path);
                text.and_then(|text| Excerpt::at(text, *line, column.unwrap_or(1)))
            }
            _ => None,
        };
        let place = path.as_deref().map(|path| {
            let mut place = relative_to_cwd(path, cwd).to_owned();
            if excerpt.is_none() {
                for number in line.iter().chain(column) {
                    place.push_str(&format!(":{number}"));
                }
            }
            place
        });
        let report = Report {
            level: match severity {
                Severity::Error => Level::ERROR,
                Severity::Warning => Level::WARNING,
                Severity::Info => Level::INFO,
            },
            code: Some(code.name()),
            message,
            path: place.as_deref(),
            excerpt: excerpt.as_ref(),
            other: other.as_deref().map(|path| relative_to_cwd(path, cwd)),
            help: help.as_deref(),
        };
        report.draw(self.is_coloured)
    }

    fn text(&mut self, source: &str, path: &str) -> Option<&str> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            let bytes = self.quotable.read(source, Path::new(path));
            let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            self.last = Some((path.to_owned(), text));
        }
        self.last.as_ref()?.1.as_deref()
    }
}
