//! Why a folder cannot be embedded.

use std::fmt;

use repertoire_core::Diagnostic;

/// Why a folder cannot be embedded: where, what, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// `path:line:column`, as far as known.
    place: String,
    message: String,
    help: Option<String>,
}

impl Fault {
    pub(crate) fn new(place: String, message: impl Into<String>) -> Fault {
        Fault { place, message: message.into(), help: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }
}

impl From<Diagnostic> for Fault {
    fn from(diagnostic: Diagnostic) -> Fault {
        let place = diagnostic.place().expect("the parser was told the path");
        Fault { place, message: diagnostic.message, help: diagnostic.help }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        self.help.iter().try_for_each(|help| write!(f, "\nhelp: {help}"))
    }
}
