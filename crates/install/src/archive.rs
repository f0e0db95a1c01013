//! Archives, which are hostile until every entry is checked.

mod tar_reader;
mod zip_reader;

use std::io::Read;

use bytes::Bytes;
use flate2::bufread::GzDecoder;

#[cfg(feature = "http")]
pub(crate) use tar_reader::is_tar;

use crate::file_tree::FileTree;
use crate::install_error::InstallError;
use crate::limits;

/// Unpacks a zip, `.tar` or `.tar.gz` archive in memory. The format is that of its first bytes.
///
/// A folder that holds everything is removed from the paths. Limits: 64 MiB packed, 256 MiB unpacked, 16 MiB for each file,
/// 10,000 files, 32 folders deep, and 100 unpacked bytes for each packed byte above 4 MiB.
///
/// # Errors
/// [`Refused`](crate::InstallErrorKind::Refused) for every archive that tools may read in different ways, or that is unsafe:
///
/// - absolute paths, `..`, backslashes, drive letters, hidden characters, and names that are not UTF-8;
/// - links, devices, pipes, sparse files and encrypted files;
/// - names that come twice, or differ only in letter case or composition;
/// - data before, between or behind the entries, and headers that contradict each other;
/// - several files or folders at the top, without a `SKILL.md` among them;
/// - what exceeds a limit.
pub fn unpack(archive: &[u8]) -> Result<FileTree, InstallError> {
    one_root(unpack_all(archive)?)
}

/// Unpacks an archive as [`unpack`] does, with every folder at the top.
pub(crate) fn unpack_all(archive: &[u8]) -> Result<FileTree, InstallError> {
    if archive.len() as u64 > limits::ARCHIVE_BYTES {
        return Err(InstallError::refused(format!(
            "the archive has {} bytes, expected at most {}",
            archive.len(),
            limits::ARCHIVE_BYTES
        )));
    }
    if archive.starts_with(b"PK") {
        zip_reader::read(archive)
    } else if archive.starts_with(&[0x1f, 0x8b]) {
        tar_reader::read(&inflate(archive)?)
    } else if tar_reader::is_tar(archive) {
        tar_reader::read(&Bytes::copy_from_slice(archive))
    } else {
        Err(
            InstallError::refused("it is not a zip, tar or tar.gz archive")
                .help("pack the folder of the skill with `zip -r` or `tar czf`"),
        )
    }
}

/// Returns an error if an archive of `packed` bytes that unpacks to `unpacked` bytes is a bomb.
fn check_ratio(packed: u64, unpacked: u64) -> Result<(), InstallError> {
    let most = limits::FREE_BYTES.max(packed.saturating_mul(limits::RATIO));
    if unpacked > most {
        return Err(InstallError::refused(format!(
            "the archive unpacks to more than {} times its size",
            limits::RATIO
        )));
    }
    Ok(())
}

fn inflate(archive: &[u8]) -> Result<Bytes, InstallError> {
    // Headers and padding of a tar archive come on top of its files.
    let most = limits::TOTAL_BYTES + (limits::ENTRIES as u64) * 1024;
    let most = most.min(limits::FREE_BYTES.max(archive.len() as u64 * limits::RATIO));
    let mut decoder = GzDecoder::new(archive);
    let mut unpacked = Vec::new();
    let read = decoder.by_ref().take(most + 1).read_to_end(&mut unpacked);
    read.map_err(|error| InstallError::io("the archive is not valid gzip", error).refuse())?;
    if unpacked.len() as u64 > most {
        check_ratio(archive.len() as u64, unpacked.len() as u64)?;
        return Err(InstallError::refused(format!(
            "the archive unpacks to more than {most} bytes"
        )));
    }
    match decoder.into_inner() {
        [] => Ok(unpacked.into()),
        _ => Err(InstallError::refused("data follows the end of the archive")),
    }
}

/// Removes the only folder at the top, unless a skill is at the top.
fn one_root(tree: FileTree) -> Result<FileTree, InstallError> {
    if tree.get("SKILL.md").is_some() {
        return Ok(tree);
    }
    let (tree, _) = tree.without_apart();
    let mut roots = tree.files().map(|(path, _)| path.as_str().split_once('/'));
    let Some(first) = roots.next() else {
        return Err(InstallError::refused("the archive holds no files"));
    };
    match first {
        Some((root, _)) if roots.all(|other| other.is_some_and(|(name, _)| name == root)) => {
            Ok(tree.below(root))
        }
        _ => Err(InstallError::refused("the archive has several roots")
            .help("expected a `SKILL.md` at the top, or one folder that holds everything")),
    }
}
