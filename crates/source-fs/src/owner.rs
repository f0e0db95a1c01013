//! The users who decide what a path is.

use std::path::Path;

/// Returns why a user other than this one and root decides what `path` is, in words that follow its name; `None` if none does.
///
/// That is so when it belongs to another user, or when every user may write to it. A link is judged itself.
#[cfg(unix)]
pub(crate) fn stranger(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;

    use crate::file_system::FileSystem;

    const WRITABLE_BY_ALL: u32 = 0o002;
    const ROOT: u32 = 0;
    let metadata = path.symlink_metadata().ok()?;
    let owner = metadata.uid();
    if owner != ROOT && owner != rustix::process::geteuid().as_raw() {
        return Some(format!("belongs to another user ({owner})"));
    }
    // Modes on a remote file system are those of its server, or made up: folders of Windows show as writable by all.
    let is_writable = !metadata.is_symlink() && metadata.mode() & WRITABLE_BY_ALL != 0;
    let is_stranger = is_writable && !matches!(FileSystem::of(path), FileSystem::Remote(_));
    is_stranger.then(|| "can be written by every user".to_owned())
}

/// Returns `None`: owners are only compared on Unix.
#[cfg(not(unix))]
pub(crate) fn stranger(_path: &Path) -> Option<String> {
    None
}
