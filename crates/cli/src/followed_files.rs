//! Folders and files that are followed by the watcher of folder sources.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire::Id;
use repertoire::skill::{Diagnostic, Item, Revision, Source};
use repertoire::source::fs::{FileItem, FileSource, FsOptions, ListedFile, WatchOptions};

use crate::agent_views::ReadPaths;
use crate::failure::Failure;
use crate::folder_sources::escape_pattern;

/// The files of folders that can change what an agent sees.
const IN_FOLDERS: &str = "**/*.{md,json,toml,yaml}";

/// Folders and files, with the sources that watch them.
#[derive(Debug, Default)]
pub(crate) struct FollowedFiles {
    paths: ReadPaths,
    watch: WatchOptions,
    sources: Vec<FollowedSource>,
}

#[derive(Debug)]
struct FollowedSource {
    source: FileSource<FollowedFile>,
    revision: Revision,
}

impl FollowedFiles {
    pub(crate) fn watching(watch: WatchOptions) -> FollowedFiles {
        FollowedFiles {
            watch,
            ..FollowedFiles::default()
        }
    }

    /// Follows these folders and files, which need not exist. Returns `false` if they are followed already.
    ///
    /// A change after the return resolves [`changed`](FollowedFiles::changed).
    ///
    /// # Errors
    /// A folder cannot be followed.
    pub(crate) async fn follow(&mut self, paths: &ReadPaths) -> Result<bool, Failure> {
        if self.paths == *paths {
            return Ok(false);
        }
        let names = paths.files.iter();
        let names = names.filter_map(|file| file.file_name()?.to_str());
        let names: BTreeSet<String> = names.map(escape_pattern).collect();
        let parents = paths.files.iter().filter_map(|file| file.parent());
        let parents: BTreeSet<&Path> = parents.collect();
        let folders = paths.folders.iter().map(PathBuf::as_path).collect();
        let parts = [
            (folders, vec![IN_FOLDERS.to_owned()]),
            (parents.into_iter().collect(), names.into_iter().collect()),
        ];
        let mut sources = Vec::new();
        for (roots, patterns) in parts {
            let started = FollowedSource::start(roots, patterns, &self.watch);
            sources.extend(started.await?);
        }
        (self.paths, self.sources) = (paths.clone(), sources);
        Ok(true)
    }

    /// Resolves once a followed file has changed.
    ///
    /// # Cancel safety
    /// May be dropped at any await; no change is lost.
    pub(crate) async fn changed(&self) {
        let mut changes: Vec<_> = self.sources.iter().map(FollowedSource::changed).collect();
        match changes.len() {
            0 => std::future::pending().await,
            _ => drop(futures_util::future::select_all(changes.drain(..)).await),
        }
    }

    /// Marks the changes so far as seen.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub(crate) async fn see_changes(&mut self) -> Result<(), Failure> {
        for followed in &mut self.sources {
            let listing = followed.source.list_since(followed.revision).await?;
            followed.revision = listing.revision();
        }
        Ok(())
    }
}

impl FollowedSource {
    /// Returns a source that watches; `None` without folders.
    async fn start(
        roots: Vec<&Path>,
        patterns: Vec<String>,
        watch: &WatchOptions,
    ) -> Result<Option<FollowedSource>, Failure> {
        if roots.is_empty() || patterns.is_empty() {
            return Ok(None);
        }
        let mut options = FsOptions::default();
        options.roots = roots.into_iter().map(Path::to_owned).collect();
        options.patterns = patterns;
        let source = FileSource::from_options("followed", Path::new("/"), options)?;
        let source = source.watching(watch.clone());
        let revision = source.list().await?.revision();
        Ok(Some(FollowedSource { source, revision }))
    }

    fn changed(&self) -> futures_util::future::BoxFuture<'_, ()> {
        Box::pin(self.source.changed(self.revision))
    }
}

/// A file whose content does not matter, but that it changes.
#[derive(Debug, Clone, PartialEq)]
struct FollowedFile {
    id: Id,
    path: Arc<str>,
}

impl Item for FollowedFile {
    const KIND: &'static str = "file";

    fn id(&self) -> &Id {
        &self.id
    }

    fn location(&self) -> Option<&str> {
        Some(&self.path)
    }
}

impl FileItem for FollowedFile {
    fn is_parsed(_: &str) -> bool {
        false
    }

    fn from_file(file: &ListedFile<'_>) -> (Option<FollowedFile>, Vec<Diagnostic>) {
        let followed = FollowedFile {
            id: file.id.clone(),
            path: file.location.into(),
        };
        (Some(followed), Vec::new())
    }
}
