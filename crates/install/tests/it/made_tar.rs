//! Tar archives, with every field open to lies.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Returns one entry: a header, the data, and zeros up to the next block.
pub(crate) fn entry(name: impl AsRef<[u8]>, kind: u8, data: impl AsRef<[u8]>) -> Vec<u8> {
    let data = data.as_ref();
    sized_entry(name, kind, data, format!("{:011o}\0", data.len()))
}

/// Returns one entry whose header states the size as 12 bytes.
pub(crate) fn sized_entry(
    name: impl AsRef<[u8]>,
    kind: u8,
    data: impl AsRef<[u8]>,
    size: impl AsRef<[u8]>,
) -> Vec<u8> {
    let mut header = vec![0; 512];
    let (name, data) = (name.as_ref(), data.as_ref());
    header[..name.len()].copy_from_slice(name);
    header[100..108].copy_from_slice(b"0000644\0");
    header[124..136].copy_from_slice(size.as_ref());
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    let mut bytes = with_sum(header);
    bytes.extend(data);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

pub(crate) fn with_sum(mut header: Vec<u8>) -> Vec<u8> {
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// Returns an archive of entries, with its end.
pub(crate) fn tar(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = entries.concat();
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory is writable");
    encoder.finish().expect("memory is writable")
}

/// Returns a pax record.
pub(crate) fn record(key: &str, value: &str) -> Vec<u8> {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}").into_bytes()
}
