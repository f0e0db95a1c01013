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
/// - a folder above to which everybody can write
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
        ApprovalFile { path: path.into(), document }
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
        let mut fresh = tempfile::Builder::new().prefix(".approvals").tempfile_in(folder)?;
        let mut text = serde_json::to_string_pretty(&self.document)?;
        text.push('\n');
        fresh.write_all(text.as_bytes())?;
        fresh.as_file().sync_all()?;
        fresh.persist(&self.path).map(drop).map_err(|error| error.error)
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match check_folder(folder) {
        Err(Unfit::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(None),
        checked => checked.map_err(|unfit| unfit.of_folder(folder))?,
    }
    let (file, metadata) = match open(path) {
        Err(Unfit::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(Unfit::of_file)?,
    };
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(Some(bytes))
}

fn make_folder(folder: &Path) -> Result<(), String> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder).map_err(Unfit::Io);
    made.and_then(|()| check_folder(folder)).map_err(|unfit| unfit.of_folder(folder))
}

enum Unfit {
    Io(io::Error),
    Link,
    NotAFile,
    TooLarge,
    Foreign,
    Open,
    Above(String),
}

impl Unfit {
    fn of_file(self) -> String {
        match self {
            Unfit::Io(error) => error.to_string(),
            Unfit::Link => "it is a link; put the file itself there".to_owned(),
            Unfit::NotAFile => "it is not a regular file".to_owned(),
            Unfit::TooLarge => format!("it is larger than {MAX_BYTES} bytes"),
            Unfit::Foreign => "it belongs to another user, who could approve for you".to_owned(),
            Unfit::Open | Unfit::Above(_) => {
                "others can write to it and could approve for you; look through it, then `chmod 600` it".to_owned()
            }
        }
    }

    fn of_folder(self, folder: &Path) -> String {
        let folder = folder.display();
        match self {
            Unfit::Above(above) => format!("its folder `{folder}` is below `{above}`, to which everybody can write"),
            Unfit::Foreign => format!("its folder `{folder}` belongs to another user, who could approve for you"),
            Unfit::Open => {
                format!("others can write to its folder `{folder}` and could approve for you; `chmod 700` it")
            }
            unfit => format!("its folder `{folder}`: {}", unfit.of_file()),
        }
    }
}

fn open(path: &Path) -> Result<(File, Metadata), Unfit> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).expect("open flags fit the type that open(2) takes");
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    // For a better message; the flag above decides.
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(Unfit::Link);
    }
    let file = options.open(path).map_err(Unfit::Io)?;
    let metadata = file.metadata().map_err(Unfit::Io)?;
    if !metadata.is_file() {
        return Err(Unfit::NotAFile);
    }
    if metadata.len() > MAX_BYTES {
        return Err(Unfit::TooLarge);
    }
    is_own(&metadata)?;
    Ok((file, metadata))
}

fn check_folder(folder: &Path) -> Result<(), Unfit> {
    let real = folder.canonicalize().map_err(Unfit::Io)?;
    is_own(&real.metadata().map_err(Unfit::Io)?)?;
    for above in real.ancestors().skip(1) {
        if above.metadata().is_ok_and(|metadata| is_open_to_all(&metadata)) {
            return Err(Unfit::Above(above.display().to_string()));
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_own(metadata: &Metadata) -> Result<(), Unfit> {
    use std::os::unix::fs::MetadataExt;

    if metadata.uid() != 0 && metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(Unfit::Foreign);
    }
    if metadata.mode() & 0o022 != 0 { Err(Unfit::Open) } else { Ok(()) }
}

#[cfg(unix)]
fn is_open_to_all(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    const STICKY: u32 = 0o1000;
    metadata.mode() & 0o002 != 0 && metadata.mode() & STICKY == 0
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> Result<(), Unfit> {
    Ok(())
}

#[cfg(not(unix))]
fn is_open_to_all(_: &Metadata) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests;
