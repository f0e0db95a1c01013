//! The limits of content from other people.
//!
//! They are those of a folder source, so that what is installed can be listed.

/// The bytes of an archive.
pub(crate) const ARCHIVE_BYTES: u64 = 64 << 20;

/// The bytes of one file.
pub(crate) const FILE_BYTES: u64 = 16 << 20;

/// The bytes of all files of an archive or a skill.
pub(crate) const TOTAL_BYTES: u64 = 256 << 20;

/// The files of an archive or a skill.
pub(crate) const FILES: usize = 10_000;

/// The entries that are visited to find them: files, folders, and what is left out.
pub(crate) const ENTRIES: usize = 100_000;

/// The skills of an index, a collection or a server.
pub(crate) const SKILLS: usize = 1_000;

/// The segments of a path.
pub(crate) const DEPTH: usize = 32;

/// The depth of the folder of a skill.
pub(crate) const SKILL_DEPTH: usize = 8;

/// The bytes of a path, and of one of its segments.
pub(crate) const PATH_BYTES: usize = 1024;
pub(crate) const SEGMENT_BYTES: usize = 255;

/// The unpacked bytes for each byte of an archive, above [`FREE_BYTES`]. Texts reach about 20.
pub(crate) const RATIO: u64 = 100;

/// The unpacked bytes below which the ratio does not matter.
pub(crate) const FREE_BYTES: u64 = 4 << 20;

/// The bytes of all downloads of one reference.
#[cfg(feature = "http")]
pub(crate) const DOWNLOAD_BYTES: u64 = 1 << 30;

/// The bytes of the packs of a fetched repository.
pub(crate) const REPOSITORY_BYTES: u64 = 1 << 30;

/// The bytes of the list of files of a commit.
pub(crate) const LIST_BYTES: u64 = 64 << 20;
