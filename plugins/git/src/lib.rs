//! The skills of a git repository, at a pinned commit or a tracked branch.
//!
//! ```toml
//! [[source]]
//! kind = "process"        # what a repository holds is unpacked outside of the host
//! name = "company"
//! path = "libgit.so"
//! deadline-ms = 60000     # the first look clones
//! options = { url = "http://git.company.test/skills.git", cache = "/var/cache/skills", branch = "main" }
//! ```
//!
//! The repository is kept as a bare clone in `cache`. Without a network, what was fetched last stays, and a finding says so. A
//! pinned commit that is there needs no network at all.
//!
//! A repository is a stranger's: how deep, how many and how large the folders and files are is limited as in a folder source, and
//! what is left out is a finding. The kind `plugin` loads the library into the host instead, for repositories of your own.

mod mirror;
mod options;
mod tree;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use git2::Oid;
use repertoire_plugin_sdk::message::{Body, Finding, Listing, Row};
use repertoire_plugin_sdk::{
    Config, Documents, Open, Pause, Resource, ResourcePath, Severity, SourceError, SourceErrorKind, export_documents,
};

use mirror::Mirror;
use options::Options;
use tree::Tree;

/// The skills of a git repository.
#[derive(Debug)]
pub struct Git {
    options: Options,
    mirror: Mirror,
    state: Mutex<State>,
}

/// What was seen last.
#[derive(Debug, Default)]
struct State {
    commit: Option<Oid>,
    /// How often that was another one.
    revision: u64,
    /// When the remote was last asked.
    asked: Option<Instant>,
    /// What it said, if it could not be asked.
    problem: Option<String>,
}

impl Open for Git {
    fn open(config: &Config) -> Result<Git, SourceError> {
        let options: Options = config.options()?;
        let mirror = Mirror::new(&options)?;
        Ok(Git { options, mirror, state: Mutex::default() })
    }
}

impl Git {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks where the branch is, if it is time to, and fetches what is new. No lock is held over the network.
    fn look(&self) {
        if self.state().asked.is_some_and(|asked| asked.elapsed() < self.options.poll()) {
            return;
        }
        let fetched = self.mirror.fetch();
        let found = self.mirror.commit();
        let mut state = self.state();
        state.asked = Some(Instant::now());
        state.problem = fetched.err().map(|error| error.message().to_owned());
        if let Ok(found) = found
            && state.commit != Some(found)
        {
            state.commit = Some(found);
            state.revision += 1;
        }
    }

    /// The commit that counts, and the revision it is.
    fn commit(&self) -> Result<(Oid, u64), SourceError> {
        if self.state().commit.is_none() {
            self.look();
        }
        let state = self.state();
        let said = || state.problem.clone().unwrap_or_else(|| "it has no such branch or commit".to_owned());
        let unavailable = || {
            let message = format!("`{}` cannot be fetched, and was not before: {}", self.options.url, said());
            SourceError::new(SourceErrorKind::Unavailable, message)
        };
        Ok((state.commit.ok_or_else(unavailable)?, state.revision))
    }

    fn tree(&self) -> Result<Tree, SourceError> {
        Tree::open(&self.mirror, self.commit()?.0, &self.options.folder)
    }
}

impl Documents for Git {
    const FEATURES: &'static str = "resources changes";

    fn list(&self) -> Result<Listing, SourceError> {
        let (commit, revision) = self.commit()?;
        let mut rows = Vec::new();
        let skills = Tree::open(&self.mirror, commit, &self.options.folder)?.skills()?;
        for (key, stamp, document) in skills.found {
            let location = format!("{}/{key}/SKILL.md", self.options.url);
            rows.push(Row::new(key, stamp, document).from_location(location));
        }
        let problem = self.state().problem.clone().map(|problem| {
            let message = format!("`{}` cannot be asked, what was fetched last stays: {problem}", self.options.url);
            Finding::new(Severity::Warning, "git-offline", message)
        });
        let left_out = skills.findings.into_iter().map(|finding| finding.at_path(self.options.url.as_str()));
        Ok(Listing::new(revision, rows).with_findings(problem.into_iter().chain(left_out)))
    }

    fn body(&self, key: &str) -> Result<Body, SourceError> {
        let (stamp, document) = self.tree()?.skill(key)?;
        Ok(Body::document(stamp, document))
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
                self.look();
            }
            let revision = self.state().revision;
            let left = patience.saturating_sub(begun.elapsed());
            // What is pinned never moves.
            let next = if self.options.is_pinned() { left } else { left.min(self.options.poll()) };
            if revision > since || left.is_zero() || !pause.sleep(next) {
                return Ok(revision);
            }
        }
    }
}

export_documents!(Git);
