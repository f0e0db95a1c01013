//! Reading files that strangers put there.

use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::path::Path;

use repertoire::skill_md::Limits;

/// The bytes of a regular file that is no larger than those that are listed; `None` for anything else.
///
/// Never waits: neither for the other end of a pipe nor for a device.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    let limit = Limits::default().file_bytes;
    let file = open(path).ok()?;
    file.metadata().ok().filter(Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= limit).then_some(bytes)
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        let flags = i32::try_from(flags.bits()).expect("open flags fit the type that open(2) takes");
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    options.open(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read_and_nothing_is_waited_for() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = |name| folder.path().join(name);
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), rustix::fs::FileType::Fifo, mode, 0).expect("a pipe");
        std::fs::write(path("large"), vec![b'a'; 1 + (1 << 20)]).expect("a file");
        std::fs::write(path("small"), "small").expect("a file");
        assert_eq!(read(&path("small")), Some(b"small".to_vec()));
        for other in ["pipe", "large", "none", "."] {
            assert_eq!(read(&path(other)), None, "{other}");
        }
    }
}
