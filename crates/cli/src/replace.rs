//! Writing over a file, all or nothing, and never through a link.

use std::ffi::{OsStr, OsString};
use std::fs::Permissions as OwnPermissions;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};

/// A name in an open folder: nothing that happens to the path of the folder leads elsewhere.
#[derive(Debug)]
pub(crate) struct Spot {
    folder: Dir,
    name: OsString,
}

/// The file that was read, to be recognised when it is written over.
#[derive(Debug)]
pub(crate) struct Seen(Metadata);

impl Spot {
    /// The name `name` in `folder`.
    ///
    /// # Errors
    /// Those of opening the folder.
    pub(crate) fn in_folder(folder: &Path, name: impl AsRef<OsStr>) -> io::Result<Spot> {
        let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
        Ok(Spot { folder, name: name.as_ref().to_owned() })
    }

    /// The file that `path` leads to, if that lies below `base`.
    ///
    /// # Errors
    /// [`PermissionDenied`](ErrorKind::PermissionDenied) where links lead out of `base`, else those of opening folders.
    pub(crate) fn below(base: &Path, path: &Path) -> io::Result<Spot> {
        let leads_out = || io::Error::new(ErrorKind::PermissionDenied, format!("it leads out of `{}`", base.display()));
        let (base, real) = (base.canonicalize()?, path.canonicalize()?);
        let below = real.strip_prefix(&base).map_err(|_| leads_out())?;
        let name = below.file_name().ok_or(ErrorKind::IsADirectory)?;
        let folder = Dir::open_ambient_dir(&base, ambient_authority())?;
        let folder = match below.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            // The kernel resolves it beneath the base: a link that is put there now leads nowhere else.
            Some(parent) => folder.open_dir(parent)?,
            None => folder,
        };
        Ok(Spot { folder, name: name.to_owned() })
    }

    /// Returns at most `limit` bytes of the regular file, which is not a link.
    ///
    /// Never waits: neither for the other end of a pipe nor for a device.
    ///
    /// # Errors
    /// Those of reading; [`InvalidInput`](ErrorKind::InvalidInput) for a link and for what is not a regular file.
    pub(crate) fn read(&self, limit: u64) -> io::Result<(Vec<u8>, Seen)> {
        let seen = Seen(regular(self.folder.symlink_metadata(&self.name)?)?);
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use rustix::fs::OFlags;
            let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
            let flags = i32::try_from(flags.bits()).expect("open flags fit the type that open(2) takes");
            cap_std::fs::OpenOptionsExt::custom_flags(&mut options, flags);
        }
        let file = self.folder.open_with(&self.name, &options)?;
        if !seen.is(&file.metadata()?) {
            return Err(changed());
        }
        let mut bytes = Vec::new();
        file.take(limit).read_to_end(&mut bytes)?;
        Ok((bytes, seen))
    }

    /// Makes `bytes` the content of the file that was `seen`: readers see the old content or the new one. Permissions stay
    /// what they are.
    ///
    /// # Errors
    /// Those of writing; [`PermissionDenied`](ErrorKind::PermissionDenied) for a file that may not be written to. If it is
    /// not the file that was seen any more, nothing is written.
    pub(crate) fn replace(&self, seen: &Seen, bytes: &[u8]) -> io::Result<()> {
        let permissions = seen.0.permissions();
        if permissions.readonly() {
            return Err(ErrorKind::PermissionDenied.into());
        }
        self.through_temporary(bytes, Some(permissions), |temporary| {
            if !seen.is(&self.folder.symlink_metadata(&self.name)?) {
                return Err(changed());
            }
            self.exchange(seen, temporary)
        })
    }

    /// As [`replace`](Spot::replace) of the file that is there; where there is none, one is made.
    ///
    /// # Errors
    /// As [`replace`](Spot::replace), and [`InvalidInput`](ErrorKind::InvalidInput) for a link and for what is not a regular
    /// file. A file that appears in the meantime is not written over.
    pub(crate) fn put(&self, bytes: &[u8]) -> io::Result<()> {
        match self.folder.symlink_metadata(&self.name) {
            Ok(metadata) => self.replace(&Seen(regular(metadata)?), bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => self.through_temporary(bytes, None, |temporary| {
                match self.folder.hard_link(temporary, &self.folder, &self.name) {
                    Ok(()) => self.folder.remove_file(temporary),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
                    // A file system without hard links.
                    Err(_) => self.folder.rename(temporary, &self.folder, &self.name),
                }
            }),
            Err(error) => Err(error),
        }
    }

    /// Makes a file of `bytes` that only its owner reads and writes take the place of whatever bears the name. A link is
    /// replaced, not followed.
    ///
    /// # Errors
    /// Those of writing.
    pub(crate) fn put_private(&self, bytes: &[u8]) -> io::Result<()> {
        #[cfg(unix)]
        let permissions = {
            let own: OwnPermissions = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            Some(Permissions::from_std(own))
        };
        #[cfg(not(unix))]
        let permissions: Option<Permissions> = None;
        self.through_temporary(bytes, permissions, |temporary| self.folder.rename(temporary, &self.folder, &self.name))
    }

    /// Writes `bytes` beside the name, since a file system renames within itself alone, and has `place` put them there.
    fn through_temporary(
        &self,
        bytes: &[u8],
        permissions: Option<Permissions>,
        place: impl FnOnce(&str) -> io::Result<()>,
    ) -> io::Result<()> {
        // An unfinished one of another run is not ours.
        let temporary = format!(".{}.{}.tmp", self.name.to_string_lossy(), std::process::id());
        let mut file = self.folder.open_with(&temporary, OpenOptions::new().write(true).create_new(true))?;
        let permit = |file: &File| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions));
        let written = file.write_all(bytes).and_then(|()| permit(&file)).and_then(|()| file.sync_all());
        drop(file);
        let placed = written.and_then(|()| place(&temporary));
        if placed.is_err() {
            // The error that counts is the one above.
            let _ = self.folder.remove_file(&temporary);
        }
        placed
    }

    /// Puts the file `temporary` in the place of the one that was seen.
    #[cfg(target_os = "linux")]
    fn exchange(&self, seen: &Seen, temporary: &str) -> io::Result<()> {
        use rustix::fs::{RenameFlags, renameat_with};
        use rustix::io::Errno;

        let swap = || renameat_with(&self.folder, temporary, &self.folder, &self.name, RenameFlags::EXCHANGE);
        match swap() {
            Ok(()) => {}
            Err(Errno::INVAL | Errno::NOSYS) => return self.folder.rename(temporary, &self.folder, &self.name),
            Err(error) => return Err(error.into()),
        }
        // Whatever came between the look and the exchange goes back.
        if !seen.is(&self.folder.symlink_metadata(temporary)?) {
            swap()?;
            return Err(changed());
        }
        self.folder.remove_file(temporary)
    }

    #[cfg(not(target_os = "linux"))]
    fn exchange(&self, _: &Seen, temporary: &str) -> io::Result<()> {
        self.folder.rename(temporary, &self.folder, &self.name)
    }
}

impl Seen {
    /// Whether `now` is of the same file with the same content.
    fn is(&self, now: &Metadata) -> bool {
        let stays = self.0.is_file() && now.is_file() && self.0.len() == now.len();
        #[cfg(unix)]
        let stays = {
            use cap_std::fs::MetadataExt;
            let identity =
                |metadata: &Metadata| (metadata.dev(), metadata.ino(), metadata.mtime(), metadata.mtime_nsec());
            stays && identity(&self.0) == identity(now)
        };
        stays
    }
}

fn regular(metadata: Metadata) -> io::Result<Metadata> {
    if metadata.is_symlink() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is a link; put a file in its place"));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"));
    }
    Ok(metadata)
}

fn changed() -> io::Error {
    io::Error::other("it changed in the meantime")
}

#[cfg(test)]
mod tests;
