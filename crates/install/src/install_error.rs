//! The error of every operation of this crate.

use std::error::Error;
use std::fmt;
use std::io;

use repertoire_core::text::terminal_line;

/// The error returned when a skill cannot be fetched, stored or installed.
///
/// `Display` prints the message; [`fix`](InstallError::fix) returns the advice.
#[derive(Debug)]
pub struct InstallError {
    kind: InstallErrorKind,
    message: String,
    help: Option<String>,
    cause: Option<io::Error>,
}

/// The kinds of errors that callers distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstallErrorKind {
    /// The text is not a reference.
    Reference,
    /// The source cannot be reached, or has no such branch, folder or skill.
    Unavailable,
    /// The content is unsafe, ambiguous, or over a limit.
    Refused,
    /// Stored content is missing, or differs from its digest.
    Corrupt,
    /// A folder of the project holds something else than expected.
    Conflict,
    /// Reading or writing failed.
    Io,
}

impl InstallError {
    pub(crate) fn new(kind: InstallErrorKind, message: impl Into<String>) -> InstallError {
        InstallError {
            kind,
            message: message.into(),
            help: None,
            cause: None,
        }
    }

    pub(crate) fn refused(message: impl Into<String>) -> InstallError {
        InstallError::new(InstallErrorKind::Refused, message)
    }

    pub(crate) fn io(what: impl Into<String>, cause: io::Error) -> InstallError {
        let error = InstallError::new(InstallErrorKind::Io, what);
        let error = match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                error.help("free space on the disk; nothing was changed")
            }
            _ => error,
        };
        InstallError {
            cause: Some(cause),
            ..error
        }
    }

    /// Returns the error as one of content.
    pub(crate) fn refuse(self) -> InstallError {
        InstallError {
            kind: InstallErrorKind::Refused,
            ..self
        }
    }

    /// Returns the error as one of a source that cannot be reached.
    #[cfg(feature = "http")]
    pub(crate) fn unavailable(self) -> InstallError {
        InstallError {
            kind: InstallErrorKind::Unavailable,
            ..self
        }
    }

    /// Returns whether content is at fault, which may differ between the skills of one reference.
    #[cfg(feature = "http")]
    pub(crate) fn is_about_content(&self) -> bool {
        matches!(
            self.kind,
            InstallErrorKind::Refused | InstallErrorKind::Corrupt
        )
    }

    /// Returns the error with the folder of the skill that it is about; empty at the top.
    pub(crate) fn about(self, folder: &str) -> InstallError {
        match folder {
            "" => self,
            folder => InstallError {
                message: format!("`{}`: {}", terminal_line(folder), self.message),
                ..self
            },
        }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> InstallError {
        InstallError {
            help: Some(help.into()),
            ..self
        }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> InstallErrorKind {
        self.kind
    }

    /// Returns the fix, if one is known.
    pub fn fix(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for InstallError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let cause: &(dyn Error + 'static) = self.cause.as_ref()?;
        Some(cause)
    }
}
