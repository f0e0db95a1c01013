//! The error of plans and runs.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::skill::{Code, Diagnostic, Severity};

/// The error returned when a plan cannot be made, or a run cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The workflow has faults.
    #[error("{}", messages(.0))]
    Plan(Vec<Diagnostic>),
    /// The plan is not for running.
    #[error("{0}")]
    Refused(String),
    /// There is no run of this id.
    #[error("there is no run `{0}`")]
    UnknownRun(Arc<str>),
    /// A different process runs it.
    #[error("a different process works on the run `{0}`")]
    Busy(Arc<str>),
    /// A line of its file is not a row.
    #[error("line {line} of `{}` is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
    },
    /// The state of a step does not allow the request.
    #[error("step {step} {reason}")]
    Step {
        /// The number of the step.
        step: usize,
        /// The reason.
        reason: &'static str,
    },
    /// The file of the run cannot be read or written.
    #[error("cannot use `{}`", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl RunError {
    pub(crate) fn plan(message: String) -> RunError {
        RunError::Plan(vec![RunError::fault(message)])
    }

    pub(crate) fn fault(message: String) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(Code::BAD_WORKFLOW, message);
        diagnostic.severity = Severity::Error;
        diagnostic
    }

    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> RunError {
        let path = path.to_owned();
        move |source| RunError::File { path, source }
    }
}

fn messages(faults: &[Diagnostic]) -> String {
    let lines = faults.iter().map(|fault| match (&fault.path, fault.line) {
        (Some(path), Some(line)) => format!("{path}:{line}: {}", fault.message),
        _ => fault.message.to_string(),
    });
    lines.collect::<Vec<_>>().join("; ")
}
