//! The store: the content of skills, by digest.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use repertoire_core::Digest;

use crate::file_tree::FileTree;
use crate::folder;
use crate::install_error::{InstallError, InstallErrorKind};

/// A folder that holds the content of skills, each by the digest of its manifest.
///
/// Several processes may use one store. Content is written into a temporary folder and renamed, so it is there completely or
/// not at all. It is verified whenever it is read. A handle excludes a garbage collection, not other handles.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    /// Locked until the handle is dropped.
    _lock: File,
}

/// The result of a garbage collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct StoreGc {
    /// The removed skills.
    pub removed: usize,
    /// The skills that a project uses.
    pub kept: usize,
}

const TREES: &str = "trees";
const TEMPORARY: &str = "tmp";
const PROJECTS: &str = "projects";

impl Store {
    /// Opens the store in a folder, which is created if it does not exist.
    ///
    /// Waits for a garbage collection to end.
    ///
    /// # Errors
    /// Those of writing.
    pub fn open(root: impl Into<PathBuf>) -> Result<Store, InstallError> {
        let root = root.into();
        let lock = open_lock(&root)?;
        lock.lock_shared().map_err(unwritable(&root))?;
        Ok(Store { root, _lock: lock })
    }

    /// Adds the files of a skill, and returns the digest of their manifest.
    ///
    /// # Errors
    /// Those of writing. Then the store is unchanged.
    pub fn put(&self, tree: &FileTree) -> Result<Digest, InstallError> {
        let digest = tree.manifest().digest();
        let place = self.place(&digest);
        if place.is_dir() && self.get(&digest).is_ok_and(|stored| stored.is_some()) {
            return Ok(digest);
        }
        let failed = unwritable(&self.root);
        let new = self.temporary_folder().map_err(failed)?;
        write_files(new.path(), tree).map_err(failed)?;
        match fs::rename(new.path(), &place) {
            Ok(()) => {
                // There is nothing to remove.
                let _ = new.keep();
            }
            // A different process was faster, or the stored content is damaged.
            Err(_) if place.is_dir() => {
                if self.get(&digest).is_ok_and(|stored| stored.is_some()) {
                    return Ok(digest);
                }
                let damaged = self.temporary_folder().map_err(failed)?;
                let _ = fs::rename(&place, damaged.path().join("damaged"));
                match fs::rename(new.path(), &place) {
                    Err(error) if !place.is_dir() => return Err(failed(error)),
                    _ => {}
                }
            }
            Err(error) => return Err(failed(error)),
        }
        Ok(digest)
    }

    /// Creates a folder with the mode of every new one.
    fn temporary_folder(&self) -> io::Result<tempfile::TempDir> {
        let mut folder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            folder.permissions(fs::Permissions::from_mode(0o777));
        }
        folder.tempdir_in(self.root.join(TEMPORARY))
    }

    /// Returns the files of a skill; `None` if they are not in the store.
    ///
    /// # Errors
    /// [`Corrupt`](InstallErrorKind::Corrupt) if the files do not have this digest, or those of reading.
    pub fn get(&self, digest: &Digest) -> Result<Option<FileTree>, InstallError> {
        let place = self.place(digest);
        if !place.is_dir() {
            return Ok(None);
        }
        let corrupt = || {
            let message = format!("the store has wrong content for `{digest}`");
            InstallError::new(InstallErrorKind::Corrupt, message)
                .help("run `repertoire sync` with a network to fetch it again")
        };
        match folder::read_tree(&place) {
            Ok(tree) if tree.manifest().digest() == *digest => Ok(Some(tree)),
            Ok(_) => Err(corrupt()),
            Err(error) if error.kind() == InstallErrorKind::Refused => Err(corrupt()),
            Err(error) => Err(error),
        }
    }

    /// Records a file that names content in use, so that a garbage collection keeps it.
    ///
    /// # Errors
    /// Those of writing.
    pub fn remember(&self, lock: &Path) -> Result<(), InstallError> {
        let text = lock.to_string_lossy();
        let name = Digest::of(text.as_bytes()).to_string();
        let place = self.root.join(PROJECTS).join(name.replace(':', "-"));
        if place.is_file() {
            return Ok(());
        }
        let failed = unwritable(&self.root);
        let folder = self.root.join(TEMPORARY);
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.persist(&place).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Removes the content that no recorded file names. `used` reads the digests that such a file names.
    ///
    /// A file that does not exist names none, and is forgotten. Waits until no other process uses the store.
    ///
    /// # Errors
    /// Those of `used`, for which nothing is removed, and of removing.
    pub fn collect<E: From<InstallError>>(
        root: impl Into<PathBuf>,
        mut used: impl FnMut(&Path) -> Result<Option<Vec<Digest>>, E>,
    ) -> Result<StoreGc, E> {
        let root = root.into();
        let lock = open_lock(&root)?;
        let failed = unwritable(&root);
        lock.lock().map_err(failed)?;
        let mut names = BTreeSet::new();
        let mut forgotten = Vec::new();
        for record in files_of(&root.join(PROJECTS)).map_err(failed)? {
            let text = fs::read_to_string(&record).map_err(failed)?;
            match used(Path::new(&text))? {
                Some(digests) => names.extend(digests.iter().map(name_of)),
                None => forgotten.push(record),
            }
        }
        for record in forgotten {
            fs::remove_file(record).map_err(failed)?;
        }
        // What a killed process left could be in the way.
        let temporary = root.join(TEMPORARY);
        clear(&temporary).map_err(failed)?;
        let mut collected = StoreGc::default();
        for tree in files_of(&root.join(TREES)).map_err(failed)? {
            let name = tree.file_name().unwrap_or_default().to_string_lossy();
            if names.contains(&*name) {
                collected.kept += 1;
            } else {
                // A tree that is removed in part is not in its place any more.
                fs::rename(&tree, temporary.join(&*name)).map_err(failed)?;
                collected.removed += 1;
            }
        }
        clear(&temporary).map_err(failed)?;
        Ok(collected)
    }

    /// Writes everything to the disk, before a project names it.
    pub(crate) fn flush(&self) -> Result<(), InstallError> {
        #[cfg(target_os = "linux")]
        let flushed = File::open(&self.root).and_then(|root| Ok(rustix::fs::syncfs(&root)?));
        #[cfg(not(target_os = "linux"))]
        let flushed = Ok(());
        flushed.map_err(unwritable(&self.root))
    }

    fn place(&self, digest: &Digest) -> PathBuf {
        self.root.join(TREES).join(name_of(digest))
    }
}

fn name_of(digest: &Digest) -> String {
    digest.to_string().replace(':', "-")
}

fn open_lock(root: &Path) -> Result<File, InstallError> {
    let failed = unwritable(root);
    for folder in [TREES, TEMPORARY, PROJECTS] {
        fs::create_dir_all(root.join(folder)).map_err(failed)?;
    }
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    options.open(root.join("lock")).map_err(failed)
}

fn files_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    entries.collect()
}

fn clear(folder: &Path) -> io::Result<()> {
    for left in files_of(folder)? {
        match left.is_dir() {
            true => fs::remove_dir_all(&left)?,
            false => fs::remove_file(&left)?,
        }
    }
    Ok(())
}

/// Writes files into a new folder.
///
/// The mode of a file depends on its content alone: programs are executable.
pub(crate) fn write_tree(folder: &Path, tree: &FileTree) -> io::Result<()> {
    fs::create_dir(folder)?;
    write_files(folder, tree)
}

fn write_files(folder: &Path, tree: &FileTree) -> io::Result<()> {
    let mut made = BTreeSet::new();
    for (path, bytes) in tree.files() {
        let file = folder.join(path.as_str());
        if let Some((below, _)) = path.as_str().rsplit_once('/')
            && made.insert(below)
        {
            fs::create_dir_all(folder.join(below))?;
        }
        let mut options = File::options();
        options.create_new(true).write(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(match FileTree::is_program(bytes) {
                true => 0o755,
                false => 0o644,
            });
        }
        options.open(file)?.write_all(bytes)?;
    }
    Ok(())
}

/// Returns the conversion of errors about the store.
fn unwritable(root: &Path) -> impl Fn(io::Error) -> InstallError + Copy {
    move |error| {
        let what = match error.kind() {
            ErrorKind::PermissionDenied => "the store is not writable",
            _ => "cannot use the store",
        };
        InstallError::io(format!("{what} in `{}`", root.display()), error)
    }
}
