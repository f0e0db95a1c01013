//! Reading inside one skill's folder, and nowhere else.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use repertoire_core::{Body, Bytes, ResourcePath, SourceError, SourceErrorKind, skill_md};

use crate::FsLimits;
use crate::file;
use crate::record::Record;
use crate::stamp::FileStamp;
use crate::survey;

/// A skill's folder, open. Paths are resolved beneath it by the kernel, so no link and no race leads out.
#[derive(Debug)]
pub(crate) struct SkillFolder<'a> {
    pub(crate) dir: Dir,
    pub(crate) record: &'a Record,
    pub(crate) limits: &'a FsLimits,
}

/// A regular file that was opened, and its version.
#[derive(Debug)]
pub(crate) struct Opened {
    file: File,
    pub(crate) metadata: Metadata,
}

impl<'a> SkillFolder<'a> {
    pub(crate) fn open(record: &'a Record, limits: &'a FsLimits) -> Result<SkillFolder<'a>, SourceError> {
        let folder = record.folder();
        let dir = Dir::open_ambient_dir(folder, ambient_authority())
            .map_err(|error| failed(&format!("folder `{}`", file::shown(folder)), error))?;
        Ok(SkillFolder { dir, record, limits })
    }

    /// The instructions.
    pub(crate) fn body(&self) -> Result<Body, SourceError> {
        let shown = file::shown(&self.record.path);
        let opened = self.open_skill_file()?;
        let stamp = FileStamp::of(&self.record.path, &opened.metadata);
        let bytes = opened.read(&shown, self.limits.file_bytes, "limits.file-bytes")?;
        let front_matter = skill_md::front_matter(&bytes)
            .ok_or_else(|| SourceError::invalid(format!("`{shown}` has no complete front matter any more")))?;
        Body::of_file(&bytes, stamp.with_front_matter(front_matter, self.record.beside_stamp()))
            .map_err(|at| SourceError::invalid(format!("`{shown}` is not UTF-8: the first bad byte is at {at}")))
    }

    /// One file.
    pub(crate) fn resource(&self, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let shown = file::shown(Path::new(path.as_str()));
        if path.as_str() == self.record.file_name() {
            return self.open_skill_file()?.read(&shown, self.limits.file_bytes, "limits.file-bytes").map(Bytes::from);
        }
        // What is not part of the skill is not read either, under no name that a link gives it.
        let real = || self.dir.canonicalize(path.as_str()).is_ok_and(|real| survey::is_apart(&real));
        if path.is_apart() || real() {
            return Err(SourceError::new(SourceErrorKind::NotFound, format!("no file `{shown}` in the skill")));
        }
        let opened =
            self.open_file(path.as_str().as_ref()).map_err(|error| failed(&format!("file `{shown}`"), error))?;
        opened.read(&shown, self.limits.resource_bytes, "limits.resource-bytes").map(Bytes::from)
    }

    /// Opens whatever is at `path` beneath the folder, without waiting for the other end of a pipe.
    pub(crate) fn open_file(&self, path: &Path) -> io::Result<Opened> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::custom_flags(&mut options, file::careful_flags());
        Opened::new(self.dir.open_with(path, &options)?.into_std())
    }

    /// Opens the skill's own file. A link may lead out of the folder, as it did when the file was listed: then, and
    /// only to the same file.
    fn open_skill_file(&self) -> Result<Opened, SourceError> {
        let record = self.record;
        let describe = |error| failed(&format!("file `{}`", file::shown(&record.path)), error);
        let denied = match self.open_file(record.file_name().as_ref()) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => error,
            opened => return opened.map_err(describe),
        };
        let (file, metadata) = file::open(&record.path).map_err(describe)?;
        let identity = FileStamp::of(&record.path, &metadata).identity;
        if record.file.is_some_and(|listed| listed.identity == identity) {
            return Ok(Opened { file, metadata });
        }
        Err(describe(denied))
    }
}

impl Opened {
    fn new(file: File) -> io::Result<Opened> {
        let metadata = file.metadata()?;
        Ok(Opened { file, metadata })
    }

    /// The file itself.
    pub(crate) fn into_file(self) -> File {
        self.file
    }

    /// The content, at most `limit` bytes, which the key `named` sets.
    pub(crate) fn read(mut self, shown: &str, limit: u64, named: &str) -> Result<Vec<u8>, SourceError> {
        if !self.metadata.is_file() {
            let message = format!("no file `{shown}`: it is {}", file::what(&self.metadata));
            return Err(SourceError::new(SourceErrorKind::NotFound, message));
        }
        let too_large = || {
            let message = format!("`{shown}` is larger than {limit} bytes; the limit is `{named}`");
            SourceError::new(SourceErrorKind::TooLarge, message)
        };
        if self.metadata.len() > limit {
            return Err(too_large());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.metadata.len()).unwrap_or_default());
        // One more byte than allowed, to notice a file that grows while it is read.
        (&mut self.file)
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| failed(&format!("file `{shown}`"), error))?;
        if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
    }
}

/// Why `what` could not be read, for callers to branch on.
pub(crate) fn failed(what: &str, error: io::Error) -> SourceError {
    let kind = match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => SourceErrorKind::NotFound,
        ErrorKind::PermissionDenied => SourceErrorKind::Denied,
        ErrorKind::InvalidInput | ErrorKind::InvalidFilename => SourceErrorKind::Invalid,
        _ => SourceErrorKind::Unavailable,
    };
    SourceError::new(kind, format!("cannot read {what}")).caused_by(error)
}
