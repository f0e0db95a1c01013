//! The files of a skill or an archive, in memory.

use std::collections::{BTreeMap, HashMap};

use bytes::Bytes;
use repertoire_core::text::{is_clean, terminal_line};
use repertoire_core::{Digest, Manifest, Resource, ResourcePath};
use unicode_normalization::UnicodeNormalization;

use crate::install_error::InstallError;
use crate::limits;

/// Files by path, whose names mean the same on every platform. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileTree {
    files: BTreeMap<ResourcePath, Bytes>,
}

impl FileTree {
    /// Returns the files, by the bytes of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&ResourcePath, &Bytes)> {
        self.files.iter()
    }

    /// Returns the bytes of the file at `path`.
    pub fn get(&self, path: &str) -> Option<&Bytes> {
        self.files.get(&path.parse::<ResourcePath>().ok()?)
    }

    /// Returns the path, size and digest of every file.
    ///
    /// # Panics
    /// Never: a tree has every path once.
    pub fn manifest(&self) -> Manifest {
        let rows = self.files.iter().map(|(path, bytes)| {
            Resource::new(path.clone(), bytes.len() as u64, Digest::of(bytes))
        });
        Manifest::new(rows).expect("a tree has every path once")
    }

    /// Returns whether the file is a program: a text that begins with `#!`, or a binary of Linux or macOS.
    pub(crate) fn is_program(bytes: &[u8]) -> bool {
        const BINARIES: [&[u8]; 4] = [
            b"\x7fELF",
            b"\xcf\xfa\xed\xfe",
            b"\xce\xfa\xed\xfe",
            b"\xca\xfe\xba\xbe",
        ];
        bytes.starts_with(b"#!") || BINARIES.iter().any(|magic| bytes.starts_with(magic))
    }

    /// Returns the files below `folder`, with paths relative to it.
    pub(crate) fn below(&self, folder: &str) -> FileTree {
        if folder.is_empty() {
            return self.clone();
        }
        let files = self.files.iter().filter_map(|(path, bytes)| {
            let below = path.as_str().strip_prefix(folder)?.strip_prefix('/')?;
            Some((below.parse().ok()?, bytes.clone()))
        });
        FileTree {
            files: files.collect(),
        }
    }

    /// Returns the files in a folder of this name.
    #[cfg(feature = "http")]
    pub(crate) fn inside(&self, folder: &str) -> Result<FileTree, InstallError> {
        let mut tree = TreeBuilder::default();
        for (path, bytes) in &self.files {
            tree.add(&format!("{folder}/{path}"), bytes.clone())?;
        }
        Ok(tree.finish())
    }

    /// Returns the files without those that are never part of a skill, and the paths of these.
    pub(crate) fn without_apart(mut self) -> (FileTree, Vec<ResourcePath>) {
        let mut left_out = Vec::new();
        self.files.retain(|path, _| {
            let is_apart = path.is_apart();
            if is_apart {
                left_out.push(path.clone());
            }
            !is_apart
        });
        (self, left_out)
    }
}

/// Returns the digest that agentskills#358 and ToolHive compute: SHA-256 over path, NUL, the digest of the content in
/// hexadecimal digits, and a line feed, for each file.
pub fn content_digest(files: &[Resource]) -> Digest {
    let mut text = String::new();
    for file in files {
        let digest = file.digest.to_string();
        let hex = digest.strip_prefix("sha256:").unwrap_or(&digest);
        text.push_str(&format!("{}\0{hex}\n", file.path));
    }
    Digest::of(text.as_bytes())
}

/// A tree under construction, which refuses unsafe names, collisions, and content over a limit.
#[derive(Debug, Default)]
pub(crate) struct TreeBuilder {
    files: BTreeMap<ResourcePath, Bytes>,
    /// Each file and folder, by what a file system that ignores letter case takes it for.
    names: HashMap<String, KnownName>,
    entries: usize,
    total: u64,
}

#[derive(Debug)]
struct KnownName {
    spelled: String,
    is_file: bool,
}

impl TreeBuilder {
    /// Adds a folder.
    pub(crate) fn folder(&mut self, path: &str) -> Result<(), InstallError> {
        self.count()?;
        let path = checked(path)?;
        self.name_folders(path.as_str())?;
        self.name(path.as_str(), false)
    }

    /// Checks a file before its content is unpacked.
    pub(crate) fn announce(&mut self, path: &str, size: u64) -> Result<ResourcePath, InstallError> {
        self.count()?;
        let path = checked(path)?;
        if size > limits::FILE_BYTES {
            return Err(InstallError::refused(format!(
                "`{}` has {size} bytes, expected at most {}",
                shown(path.as_str()),
                limits::FILE_BYTES
            )));
        }
        self.total += size;
        if self.total > limits::TOTAL_BYTES {
            return Err(InstallError::refused(format!(
                "the files have more than {} bytes",
                limits::TOTAL_BYTES
            )));
        }
        if self.files.len() >= limits::FILES {
            return Err(InstallError::refused(format!(
                "there are more than {} files",
                limits::FILES
            )));
        }
        self.name_folders(path.as_str())?;
        self.name(path.as_str(), true)?;
        self.files.insert(path.clone(), Bytes::new());
        Ok(path)
    }

    /// Adds a file whose content is known.
    pub(crate) fn add(&mut self, path: &str, bytes: Bytes) -> Result<(), InstallError> {
        let path = self.announce(path, bytes.len() as u64)?;
        self.fill(path, bytes);
        Ok(())
    }

    /// Sets the content of a file that was announced.
    pub(crate) fn fill(&mut self, path: ResourcePath, bytes: Bytes) {
        self.files.insert(path, bytes);
    }

    pub(crate) fn finish(self) -> FileTree {
        FileTree { files: self.files }
    }

    fn count(&mut self) -> Result<(), InstallError> {
        self.entries += 1;
        if self.entries > limits::ENTRIES {
            return Err(InstallError::refused(format!(
                "there are more than {} entries",
                limits::ENTRIES
            )));
        }
        Ok(())
    }

    fn name_folders(&mut self, path: &str) -> Result<(), InstallError> {
        for (at, _) in path.match_indices('/') {
            self.name(&path[..at], false)?;
        }
        Ok(())
    }

    fn name(&mut self, path: &str, is_file: bool) -> Result<(), InstallError> {
        let folded: String = path.nfkc().flat_map(char::to_lowercase).nfkc().collect();
        let refuse = |reason: String| Err(InstallError::refused(reason));
        match self.names.get(&folded) {
            Some(known) if known.spelled != path => refuse(format!(
                "`{}` and `{}` are one name on some file systems",
                shown(&known.spelled),
                shown(path)
            )),
            Some(known) if known.is_file && is_file => {
                refuse(format!("`{}` comes twice", shown(path)))
            }
            Some(known) if known.is_file != is_file => {
                refuse(format!("`{}` is a file and a folder", shown(path)))
            }
            Some(_) => Ok(()),
            None => {
                let spelled = path.to_owned();
                self.names.insert(folded, KnownName { spelled, is_file });
                Ok(())
            }
        }
    }
}

fn shown(path: &str) -> String {
    terminal_line(path).into_owned()
}

/// Checks that a path means the same file on every platform.
pub(crate) fn checked(path: &str) -> Result<ResourcePath, InstallError> {
    if path.len() > limits::PATH_BYTES {
        return Err(InstallError::refused(format!(
            "a path has {} bytes, expected at most {}",
            path.len(),
            limits::PATH_BYTES
        )));
    }
    let parsed =
        ResourcePath::new(path).map_err(|error| InstallError::refused(error.to_string()))?;
    if path.split('/').count() > limits::DEPTH {
        return Err(InstallError::refused(format!(
            "`{}` lies deeper than {} folders",
            shown(path),
            limits::DEPTH
        )));
    }
    match path.split('/').find_map(segment_fault) {
        None => Ok(parsed),
        Some(fault) => Err(InstallError::refused(format!(
            "`{}` is not a portable path: {fault}",
            shown(path)
        ))),
    }
}

/// Returns the reason why a file system may refuse a name, or read it as a different one.
pub(crate) fn segment_fault(segment: &str) -> Option<&'static str> {
    const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let stem = segment.split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_ascii_lowercase();
    let is_port = ["com", "lpt"].iter().any(|port| {
        stem.strip_prefix(port).is_some_and(|number| {
            let mut digits = number.chars();
            matches!(
                (digits.next(), digits.next()),
                (Some('0'..='9' | '¹' | '²' | '³'), None)
            )
        })
    });
    if segment.len() > limits::SEGMENT_BYTES {
        Some("a name is longer than 255 bytes")
    } else if RESERVED.contains(&stem.as_str()) || is_port {
        Some("Windows reserves the name")
    } else if segment.contains([':', '*', '?', '"', '<', '>', '|']) {
        Some("Windows does not allow one of the characters")
    } else if segment.ends_with('.') || segment.trim() != segment {
        Some("a name begins or ends with a blank, or ends with a dot")
    } else if !is_clean(segment) {
        Some("a name has hidden characters")
    } else {
        None
    }
}
