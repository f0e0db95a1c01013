//! The file of a plugin, read once and never trusted by its path.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use repertoire_core::{Digest, Stamp};

use crate::PluginError;

/// Bytes of a library. A debug build of a large plugin has some ten million.
const LARGEST: u64 = 1 << 30;

/// What the file of a plugin holds. Whoever decides something about it, decides about these bytes.
#[derive(Debug)]
pub(crate) struct PluginFile {
    /// Absolute, without links.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    pub(crate) digest: Digest,
}

impl PluginFile {
    /// Reads `path`, unless everybody could write there.
    pub(crate) fn read(path: &Path) -> Result<PluginFile, PluginError> {
        let unreadable = |error| PluginError::Unreadable { path: path.to_owned(), error };
        let real = fs::canonicalize(path).map_err(unreadable)?;
        if let Some(open) = open_to_everybody(&real).map_err(unreadable)? {
            return Err(PluginError::Writable { path: real, open });
        }
        let bytes = read(&real).map_err(unreadable)?;
        Ok(PluginFile { digest: Digest::of(&bytes), path: real, bytes })
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Asked before opening: opening a pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {LARGEST} bytes")));
    }
    Ok(bytes)
}

/// A cheap fingerprint of what is at `path`; nothing is there, too, is one.
pub(crate) fn stamp(path: &Path) -> Stamp {
    let metadata = fs::metadata(path).ok();
    Stamp::of(&metadata.map(|metadata| (metadata.len(), metadata.modified().ok(), inode(&metadata))))
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// The file, its folder, or a folder above that everybody can write to. Above its own folder, a sticky one is well: only
/// owners can replace what lies there.
#[cfg(unix)]
fn open_to_everybody(path: &Path) -> io::Result<Option<PathBuf>> {
    use std::os::unix::fs::MetadataExt;

    const EVERYBODY: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    for (above, place) in path.ancestors().enumerate() {
        let mode = fs::metadata(place)?.mode();
        if mode & EVERYBODY != 0 && (above < 2 || mode & STICKY == 0) {
            return Ok(Some(place.to_owned()));
        }
    }
    Ok(None)
}

#[cfg(not(unix))]
fn open_to_everybody(_: &Path) -> io::Result<Option<PathBuf>> {
    Ok(None)
}
