//! The file of a plugin: read once, and judged by its bytes.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use repertoire_core::{Digest, Stamp};

use crate::PluginError;

const MAX_BYTES: u64 = 1 << 30;

/// The content of a plugin's file. Approval, inspection and loading all use these bytes.
#[derive(Debug)]
pub(crate) struct PluginFile {
    /// Absolute, without links.
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    pub(crate) digest: Digest,
}

impl PluginFile {
    pub(crate) fn read(path: &Path) -> Result<PluginFile, PluginError> {
        match PluginFile::read_unless_open(path) {
            Ok(read) => read,
            Err(error) => Err(PluginError::Unreadable {
                path: path.to_owned(),
                error,
            }),
        }
    }

    /// Returns the file, if its content has the digest that the configuration pins.
    pub(crate) fn with_digest(self, pinned: Digest) -> Result<PluginFile, PluginError> {
        if self.digest == pinned {
            return Ok(self);
        }
        let remedy = format!("pin `digest = \"{}\"`", self.digest);
        Err(PluginError::changed(
            &self.path,
            pinned,
            self.digest,
            &remedy,
        ))
    }

    fn read_unless_open(path: &Path) -> io::Result<Result<PluginFile, PluginError>> {
        let path = fs::canonicalize(path)?;
        if let Some(open) = open_to_everybody(&path)? {
            return Ok(Err(PluginError::Writable { path, open }));
        }
        let bytes = read(&path)?;
        Ok(Ok(PluginFile {
            digest: Digest::of(&bytes),
            path,
            bytes,
        }))
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    // Checked before opening, because opening a pipe blocks until its other end is open.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file",
        ));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has more than {MAX_BYTES} bytes"),
        ));
    }
    Ok(bytes)
}

/// Returns a fingerprint of the metadata at `path`, also where nothing is.
pub(crate) fn stamp(path: &Path) -> Stamp {
    let metadata = fs::metadata(path).ok();
    Stamp::of(
        &metadata.map(|metadata| (metadata.len(), metadata.modified().ok(), inode(&metadata))),
    )
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}

/// Returns the world-writable file, or the folder above it. Above its own folder a sticky one is accepted, because
/// only owners can replace what lies there.
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
