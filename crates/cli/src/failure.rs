//! Why a run could not do what was asked.

use std::error::Error;
use std::fmt::Display;

use repertoire::with_causes;

use crate::report::{Excerpt, Report};

/// Why a run could not do what was asked: a message for a person, and where to look and what to do if that is known.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    place: Option<(String, Excerpt)>,
    help: Option<String>,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), place: None, help: None }
    }

    /// A failure that tells an error and its causes.
    pub(crate) fn of(error: &dyn Error) -> Failure {
        Failure::new(with_causes(error))
    }

    /// The same failure, about a file or folder that an operation did not like.
    pub(crate) fn io(what: impl Display, error: &std::io::Error) -> Failure {
        Failure::new(format!("{what}: {error}"))
    }

    /// The same failure at a place in a text.
    pub(crate) fn at(mut self, path: impl Into<String>, excerpt: Excerpt) -> Failure {
        self.place = Some((path.into(), excerpt));
        self
    }

    /// The same failure with advice.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Failure {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn report(&self) -> Report<'_> {
        Report {
            level: annotate_snippets::Level::ERROR,
            code: None,
            message: &self.message,
            path: self.place.as_ref().map(|(path, _)| path.as_str()),
            excerpt: self.place.as_ref().map(|(_, excerpt)| excerpt),
            other: None,
            help: self.help.as_deref(),
        }
    }
}
