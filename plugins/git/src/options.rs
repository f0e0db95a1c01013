//! What a configuration says about a repository.

use std::path::PathBuf;
use std::time::Duration;

/// Which repository, what of it, and where it is kept.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    /// Where it is: `http://`, `file://`, a path; `https://` and `ssh://` where this was built with them.
    pub(crate) url: String,
    /// A folder for the bare clone, which is this source's alone.
    pub(crate) cache: PathBuf,
    /// The branch to track; the remote's own choice by default.
    pub(crate) branch: Option<String>,
    /// The commit to stay at, in 40 digits; instead of a branch.
    pub(crate) commit: Option<String>,
    /// The folder of the repository that holds the skills.
    #[serde(default)]
    pub(crate) folder: String,
    /// How often the remote is asked.
    #[serde(default = "a_minute")]
    poll_ms: u64,
}

fn a_minute() -> u64 {
    60_000
}

impl Options {
    pub(crate) fn poll(&self) -> Duration {
        Duration::from_millis(self.poll_ms)
    }

    pub(crate) fn is_pinned(&self) -> bool {
        self.commit.is_some()
    }
}
