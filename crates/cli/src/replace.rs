//! Writing over a file, all or nothing.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Makes `bytes` the content of the file that `path` leads to: whoever reads meanwhile, reads the old or the new one.
///
/// A link stays a link, and permissions stay what they are; a file that may not be written to is not.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = path.canonicalize()?;
    let permissions = fs::metadata(&target)?.permissions();
    if permissions.readonly() {
        return Err(ErrorKind::PermissionDenied.into());
    }
    swap(&target, bytes, Some(permissions))
}

/// As [`replace`]; where there is no file, one is made.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match replace(path, bytes) {
        Err(error) if error.kind() == ErrorKind::NotFound => swap(path, bytes, None),
        replaced => replaced,
    }
}

/// As [`put`], where nobody but the owner reads or writes.
pub(crate) fn put_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    #[cfg(unix)]
    let permissions = Some(std::os::unix::fs::PermissionsExt::from_mode(0o600));
    #[cfg(not(unix))]
    let permissions = None;
    swap(path, bytes, permissions)
}

fn swap(target: &Path, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let name = target.file_name().ok_or(ErrorKind::IsADirectory)?.to_string_lossy();
    // Beside the file, since a file system renames within itself alone; an unfinished one of another run is not ours.
    let temporary = target.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let permit = |file: &File| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions));
    let written = file.write_all(bytes).and_then(|()| permit(&file)).and_then(|()| file.sync_all());
    drop(file);
    let moved = written.and_then(|()| fs::rename(&temporary, target));
    if moved.is_err() {
        // The error that counts is the one above.
        let _ = fs::remove_file(&temporary);
    }
    moved
}

#[cfg(test)]
mod tests;
