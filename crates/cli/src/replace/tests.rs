use super::*;

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| entry.expect("it is there").file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = fs::read_dir(folder).expect("the folder is there").map(name).collect();
    names.sort();
    names
}

#[test]
fn a_file_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let error = replace(&folder.path().join("a"), b"new").expect_err("there is nothing to replace");
    assert_eq!((error.kind(), names(folder.path())), (ErrorKind::NotFound, vec![]));
}

#[test]
#[cfg(unix)]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().expect("a temporary folder");
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::write(&real, "old").expect("a fresh file");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("the file is ours");
    symlink("real", &link).expect("a fresh link");
    replace(&link, b"new").expect("the file can be written");
    assert!(link.is_symlink());
    assert_eq!(fs::read(&real).expect("the file is there"), b"new");
    assert_eq!(fs::metadata(&real).expect("the file is there").permissions().mode() & 0o777, 0o640);
    assert_eq!(names(folder.path()), ["link", "real"]);
}

#[test]
fn a_file_that_may_not_be_written_to_is_not() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a");
    fs::write(&path, "old").expect("a fresh file");
    let mut permissions = fs::metadata(&path).expect("the file is there").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("the file is ours");
    let error = replace(&path, b"new").expect_err("the file is read-only");
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert_eq!(fs::read(&path).expect("the file is there"), b"old");
    assert_eq!(names(folder.path()), ["a"]);
}
