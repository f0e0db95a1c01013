//! The skills of a git repository, at a pinned commit or a tracked branch.
//!
//! ```toml
//! [[source]]
//! kind = "process"        # what a repository holds is unpacked outside of the host
//! name = "company"
//! path = "libgit.so"
//! deadline-ms = 60000     # the first call clones
//! options = { url = "http://git.company.test/skills.git", cache = "/var/cache/skills", branch = "main" }
//! ```
//!
//! The plugin has a bare clone in `cache`. Without a network, the last fetched commit stays, and a diagnostic reports that. A pinned
//! commit in the clone needs no network.
//!
//! The depth, number and size of folders and files are limited as in a folder source, and omissions are diagnostics. For repositories of
//! your own, the kind `plugin` loads the library into the host instead.

mod mirror;
mod tree;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use git2::Oid;
use parking_lot::Mutex;
use repertoire_plugin_sdk::message::{
    DocumentBody, DocumentListing, DocumentRow, PluginDiagnostic,
};
use repertoire_plugin_sdk::{
    Documents, Open, Pause, PluginConfig, Resource, ResourcePath, Severity, SourceError,
    SourceErrorKind, export_documents,
};

use mirror::Mirror;
use tree::Tree;

/// The options of a source.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Options {
    /// The repository: `http://`, `file://`, a path; `https://` and `ssh://` with these features of the build.
    pub(crate) url: String,
    /// The folder of the bare clone, which no other source uses.
    pub(crate) cache: PathBuf,
    /// The branch to track. Default: that of the remote.
    pub(crate) branch: Option<String>,
    /// The commit instead of a branch, in 40 digits.
    pub(crate) commit: Option<String>,
    /// The folder of the repository that holds the skills.
    #[serde(default)]
    pub(crate) folder: String,
    /// The interval between fetches.
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

/// The skills of a git repository.
#[derive(Debug)]
pub struct Git {
    options: Options,
    mirror: Mirror,
    /// Held from the beginning of a fetch until its commit is stored, so that an older commit never replaces a newer one.
    fetching: Mutex<()>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    commit: Option<Oid>,
    /// The number of changes of the commit.
    revision: u64,
    /// The time of the last fetch.
    fetched: Option<Instant>,
    /// The error of the last fetch.
    problem: Option<String>,
}

impl Open for Git {
    fn open(config: &PluginConfig) -> Result<Git, SourceError> {
        let options: Options = config.options()?;
        let mirror = Mirror::new(&options)?;
        Ok(Git {
            options,
            mirror,
            fetching: Mutex::default(),
            state: Mutex::default(),
        })
    }
}

impl Git {
    /// Fetches if the interval is over. The state is not locked during that.
    fn poll(&self) {
        let _turn = self.fetching.lock();
        let fetched = self.state.lock().fetched;
        if fetched.is_some_and(|fetched| fetched.elapsed() < self.options.poll()) {
            return;
        }
        let result = self.mirror.fetch();
        let found = self.mirror.commit();
        let mut state = self.state.lock();
        state.fetched = Some(Instant::now());
        state.problem = result.err().map(|error| error.message().to_owned());
        if let Ok(found) = found
            && state.commit != Some(found)
        {
            state.commit = Some(found);
            state.revision += 1;
        }
    }

    /// Returns the current commit and its revision.
    fn commit(&self) -> Result<(Oid, u64), SourceError> {
        if self.state.lock().commit.is_none() {
            self.poll();
        }
        let state = self.state.lock();
        let Some(commit) = state.commit else {
            let problem = state
                .problem
                .as_deref()
                .unwrap_or("it has no such branch or commit");
            let message = format!(
                "`{}` cannot be fetched, and was not before: {problem}",
                self.options.url
            );
            return Err(SourceError::new(SourceErrorKind::Unavailable, message));
        };
        Ok((commit, state.revision))
    }

    fn tree(&self) -> Result<Tree, SourceError> {
        Tree::open(&self.mirror, self.commit()?.0, &self.options.folder)
    }
}

impl Documents for Git {
    const FEATURES: &'static str = "resources changes";

    fn list(&self) -> Result<DocumentListing, SourceError> {
        let (commit, revision) = self.commit()?;
        let mut rows = Vec::new();
        let skills = Tree::open(&self.mirror, commit, &self.options.folder)?.skills()?;
        for (key, stamp, document) in skills.found {
            let location = format!("{}/{key}/SKILL.md", self.options.url);
            rows.push(DocumentRow::new(key, stamp, document).location(location));
        }
        let problem = self.state.lock().problem.clone().map(|problem| {
            let message = format!(
                "`{}` cannot be asked, what was fetched last stays: {problem}",
                self.options.url
            );
            PluginDiagnostic::new(Severity::Warning, "git-offline", message)
        });
        let left_out = skills
            .diagnostics
            .into_iter()
            .map(|diagnostic| diagnostic.path(self.options.url.as_str()));
        Ok(DocumentListing::new(revision, rows).diagnostics(problem.into_iter().chain(left_out)))
    }

    fn body(&self, key: &str) -> Result<DocumentBody, SourceError> {
        let (stamp, document) = self.tree()?.skill(key)?;
        Ok(DocumentBody::document(stamp, document))
    }

    fn resources(&self, key: &str) -> Result<Vec<Resource>, SourceError> {
        self.tree()?.files(key)
    }

    fn resource(&self, key: &str, path: &ResourcePath) -> Result<Vec<u8>, SourceError> {
        self.tree()?.file(key, path)
    }

    fn cancel(&self) {
        self.mirror.cancel();
    }

    fn wait(&self, since: u64, patience: Duration, pause: &Pause) -> Result<u64, SourceError> {
        let begun = Instant::now();
        loop {
            if !self.options.is_pinned() {
                self.poll();
            }
            let revision = self.state.lock().revision;
            let left = patience.saturating_sub(begun.elapsed());
            // A pinned commit never changes.
            let next = if self.options.is_pinned() {
                left
            } else {
                left.min(self.options.poll())
            };
            if revision > since || left.is_zero() || !pause.sleep(next) {
                return Ok(revision);
            }
        }
    }
}

export_documents!(Git);
