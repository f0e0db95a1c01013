//! Files that only their owner can have written.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

const MAX_BYTES: u64 = 16 << 20;

/// A document of approvals in a file that only its owner can have written.
///
/// Errors are clauses for people about the file. Reading and writing refuse:
///
/// - a file that is a link, not a regular file, larger than 16 MiB, another user's, or open to the writing of others
/// - a folder that is another user's or open to the writing of others
/// - a folder above that is world-writable
///
/// On systems other than Unix, owners and modes are not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalFile<D> {
    path: PathBuf,
    /// The document as read; [`write`](ApprovalFile::write) stores it.
    pub document: D,
}

impl<D: Default + Serialize + DeserializeOwned> ApprovalFile<D> {
    /// Creates a file with this document, which [`write`](ApprovalFile::write) stores at `path`.
    pub fn new(path: impl Into<PathBuf>, document: D) -> ApprovalFile<D> {
        ApprovalFile {
            path: path.into(),
            document,
        }
    }

    /// Reads `path`. A file that does not exist is a default document.
    ///
    /// # Errors
    /// Returns the reason why the file cannot be relied on or is not a document.
    pub fn read(path: impl Into<PathBuf>) -> Result<ApprovalFile<D>, String> {
        let path = path.into();
        let document = match read(&path)? {
            Some(bytes) => serde_json::from_slice(&bytes).map_err(|error| error.to_string())?,
            None => D::default(),
        };
        Ok(ApprovalFile { path, document })
    }

    /// Replaces the file. A reader gets the old or the new document.
    ///
    /// # Errors
    /// Returns the reason why the file cannot be written, or why its folder cannot be relied on.
    pub fn write(&self) -> Result<(), String> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        make_folder(folder)?;
        self.replace(folder).map_err(|error| error.to_string())
    }

    fn replace(&self, folder: &Path) -> io::Result<()> {
        // Created with mode 0600, whatever the umask is.
        let mut fresh = tempfile::Builder::new()
            .prefix(".approvals")
            .tempfile_in(folder)?;
        let mut text = serde_json::to_string_pretty(&self.document)?;
        text.push('\n');
        fresh.write_all(text.as_bytes())?;
        fresh.as_file().sync_all()?;
        fresh
            .persist(&self.path)
            .map(drop)
            .map_err(|error| error.error)
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if matches!(folder.try_exists(), Ok(false)) {
        return Ok(None);
    }
    check_folder(folder)?;
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Ok(metadata) if metadata.is_symlink() => {
            return Err("it is a link; put the file itself there".to_owned());
        }
        _ => {}
    }
    let file = open(path).map_err(|error| error.to_string())?;
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err(format!("it is larger than {MAX_BYTES} bytes"));
    }
    check_owner(&metadata, "it", "look through it, then `chmod 600` it")?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    Ok(Some(bytes))
}

/// Opens a file, but neither a link in its place nor a pipe or terminal that would block.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW
            | rustix::fs::OFlags::NONBLOCK
            | rustix::fs::OFlags::NOCTTY;
        let flags =
            i32::try_from(flags.bits()).expect("open flags fit the type that open(2) takes");
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    options.open(path)
}

fn make_folder(folder: &Path) -> Result<(), String> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|error| format!("its folder `{}`: {error}", folder.display()))?;
    check_folder(folder)
}

fn check_folder(folder: &Path) -> Result<(), String> {
    let subject = format!("its folder `{}`", folder.display());
    let real = folder
        .canonicalize()
        .map_err(|error| format!("{subject}: {error}"))?;
    let metadata = real
        .metadata()
        .map_err(|error| format!("{subject}: {error}"))?;
    check_owner(&metadata, &subject, "`chmod 700` it")?;
    let open = real
        .ancestors()
        .skip(1)
        .find(|above| above.metadata().is_ok_and(|found| is_open_to_all(&found)));
    match open {
        Some(above) => Err(format!(
            "{subject} is below `{}`, which is world-writable",
            above.display()
        )),
        None => Ok(()),
    }
}

#[cfg(unix)]
fn check_owner(metadata: &Metadata, subject: &str, remedy: &str) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;

    if metadata.uid() != 0 && metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(format!(
            "{subject} belongs to another user, who could approve for you"
        ));
    }
    match metadata.mode() & 0o022 {
        0 => Ok(()),
        _ => Err(format!(
            "others can write to {subject} and could approve for you; {remedy}"
        )),
    }
}

#[cfg(unix)]
fn is_open_to_all(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    const STICKY: u32 = 0o1000;
    metadata.mode() & 0o002 != 0 && metadata.mode() & STICKY == 0
}

#[cfg(not(unix))]
fn check_owner(_: &Metadata, _: &str, _: &str) -> Result<(), String> {
    Ok(())
}

#[cfg(not(unix))]
fn is_open_to_all(_: &Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests;
