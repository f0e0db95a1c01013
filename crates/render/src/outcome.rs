//! The outcomes of directives.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use repertoire_core::{ResourcePath, Trust};
use repertoire_process::CleanupScope;
use serde::Serialize;

/// The outcome of one command or script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Outcome {
    /// It ran.
    Ran(Run),
    /// It was not permitted to run.
    Refused {
        /// The reason.
        by: Refusal,
    },
    /// It could not be started.
    Failed {
        /// The reason.
        reason: Failure,
    },
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Run {
    /// Its end.
    pub ended: Ended,
    /// Its standard output.
    pub stdout: Printed,
    /// Its standard error.
    pub stderr: Printed,
    /// The sandbox around it.
    pub sandbox: Sandbox,
    /// The processes that were ended with it.
    pub cleanup: CleanupScope,
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// It ended by itself with this exit code.
    Exit(i32),
    /// A signal of another process ended it.
    Signal(i32),
    /// The runner ended it after this time.
    TimedOut(Duration),
}

/// The output of a run: the part that was kept, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Printed {
    text: String,
    kept: u64,
    total: u64,
}

/// The reason why a directive may not run: the first of these that applies, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Refusal {
    /// The host runs no commands, which is the default.
    Off,
    /// The source that the skill comes from is not trusted.
    Untrusted(Trust),
    /// The content is not approved.
    Unapproved,
    /// The skill changed since it was approved.
    Changed,
    /// The gate of the host denied it.
    Denied(Arc<str>),
    /// The body has more directives than this limit.
    TooMany(usize),
    /// The time of all directives was over before its turn.
    Late,
}

/// The reason why a directive could not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Failure {
    /// The error of the system.
    NotStarted(Arc<str>),
    /// The script does not exist, or a link leads out of the skill.
    NoScript(ResourcePath, Arc<str>),
    /// Neither the first line of the script nor its extension names an interpreter.
    NoInterpreter(ResourcePath),
    /// A sandbox is required, and only this one is available.
    NotConfined(Sandbox),
}

/// The enforcement of a sandbox around a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    /// No sandbox was requested.
    #[default]
    Off,
    /// The kernel enforces all rules.
    Active,
    /// The kernel does not enforce these rules.
    Partial(Vec<MissingRule>),
    /// The kernel enforces no rule on files, signals and sockets. Limits of time and memory apply.
    Unavailable,
}

/// A rule that a sandbox does not enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum MissingRule {
    /// On files, or on some ways to change them.
    Files,
    /// On signals to processes outside.
    Signals,
    /// On sockets: at least UDP connections are possible.
    Sockets,
}

impl MissingRule {
    /// All rules, in the order in which they are reported.
    pub const ALL: [MissingRule; 3] = [MissingRule::Files, MissingRule::Signals, MissingRule::Sockets];
}

impl Sandbox {
    #[cfg(all(target_os = "linux", feature = "sandbox"))]
    pub(crate) fn partial(missing: Vec<MissingRule>) -> Sandbox {
        match missing.as_slice() {
            [] => Sandbox::Active,
            all if all == MissingRule::ALL => Sandbox::Unavailable,
            _ => Sandbox::Partial(missing),
        }
    }
}

impl fmt::Display for MissingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            MissingRule::Files => "files",
            MissingRule::Signals => "signals",
            MissingRule::Sockets => "sockets",
        })
    }
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sandbox::Off => f.write_str("off"),
            Sandbox::Active => f.write_str("active"),
            Sandbox::Partial(missing) => {
                let missing: Vec<_> = missing.iter().map(MissingRule::to_string).collect();
                write!(f, "partial, without {}", missing.join(", "))
            }
            Sandbox::Unavailable => f.write_str("unavailable"),
        }
    }
}

impl Printed {
    /// Creates the output of which `kept` is the beginning and `total` the number of bytes.
    ///
    /// Invalid UTF-8 is replaced, and control sequences are removed.
    pub fn new(kept: &[u8], total: u64) -> Printed {
        // The limit may be within a character.
        let whole = match std::str::from_utf8(kept) {
            Err(error) if error.error_len().is_none() && total > kept.len() as u64 => &kept[..error.valid_up_to()],
            _ => kept,
        };
        let text = repertoire_core::text::printed(&String::from_utf8_lossy(whole)).into_owned();
        Printed { text, kept: whole.len() as u64, total }
    }

    #[cfg(feature = "process")]
    pub(crate) fn renamed(mut self, from: &str, to: &str) -> Printed {
        if self.text.contains(from) {
            self.text = self.text.replace(from, to);
        }
        self
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of kept bytes and of all, if these differ.
    pub fn truncated(&self) -> Option<(u64, u64)> {
        (self.kept < self.total).then_some((self.kept, self.total))
    }
}

impl Run {
    /// Creates a run without a sandbox and without cleanup.
    pub fn new(ended: Ended, stdout: Printed, stderr: Printed) -> Run {
        Run { ended, stdout, stderr, sandbox: Sandbox::Off, cleanup: CleanupScope::Process }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Off => f.write_str("commands and scripts are switched off"),
            Refusal::Untrusted(trust) => write!(f, "its source is {trust}"),
            Refusal::Unapproved => f.write_str("it is not approved"),
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
                write!(f, "no interpreter is known for `{path}`, by its first line or its extension")
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
