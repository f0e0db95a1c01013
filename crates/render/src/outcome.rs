//! The outcomes of directives.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use repertoire_core::Trust;
use repertoire_process::CleanupScope;
use serde::{Deserialize, Serialize};

/// The outcome of one command or script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DirectiveOutcome {
    /// The directive ran.
    Ran(CompletedRun),
    /// The directive was not permitted to run.
    Refused {
        /// The reason.
        by: Refusal,
    },
    /// The directive could not be started.
    Failed {
        /// The error of the system, or the lack of an interpreter or a sandbox.
        reason: Arc<str>,
    },
}

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CompletedRun {
    /// Its end.
    pub ended: RunEnd,
    /// Its standard output.
    pub stdout: CapturedOutput,
    /// Its standard error.
    pub stderr: CapturedOutput,
    /// The sandbox around it.
    pub sandbox: Sandbox,
    /// The processes that were ended with it.
    pub cleanup: CleanupScope,
}

impl CompletedRun {
    /// Creates a run without a sandbox and without cleanup.
    pub fn new(ended: RunEnd, stdout: CapturedOutput, stderr: CapturedOutput) -> CompletedRun {
        CompletedRun {
            ended,
            stdout,
            stderr,
            sandbox: Sandbox::Off,
            cleanup: CleanupScope::Process,
        }
    }
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RunEnd {
    /// The command exited with this code.
    Exit(i32),
    /// A signal from another process ended the command.
    Signal(i32),
    /// The runner ended the command after this time.
    TimedOut(Duration),
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunEnd::Exit(code) => write!(f, "exit code {code}"),
            RunEnd::Signal(signal) => write!(f, "signal {signal}"),
            RunEnd::TimedOut(limit) => write!(f, "timed out after {limit:?}"),
        }
    }
}

/// The reason why a directive may not run: the first of these that applies, in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Refusal {
    /// The host runs no commands, which is the default.
    #[error("commands and scripts are switched off")]
    Off,
    /// The source that the skill comes from is not trusted.
    #[error("its source is {0}")]
    Untrusted(Trust),
    /// The content is not approved.
    #[error("it is not approved")]
    Unapproved,
    /// The skill changed since it was approved.
    #[error("it changed since it was approved")]
    Changed,
    /// The gate of the host denied it.
    #[error("{0}")]
    Denied(Arc<str>),
    /// The body has more directives than this limit.
    #[error("the skill has more than {0} commands and scripts")]
    TooMany(usize),
    /// The time for all directives had passed before this one started.
    #[error("the time for all commands and scripts was over")]
    Late,
}

/// The enforcement of a sandbox around a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum MissingRule {
    /// On files, or on some ways to change them.
    Files,
    /// On signals to processes outside.
    Signals,
    /// On sockets: at least UDP connections are possible.
    Sockets,
}

#[cfg(all(target_os = "linux", feature = "sandbox"))]
impl Sandbox {
    pub(crate) const RULES: [MissingRule; 3] = [
        MissingRule::Files,
        MissingRule::Signals,
        MissingRule::Sockets,
    ];

    pub(crate) fn new(missing: Vec<MissingRule>) -> Sandbox {
        match missing.as_slice() {
            [] => Sandbox::Active,
            all if all == Sandbox::RULES => Sandbox::Unavailable,
            _ => Sandbox::Partial(missing),
        }
    }
}

impl Sandbox {
    /// Returns the reason why a run that requires a sandbox does not start in this one.
    #[cfg(feature = "process")]
    pub(crate) fn failure(&self) -> String {
        format!("it needs a sandbox, which is {self} here")
    }
}

impl fmt::Display for Sandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sandbox::Off => f.write_str("off"),
            Sandbox::Active => f.write_str("active"),
            Sandbox::Partial(missing) => {
                let names = missing
                    .iter()
                    .map(|rule| format!("{rule:?}").to_lowercase());
                write!(
                    f,
                    "partial, without {}",
                    names.collect::<Vec<_>>().join(", ")
                )
            }
            Sandbox::Unavailable => f.write_str("unavailable"),
        }
    }
}

/// The output of a run: the part that was kept, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct CapturedOutput {
    text: String,
    kept: u64,
    total: u64,
}

impl CapturedOutput {
    /// Creates the output of which `kept` is the beginning and `total` the number of bytes.
    ///
    /// Invalid UTF-8 is replaced, and control sequences are removed.
    pub fn new(kept: &[u8], total: u64) -> CapturedOutput {
        // The limit may be within a character.
        let whole = match std::str::from_utf8(kept) {
            Err(error) if error.error_len().is_none() && total > kept.len() as u64 => {
                &kept[..error.valid_up_to()]
            }
            _ => kept,
        };
        let text = repertoire_core::text::printed(&String::from_utf8_lossy(whole)).into_owned();
        CapturedOutput {
            text,
            kept: whole.len() as u64,
            total,
        }
    }

    #[cfg(feature = "process")]
    pub(crate) fn renamed(self, from: &str, to: &str) -> CapturedOutput {
        CapturedOutput {
            text: self.text.replace(from, to),
            ..self
        }
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
