//! The failure of a run.

use std::error::Error;
use std::fmt::Display;

use repertoire::config::ConfigurationError;
use repertoire::skill::error_chain;
#[cfg(feature = "install")]
use repertoire_install::InstallError;

use crate::report::{Excerpt, Report};

/// The failure of a run: a message for people, with a place and advice if they are known.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    place: Option<(String, Excerpt)>,
    help: Option<String>,
}

impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::of(&error)
    }
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            place: None,
            help: None,
        }
    }

    pub(crate) fn of(error: &dyn Error) -> Failure {
        Failure::new(error_chain(error))
    }

    pub(crate) fn of_configuration(error: &ConfigurationError) -> Failure {
        let cause = error
            .source()
            .map_or_else(String::new, |cause| format!(": {}", error_chain(cause)));
        let mut failure = Failure::new(error.message().to_owned() + &cause);
        match (error.file(), error.line(), error.excerpt()) {
            (Some(file), Some(line), Some((text, marked))) => {
                failure = failure.at(file, Excerpt::new(line, text, marked));
            }
            (Some(file), Some(line), None) => {
                failure = failure.help(format!(
                    "see line {line} of the file that `{file}` links to"
                ));
            }
            _ => {}
        }
        match error.help() {
            Some(help) => failure.help(help),
            None => failure,
        }
    }

    #[cfg(feature = "install")]
    pub(crate) fn of_install(error: InstallError) -> Failure {
        let failure = Failure::of(&error);
        match error.fix() {
            Some(fix) => failure.help(fix),
            None => failure,
        }
    }

    pub(crate) fn io(what: impl Display, error: &std::io::Error) -> Failure {
        Failure::new(format!("{what}: {error}"))
    }

    pub(crate) fn at(mut self, path: impl Into<String>, excerpt: Excerpt) -> Failure {
        self.place = Some((path.into(), excerpt));
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Failure {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Returns the message and the help in one line.
    pub(crate) fn sentence(&self) -> String {
        match &self.help {
            Some(help) => format!("{}; {help}", self.message),
            None => self.message.clone(),
        }
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
