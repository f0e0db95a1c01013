//! Folder trees in a temporary place, and what a source sees in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use repertoire_core::{
    Code, Id, Listing, OmissionReason, Severity, Skill, Source, SourceErrorKind,
};
use repertoire_source_fs::{FsOptions, FsSource, WatchBy, WatchOptions};
use tempfile::TempDir;

/// A temporary folder, removed when dropped.
pub(crate) struct Tree {
    folder: TempDir,
}

impl Tree {
    pub(crate) fn new() -> Tree {
        Tree {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A tree with a skill in each of `folders`, named after it.
    pub(crate) fn of(folders: &[&str]) -> Tree {
        let tree = Tree::new();
        for folder in folders {
            tree.skill(folder);
        }
        tree
    }

    /// The temporary folder by its real path.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn folder(&self, path: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// A skill in `folder`, named after it.
    pub(crate) fn skill(&self, folder: &str) -> PathBuf {
        let name = Path::new(folder)
            .file_name()
            .map_or("root", |name| name.to_str().unwrap());
        self.write(
            &format!("{folder}/SKILL.md"),
            text(name, "Does a thing.", "Do it.\n"),
        )
    }

    #[cfg(unix)]
    pub(crate) fn link(&self, target: impl AsRef<Path>, path: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, &path).unwrap();
        path
    }

    /// A source over the folder `root`.
    pub(crate) fn source(&self, root: &str) -> FsSource {
        FsSource::new("test", self.path(root))
    }

    /// A source with options in JSON.
    pub(crate) fn with(&self, options: &str) -> FsSource {
        let options: FsOptions = serde_json::from_str(options).unwrap();
        FsSource::from_options("test", &self.root(), options).unwrap()
    }

    /// The paths and codes of all diagnostics above info, relative to the tree.
    pub(crate) fn complaints(&self, listing: &Listing<Skill>) -> Vec<(String, Code)> {
        self.found(listing, |severity| severity > Severity::Info)
    }

    /// The paths and codes of all diagnostics, relative to the tree.
    pub(crate) fn diagnostics(&self, listing: &Listing<Skill>) -> Vec<(String, Code)> {
        self.found(listing, |_| true)
    }

    fn found(
        &self,
        listing: &Listing<Skill>,
        wanted: impl Fn(Severity) -> bool,
    ) -> Vec<(String, Code)> {
        let root = format!("{}/", self.root().display());
        let relative = |path: &str| path.strip_prefix(&root).unwrap_or(path).to_owned();
        let chosen = listing
            .diagnostics()
            .iter()
            .filter(|found| wanted(found.severity));
        chosen
            .map(|found| {
                (
                    relative(found.path.as_deref().unwrap_or_default()),
                    found.code,
                )
            })
            .collect()
    }
}

/// A `SKILL.md`.
pub(crate) fn text(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

pub(crate) async fn list(source: &FsSource) -> Listing<Skill> {
    source.list().await.unwrap()
}

pub(crate) fn ids(listing: &Listing<Skill>) -> Vec<&str> {
    listing.iter().map(|row| row.item.id.as_str()).collect()
}

/// Watching that settles soon, for tests that wait for it.
pub(crate) fn swift(by: WatchBy) -> WatchOptions {
    let mut options = WatchOptions::default();
    options.by = by;
    options.debounce = Duration::from_millis(10);
    options.poll = Duration::from_millis(20);
    options
}

/// Returns the skills that a new source over `root` loads.
pub(crate) async fn loads(tree: &Tree, root: &str) -> Vec<String> {
    list(&tree.source(root))
        .await
        .iter()
        .map(|row| row.item.id.to_string())
        .collect()
}

pub(crate) fn id(text: &str) -> Id {
    text.parse().unwrap()
}

pub(crate) async fn read(
    source: &FsSource,
    skill: &str,
    path: &str,
) -> Result<Vec<u8>, SourceErrorKind> {
    let bytes = source.resource(&id(skill), &path.parse().unwrap()).await;
    bytes
        .map(|bytes| bytes.to_vec())
        .map_err(|error| error.kind())
}

pub(crate) async fn body(source: &FsSource, skill: &str) -> Result<String, SourceErrorKind> {
    source
        .body(&id(skill))
        .await
        .map(|body| body.text.to_string())
        .map_err(|error| error.kind())
}

pub(crate) async fn resources(source: &FsSource, skill: &str) -> Vec<String> {
    source
        .resources(&id(skill))
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.path.to_string())
        .collect()
}

/// Returns the files next to the instructions of `skill` that are not part of it, each with its reason.
pub(crate) async fn omissions(source: &FsSource, skill: &str) -> Vec<(String, OmissionReason)> {
    let omissions = source.omissions(&id(skill)).await.unwrap();
    omissions
        .into_iter()
        .map(|one| (one.path.to_string(), one.reason))
        .collect()
}

/// Makes `file` look as if it was written a minute ago, when the clock of the file system has moved on since.
pub(crate) fn age(file: &Path) {
    let minute_ago = SystemTime::now() - Duration::from_secs(60);
    fs::File::options()
        .write(true)
        .open(file)
        .unwrap()
        .set_modified(minute_ago)
        .unwrap();
}

/// Returns whether this process ignores permission bits, as root does.
#[cfg(unix)]
pub(crate) fn permissions_do_not_bind(locked: &Path) -> bool {
    fs::read_dir(locked).is_ok()
}
