//! What became of a directive.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use repertoire_core::{ResourcePath, Trust};
use serde::Serialize;

use crate::{Sandbox, Sweep};

/// What became of one command or script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// It ran.
    Ran(Run),
    /// It may not run, and did not.
    Refused {
        /// Who refused, and why.
        by: Refusal,
    },
    /// It may run, and could not.
    Failed {
        /// Why.
        reason: Failure,
    },
}

/// What ran, how it ended and what it printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// How it ended.
    pub ended: Ended,
    /// What it printed to standard output.
    pub stdout: Printed,
    /// What it printed to standard error.
    pub stderr: Printed,
    /// The sandbox it ran in.
    pub sandbox: Sandbox,
    /// Who was ended with it.
    pub sweep: Sweep,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// By itself, with this exit code.
    Exit(i32),
    /// By a signal that it got from elsewhere.
    Signal(i32),
    /// By us, after so long.
    TimedOut(Duration),
}

/// What a run printed: text that no terminal obeys, as much of it as was kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Printed {
    text: String,
    kept: u64,
    total: u64,
}

/// Why a directive may not run. The first of these that holds, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Refusal {
    /// Running is switched off, as it is unless a host switches it on.
    Off,
    /// The source that the skill comes from is not trusted.
    Untrusted(Trust),
    /// Nobody approved it.
    Unapproved,
    /// It was approved, and the skill or a script changed since.
    Changed,
    /// The host's gate did not let it through.
    Denied(Arc<str>),
    /// The body has more directives than one may have.
    TooMany(usize),
    /// The time for all of them was over before its turn came.
    Late,
}

/// Why something could not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Failure {
    /// There is no such program, folder or the like.
    NotStarted(Arc<str>),
    /// The script is not there, or a link leads it out of the skill.
    NoScript(ResourcePath, Arc<str>),
    /// Neither the first line of the script nor its extension says what runs it.
    NoInterpreter(ResourcePath),
    /// A sandbox was required, and this is what there is.
    NotConfined(Sandbox),
}

impl Printed {
    /// What is kept of `total` printed bytes. Bytes that are no UTF-8 are replaced, and what a terminal would obey is left out.
    pub fn new(kept: &[u8], total: u64) -> Printed {
        // A cut may be inside a letter, which is then not half shown.
        let whole = match std::str::from_utf8(kept) {
            Err(error) if error.error_len().is_none() && total > kept.len() as u64 => &kept[..error.valid_up_to()],
            _ => kept,
        };
        let text = repertoire_core::text::printed(&String::from_utf8_lossy(whole)).into_owned();
        Printed { text, kept: whole.len() as u64, total }
    }

    /// The same with `to` wherever the text says `from`.
    #[cfg(feature = "process")]
    pub(crate) fn renamed(mut self, from: &str, to: &str) -> Printed {
        if self.text.contains(from) {
            self.text = self.text.replace(from, to);
        }
        self
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many bytes were kept, and how many there were, if that is not all of them.
    pub fn truncated(&self) -> Option<(u64, u64)> {
        (self.kept < self.total).then_some((self.kept, self.total))
    }
}

impl Run {
    /// A run without a sandbox, of a process that was ended alone.
    pub fn new(ended: Ended, stdout: Printed, stderr: Printed) -> Run {
        Run { ended, stdout, stderr, sandbox: Sandbox::Off, sweep: Sweep::Process }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Off => f.write_str("commands and scripts are switched off"),
            Refusal::Untrusted(trust) => write!(f, "its source is {trust}"),
            Refusal::Unapproved => f.write_str("nobody approved it"),
            Refusal::Changed => f.write_str("it changed since it was approved"),
            Refusal::Denied(reason) => f.write_str(reason),
            Refusal::TooMany(most) => write!(f, "the skill has more than {most} commands and scripts"),
            Refusal::Late => f.write_str("the time for all commands and scripts was over"),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NotStarted(reason) => f.write_str(reason),
            Failure::NoScript(path, reason) => write!(f, "cannot open `{path}`: {reason}"),
            Failure::NoInterpreter(path) => {
                write!(f, "nothing says what runs `{path}`: neither its first line nor its extension")
            }
            Failure::NotConfined(sandbox) => write!(f, "it needs a sandbox, which is {sandbox} here"),
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Exit(code) => write!(f, "exit code {code}"),
            Ended::Signal(signal) => write!(f, "signal {signal}"),
            Ended::TimedOut(limit) => write!(f, "timed out after {limit:?}"),
        }
    }
}
