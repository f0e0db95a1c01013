//! Who was ended with a run.

use std::fmt;

use serde::Serialize;

/// Who was looked for at the end of a run, and ended; the least of them first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Sweep {
    /// The process that was started, and no other.
    #[default]
    Process,
    /// Its process group too. Who left that may live on.
    Group,
    /// Who left the group and has the mark of the run in its environment, too. Who cleared that may live on.
    Marked,
    /// Everything that the run started. Nothing of it is left.
    All,
}

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Sweep::Process => "the process alone",
            Sweep::Group => "its process group",
            Sweep::Marked => "its process group, and who left that with its environment",
            Sweep::All => "everything that it started",
        })
    }
}
