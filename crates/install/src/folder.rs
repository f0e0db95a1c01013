//! Folders of this machine, read into memory.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use bytes::Bytes;
use repertoire_core::text::terminal_line;
use repertoire_core::{Digest, Manifest, Resource, ResourcePath, SkippedFile, SkippedFolder};

use crate::file_tree::{FileTree, TreeBuilder, checked};
use crate::install_error::InstallError;
use crate::limits;

/// Reads the files of the skill in `folder`.
///
/// Files that are never part of a skill are omitted.
///
/// # Errors
/// A link, a pipe, an unsafe name or a limit.
pub(crate) fn read_tree(folder: &Path) -> Result<FileTree, InstallError> {
    let mut tree = TreeBuilder::default();
    walk(folder, &mut |path: &str, file: WalkedEntry<'_>| {
        let (file, path) = match file {
            WalkedEntry::File(file) => (file, path),
            WalkedEntry::Odd(what) => {
                return Err(InstallError::refused(format!("`{path}` is {what}"))
                    .help("replace it with a regular file"));
            }
        };
        let size = file
            .metadata()
            .map_err(|error| unreadable(file, error))?
            .len();
        let path = tree.announce(path, size)?;
        // `announce` refuses a size over the limits.
        let mut bytes = Vec::with_capacity(size as usize + 1);
        let opened = fs::File::open(file).map_err(|error| unreadable(file, error))?;
        let read = opened.take(size + 1).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(file, error))?;
        if bytes.len() as u64 != size {
            return Err(InstallError::refused(format!(
                "`{path}` changes while it is read"
            )));
        }
        tree.fill(path, Bytes::from(bytes));
        Ok(())
    })?;
    Ok(tree.finish())
}

/// Returns the paths of all files below `folder` that may be parts of skills.
pub(crate) fn list(folder: &Path) -> Result<Vec<String>, InstallError> {
    let mut paths = Vec::new();
    walk(folder, &mut |path: &str, file: WalkedEntry<'_>| {
        if let WalkedEntry::File(_) = file {
            paths.push(path.to_owned());
        }
        Ok(())
    })?;
    Ok(paths)
}

/// The content of an installed folder, and what cannot be part of a skill.
#[derive(Debug, Default)]
pub(crate) struct InstalledFolder {
    pub(crate) manifest: Manifest,
    /// Links, pipes, and files that cannot be read.
    pub(crate) odd: Vec<String>,
}

/// Reads an installed folder; `None` if there is nothing at the path.
///
/// # Errors
/// Those of reading, and a limit.
pub(crate) fn read_installed(folder: &Path) -> Result<Option<InstalledFolder>, InstallError> {
    match folder.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(folder, error)),
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => {
            return Ok(Some(InstalledFolder {
                odd: vec![".".to_owned()],
                ..InstalledFolder::default()
            }));
        }
    }
    let (mut rows, mut odd) = (Vec::new(), Vec::new());
    walk(folder, &mut |path: &str, file: WalkedEntry<'_>| {
        match (file, checked(path)) {
            (WalkedEntry::File(file), Ok(path)) => {
                let opened = fs::File::open(file).map_err(|error| unreadable(file, error))?;
                let read = Digest::of_reader(opened);
                let (digest, size) = read.map_err(|error| unreadable(file, error))?;
                rows.push(Resource::new(path, size, digest));
            }
            _ => odd.push(path.to_owned()),
        }
        Ok(())
    })?;
    // A folder of version control belongs to the user.
    if folder.join(".git").symlink_metadata().is_ok() {
        odd.push(".git".to_owned());
    }
    let manifest = Manifest::new(rows).map_err(|error| InstallError::refused(error.to_string()))?;
    Ok(Some(InstalledFolder { manifest, odd }))
}

/// Returns the secrets in an installed folder, which an update keeps.
pub(crate) fn secrets(folder: &Path) -> Vec<ResourcePath> {
    let mut found = Vec::new();
    let mut pending = vec![String::new()];
    while let Some(below) = pending.pop() {
        let entries = fs::read_dir(folder.join(&below))
            .into_iter()
            .flatten()
            .flatten();
        for entry in entries.take(limits::ENTRIES) {
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                continue;
            };
            let path = match below.is_empty() {
                true => name.clone(),
                false => format!("{below}/{name}"),
            };
            let kind = entry.file_type();
            let is_secret = SkippedFile::of(&name) == Some(SkippedFile::Secret);
            match (kind, SkippedFolder::of(&name)) {
                (Ok(kind), _) if kind.is_file() && is_secret => found.extend(path.parse().ok()),
                (Ok(kind), None | Some(SkippedFolder::Output | SkippedFolder::Secrets))
                    if kind.is_dir() && path.split('/').count() < limits::DEPTH =>
                {
                    pending.push(path);
                }
                _ => {}
            }
        }
    }
    found
}

enum WalkedEntry<'a> {
    File(&'a Path),
    /// Not a file, with the reason.
    Odd(&'static str),
}

/// Calls `visit` for everything below `folder` that may be part of a skill, in the order of names.
fn walk(
    folder: &Path,
    visit: &mut impl FnMut(&str, WalkedEntry<'_>) -> Result<(), InstallError>,
) -> Result<(), InstallError> {
    let mut pending = vec![(folder.to_owned(), String::new())];
    let mut count = 0;
    while let Some((place, below)) = pending.pop() {
        let entries = fs::read_dir(&place).map_err(|error| unreadable(&place, error))?;
        let entries = entries.collect::<Result<Vec<_>, _>>();
        let mut entries = entries.map_err(|error| unreadable(&place, error))?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            count += 1;
            let name = entry.file_name();
            let path = format!("{below}{}", name.to_string_lossy());
            if count > limits::ENTRIES || path.split('/').count() > limits::DEPTH {
                return Err(InstallError::refused(format!(
                    "`{}` is over the limits of a skill",
                    terminal_line(&place.to_string_lossy())
                )));
            }
            let kind = entry
                .file_type()
                .map_err(|error| unreadable(&entry.path(), error))?;
            if SkippedFolder::of(&name).is_some_and(SkippedFolder::is_apart)
                || SkippedFile::of(&name).is_some()
            {
                continue;
            }
            let odd = if name.to_str().is_none() {
                Some("not UTF-8")
            } else if kind.is_symlink() {
                Some("a symbolic link")
            } else if !kind.is_dir() && !kind.is_file() {
                Some("neither a file nor a folder")
            } else {
                None
            };
            match odd {
                Some(what) => visit(&path, WalkedEntry::Odd(what))?,
                None if kind.is_dir() => pending.push((entry.path(), format!("{path}/"))),
                None => visit(&path, WalkedEntry::File(&entry.path()))?,
            }
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: io::Error) -> InstallError {
    let path = path.to_string_lossy();
    InstallError::io(format!("cannot read `{}`", terminal_line(&path)), error)
}
