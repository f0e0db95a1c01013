//! A strict reader of tar archives: ustar, with long names of pax and GNU.

use bytes::Bytes;

use crate::file_tree::{FileTree, TreeBuilder};
use crate::install_error::InstallError;
use crate::limits;

const BLOCK: usize = 512;

/// The bytes of an extension header.
const EXTENSION_BYTES: u64 = 64 << 10;

pub(crate) fn is_tar(archive: &[u8]) -> bool {
    archive.get(257..262) == Some(b"ustar")
}

/// Reads every entry. Owners, times and modes are ignored.
pub(super) fn read(archive: &Bytes) -> Result<FileTree, InstallError> {
    let mut reader = TarReader {
        archive,
        at: 0,
        long_name: None,
        tree: TreeBuilder::default(),
    };
    while reader.read_entry()? {}
    Ok(reader.tree.finish())
}

struct TarReader<'a> {
    archive: &'a Bytes,
    at: usize,
    /// The name of the next entry, if an extension gave one.
    long_name: Option<String>,
    tree: TreeBuilder,
}

impl TarReader<'_> {
    /// Reads the next entry; returns `false` at the end of the archive.
    fn read_entry(&mut self) -> Result<bool, InstallError> {
        let header = self.take(BLOCK)?;
        if header.iter().all(|byte| *byte == 0) {
            return self.end();
        }
        check_sum(&header)?;
        if !is_tar(&header) {
            return Err(InstallError::refused("the tar archive has an old format")
                .help("pack it with a current `tar`"));
        }
        let size = octal(&header[124..136])?;
        match header[156] {
            b'0' | 0 => {
                let name = self.name(&header)?;
                let path = self.tree.announce(&name, size)?;
                let bytes = self.content(size)?;
                self.tree.fill(path, bytes);
            }
            b'5' => self.read_folder(&header, size)?,
            b'x' => {
                let name = pax_path(&self.extension(size)?)?;
                self.extend(name)?;
            }
            // `git archive` writes a comment.
            b'g' => {
                if pax_path(&self.extension(size)?)?.is_some() {
                    return Err(InstallError::refused("a global header sets a path"));
                }
            }
            b'L' => {
                let name = self.extension(size)?;
                let name = text(name.strip_suffix(b"\0").unwrap_or(&name))?;
                self.extend(Some(name))?;
            }
            kind => return Err(refuse_kind(kind)),
        }
        Ok(true)
    }

    fn read_folder(&mut self, header: &[u8], size: u64) -> Result<(), InstallError> {
        let name = self.name(header)?;
        if size != 0 {
            return Err(InstallError::refused("a folder in the archive has a size"));
        }
        match name.strip_suffix('/').unwrap_or(&name) {
            "" | "." => Ok(()),
            name => self.tree.folder(name),
        }
    }

    /// Returns the name of an entry, without the `./` that `tar` writes before names.
    fn name(&mut self, header: &[u8]) -> Result<String, InstallError> {
        let name = match self.long_name.take() {
            Some(name) => name,
            None => {
                let name = text(until_nul(&header[..100]))?;
                // GNU uses the bytes of the prefix for times.
                let prefix = match &header[257..263] {
                    b"ustar\0" => text(until_nul(&header[345..500]))?,
                    _ => String::new(),
                };
                match prefix.is_empty() {
                    true => name,
                    false => format!("{prefix}/{name}"),
                }
            }
        };
        Ok(name.strip_prefix("./").unwrap_or(&name).to_owned())
    }

    fn extend(&mut self, name: Option<String>) -> Result<(), InstallError> {
        if name.is_some() && self.long_name.is_some() {
            return Err(InstallError::refused("an entry has two long names"));
        }
        self.long_name = name.or(self.long_name.take());
        Ok(())
    }

    fn extension(&mut self, size: u64) -> Result<Bytes, InstallError> {
        if size > EXTENSION_BYTES {
            return Err(InstallError::refused(format!(
                "a header in the archive has {size} bytes"
            )));
        }
        self.content(size)
    }

    fn content(&mut self, size: u64) -> Result<Bytes, InstallError> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let content = self.take(size)?;
        let padding = self.take(size.next_multiple_of(BLOCK) - size)?;
        match padding.iter().all(|byte| *byte == 0) {
            true => Ok(content),
            false => Err(InstallError::refused("data is hidden behind a file")),
        }
    }

    fn take(&mut self, size: usize) -> Result<Bytes, InstallError> {
        let end = self.at.checked_add(size);
        let end = end.filter(|end| *end <= self.archive.len());
        let end = end.ok_or_else(|| InstallError::refused("the archive is truncated"))?;
        let taken = self.archive.slice(self.at..end);
        self.at = end;
        Ok(taken)
    }

    fn end(&mut self) -> Result<bool, InstallError> {
        if self.long_name.is_some() {
            return Err(InstallError::refused("a long name has no entry"));
        }
        match self.archive[self.at..].iter().all(|byte| *byte == 0) {
            true => Ok(false),
            false => Err(InstallError::refused("data follows the end of the archive")),
        }
    }
}

fn refuse_kind(kind: u8) -> InstallError {
    let what = match kind {
        b'1' => "a hard link",
        b'2' => "a symbolic link",
        b'3' | b'4' => "a device",
        b'6' => "a pipe",
        b'S' => "a sparse file",
        b'K' => "a link with a long name",
        _ => "an entry of an unknown kind",
    };
    InstallError::refused(format!("the archive holds {what}"))
        .help("replace it with a regular file")
}

fn check_sum(header: &[u8]) -> Result<(), InstallError> {
    let stated = octal(&header[148..156])?;
    // The bytes of the sum itself count as blanks.
    let others = header[..148].iter().chain(&header[156..]);
    let sum: u64 = others.map(|byte| u64::from(*byte)).sum::<u64>() + 8 * u64::from(b' ');
    match sum == stated {
        true => Ok(()),
        false => Err(InstallError::refused("a tar header has a wrong checksum")),
    }
}

/// Parses a number. Numbers in base 256 are over every limit.
fn octal(field: &[u8]) -> Result<u64, InstallError> {
    let digits = std::str::from_utf8(field).map_err(|_| invalid_number())?;
    let digits = digits.trim_matches([' ', '\0']);
    if digits.is_empty() {
        return Ok(0);
    }
    if !digits.bytes().all(|digit| (b'0'..=b'7').contains(&digit)) {
        return Err(invalid_number());
    }
    u64::from_str_radix(digits, 8).map_err(|_| invalid_number())
}

fn invalid_number() -> InstallError {
    InstallError::refused("a tar header has an invalid number")
}

fn invalid_pax() -> InstallError {
    InstallError::refused("a pax header is invalid")
}

fn until_nul(field: &[u8]) -> &[u8] {
    field.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn text(bytes: &[u8]) -> Result<String, InstallError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(_) => Err(InstallError::refused("a name in the archive is not UTF-8")),
    }
}

/// Returns the `path` of pax records.
///
/// A record that changes the size or the target of an entry is refused, since readers disagree about it.
fn pax_path(records: &[u8]) -> Result<Option<String>, InstallError> {
    let (mut rest, mut path) = (records, None);
    while !rest.is_empty() {
        let blank = rest.iter().position(|byte| *byte == b' ');
        let blank = blank.ok_or_else(invalid_pax)?;
        let length = std::str::from_utf8(&rest[..blank]).map_err(|_| invalid_pax())?;
        let length: usize = length.parse().map_err(|_| invalid_pax())?;
        if length <= blank + 1 || length > rest.len() {
            return Err(invalid_pax());
        }
        let record = rest[blank + 1..length].strip_suffix(b"\n");
        let record = record.ok_or_else(invalid_pax)?;
        let equals = record.iter().position(|byte| *byte == b'=');
        let equals = equals.ok_or_else(invalid_pax)?;
        let (key, value) = (&record[..equals], &record[equals + 1..]);
        match key {
            b"path" if path.is_some() || value.len() > limits::PATH_BYTES => {
                return Err(invalid_pax());
            }
            b"path" => path = Some(text(value)?),
            b"size" | b"linkpath" | b"hdrcharset" | b"charset" => return Err(invalid_pax()),
            key if key.starts_with(b"GNU.sparse") => return Err(refuse_kind(b'S')),
            _ => {}
        }
        rest = &rest[length..];
    }
    Ok(path)
}
