//! The bare clone.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use git2::{AutotagOption, Error, FetchOptions, Oid, RemoteCallbacks, Repository};
use repertoire_plugin_sdk::SourceError;

use crate::Options;

/// The bare clone of one repository.
#[derive(Debug)]
pub(crate) struct Mirror {
    folder: PathBuf,
    url: String,
    wanted: Wanted,
    /// The number of cancelled calls.
    cancelled: AtomicU64,
}

#[derive(Debug)]
enum Wanted {
    Commit(Oid),
    /// The name of a reference of the remote.
    Reference(String),
}

/// The most bytes and objects of one fetch: a gibibyte of history, and more files than a skill has.
const MAX_BYTES: usize = 1 << 30;
const MAX_OBJECTS: usize = 5_000_000;

/// The reference of the last fetched commit.
const TRACKED: &str = "refs/repertoire/tracked";

impl Mirror {
    pub(crate) fn new(options: &Options) -> Result<Mirror, SourceError> {
        let wanted = match (&options.commit, &options.branch) {
            (Some(_), Some(_)) => {
                return Err(SourceError::invalid(
                    "expected a `commit` or a `branch`, found both",
                ));
            }
            (Some(commit), None) if commit.len() == 40 => {
                Wanted::Commit(Oid::from_str(commit).map_err(|error| {
                    SourceError::invalid(format!("`{commit}` is not a commit")).caused_by(error)
                })?)
            }
            (Some(commit), None) => {
                return Err(SourceError::invalid(format!(
                    "expected a commit in 40 digits, found `{commit}`"
                )));
            }
            (None, Some(branch)) => Wanted::Reference(format!("refs/heads/{branch}")),
            (None, None) => Wanted::Reference("HEAD".to_owned()),
        };
        let (folder, url) = (options.cache.clone(), options.url.clone());
        Ok(Mirror {
            folder,
            url,
            wanted,
            cancelled: AtomicU64::new(0),
        })
    }

    /// Opens the clone, or makes an empty one. A handle is not shared between threads.
    pub(crate) fn repository(&self) -> Result<Repository, Error> {
        Repository::open_bare(&self.folder).or_else(|_| Repository::init_bare(&self.folder))
    }

    /// Returns the current commit of the clone.
    pub(crate) fn commit(&self) -> Result<Oid, Error> {
        let repository = self.repository()?;
        match &self.wanted {
            Wanted::Commit(commit) => repository.find_commit(*commit).map(|commit| commit.id()),
            Wanted::Reference(_) => repository
                .find_reference(TRACKED)?
                .peel_to_commit()
                .map(|commit| commit.id()),
        }
    }

    /// Ends a fetch in progress.
    pub(crate) fn cancel(&self) {
        self.cancelled.fetch_add(1, Ordering::Relaxed);
    }

    /// Fetches, unless a pinned commit is in the clone.
    pub(crate) fn fetch(&self) -> Result<(), Error> {
        let repository = self.repository()?;
        let specification = match &self.wanted {
            Wanted::Commit(_) if self.commit().is_ok() => return Ok(()),
            // A server may refuse a commit by its id, but not the branches that lead to it.
            Wanted::Commit(_) => "+refs/heads/*:refs/repertoire/heads/*".to_owned(),
            Wanted::Reference(name) => format!("+{name}:{TRACKED}"),
        };
        let mut options = FetchOptions::new();
        options.download_tags(AutotagOption::None);
        let begun = self.cancelled.load(Ordering::Relaxed);
        let mut callbacks = RemoteCallbacks::new();
        callbacks.transfer_progress(move |progress| {
            let is_large =
                progress.received_bytes() > MAX_BYTES || progress.total_objects() > MAX_OBJECTS;
            !is_large && self.cancelled.load(Ordering::Relaxed) == begun
        });
        options.remote_callbacks(callbacks);
        let mut remote = repository.remote_anonymous(&self.url)?;
        remote.fetch(&[specification], Some(&mut options), None)
    }
}
