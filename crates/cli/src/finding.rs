//! Diagnostics as the commands tell of them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annotate_snippets::Level;
use repertoire::skill_md::Limits;
use repertoire::{Code, Diagnostic, FsSource, Severity, SourceDiagnostic};
use serde::Serialize;

use crate::replace::Spot;
use crate::report::{Excerpt, Report};
use crate::session::near;

/// A diagnostic and the source it belongs to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    pub(crate) source: Arc<str>,
    #[serde(flatten)]
    pub(crate) diagnostic: Diagnostic,
}

impl Finding {
    /// Returns a diagnostic of `source` with the severity that every command prints.
    ///
    /// A description that is not YAML is an error: the skill loads here, and other clients lose the text by which a model
    /// chooses it.
    pub(crate) fn new(source: Arc<str>, mut diagnostic: Diagnostic) -> Finding {
        if diagnostic.code == Code::INVALID_DESCRIPTION {
            diagnostic.severity = Severity::Error;
        }
        Finding { source, diagnostic }
    }

    pub(crate) fn of(one: &SourceDiagnostic) -> Finding {
        Finding::new(Arc::clone(&one.source), one.diagnostic.clone())
    }

    pub(crate) fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }
}

/// How many findings of each severity there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
///
/// Lines are shown of files alone whose real path lies below a folder of their source: a link in a repository may point
/// at anything that its reader may read.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    bases: Bases,
    last: Option<(String, Option<String>)>,
}

/// The folders that each source searches, by its name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bases(HashMap<String, Vec<PathBuf>>);

impl Bases {
    /// The folders of `sources`.
    pub(crate) fn of(sources: &[(String, Arc<FsSource>)]) -> Bases {
        Bases(sources.iter().map(|(name, source)| (name.clone(), source.starts())).collect())
    }

    /// One source and its folders.
    pub(crate) fn one(source: &str, folders: Vec<PathBuf>) -> Bases {
        Bases(HashMap::from([(source.to_owned(), folders)]))
    }

    /// Returns the bytes of the file at `path`, if it is one of `source` that is no larger than those that are listed.
    pub(crate) fn read(&self, source: &str, path: &Path) -> Option<Vec<u8>> {
        let limit = Limits::default().file_bytes;
        let folders = self.0.get(source)?;
        let (bytes, _) =
            folders.iter().find_map(|base| Spot::below(base, path).ok())?.read(limit.saturating_add(1)).ok()?;
        (bytes.len() as u64 <= limit).then_some(bytes)
    }
}

impl Sources {
    /// For findings about files of sources that search `bases`.
    pub(crate) fn new(bases: Bases) -> Sources {
        Sources { bases, last: None }
    }

    pub(crate) fn draw(&mut self, finding: &Finding, cwd: &Path, coloured: bool) -> String {
        let diagnostic = &finding.diagnostic;
        let excerpt = match (&diagnostic.path, diagnostic.line) {
            (Some(path), Some(line)) => {
                let column = diagnostic.column.unwrap_or(1);
                self.text(&finding.source, path).and_then(|text| Excerpt::at(text, line, column))
            }
            _ => None,
        };
        let place = match (&diagnostic.path, &excerpt) {
            // Where there is nothing to point at, the numbers still tell.
            (Some(path), None) => Some(match (diagnostic.line, diagnostic.column) {
                (Some(line), Some(column)) => format!("{}:{line}:{column}", near(path, cwd)),
                (Some(line), None) => format!("{}:{line}", near(path, cwd)),
                _ => near(path, cwd).to_owned(),
            }),
            (Some(path), Some(_)) => Some(near(path, cwd).to_owned()),
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
            other: diagnostic.other.as_deref().map(|path| near(path, cwd)),
            help: diagnostic.help.as_deref(),
        };
        report.draw(coloured)
    }

    fn text(&mut self, source: &str, path: &str) -> Option<&str> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            let bytes = self.bases.read(source, Path::new(path));
            let text = bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            self.last = Some((path.to_owned(), text));
        }
        self.last.as_ref()?.1.as_deref()
    }
}
