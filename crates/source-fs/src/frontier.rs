//! The frontier of a walk: what it has found and not visited yet, and the diagnostics on the way.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

use repertoire_core::{Code, Diagnostic};

use crate::pattern::Cursor;
use crate::stamp::Identity;

/// A folder that the walk has found and not visited yet.
#[derive(Debug, Clone)]
pub(crate) struct FolderToVisit {
    /// The position of its start in the plan.
    pub(crate) start: usize,
    pub(crate) path: PathBuf,
    /// Its depth below the start, in folders.
    pub(crate) depth: usize,
    pub(crate) cursor: Cursor,
    pub(crate) identity: Identity,
    pub(crate) reach: Reach,
}

impl FolderToVisit {
    /// Returns the path of `name` in this folder. [`PathBuf::join`](std::path::Path::join) allocates twice, and the second time too much.
    pub(crate) fn join(&self, name: &OsStr) -> PathBuf {
        let mut path = PathBuf::with_capacity(self.path.as_os_str().len() + 1 + name.len());
        path.push(&self.path);
        path.push(name);
        path
    }

    pub(crate) fn diagnostic(&self, code: Code, message: impl Into<String>) -> PathDiagnostic {
        PathDiagnostic::new(self.path.clone(), code, message)
    }
}

/// The way by which the walk reached a path, and its real path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// The real path, where the path is not the real one itself.
    pub(crate) real: Option<Arc<PathBuf>>,
    /// Whether a link below the root led there.
    pub(crate) by_link: bool,
    /// Whether it lies outside of every root of the source.
    pub(crate) is_outside: bool,
}

impl Reach {
    pub(crate) fn inside(&self, name: &OsString) -> Reach {
        Reach {
            real: self.real.as_ref().map(|real| real.join(name).into()),
            ..*self
        }
    }
}

/// A link that may lead to a folder.
#[derive(Debug, Clone)]
pub(crate) struct LinkToFollow {
    pub(crate) start: usize,
    pub(crate) path: PathBuf,
    pub(crate) depth: usize,
    pub(crate) cursor: Cursor,
}

/// A diagnostic of the walk and the path it is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PathDiagnostic {
    pub(crate) path: PathBuf,
    pub(crate) diagnostic: Diagnostic,
}

impl PathDiagnostic {
    pub(crate) fn new(path: PathBuf, code: Code, message: impl Into<String>) -> PathDiagnostic {
        let diagnostic = Diagnostic::new(code, message).at_path(path.to_string_lossy());
        PathDiagnostic { path, diagnostic }
    }

    pub(crate) fn is_of_watching(&self) -> bool {
        self.diagnostic.code == Code::WATCH_DEGRADED
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> PathDiagnostic {
        self.diagnostic = self.diagnostic.help(help);
        self
    }
}
