//! Zip archives, with every field open to lies.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

/// An entry of a zip archive.
#[derive(Debug, Clone)]
pub(crate) struct ZipEntry {
    pub(crate) name: Vec<u8>,
    /// The name in the local header.
    pub(crate) local_name: Vec<u8>,
    /// The packed data.
    pub(crate) data: Vec<u8>,
    pub(crate) size: u32,
    pub(crate) crc: u32,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) mode: u32,
    pub(crate) extra: Vec<u8>,
    pub(crate) descriptor: Vec<u8>,
    /// Bytes before the local header.
    pub(crate) gap: Vec<u8>,
    /// The size in the local header.
    pub(crate) local_size: u32,
}

impl ZipEntry {
    /// Creates a stored entry.
    pub(crate) fn new(name: impl AsRef<[u8]>, data: impl AsRef<[u8]>) -> ZipEntry {
        let (name, data) = (name.as_ref().to_vec(), data.as_ref().to_vec());
        let size = u32::try_from(data.len()).expect("tests are small");
        ZipEntry {
            local_name: name.clone(),
            flags: if name.is_ascii() { 0 } else { 1 << 11 },
            crc: crc(&data),
            size,
            local_size: size,
            method: 0,
            mode: 0o100644,
            extra: Vec::new(),
            descriptor: Vec::new(),
            gap: Vec::new(),
            name,
            data,
        }
    }

    pub(crate) fn deflated(name: &str, data: impl AsRef<[u8]>) -> ZipEntry {
        let plain = ZipEntry::new(name, data);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&plain.data).expect("memory is writable");
        let data = encoder.finish().expect("memory is writable");
        ZipEntry {
            method: 8,
            data,
            ..plain
        }
    }

    fn local(&self) -> Vec<u8> {
        let mut bytes = self.gap.clone();
        bytes.extend(b"PK\x03\x04");
        push16(&mut bytes, &[20, self.flags, self.method, 0, 0]);
        let packed = u32::try_from(self.data.len()).expect("tests are small");
        match self.flags & 1 << 3 {
            0 => push32(&mut bytes, &[self.crc, packed, self.local_size]),
            _ => push32(&mut bytes, &[0, 0, 0]),
        }
        push16(&mut bytes, &[length(&self.local_name), length(&self.extra)]);
        bytes.extend(&self.local_name);
        bytes.extend(&self.extra);
        bytes.extend(&self.data);
        bytes.extend(&self.descriptor);
        bytes
    }

    fn central(&self, offset: u32) -> Vec<u8> {
        let mut bytes = b"PK\x01\x02".to_vec();
        push16(
            &mut bytes,
            &[3 << 8 | 20, 20, self.flags, self.method, 0, 0],
        );
        let packed = u32::try_from(self.data.len()).expect("tests are small");
        push32(&mut bytes, &[self.crc, packed, self.size]);
        push16(
            &mut bytes,
            &[length(&self.name), length(&self.extra), 0, 0, 0],
        );
        push32(&mut bytes, &[self.mode << 16, offset]);
        bytes.extend(&self.name);
        bytes.extend(&self.extra);
        bytes
    }
}

/// Returns the archive of these entries.
pub(crate) fn zip(entries: &[ZipEntry]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = u32::try_from(bytes.len() + entry.gap.len()).expect("tests are small");
        bytes.extend(entry.local());
        directory.extend(entry.central(offset));
    }
    finish(bytes, &directory, entries.len())
}

/// Returns an archive in which two entries share the data of the first one.
pub(crate) fn zip_with_overlap(first: &ZipEntry, second: &ZipEntry) -> Vec<u8> {
    let bytes = first.local();
    let directory = [first.central(0), second.central(0)].concat();
    finish(bytes, &directory, 2)
}

/// Adds the directory and the end.
pub(crate) fn finish(mut bytes: Vec<u8>, directory: &[u8], count: usize) -> Vec<u8> {
    let start = u32::try_from(bytes.len()).expect("tests are small");
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06");
    let count = u16::try_from(count).expect("tests are small");
    push16(&mut bytes, &[0, 0, count, count]);
    let size = u32::try_from(directory.len()).expect("tests are small");
    push32(&mut bytes, &[size, start]);
    push16(&mut bytes, &[0]);
    bytes
}

pub(crate) fn crc(data: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(data);
    crc.sum()
}

fn length(bytes: &[u8]) -> u16 {
    u16::try_from(bytes.len()).expect("tests are small")
}

fn push16(bytes: &mut Vec<u8>, fields: &[u16]) {
    bytes.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
}

fn push32(bytes: &mut Vec<u8>, fields: &[u32]) {
    bytes.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
}
