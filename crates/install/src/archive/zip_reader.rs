//! A strict reader of zip archives: the central directory and the local headers must agree.

use std::io::Read;
use std::ops::Range;

use bytes::Bytes;
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use repertoire_core::text::terminal_line;

use super::check_ratio;
use crate::file_tree::{FileTree, TreeBuilder};
use crate::install_error::InstallError;

const END: &[u8] = b"PK\x05\x06";
const CENTRAL: &[u8] = b"PK\x01\x02";
const LOCAL: &[u8] = b"PK\x03\x04";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
const END_LENGTH: usize = 22;
const CENTRAL_LENGTH: usize = 46;
const LOCAL_LENGTH: usize = 30;

const IS_ENCRYPTED: u16 = 1 | 1 << 6 | 1 << 13;
/// The sizes of the local header follow the data.
const HAS_DESCRIPTOR: u16 = 1 << 3;
const IS_UTF8: u16 = 1 << 11;

pub(super) fn read(archive: &[u8]) -> Result<FileTree, InstallError> {
    let (directory, count) = central_directory(archive)?;
    let mut entries = Vec::new();
    let mut rest = &archive[directory.clone()];
    for _ in 0..count {
        entries.push(ZipRecord::parse(&mut rest)?);
    }
    if !rest.is_empty() {
        return Err(refused("the zip directory has a wrong length"));
    }
    let unpacked: u64 = entries.iter().map(|entry| u64::from(entry.size)).sum();
    check_ratio(archive.len() as u64, unpacked)?;
    // In the order of the data, gaps and overlaps are visible.
    entries.sort_by_key(|entry| entry.offset);
    let mut tree = TreeBuilder::default();
    let mut end = 0;
    for entry in &entries {
        end = entry.unpack(&archive[..directory.start], end, &mut tree)?;
    }
    match end == directory.start {
        true => Ok(tree.finish()),
        false => Err(hidden_data()),
    }
}

fn refused(message: &str) -> InstallError {
    InstallError::refused(message)
}

fn hidden_data() -> InstallError {
    refused("data is hidden between the entries of the zip archive")
}

/// Returns the place of the central directory, and the number of its entries.
fn central_directory(archive: &[u8]) -> Result<(Range<usize>, usize), InstallError> {
    let last = archive.len().checked_sub(END_LENGTH);
    let last = last.ok_or_else(|| refused("the zip archive is truncated"))?;
    let first = last.saturating_sub(usize::from(u16::MAX));
    let mut ends = (first..=last).filter(|at| {
        archive[*at..].starts_with(END)
            && at + END_LENGTH + usize::from(u16_at(archive, at + 20)) == archive.len()
    });
    let end = ends.next();
    let end = end.ok_or_else(|| refused("the zip archive has no end, or data follows it"))?;
    if ends.next().is_some() {
        return Err(refused("the zip archive has two ends"));
    }
    let disks = [4, 6].map(|field| u16_at(archive, end + field));
    let [here, count] = [8, 10].map(|field| u16_at(archive, end + field));
    let [length, start] = [12, 16].map(|field| u32_at(archive, end + field));
    if count == u16::MAX || length == u32::MAX || start == u32::MAX {
        return Err(
            refused("the archive has the format zip64").help("pack fewer and smaller files")
        );
    }
    if disks != [0, 0] || here != count {
        return Err(refused("the zip archive has several parts"));
    }
    let (start, length) = (start as usize, length as usize);
    match start.checked_add(length) == Some(end) {
        true => Ok((start..end, usize::from(count))),
        false => Err(refused(
            "the zip archive has data before its start or its end",
        )),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// An entry of the central directory.
struct ZipRecord<'a> {
    name: &'a str,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u32,
    size: u32,
    offset: u32,
}

impl<'a> ZipRecord<'a> {
    fn parse(rest: &mut &'a [u8]) -> Result<ZipRecord<'a>, InstallError> {
        let header = *rest;
        if header.len() < CENTRAL_LENGTH || !header.starts_with(CENTRAL) {
            return Err(refused("an entry of the zip directory is missing"));
        }
        let lengths = [28, 30, 32].map(|at| usize::from(u16_at(header, at)));
        let end = CENTRAL_LENGTH + lengths.iter().sum::<usize>();
        if end > header.len() {
            return Err(refused("an entry of the zip directory is truncated"));
        }
        let name_end = CENTRAL_LENGTH + lengths[0];
        let name = &header[CENTRAL_LENGTH..name_end];
        check_extra(&header[name_end..name_end + lengths[1]], name)?;
        let entry = ZipRecord {
            flags: u16_at(header, 8),
            method: u16_at(header, 10),
            crc: u32_at(header, 16),
            packed: u32_at(header, 20),
            size: u32_at(header, 24),
            offset: u32_at(header, 42),
            name: std::str::from_utf8(name)
                .map_err(|_| refused("a name in the archive is not UTF-8"))?,
        };
        // The upper half holds the mode, if the archive was made on Unix.
        entry.check(u32_at(header, 38) >> 16)?;
        *rest = &header[end..];
        Ok(entry)
    }

    fn check(&self, mode: u32) -> Result<(), InstallError> {
        if !self.name.is_ascii() && self.flags & IS_UTF8 == 0 {
            return Err(self
                .refuse("has a name in an unknown encoding")
                .help("pack it with a tool that marks names as UTF-8"));
        }
        if self.flags & IS_ENCRYPTED != 0 {
            return Err(self.refuse("is encrypted"));
        }
        if ![0, 8].contains(&self.method) {
            let error = self.refuse("is packed in an unknown way");
            return Err(error.help("pack it with the method `deflate`"));
        }
        match mode & 0o170000 {
            0 => Ok(()),
            0o100000 if !self.is_folder() => Ok(()),
            0o040000 if self.is_folder() => Ok(()),
            0o120000 => Err(self.refuse("is a symbolic link")),
            _ => Err(self.refuse("is neither a file nor a folder")),
        }
    }

    fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }

    fn refuse(&self, what: &str) -> InstallError {
        InstallError::refused(format!("`{}` {what}", terminal_line(self.name)))
    }

    /// Unpacks the entry, whose data begins at `start`, and returns the end of its data.
    fn unpack(
        &self,
        archive: &[u8],
        start: usize,
        tree: &mut TreeBuilder,
    ) -> Result<usize, InstallError> {
        let at = self.offset as usize;
        if at != start {
            return Err(hidden_data());
        }
        let header = archive.get(at..).unwrap_or_default();
        if header.len() < LOCAL_LENGTH || !header.starts_with(LOCAL) {
            return Err(self.refuse("has no data"));
        }
        let name_end = LOCAL_LENGTH + usize::from(u16_at(header, 26));
        let data = name_end + usize::from(u16_at(header, 28));
        let end = data + self.packed as usize;
        if end > header.len() {
            return Err(self.refuse("is truncated"));
        }
        let sizes = [14, 18, 22].map(|field| u32_at(header, field));
        let has_descriptor = self.flags & HAS_DESCRIPTOR != 0;
        let is_same = &header[LOCAL_LENGTH..name_end] == self.name.as_bytes()
            && u16_at(header, 6) == self.flags
            && u16_at(header, 8) == self.method
            && (sizes == [self.crc, self.packed, self.size] || has_descriptor && sizes == [0; 3]);
        if !is_same {
            return Err(self.refuse("has two headers that contradict each other"));
        }
        check_extra(&header[name_end..data], self.name.as_bytes())?;
        if self.is_folder() {
            if self.size != 0 {
                return Err(self.refuse("is a folder with a size"));
            }
            tree.folder(self.name.strip_suffix('/').unwrap_or(self.name))?;
        } else {
            let path = tree.announce(self.name, u64::from(self.size))?;
            tree.fill(path, self.inflate(&header[data..end])?);
        }
        let descriptor = match has_descriptor {
            true => self.descriptor(&header[end..]).ok_or_else(hidden_data)?,
            false => 0,
        };
        Ok(at + end + descriptor)
    }

    /// Returns the length of the descriptor at the beginning of `rest`, with or without its signature.
    fn descriptor(&self, rest: &[u8]) -> Option<usize> {
        let fields = [self.crc, self.packed, self.size].map(u32::to_le_bytes);
        let plain = fields.concat();
        let signed = [DESCRIPTOR, &plain].concat();
        [signed, plain]
            .iter()
            .find(|descriptor| rest.starts_with(descriptor))
            .map(Vec::len)
    }

    fn inflate(&self, data: &[u8]) -> Result<Bytes, InstallError> {
        let mut bytes = Vec::new();
        if self.method == 0 {
            bytes.extend_from_slice(data);
        } else {
            let mut decoder = DeflateDecoder::new(data);
            let most = u64::from(self.size) + 1;
            let read = decoder.by_ref().take(most).read_to_end(&mut bytes);
            read.map_err(|error| InstallError::io("the zip archive is invalid", error).refuse())?;
            if !decoder.into_inner().is_empty() {
                return Err(self.refuse("is larger than stated, or followed by data"));
            }
        }
        let mut crc = Crc::new();
        crc.update(&bytes);
        if bytes.len() != self.size as usize {
            return Err(self.refuse("has a different size than stated"));
        }
        match crc.sum() == self.crc {
            true => Ok(bytes.into()),
            false => Err(self.refuse("differs from its checksum")),
        }
    }
}

/// Refuses an extra field that gives the entry a different name or size.
fn check_extra(mut extra: &[u8], name: &[u8]) -> Result<(), InstallError> {
    const ZIP64: u16 = 0x0001;
    const UNICODE_PATH: u16 = 0x7075;
    while extra.len() >= 4 {
        let (kind, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let Some(field) = extra.get(4..4 + length) else {
            break;
        };
        let is_other = match kind {
            ZIP64 => true,
            // A version and a checksum come before the name.
            UNICODE_PATH => field.get(5..) != Some(name),
            _ => false,
        };
        if is_other {
            return Err(refused(
                "an extra field of a zip entry changes its name or size",
            ));
        }
        extra = &extra[4 + length..];
    }
    Ok(())
}
