//! Atomic writes that never follow links.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Component, Path};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};

/// A file name in an open folder. Later changes to the path of the folder have no effect.
#[derive(Debug)]
pub(crate) struct FileSlot {
    folder: Dir,
    name: OsString,
}

/// The identity of a file that was read, to compare before it is replaced.
#[derive(Debug)]
pub(crate) struct FileIdentity(Metadata);

impl FileSlot {
    pub(crate) fn in_folder(folder: &Path, name: impl AsRef<OsStr>) -> io::Result<FileSlot> {
        let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
        Ok(FileSlot {
            folder,
            name: name.as_ref().to_owned(),
        })
    }

    /// Returns the slot of the real path of `path`, which must be below `base`.
    ///
    /// # Errors
    /// [`PermissionDenied`](ErrorKind::PermissionDenied) if links lead out of `base`, else those of opening folders.
    pub(crate) fn below(base: &Path, path: &Path) -> io::Result<FileSlot> {
        let (base, real) = (base.canonicalize()?, path.canonicalize()?);
        let below = real.strip_prefix(&base).map_err(|_| {
            let message = format!("it links to a file outside of `{}`", base.display());
            io::Error::new(ErrorKind::PermissionDenied, message)
        })?;
        let name = below.file_name().ok_or(ErrorKind::IsADirectory)?;
        let folder = Dir::open_ambient_dir(&base, ambient_authority())?;
        let folder = match below
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            // Resolved beneath the base, so a link that is created now cannot lead out.
            Some(parent) => folder.open_dir(parent)?,
            None => folder,
        };
        Ok(FileSlot {
            folder,
            name: name.to_owned(),
        })
    }

    /// Returns at most `limit` bytes of the regular file, which is not a link.
    ///
    /// Never blocks on a pipe or a device.
    ///
    /// # Errors
    /// Those of reading; [`InvalidInput`](ErrorKind::InvalidInput) for a link and for what is not a regular file.
    pub(crate) fn read(&self, limit: u64) -> io::Result<(Vec<u8>, FileIdentity)> {
        let identity = FileIdentity(regular(self.folder.symlink_metadata(&self.name)?)?);
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use rustix::fs::OFlags;
            let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
            let flags =
                i32::try_from(flags.bits()).expect("open flags fit the type that open(2) takes");
            cap_std::fs::OpenOptionsExt::custom_flags(&mut options, flags);
        }
        let file = self.folder.open_with(&self.name, &options)?;
        if !identity.is(&file.metadata()?) {
            return Err(changed());
        }
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok((bytes, identity))
    }

    /// Replaces the content of the file with this identity. Readers see the old or the new content; permissions are kept.
    ///
    /// # Errors
    /// Those of writing; [`PermissionDenied`](ErrorKind::PermissionDenied) for a file that may not be written to. If the
    /// file has a different identity now, nothing is written.
    pub(crate) fn replace(&self, identity: &FileIdentity, bytes: &[u8]) -> io::Result<()> {
        let permissions = identity.0.permissions();
        if permissions.readonly() {
            return Err(ErrorKind::PermissionDenied.into());
        }
        self.through_temporary(bytes, Some(permissions), |temporary| {
            if !identity.is(&self.folder.symlink_metadata(&self.name)?) {
                return Err(changed());
            }
            self.exchange(identity, temporary)
        })
    }

    /// Replaces the content of the file, or creates it.
    ///
    /// # Errors
    /// Those of [`replace`](FileSlot::replace); [`InvalidInput`](ErrorKind::InvalidInput) for a link and for other special files.
    /// A file that is created during the call is not overwritten.
    pub(crate) fn put(&self, bytes: &[u8]) -> io::Result<()> {
        match self.folder.symlink_metadata(&self.name) {
            Ok(metadata) => self.replace(&FileIdentity(regular(metadata)?), bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.through_temporary(bytes, None, |temporary| {
                    match self.folder.hard_link(temporary, &self.folder, &self.name) {
                        Ok(()) => self.folder.remove_file(temporary),
                        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
                        // The file system has no hard links.
                        Err(_) => self.folder.rename(temporary, &self.folder, &self.name),
                    }
                })
            }
            Err(error) => Err(error),
        }
    }

    fn through_temporary(
        &self,
        bytes: &[u8],
        permissions: Option<Permissions>,
        place: impl FnOnce(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        // `create_new` refuses the unfinished file of a different run.
        let temporary = format!(
            ".{}.{}.tmp",
            self.name.to_string_lossy(),
            std::process::id()
        );
        let mut file = self
            .folder
            .open_with(&temporary, OpenOptions::new().write(true).create_new(true))?;
        let permit = |file: &File| {
            permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))
        };
        let written = file
            .write_all(bytes)
            .and_then(|()| permit(&file))
            .and_then(|()| file.sync_all());
        drop(file);
        let placed = written.and_then(|()| place(&temporary));
        if placed.is_err() {
            // The first error is the one to report.
            let _ = self.folder.remove_file(&temporary);
        }
        placed
    }

    #[cfg(target_os = "linux")]
    fn exchange(&self, identity: &FileIdentity, temporary: &str) -> io::Result<()> {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;

        let swap = || {
            renameat_with(
                &self.folder,
                temporary,
                &self.folder,
                &self.name,
                RenameFlags::EXCHANGE,
            )
        };
        match swap() {
            Ok(()) => {}
            Err(Errno::INVAL | Errno::NOSYS) => {
                return self.folder.rename(temporary, &self.folder, &self.name);
            }
            Err(error) => return Err(error.into()),
        }
        // If the file changed before the exchange, it goes back.
        if !identity.is(&self.folder.symlink_metadata(temporary)?) {
            swap()?;
            return Err(changed());
        }
        self.folder.remove_file(temporary)
    }

    #[cfg(not(target_os = "linux"))]
    fn exchange(&self, _: &FileIdentity, temporary: &str) -> io::Result<()> {
        self.folder.rename(temporary, &self.folder, &self.name)
    }
}

impl FileIdentity {
    fn is(&self, now: &Metadata) -> bool {
        let stays = self.0.is_file() && now.is_file() && self.0.len() == now.len();
        #[cfg(unix)]
        let stays = {
            use cap_std::fs::MetadataExt;
            let identity = |metadata: &Metadata| {
                (
                    metadata.dev(),
                    metadata.ino(),
                    metadata.mtime(),
                    metadata.mtime_nsec(),
                )
            };
            stays && identity(&self.0) == identity(now)
        };
        stays
    }
}

/// Returns whether messages may quote `file`, a path that the user typed.
///
/// No link leads it out of `cwd` or, for a path to a different folder, out of the folder of the file.
pub(crate) fn is_quotable(file: &Path, cwd: &Path) -> bool {
    let is_inside = file
        .strip_prefix(cwd)
        .is_ok_and(|below| !below.components().any(|part| part == Component::ParentDir));
    let base = if is_inside {
        cwd
    } else {
        file.parent().unwrap_or(cwd)
    };
    FileSlot::below(base, file).is_ok()
}

fn regular(metadata: Metadata) -> io::Result<Metadata> {
    if metadata.is_symlink() {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is a link; replace it with a file",
        ));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    Ok(metadata)
}

fn changed() -> io::Error {
    io::Error::other("the file changed during the operation")
}

#[cfg(test)]
mod tests;
