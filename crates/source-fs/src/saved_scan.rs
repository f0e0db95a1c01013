//! The result of a scan in a file, which spares the next process reading unchanged skills.
//!
//! `docs/decisions/0038-saved-scans.md` describes the format and when a record is trusted.

mod record;
mod saving;
mod store;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use repertoire_core::Stamp;

pub(crate) use record::SavedSkill;
use record::SavedState;
pub(crate) use store::ScanStore;
pub use store::remove_saved_scans;

/// The first bytes of a file, with the version of the format.
const MAGIC: [u8; 8] = *b"rprtscn1";

/// The bytes ahead of the checksummed ones: the magic bytes and the checksum.
const HEADER: usize = 16;

/// The largest file that is written or read, in bytes: some hundred thousand skills.
const MAX_BYTES: u64 = 512 << 20;

/// The skills of an earlier process, in the order of skills.
///
/// Nothing but the checksum is checked at first. A record is read when its skill is found in the tree.
#[derive(Debug)]
pub(crate) struct SavedScan {
    bytes: Vec<u8>,
    count: usize,
    /// The number of records that were as the tree has them.
    reused: AtomicUsize,
}

/// The reason why the bytes of a file are not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SavedScanFault {
    /// They are cut off, changed, or of a different program.
    Damaged,
    /// They were written later than now, so the clock was set back.
    InTheFuture,
}

impl SavedScanFault {
    pub(crate) fn message(self) -> &'static str {
        match self {
            SavedScanFault::Damaged => "it is damaged, or of a different program",
            SavedScanFault::InTheFuture => "it was written in the future; the clock was set back",
        }
    }
}

impl SavedScan {
    /// Reads the bytes of a file at the time `now`.
    pub(crate) fn read(bytes: Vec<u8>, now: SystemTime) -> Result<SavedScan, SavedScanFault> {
        let (scan, written) = SavedScan::parse(bytes).ok_or(SavedScanFault::Damaged)?;
        if written > now {
            return Err(SavedScanFault::InTheFuture);
        }
        Ok(scan)
    }

    fn parse(bytes: Vec<u8>) -> Option<(SavedScan, SystemTime)> {
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (checksum, content) = rest.split_first_chunk::<8>()?;
        if Stamp::of(content).bits() != u64::from_le_bytes(*checksum) {
            return None;
        }
        let (nanoseconds, rest) = content.split_first_chunk::<8>()?;
        let (count, rest) = rest.split_first_chunk::<4>()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let written = Duration::from_nanos(u64::from_le_bytes(*nanoseconds));
        let written = SystemTime::UNIX_EPOCH.checked_add(written)?;
        // Four bytes for the offset of each record, from the first byte of the file.
        if rest.len() / 4 < count {
            return None;
        }
        let scan = SavedScan {
            bytes,
            count,
            reused: AtomicUsize::new(0),
        };
        Some((scan, written))
    }

    /// Returns the bytes of a file with `states`, which are in the order of their files.
    fn write(states: &[SavedState<'_>], written: SystemTime) -> Option<Vec<u8>> {
        let records = states.iter().filter_map(SavedState::record);
        let records: Vec<Vec<u8>> = records.collect();
        let start = HEADER + 12 + 4 * records.len();
        let total = start + records.iter().map(Vec::len).sum::<usize>();
        if total as u64 > MAX_BYTES {
            return None;
        }
        let nanoseconds = written.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let mut bytes = Vec::with_capacity(total);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[0; 8]);
        let nanoseconds = u64::try_from(nanoseconds.as_nanos()).ok()?;
        bytes.extend_from_slice(&nanoseconds.to_le_bytes());
        bytes.extend_from_slice(&u32::try_from(records.len()).ok()?.to_le_bytes());
        let mut offset = start;
        for record in &records {
            bytes.extend_from_slice(&u32::try_from(offset).ok()?.to_le_bytes());
            offset += record.len();
        }
        records
            .iter()
            .for_each(|record| bytes.extend_from_slice(record));
        let checksum = Stamp::of(&bytes[HEADER..]).bits();
        bytes[MAGIC.len()..HEADER].copy_from_slice(&checksum.to_le_bytes());
        Some(bytes)
    }

    /// Returns the record of the file of this [order](SkillFile::order).
    pub(crate) fn find(&self, order: (usize, &[u8])) -> Option<SavedSkill<'_>> {
        let (mut first, mut end) = (0, self.count);
        while first < end {
            let middle = first + (end - first) / 2;
            let record = self.bytes_of(middle)?;
            match SavedSkill::order_of(record)?.cmp(&order) {
                std::cmp::Ordering::Less => first = middle + 1,
                std::cmp::Ordering::Equal => return SavedSkill::read(record),
                std::cmp::Ordering::Greater => end = middle,
            }
        }
        None
    }

    fn bytes_of(&self, at: usize) -> Option<&[u8]> {
        let end = if at + 1 < self.count {
            self.offset(at + 1)?
        } else {
            self.bytes.len()
        };
        self.bytes.get(self.offset(at)?..end)
    }

    fn offset(&self, at: usize) -> Option<usize> {
        let place = HEADER + 12 + 4 * at;
        let offset = self.bytes.get(place..place + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(offset)).ok()
    }

    pub(crate) fn count_reused(&self) {
        self.reused.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether it is as good as a new file with `count` records.
    ///
    /// Reading one file in 64 again costs less than writing all records.
    fn is_nearly(&self, count: usize) -> bool {
        let reused = self.reused.load(Ordering::Relaxed);
        count.saturating_sub(reused) <= count / 64 && self.count.saturating_sub(reused) <= reused
    }
}

/// Reads any bytes as a file, with and without a valid checksum: for tests and fuzzing.
#[cfg(any(test, fuzzing))]
#[allow(unreachable_pub, reason = "public for fuzzing alone")]
pub fn read_any(bytes: &[u8]) {
    let mut checked = MAGIC.to_vec();
    checked.extend_from_slice(&Stamp::of(bytes).bits().to_le_bytes());
    checked.extend_from_slice(bytes);
    let far = SystemTime::UNIX_EPOCH + Duration::from_nanos(u64::MAX);
    for bytes in [bytes.to_vec(), checked] {
        let Ok(scan) = SavedScan::read(bytes, far) else {
            continue;
        };
        for record in (0..scan.count).filter_map(|at| scan.bytes_of(at)) {
            let _ = SavedSkill::order_of(record).and_then(|order| scan.find(order));
            let _ = SavedSkill::read(record).and_then(|record| record.contents());
        }
    }
}
