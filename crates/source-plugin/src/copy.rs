//! The bytes of a library, where no other bytes can take their place.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::file::PluginFile;

/// A copy of a library that no other user can reach, so that what is loaded is what was checked, and a replaced file is
/// another library for the system too.
///
/// On Linux it is sealed memory: no path leads there, and no process can write to it, this one included. Elsewhere, and where
/// the kernel gives no such memory, it is a file in a folder of this user alone.
#[derive(Debug)]
pub(crate) struct PrivateCopy {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    #[cfg(target_os = "linux")]
    Memory(fs::File),
    /// Removed with the copy. A loaded library needs its file no more, where the system allows one to remove it; elsewhere it
    /// stays for the system to clean up.
    Folder(tempfile::TempDir),
}

impl PrivateCopy {
    /// Copies what was read from `file`.
    pub(crate) fn of(file: &PluginFile) -> io::Result<PrivateCopy> {
        #[cfg(target_os = "linux")]
        if let Ok(copy) = in_memory(&file.bytes) {
            return Ok(copy);
        }
        in_folder(file)
    }

    /// Returns the path to load.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps the copy of a library that was loaded as far as the system still needs it.
    pub(crate) fn keep(self) {
        match self.place {
            // The linker knows libraries by their paths: with the same number, another one would be taken for this one.
            #[cfg(target_os = "linux")]
            Place::Memory(memory) => std::mem::forget(memory),
            Place::Folder(folder) => drop(folder),
        }
    }
}

#[cfg(target_os = "linux")]
fn in_memory(bytes: &[u8]) -> io::Result<PrivateCopy> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

    const NAME: &str = "repertoire-plugin";
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Kernels before 6.3 do not know that memory may be asked for to be run.
    let memory = memfd_create(NAME, flags | MemfdFlags::EXEC).or_else(|_| memfd_create(NAME, flags))?;
    let mut memory = fs::File::from(memory);
    memory.write_all(bytes)?;
    fcntl_add_seals(&memory, SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", memory.as_raw_fd()));
    // Without `/proc` nothing can be loaded from there.
    fs::metadata(&path)?;
    Ok(PrivateCopy { path, place: Place::Memory(memory) })
}

fn in_folder(file: &PluginFile) -> io::Result<PrivateCopy> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("repertoire-plugin-");
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    // Whatever the mask of this process is: it may be that of a group, or none.
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        folder.permissions(fs::Permissions::from_mode(0o700));
        options.mode(0o600);
    }
    let folder = folder.tempdir()?;
    let path = folder.path().join(file.path.file_name().unwrap_or("plugin".as_ref()));
    options.open(&path)?.write_all(&file.bytes)?;
    Ok(PrivateCopy { path, place: Place::Folder(folder) })
}

#[cfg(test)]
mod tests;
