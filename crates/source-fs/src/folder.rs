//! Reading files beneath the folder of one skill.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use repertoire_core::{Body, Bytes, ResourcePath, SourceError, SourceErrorKind, skill_md};

use crate::FsLimits;
use crate::apart::is_apart;
use crate::file;
use crate::skill_file::SkillFile;
use crate::stamp::FileStamp;

/// The open folder of a skill. The kernel resolves paths beneath it, so no link and no race leads out.
#[derive(Debug)]
pub(crate) struct SkillFolder<'a> {
    pub(crate) dir: Dir,
    pub(crate) skill_file: &'a SkillFile,
    pub(crate) limits: &'a FsLimits,
}

/// A regular file that was opened, and its version.
#[derive(Debug)]
pub(crate) struct OpenedPart {
    pub(crate) file: File,
    pub(crate) metadata: Metadata,
}

impl<'a> SkillFolder<'a> {
    pub(crate) fn open(
        skill_file: &'a SkillFile,
        limits: &'a FsLimits,
    ) -> Result<SkillFolder<'a>, SourceError> {
        let folder = skill_file.folder();
        let dir = Dir::open_ambient_dir(folder, ambient_authority())
            .map_err(|error| failed(&format!("folder `{}`", file::shown(folder)), error))?;
        Ok(SkillFolder {
            dir,
            skill_file,
            limits,
        })
    }

    pub(crate) fn body(&self) -> Result<Body, SourceError> {
        let shown = file::shown(&self.skill_file.path);
        let opened = self.open_skill_file()?;
        let stamp = FileStamp::of(&self.skill_file.path, &opened.metadata);
        let bytes = opened.read(&shown, self.limits.file_bytes, "limits.file-bytes")?;
        let front_matter = skill_md::front_matter(&bytes).ok_or_else(|| {
            SourceError::invalid(format!("`{shown}` has no complete front matter any more"))
        })?;
        Body::of_file(
            &bytes,
            stamp.with_front_matter(front_matter, self.skill_file.beside_stamp()),
        )
        .map_err(|error| SourceError::invalid(format!("`{shown}` is {error}")))
    }

    pub(crate) fn resource(&self, path: &ResourcePath) -> Result<Bytes, SourceError> {
        let shown = file::shown(Path::new(path.as_str()));
        if path.as_str() == self.skill_file.file_name() {
            return self
                .open_skill_file()?
                .read(&shown, self.limits.file_bytes, "limits.file-bytes")
                .map(Bytes::from);
        }
        // What is not part of the skill is not read either, under no name that a link gives it.
        if path.is_apart()
            || self
                .dir
                .canonicalize(path.as_str())
                .is_ok_and(|real| is_apart(&real))
        {
            return Err(SourceError::new(
                SourceErrorKind::NotFound,
                format!("no file `{shown}` in the skill"),
            ));
        }
        let opened = self
            .open_file(path.as_str().as_ref())
            .map_err(|error| failed(&format!("file `{shown}`"), error))?;
        opened
            .read(&shown, self.limits.resource_bytes, "limits.resource-bytes")
            .map(Bytes::from)
    }

    pub(crate) fn open_file(&self, path: &Path) -> io::Result<OpenedPart> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::custom_flags(&mut options, file::careful_flags());
        OpenedPart::new(self.dir.open_with(path, &options)?.into_std())
    }

    /// Opens the skill's own file. If it is a link out of the folder, only the file that was listed is opened.
    fn open_skill_file(&self) -> Result<OpenedPart, SourceError> {
        let skill_file = self.skill_file;
        let describe = |error| failed(&format!("file `{}`", file::shown(&skill_file.path)), error);
        let denied = match self.open_file(skill_file.file_name().as_ref()) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => error,
            opened => return opened.map_err(describe),
        };
        let (file, metadata) = file::open(&skill_file.path).map_err(describe)?;
        let identity = FileStamp::of(&skill_file.path, &metadata).identity;
        if skill_file
            .file
            .is_some_and(|listed| listed.identity == identity)
        {
            return Ok(OpenedPart { file, metadata });
        }
        Err(describe(denied))
    }
}

impl OpenedPart {
    fn new(file: File) -> io::Result<OpenedPart> {
        let metadata = file.metadata()?;
        Ok(OpenedPart { file, metadata })
    }

    pub(crate) fn into_file(self) -> File {
        self.file
    }

    /// Reads the content, at most `limit` bytes, which the key `named` sets.
    pub(crate) fn read(
        mut self,
        shown: &str,
        limit: u64,
        named: &str,
    ) -> Result<Vec<u8>, SourceError> {
        if !self.metadata.is_file() {
            let message = format!("no file `{shown}`: it is {}", file::what(&self.metadata));
            return Err(SourceError::new(SourceErrorKind::NotFound, message));
        }
        let mut bytes =
            Vec::with_capacity(usize::try_from(self.metadata.len().min(limit)).unwrap_or_default());
        if self.metadata.len() <= limit {
            // One more byte than allowed, to notice a file that grows while it is read.
            (&mut self.file)
                .take(limit.saturating_add(1))
                .read_to_end(&mut bytes)
                .map_err(|error| failed(&format!("file `{shown}`"), error))?;
            if bytes.len() as u64 <= limit {
                return Ok(bytes);
            }
        }
        let message = format!("`{shown}` is larger than {limit} bytes; the limit is `{named}`");
        Err(SourceError::new(SourceErrorKind::TooLarge, message))
    }
}

pub(crate) fn failed(what: &str, error: io::Error) -> SourceError {
    let kind = match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => SourceErrorKind::NotFound,
        ErrorKind::PermissionDenied => SourceErrorKind::Denied,
        ErrorKind::InvalidInput | ErrorKind::InvalidFilename => SourceErrorKind::Invalid,
        _ => SourceErrorKind::Unavailable,
    };
    SourceError::new(kind, format!("cannot read {what}")).caused_by(error)
}
