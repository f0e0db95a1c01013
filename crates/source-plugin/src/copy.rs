//! Private copies of libraries.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::file::PluginFile;

/// A copy of a library that no other user can replace between the check and the load.
///
/// On Linux it is sealed memory, which no process can write to. Elsewhere, and if the kernel has no such memory, it is a file in a
/// folder of this user alone.
#[derive(Debug)]
pub(crate) struct PrivateCopy {
    path: PathBuf,
    storage: CopyStorage,
}

#[derive(Debug)]
enum CopyStorage {
    #[cfg(target_os = "linux")]
    Memory(fs::File),
    /// Removed with the copy where the system allows that for a loaded library.
    Folder(tempfile::TempDir),
}

impl PrivateCopy {
    pub(crate) fn new(file: &PluginFile) -> io::Result<PrivateCopy> {
        #[cfg(target_os = "linux")]
        if let Ok(copy) = in_memory(&file.bytes) {
            return Ok(copy);
        }
        in_folder(file)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Releases the copy of a loaded library, but for what the system still needs.
    pub(crate) fn release(self) {
        match self.storage {
            // The linker identifies libraries by path. If the descriptor were closed, the next copy could get this path.
            #[cfg(target_os = "linux")]
            CopyStorage::Memory(memory) => std::mem::forget(memory),
            CopyStorage::Folder(folder) => drop(folder),
        }
    }
}

#[cfg(target_os = "linux")]
fn in_memory(bytes: &[u8]) -> io::Result<PrivateCopy> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

    const NAME: &str = "repertoire-plugin";
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Kernels before 6.3 have no flag for executable memory.
    let memory =
        memfd_create(NAME, flags | MemfdFlags::EXEC).or_else(|_| memfd_create(NAME, flags))?;
    let mut memory = fs::File::from(memory);
    memory.write_all(bytes)?;
    fcntl_add_seals(
        &memory,
        SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL,
    )?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", memory.as_raw_fd()));
    // Fails without `/proc`, from which the library is loaded.
    fs::metadata(&path)?;
    Ok(PrivateCopy {
        path,
        storage: CopyStorage::Memory(memory),
    })
}

fn in_folder(file: &PluginFile) -> io::Result<PrivateCopy> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("repertoire-plugin-");
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    // Modes are explicit, because the umask may allow the group or everybody.
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        folder.permissions(fs::Permissions::from_mode(0o700));
        options.mode(0o600);
    }
    let folder = folder.tempdir()?;
    let path = folder
        .path()
        .join(file.path.file_name().unwrap_or("plugin".as_ref()));
    options.open(&path)?.write_all(&file.bytes)?;
    Ok(PrivateCopy {
        path,
        storage: CopyStorage::Folder(folder),
    })
}

#[cfg(test)]
mod tests;
