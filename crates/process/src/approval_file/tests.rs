use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::ApprovalFile;

fn read(path: &Path) -> Result<Vec<String>, String> {
    ApprovalFile::read(path).map(|file| file.document)
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is there");
}

#[test]
fn a_document_is_read_as_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("state/approvals.json");
    assert_eq!(read(&path), Ok(Vec::new()));
    let document = vec!["one".to_owned()];
    ApprovalFile::new(&path, document.clone())
        .write()
        .expect("it can be written");
    assert_eq!(read(&path), Ok(document));
    let mode = |path: &Path| {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(
        (mode(&path), mode(path.parent().expect("it is in a folder"))),
        (0o600, 0o700)
    );
}

#[test]
fn a_link_is_replaced_and_never_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (victim, path): (PathBuf, PathBuf) = (
        folder.path().join("victim"),
        folder.path().join("approvals.json"),
    );
    fs::write(&victim, "[\"evil\"]").expect("it can be written");
    symlink(&victim, &path).expect("it can be made");
    assert_eq!(
        read(&path),
        Err("it is a link; put the file itself there".to_owned())
    );
    ApprovalFile::new(&path, vec!["ours".to_owned()])
        .write()
        .expect("it can be written");
    assert_eq!(read(&path), Ok(vec!["ours".to_owned()]));
    assert_eq!(
        fs::read_to_string(&victim).expect("it is there"),
        "[\"evil\"]"
    );
}

#[test]
fn a_file_that_others_can_write_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("approvals.json");
    ApprovalFile::new(&path, vec!["ours".to_owned()])
        .write()
        .expect("it can be written");
    chmod(&path, 0o620);
    assert!(read(&path).is_err_and(|error| error.starts_with("others can write to it")));
    chmod(&path, 0o600);
    chmod(folder.path(), 0o730);
    assert!(read(&path).is_err_and(|error| error.starts_with("others can write to its folder")));
    let written = ApprovalFile::new(&path, Vec::<String>::new()).write();
    assert!(written.is_err_and(|error| error.starts_with("others can write to its folder")));
}
