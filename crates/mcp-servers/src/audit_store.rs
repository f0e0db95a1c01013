//! The places for the rows of an audit log.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use repertoire_core::Digest;
use serde_json::{Map, Value};

/// The size at which a file is moved aside.
const MOST_BYTES: u64 = 16 << 20;

/// The number of files that are kept besides the current one.
const OLDER_FILES: usize = 8;

/// The field of a row with the digest of the line before.
pub(crate) const PREVIOUS: &str = "previous";

/// A place for the rows of an audit log.
pub trait AuditStore: Send + Sync + 'static {
    /// Appends a row: the time in milliseconds since 1970 (`at`), the `event`, the id of the `process`, and the facts of the event. It
    /// is called before what it records, so it must not wait long.
    ///
    /// # Errors
    /// Any error, after which the next row has the number of `lost` ones.
    fn append(&self, row: Map<String, Value>) -> io::Result<()>;

    /// Waits until every row is stored.
    fn flush(&self) {}
}

/// The device and the number of a file, where the system has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileIdentity(Option<(u64, u64)>);

/// A file of rows, of which several processes may append some.
pub(crate) struct AuditFile {
    path: PathBuf,
    open: Mutex<OpenFile>,
}

struct OpenFile {
    file: File,
    identity: FileIdentity,
    /// The end of the last row that this process knows, and its digest.
    length: u64,
    previous: String,
}

impl AuditFile {
    pub(crate) fn open(path: PathBuf) -> io::Result<AuditFile> {
        let open = OpenFile::open(&path)?;
        Ok(AuditFile {
            path,
            open: Mutex::new(open),
        })
    }
}

impl AuditStore for AuditFile {
    fn append(&self, row: Map<String, Value>) -> io::Result<()> {
        self.open.lock().append(&self.path, row)
    }
}

/// Reads the text of the log at `path`, with that of its older files, in their order.
pub(crate) fn read_all(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let older = (1..=OLDER_FILES).rev().map(|age| older_path(path, age));
    for file in older.chain([path.to_owned()]) {
        match fs::read(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            read => text.extend(read?),
        }
    }
    Ok(text)
}

impl OpenFile {
    fn open(path: &Path) -> io::Result<OpenFile> {
        let file = open_file(path)?;
        Ok(OpenFile {
            identity: FileIdentity::of(&file.metadata()?),
            file,
            length: 0,
            previous: String::new(),
        })
    }

    fn append(&mut self, path: &Path, row: Map<String, Value>) -> io::Result<()> {
        let length = self.lock(path)?;
        let written = self.append_locked(path, length, row);
        let unlocked = self.file.unlock();
        written.and(unlocked)
    }

    /// Locks the file at `path`, and returns its length. A different process may have moved the one that is open.
    fn lock(&mut self, path: &Path) -> io::Result<u64> {
        loop {
            self.file.lock()?;
            if let Ok(named) = fs::metadata(path)
                && FileIdentity::of(&named) == self.identity
            {
                return Ok(named.len());
            }
            *self = OpenFile::open(path)?;
        }
    }

    fn append_locked(
        &mut self,
        path: &Path,
        length: u64,
        mut row: Map<String, Value>,
    ) -> io::Result<()> {
        if length != self.length || length == 0 {
            self.previous = last_line(&mut self.file, path)?;
        }
        self.length = length;
        row.insert(PREVIOUS.to_owned(), self.previous.as_str().into());
        let line = Value::Object(row).to_string() + "\n";
        if length + line.len() as u64 > MOST_BYTES && length > 0 {
            move_aside(path)?;
            let previous = std::mem::take(&mut self.previous);
            *self = OpenFile::open(path)?;
            self.previous = previous;
            self.file.lock()?;
        }
        let count = self.file.write(line.as_bytes())?;
        self.length += count as u64;
        self.previous = digest(line.trim_end().as_bytes());
        if count == line.len() {
            return Ok(());
        }
        // What was written is a broken line, which the next row ends.
        self.length = 0;
        Err(ErrorKind::WriteZero.into())
    }
}

fn open_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl FileIdentity {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> FileIdentity {
        use std::os::unix::fs::MetadataExt;

        FileIdentity(Some((metadata.dev(), metadata.ino())))
    }

    /// Returns the same for every file. Where that is all, a file that is open is not moved.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> FileIdentity {
        FileIdentity(None)
    }
}

fn older_path(path: &Path, age: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{age}"));
    name.into()
}

fn move_aside(path: &Path) -> io::Result<()> {
    for age in (1..OLDER_FILES).rev() {
        match fs::rename(older_path(path, age), older_path(path, age + 1)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            moved => moved?,
        }
    }
    fs::rename(path, older_path(path, 1))
}

/// Returns the digest of the last line, and ends a line that a crash of the system left open. A new file continues the older one.
fn last_line(file: &mut File, path: &Path) -> io::Result<String> {
    let mut text = tail(file)?;
    if text.is_empty() {
        match File::open(older_path(path, 1)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            older => text = tail(&mut older?)?,
        }
    } else if !text.ends_with(b"\n") {
        file.write_all(b"\n")?;
    }
    let line = text.strip_suffix(b"\n").unwrap_or(&text);
    match line.rsplit(|byte| *byte == b'\n').next() {
        Some(line) if !line.is_empty() => Ok(digest(line)),
        _ => Ok(String::new()),
    }
}

/// Returns the end of the file, with at least one whole line.
fn tail(file: &mut File) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let mut size = 4096;
    loop {
        let start = length.saturating_sub(size);
        file.seek(SeekFrom::Start(start))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let ends = text.iter().filter(|byte| **byte == b'\n').count();
        if start == 0 || ends > 1 {
            return Ok(text);
        }
        size *= 4;
    }
}

pub(crate) fn digest(line: &[u8]) -> String {
    Digest::of(line).to_string().split_off("sha256:".len())
}
