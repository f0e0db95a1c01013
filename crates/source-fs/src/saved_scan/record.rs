//! The record of one skill in a saved scan.

use std::path::Path;
use std::sync::Arc;

use repertoire_core::record::{ByteReader, RecordReader, RecordWriter};
use repertoire_core::{Diagnostic, Item, Skill, Stamp};

use crate::frontier::Reach;
use crate::pattern::FILE_NAME;
use crate::root::bytes;
use crate::skill_file::{ListedRow, SkillFile};
use crate::skill_path::SkillPath;
use crate::stamp::FileStamp;

/// The record of one skill, of which only the beginning is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SavedSkill<'a> {
    /// The position of its start in the plan.
    pub(crate) start: usize,
    /// `true` if its folder is where a search starts.
    pub(crate) is_search_root: bool,
    /// The real path of its folder, where that is not the path.
    real: Option<&'a [u8]>,
    is_outside: bool,
    file: [u64; FileStamp::WORDS],
    /// The version of the folder.
    pub(crate) folder: Stamp,
    /// The fingerprint of what was read.
    pub(crate) stamp: Stamp,
    contents: &'a [u8],
}

/// The state of a file that a record can have.
pub(super) struct SavedState<'f> {
    file: &'f SkillFile,
    path: &'f Arc<str>,
    real: Option<&'f str>,
    stamp: FileStamp,
    folder: Stamp,
    row: &'f ListedRow,
}

/// Returns the state of `file`, if nothing else than the file and its folder decides its state:
///
/// - it has a skill, which was read from this version, and not through a link,
/// - the file and the folder were too old to change again without a new stamp,
/// - the files beside it do not count.
pub(super) fn state_of(file: &SkillFile) -> Option<SavedState<'_>> {
    let SkillPath::Text(path) = &file.path else {
        return None;
    };
    let (stamp, row, folder) = (file.file?, file.row.as_ref()?, file.folder_version?);
    let real = match &file.reach.real {
        Some(real) => Some(real.to_str()?),
        None => None,
    };
    let real_file = real.map(|real| Path::new(real).join(FILE_NAME));
    let is_real =
        row.item.real_location().map(Path::new) == Some(real_file.as_deref().unwrap_or(&file.path));
    let is_of_version =
        file.stamp == Some(row.version) && row.stamp == row.version && !row.is_content_known();
    let is_decided = is_of_version
        && is_real
        && !file.reach.by_link
        && file.siblings.is_none()
        && file.file_name() == FILE_NAME;
    is_decided.then_some(SavedState {
        file,
        path,
        real,
        stamp,
        folder,
        row,
    })
}

impl SavedState<'_> {
    /// Returns the device that has the file.
    pub(super) fn device(&self) -> u64 {
        self.stamp.identity.device()
    }

    /// Returns the record, or `None` if a text is too long for one.
    pub(super) fn record(&self) -> Option<Vec<u8>> {
        let file = self.file;
        let mut bytes = Vec::with_capacity(512);
        put_count(&mut bytes, file.root)?;
        put_text(&mut bytes, self.path)?;
        put_count(&mut bytes, file.start)?;
        bytes.push(file.is_search_root.into());
        bytes.push(self.real.is_some().into());
        put_text(&mut bytes, self.real.unwrap_or_default())?;
        bytes.push(file.reach.is_outside.into());
        let stamps = [self.folder.bits(), self.row.version.bits()];
        for word in self.stamp.words().into_iter().chain(stamps) {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        let mut record = RecordWriter::default();
        self.row.item.write(&mut record);
        record.count(file.diagnostics.len());
        for diagnostic in &file.diagnostics {
            diagnostic.write(&mut record);
        }
        bytes.extend_from_slice(&record.finish());
        Some(bytes)
    }
}

impl<'a> SavedSkill<'a> {
    /// Reads the beginning of a record. Returns `None` for bytes that were not written as one.
    pub(super) fn read(bytes: &'a [u8]) -> Option<SavedSkill<'a>> {
        let mut rest = ByteReader(bytes);
        read_order(&mut rest)?;
        let start = rest.count()?;
        let is_search_root = rest.flag()?;
        let (has_real, real) = (rest.flag()?, rest.bytes()?);
        let is_outside = rest.flag()?;
        let mut file = [0; FileStamp::WORDS];
        for word in &mut file {
            *word = rest.number()?;
        }
        Some(SavedSkill {
            start,
            is_search_root,
            real: has_real.then_some(real),
            is_outside,
            file,
            folder: Stamp::from_bits(rest.number()?),
            stamp: Stamp::from_bits(rest.number()?),
            contents: rest.0,
        })
    }

    /// Returns the [order](SkillFile::order) of the file of a record, and reads nothing else of it.
    pub(super) fn order_of(bytes: &'a [u8]) -> Option<(usize, &'a [u8])> {
        read_order(&mut ByteReader(bytes))
    }

    /// Returns whether the walk reached the folder by this way.
    pub(crate) fn is_reached_by(&self, reach: &Reach) -> bool {
        !reach.by_link
            && reach.is_outside == self.is_outside
            && reach.real.as_deref().map(|real| bytes(real)) == self.real
    }

    /// Returns whether the file and its folder have these versions.
    pub(crate) fn has_versions(&self, file: &FileStamp, folder: &FileStamp) -> bool {
        self.file == file.words() && self.folder == Stamp::of(folder)
    }

    /// Returns the row and the diagnostics. `None` for bytes that were not written as these.
    pub(crate) fn contents(&self) -> Option<(ListedRow, Vec<Diagnostic>)> {
        let mut record = RecordReader::new(self.contents)?;
        let skill = Skill::read(&mut record)?;
        let count = record.count()?;
        let mut diagnostics = Vec::new();
        for _ in 0..count {
            diagnostics.push(Diagnostic::read(&mut record)?);
        }
        let row = ListedRow::new(skill, self.stamp);
        record.is_at_end().then_some((row, diagnostics))
    }
}

fn put_count(bytes: &mut Vec<u8>, count: usize) -> Option<()> {
    bytes.extend_from_slice(&u32::try_from(count).ok()?.to_le_bytes());
    Some(())
}

fn put_text(bytes: &mut Vec<u8>, text: &str) -> Option<()> {
    put_count(bytes, text.len())?;
    bytes.extend_from_slice(text.as_bytes());
    Some(())
}

fn read_order<'a>(bytes: &mut ByteReader<'a>) -> Option<(usize, &'a [u8])> {
    Some((bytes.count()?, bytes.bytes()?))
}
