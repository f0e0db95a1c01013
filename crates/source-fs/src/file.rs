//! Opening paths that may not be files.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

#[cfg(unix)]
pub(crate) fn careful_flags() -> i32 {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    i32::try_from(flags.bits()).expect("open flags fit the type that open(2) takes")
}

/// Opens `path` for reading, whatever it is, without blocking. Links are followed.
pub(crate) fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, careful_flags());
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    Ok((file, metadata))
}

pub(crate) fn what(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_dir() {
        return "a folder";
    } else if kind.is_file() {
        return "a file";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        } else if kind.is_socket() {
            return "a socket";
        } else if kind.is_block_device() || kind.is_char_device() {
            return "a device";
        }
    }
    "something that is not a regular file"
}

pub(crate) fn cause(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::NotFound => "no such file or folder".into(),
        _ => {
            let text = error.to_string();
            let mut chars = text.chars();
            chars.next().map_or_else(String::new, |first| {
                first.to_lowercase().chain(chars).collect()
            })
        }
    }
}

pub(crate) fn shown(path: &Path) -> String {
    repertoire_core::text::terminal_line(&path.to_string_lossy()).into_owned()
}

pub(crate) fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Returns whether a path beneath the folder leads to nothing, out of the folder, or round in links.
pub(crate) fn is_out_of_reach(error: &io::Error) -> bool {
    let leads_out = error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    leads_out || is_loop(error) || is_gone(error)
}

/// Returns whether what `link` leads to does not exist, or is a circle of links.
pub(crate) fn leads_nowhere(link: &Path) -> bool {
    link.metadata()
        .is_err_and(|error| is_gone(&error) || is_loop(&error))
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_loop(_error: &io::Error) -> bool {
    false
}
