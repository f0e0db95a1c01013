use std::fs;
use std::path::PathBuf;

use repertoire_core::Digest;

use super::{PrivateCopy, in_folder};
use crate::file::PluginFile;

fn file() -> PluginFile {
    let bytes = b"a library".to_vec();
    PluginFile {
        path: PathBuf::from("/plugins/lib.so"),
        digest: Digest::of(&bytes),
        bytes,
    }
}

#[test]
fn a_copy_has_the_bytes_that_were_checked() {
    let copy = PrivateCopy::new(&file()).expect("it can be made");
    assert_eq!(fs::read(copy.path()).expect("it can be read"), b"a library");
}

#[cfg(target_os = "linux")]
#[test]
fn a_copy_in_memory_cannot_be_written() {
    let copy = PrivateCopy::new(&file()).expect("it can be made");
    let link = fs::read_link(copy.path()).expect("it is a descriptor");
    assert_eq!(link, PathBuf::from("/memfd:repertoire-plugin (deleted)"));
    for error in [
        fs::write(copy.path(), "another library").expect_err("it is sealed"),
        fs::OpenOptions::new()
            .write(true)
            .open(copy.path())
            .and_then(|file| file.set_len(1))
            .expect_err("it is sealed"),
    ] {
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    }
    assert_eq!(fs::read(copy.path()).expect("it can be read"), b"a library");
}

#[cfg(unix)]
#[test]
fn a_copy_in_a_folder_is_private() {
    use std::os::unix::fs::MetadataExt;

    // Of this process alone: each test has one.
    let before = rustix::process::umask(rustix::fs::Mode::empty());
    let copy = in_folder(&file()).expect("it can be made");
    rustix::process::umask(before);
    let mode = |path: &std::path::Path| fs::metadata(path).expect("it is there").mode() & 0o777;
    let folder = copy.path().parent().expect("it is in a folder").to_owned();
    assert_eq!((mode(&folder), mode(copy.path())), (0o700, 0o600));
    copy.release();
    assert!(!folder.exists());
}
