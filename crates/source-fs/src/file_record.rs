//! A listed file, in the version that was read last.

use std::path::Path;
use std::sync::Arc;

use repertoire_core::{
    Body, Code, Diagnostic, Digest, Id, InvalidValue, Item, ListingEntry, SourceError,
    SourceErrorKind, Stamp,
};

use crate::file;
use crate::folder::{OpenedPart, failed};
use crate::stamp::FileStamp;
use crate::tree_file::TreeFile;

/// A kind of item of which each is one file.
pub trait FileItem: Item {
    /// Returns whether a listing reads the file at `path`, which is relative to the base. All others are opened for their body only.
    fn is_parsed(path: &str) -> bool;

    /// Returns whether the body of the file at `path` begins below its front matter. By default, the body is the whole file.
    fn has_front_matter(path: &str) -> bool {
        let _ = path;
        false
    }

    /// Returns the item of `file`, or `None` if it is malformed, with diagnostics. Their paths are set by the source.
    fn from_file(file: &ListedFile<'_>) -> (Option<Self>, Vec<Diagnostic>);
}

/// A file that a source lists.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListedFile<'a> {
    /// The id: the path below the base, with `/` between folders.
    pub id: Id,
    /// The path, as the search reached it.
    pub location: &'a str,
    /// The content, if the kind [parses](FileItem::is_parsed) the file.
    pub bytes: Option<&'a [u8]>,
}

/// The state of a file at its last listing.
#[derive(Debug)]
pub(crate) struct FileRecord<T: FileItem> {
    pub(crate) file: TreeFile,
    /// The digest of the content, if a listing read it: the file is parsed, or was too young for its stamp to be trusted.
    content: Option<Digest>,
    /// The row of this version, or of the last good one.
    pub(crate) row: Option<ListingEntry<T>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The settings that reading a file needs.
#[derive(Debug, Clone)]
pub(crate) struct FileReading {
    pub(crate) base: Arc<Path>,
    /// The limit of bytes of a file that is read.
    pub(crate) limit: u64,
}

impl FileReading {
    /// Returns the path of `path` below the base, with `/` between folders. A path outside of the base stays whole.
    fn relative(&self, path: &Path) -> Option<String> {
        let below = path.strip_prefix(&self.base).unwrap_or(path).to_str()?;
        let text = if cfg!(windows) {
            below.replace('\\', "/")
        } else {
            below.to_owned()
        };
        Some(text.trim_start_matches('/').to_owned())
    }

    fn bytes(&self, path: &Path) -> Result<(Vec<u8>, FileStamp), SourceError> {
        let shown = file::shown(path);
        let (file, metadata) =
            file::open(path).map_err(|error| failed(&format!("file `{shown}`"), error))?;
        let stamp = FileStamp::of(path, &metadata);
        let opened = OpenedPart { file, metadata };
        let bytes = opened.read(&shown, self.limit, "limits.file-bytes")?;
        Ok((bytes, stamp))
    }
}

impl<T: FileItem> FileRecord<T> {
    /// Returns the record of `file`. An unchanged one is shared with the previous listing.
    pub(crate) fn read(
        file: &TreeFile,
        reading: &FileReading,
        previous: Option<&Arc<FileRecord<T>>>,
    ) -> Arc<FileRecord<T>> {
        if let Some(known) = previous.filter(|known| known.file == *file) {
            return Arc::clone(known);
        }
        let path = &file.path;
        let mut record = FileRecord {
            file: file.clone(),
            content: None,
            row: None,
            diagnostics: Vec::new(),
        };
        let id = match reading.relative(path).map(|path| Id::of_path(&path)) {
            Some(Ok(id)) => id,
            Some(Err(error)) => return record.broken(Code::PATH_NOT_UTF8, error.to_string(), None),
            None => {
                let message = "the path is not UTF-8, so that it cannot be an id";
                return record.broken(Code::PATH_NOT_UTF8, message.to_owned(), None);
            }
        };
        let is_parsed = T::is_parsed(id.as_str());
        let mut bytes = None;
        if is_parsed || !file.is_settled {
            match reading.bytes(path) {
                Ok((read, _)) => {
                    record.content = Some(Digest::of(&read));
                    bytes = Some(read);
                }
                Err(error) if is_parsed => {
                    let code = match error.kind() {
                        SourceErrorKind::TooLarge => Code::TOO_LARGE,
                        _ => Code::UNREADABLE,
                    };
                    return record.broken(code, error.to_string(), previous);
                }
                // Its body reports the error.
                Err(_) => {}
            }
        }
        record.parse(id, bytes.as_deref().filter(|_| is_parsed), previous);
        Arc::new(record)
    }

    fn parse(&mut self, id: Id, bytes: Option<&[u8]>, previous: Option<&Arc<FileRecord<T>>>) {
        if let Some(known) = previous
            && known.content.is_some()
            && known.content == self.content
        {
            (self.row, self.diagnostics) = (known.row.clone(), known.diagnostics.clone());
            return;
        }
        let location = self.file.path.to_string_lossy();
        let listed = ListedFile {
            id,
            location: &location,
            bytes,
        };
        let (item, diagnostics) = T::from_file(&listed);
        self.diagnostics = diagnostics
            .into_iter()
            .map(|found| found.at_path(&*location))
            .collect();
        let stamp = match self.content {
            Some(content) => Stamp::of(&content),
            None => Stamp::of(&self.file.stamp.content()),
        };
        match item {
            Some(item) => {
                let row = ListingEntry::new(item, stamp);
                self.row = Some(match self.content {
                    Some(content) => row.with_digest(content),
                    None => row,
                });
            }
            None => self.keep_last_good(previous),
        }
    }

    fn broken(
        mut self,
        code: Code,
        message: String,
        previous: Option<&Arc<FileRecord<T>>>,
    ) -> Arc<FileRecord<T>> {
        let path = self.file.path.to_string_lossy();
        self.diagnostics
            .push(Diagnostic::new(code, message).at_path(path));
        self.keep_last_good(previous);
        Arc::new(self)
    }

    fn keep_last_good(&mut self, previous: Option<&Arc<FileRecord<T>>>) {
        let Some(row) = previous.and_then(|known| known.row.clone()) else {
            return;
        };
        let message = format!(
            "`{}` stays as it was when this file could last be read",
            row.item.id()
        );
        let path = self.file.path.to_string_lossy();
        self.diagnostics
            .push(Diagnostic::new(Code::STALE, message).at_path(path));
        self.row = Some(row);
    }

    /// Reads the file. The stamp is the listed one, if this is the listed version.
    pub(crate) fn body(&self, reading: &FileReading) -> Result<Body, SourceError> {
        let (bytes, stamp) = reading.bytes(&self.file.path)?;
        let digest = Digest::of(&bytes);
        let is_listed = match self.content {
            Some(content) => content == digest,
            None => stamp == self.file.stamp,
        };
        let listed = self.row.as_ref().filter(|_| is_listed);
        let stamp = listed.map_or_else(|| Stamp::of(&digest), |row| row.stamp);
        let has_front_matter = reading
            .relative(&self.file.path)
            .is_some_and(|path| T::has_front_matter(&path));
        let body = if has_front_matter {
            Body::of_file(&bytes, stamp)
        } else {
            std::str::from_utf8(&bytes)
                .map(|text| Body::new(text, digest, stamp))
                .map_err(|error| {
                    InvalidValue::new(format!("not UTF-8 at byte {}", error.valid_up_to()))
                })
        };
        body.map_err(|error| {
            let shown = file::shown(&self.file.path);
            SourceError::invalid(format!("`{shown}` is {error}"))
        })
    }
}
