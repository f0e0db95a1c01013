//! Changes of a project, which are made completely or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use repertoire_core::text::terminal_line;
use repertoire_core::{Digest, Manifest, Resource, ResourcePath};
use serde::{Deserialize, Serialize};

use crate::file_tree::FileTree;
use crate::folder::{self, InstalledFolder};
use crate::install_error::{InstallError, InstallErrorKind};
use crate::store::{Store, write_tree};

/// A folder whose skills are installed and removed, with its lock. One process has it open at a time.
///
/// State is in the folder `.repertoire`: a lock, a journal, and backups.
#[derive(Debug)]
pub struct ProjectFolder {
    base: PathBuf,
    /// Locked until the handle is dropped.
    _lock: File,
}

/// A change of the folder of one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderChange {
    /// The folder of the skill, relative to the project.
    pub path: ResourcePath,
    /// The manifest of the present content; `None` if there is no folder.
    pub before: Option<Digest>,
    /// The manifest of the content from the store; `None` to remove the folder.
    pub after: Option<Digest>,
    /// Whether a copy of the present folder is kept in `.repertoire/backup`.
    pub keeps_backup: bool,
}

/// Everything that one command changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProjectChange {
    /// The folders.
    pub folders: Vec<FolderChange>,
    /// The new texts of lock files in the project, by their names.
    pub locks: BTreeMap<String, String>,
}

/// The present state of the folder of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkillFolderState {
    /// The manifest of its files; `None` if there is no folder.
    pub manifest: Option<Manifest>,
    /// The entries that cannot be part of a skill and would be lost: links, pipes, `.git`.
    pub odd: Vec<String>,
}

/// A file that was changed in a project, at its source, or in both.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileChange {
    /// The path in the skill.
    pub path: String,
    /// The change in the project.
    pub ours: Option<FileChangeKind>,
    /// The change at the source.
    pub theirs: Option<FileChangeKind>,
}

/// The kind of the change of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FileChangeKind {
    /// The file is new.
    Added,
    /// The file has different content.
    Changed,
    /// The file is not there any more.
    Removed,
}

const STATE: &str = ".repertoire";
const JOURNAL: &str = "journal.json";
const STAGING: &str = "staging";
const BACKUP: &str = "backup";

impl ProjectFolder {
    /// Opens the project in a folder, and completes the change of a process that was killed.
    ///
    /// Waits until no other process has it open.
    ///
    /// # Errors
    /// Those of writing, and of an unfinished change that the store cannot complete.
    pub fn open(base: impl Into<PathBuf>, store: &Store) -> Result<ProjectFolder, InstallError> {
        let base = base.into();
        let state = base.join(STATE);
        let failed = unwritable(&state);
        refuse_link(&state)?;
        fs::create_dir_all(&state).map_err(failed)?;
        let ignored = state.join(".gitignore");
        if !ignored.exists() {
            replace_file(&state, &ignored, "*\n")?;
        }
        let mut options = File::options();
        let lock = options.create(true).truncate(false).write(true);
        let lock = lock.open(state.join("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let project = ProjectFolder { base, _lock: lock };
        project.recover(store)?;
        Ok(project)
    }

    /// Returns the file that exists in the folder `base` while a change is made, and after one was interrupted.
    pub fn journal(base: &Path) -> PathBuf {
        base.join(STATE).join(JOURNAL)
    }

    /// Reads the folder of a skill.
    ///
    /// # Errors
    /// Those of reading.
    pub fn state(base: &Path, path: &ResourcePath) -> Result<SkillFolderState, InstallError> {
        let read = folder::read_installed(&base.join(path.as_str()))?;
        Ok(match read {
            None => SkillFolderState {
                manifest: None,
                odd: Vec::new(),
            },
            Some(InstalledFolder { manifest, odd }) => SkillFolderState {
                manifest: Some(manifest),
                odd,
            },
        })
    }

    /// Makes a change: first the folders, then the locks.
    ///
    /// A journal is written before the first folder is changed. If the process is killed, the next [`open`](ProjectFolder::open)
    /// completes the change. Each folder is replaced by one rename. Secrets in a replaced folder are copied.
    ///
    /// # Errors
    /// - [`Conflict`](InstallErrorKind::Conflict) if a folder is not in the state `before`, or a link leads out of the
    ///   project. Nothing is changed.
    /// - [`Corrupt`](InstallErrorKind::Corrupt) if the store does not have the content. Nothing is changed.
    /// - Those of writing. The next `open` completes the change.
    pub fn apply(&self, store: &Store, change: &ProjectChange) -> Result<(), InstallError> {
        self.check_parents(&change.folders)?;
        for folder in &change.folders {
            let digest = self.digest(&folder.path)?;
            if digest != folder.before {
                return Err(
                    conflict(format!("`{}` changed in the meantime", folder.path))
                        .help("run the command again"),
                );
            }
            if let Some(after) = &folder.after {
                stored(store, after)?;
            }
        }
        self.check_locks(change)?;
        store.flush()?;
        let state = self.base.join(STATE);
        let journal = serde_json::to_string(change).expect("a change has text keys");
        replace_file(&state, &state.join(JOURNAL), &journal)?;
        self.complete(store, change)
    }

    fn recover(&self, store: &Store) -> Result<(), InstallError> {
        let path = ProjectFolder::journal(&self.base);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return self.clean_staging(),
            Err(error) => return Err(unwritable(&path)(error)),
        };
        let change: ProjectChange = serde_json::from_str(&text).map_err(|error| {
            let message = format!("`{STATE}/{JOURNAL}` is invalid: {error}");
            InstallError::new(InstallErrorKind::Corrupt, message).help("remove the file")
        })?;
        // A repository may bring a journal, which must not write any other file.
        if change.locks.keys().any(|name| !is_lock(name)) {
            return Err(conflict(format!(
                "`{STATE}/{JOURNAL}` names a file that is not a lock"
            ))
            .help("remove the file"));
        }
        self.check_parents(&change.folders)?;
        self.check_locks(&change)?;
        self.complete(store, &change)
    }

    fn check_locks(&self, change: &ProjectChange) -> Result<(), InstallError> {
        let mut names = change.locks.keys();
        names.try_for_each(|name| refuse_link(&self.base.join(name)))
    }

    /// Makes the rest of a change whose journal is written.
    fn complete(&self, store: &Store, change: &ProjectChange) -> Result<(), InstallError> {
        self.rescue(change)?;
        self.clean_staging()?;
        for folder in &change.folders {
            let digest = self.digest(&folder.path)?;
            // A folder that the user has changed since then is left as it is, and `verify` reports it.
            if digest != folder.after && (digest == folder.before || digest.is_none()) {
                self.change_folder(store, folder)?;
            }
        }
        let state = self.base.join(STATE);
        for (name, text) in &change.locks {
            replace_file(&state, &self.base.join(name), text)?;
        }
        let journal = state.join(JOURNAL);
        fs::remove_file(&journal).map_err(unwritable(&journal))?;
        self.clean_staging()
    }

    fn change_folder(&self, store: &Store, folder: &FolderChange) -> Result<(), InstallError> {
        let place = self.base.join(folder.path.as_str());
        let failed = unwritable(&place);
        let staging = self.base.join(STATE).join(STAGING);
        fs::create_dir_all(&staging).map_err(failed)?;
        let old = staging.join("old");
        match &folder.after {
            None => fs::rename(&place, &old).map_err(failed)?,
            Some(after) => {
                let new = staging.join("new");
                write_tree(&new, &stored(store, after)?).map_err(failed)?;
                if folder.before.is_none() {
                    let parent = place.parent().unwrap_or(&self.base);
                    fs::create_dir_all(parent).map_err(failed)?;
                    fs::rename(&new, &place).map_err(failed)?;
                    return Ok(());
                }
                copy_secrets(&place, &new).map_err(failed)?;
                exchange(&new, &place, &old).map_err(failed)?;
            }
        }
        if folder.keeps_backup {
            self.keep(&old, &folder.path).map_err(failed)?;
        }
        self.clean_staging()
    }

    /// Moves what a killed process had replaced to the backups, if the change keeps backups.
    fn rescue(&self, change: &ProjectChange) -> Result<(), InstallError> {
        let kept = change.folders.iter().find(|folder| folder.keeps_backup);
        let Some(kept) = kept else { return Ok(()) };
        for name in ["old", "new"] {
            let left = self.base.join(STATE).join(STAGING).join(name);
            if left.exists() {
                self.keep(&left, &kept.path).map_err(unwritable(&left))?;
            }
        }
        Ok(())
    }

    /// Moves the replaced folder to the backups.
    fn keep(&self, old: &Path, path: &ResourcePath) -> io::Result<()> {
        let backups = self.base.join(STATE).join(BACKUP);
        fs::create_dir_all(&backups)?;
        let name = path.as_str().replace('/', "-");
        let free = (1..).map(|number| backups.join(format!("{name}-{number}")));
        let mut free = free.filter(|backup| backup.symlink_metadata().is_err());
        fs::rename(old, free.next().expect("numbers do not end"))
    }

    fn clean_staging(&self) -> Result<(), InstallError> {
        let staging = self.base.join(STATE).join(STAGING);
        match fs::remove_dir_all(&staging) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(unwritable(&staging)(error)),
            _ => Ok(()),
        }
    }

    fn digest(&self, path: &ResourcePath) -> Result<Option<Digest>, InstallError> {
        let state = ProjectFolder::state(&self.base, path)?;
        Ok(state.manifest.map(|manifest| manifest.digest()))
    }

    /// Refuses folders that links lead out of the project.
    fn check_parents(&self, folders: &[FolderChange]) -> Result<(), InstallError> {
        let failed = unwritable(&self.base);
        let base = self.base.canonicalize().map_err(failed)?;
        // Most skills have the same parent.
        let mut checked = BTreeSet::new();
        for FolderChange { path, .. } in folders {
            let place = self.base.join(path.as_str());
            let parent = place.parent().unwrap_or(&self.base);
            if !checked.insert(parent.to_owned()) {
                continue;
            }
            let above = parent.ancestors().find(|above| above.exists());
            let real = above.unwrap_or(&self.base).canonicalize().map_err(failed)?;
            if !real.starts_with(&base) {
                return Err(
                    conflict(format!("a link leads `{path}` out of the project"))
                        .help("replace the link with a folder"),
                );
            }
        }
        Ok(())
    }
}

impl SkillFolderState {
    /// Returns whether the folder holds exactly these files, and nothing that would be lost.
    pub fn is(&self, manifest: &Manifest) -> bool {
        self.odd.is_empty() && self.manifest.as_ref() == Some(manifest)
    }

    /// Returns the changes since `base` in the folder, and those between `base` and `new`, by path.
    pub fn three_way(&self, base: &Manifest, new: &Manifest) -> Vec<FileChange> {
        let none = Manifest::default();
        let ours = self.manifest.as_ref().unwrap_or(&none);
        let mut changes: Vec<FileChange> = Vec::new();
        for (before, after) in base.changes(ours) {
            changes.push(FileChange {
                path: path_of(before, after),
                ours: kind_of(before, after),
                theirs: None,
            });
        }
        for (before, after) in base.changes(new) {
            let (path, theirs) = (path_of(before, after), kind_of(before, after));
            match changes.iter_mut().find(|change| change.path == path) {
                Some(change) => change.theirs = theirs,
                None => changes.push(FileChange {
                    path,
                    ours: None,
                    theirs,
                }),
            }
        }
        changes.extend(self.odd.iter().map(|path| FileChange {
            path: path.clone(),
            ours: Some(FileChangeKind::Added),
            theirs: None,
        }));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        changes
    }
}

/// Returns whether a journal may write the file with this name.
fn is_lock(name: &str) -> bool {
    let is_plain = !name.contains(['/', '\\']);
    is_plain && (name.ends_with(".lock.json") || name == "skills-lock.json")
}

fn path_of(before: Option<&Resource>, after: Option<&Resource>) -> String {
    let file = before.or(after);
    file.map(|file| file.path.to_string()).unwrap_or_default()
}

fn kind_of(before: Option<&Resource>, after: Option<&Resource>) -> Option<FileChangeKind> {
    match (before, after) {
        (None, None) => None,
        (None, Some(_)) => Some(FileChangeKind::Added),
        (Some(_), Some(_)) => Some(FileChangeKind::Changed),
        (Some(_), None) => Some(FileChangeKind::Removed),
    }
}

fn conflict(message: String) -> InstallError {
    InstallError::new(InstallErrorKind::Conflict, message)
}

fn stored(store: &Store, digest: &Digest) -> Result<FileTree, InstallError> {
    store.get(digest)?.ok_or_else(|| {
        let message = format!("the store does not have `{digest}`");
        InstallError::new(InstallErrorKind::Corrupt, message)
            .help("run `repertoire sync` with a network to fetch it")
    })
}

/// Returns the conversion of errors about a path.
fn unwritable(path: &Path) -> impl Fn(io::Error) -> InstallError + Copy {
    move |error| {
        let path = path.to_string_lossy();
        InstallError::io(format!("cannot write `{}`", terminal_line(&path)), error)
    }
}

fn refuse_link(path: &Path) -> Result<(), InstallError> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => {
            let path = path.to_string_lossy();
            Err(conflict(format!("`{}` is a link", terminal_line(&path)))
                .help("replace the link with what it leads to"))
        }
        _ => Ok(()),
    }
}

/// Replaces a file by one rename, after its content is on the disk. What a killed process leaves is in the staging folder.
fn replace_file(state: &Path, target: &Path, text: &str) -> Result<(), InstallError> {
    let failed = unwritable(target);
    let staging = state.join(STAGING);
    fs::create_dir_all(&staging).map_err(failed)?;
    let mut file = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.permissions(fs::Permissions::from_mode(0o644));
    }
    let mut file = file.tempfile_in(staging).map_err(failed)?;
    let written = file.write_all(text.as_bytes());
    written
        .and_then(|()| file.as_file().sync_all())
        .map_err(failed)?;
    file.persist(target).map_err(|error| failed(error.error))?;
    Ok(())
}

fn copy_secrets(from: &Path, to: &Path) -> io::Result<()> {
    for path in folder::secrets(from) {
        let place = to.join(path.as_str());
        if place.exists() {
            continue;
        }
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(from.join(path.as_str()), place)?;
    }
    Ok(())
}

/// Puts the folder `new` in the place of `place`, which is moved to `old`.
fn exchange(new: &Path, place: &Path, old: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, new, CWD, place, RenameFlags::EXCHANGE) {
            Ok(()) => return fs::rename(new, old),
            Err(Errno::INVAL | Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    fs::rename(place, old)?;
    fs::rename(new, place)
}
