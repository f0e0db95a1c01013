use std::fs;

use super::*;

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let name = |entry: io::Result<fs::DirEntry>| {
        entry
            .expect("it is there")
            .file_name()
            .to_string_lossy()
            .into_owned()
    };
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(name)
        .collect();
    names.sort();
    names
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn slot(folder: &tempfile::TempDir, name: &str) -> FileSlot {
    FileSlot::in_folder(folder.path(), name).expect("the folder is there")
}

fn text(folder: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("the file is there")
}

#[test]
fn a_file_is_made_and_written_over() {
    let folder = folder();
    let slot = slot(&folder, "a");
    for content in ["one", "two"] {
        slot.put(content.as_bytes())
            .expect("the file can be written");
        assert_eq!(
            (text(&folder, "a").as_str(), names(folder.path())),
            (content, vec!["a".to_owned()])
        );
    }
}

#[test]
#[cfg(unix)]
fn permissions_stay() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    let path = folder.path().join("a");
    fs::write(&path, "old").expect("a fresh file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("the file is ours");
    slot(&folder, "a")
        .put(b"new")
        .expect("the file can be written");
    assert_eq!(
        fs::metadata(&path)
            .expect("the file is there")
            .permissions()
            .mode()
            & 0o777,
        0o640
    );
}

#[test]
#[cfg(unix)]
fn no_link_is_written_through_or_read() {
    use std::os::unix::fs::symlink;

    let folder = folder();
    fs::write(folder.path().join("victim"), "old").expect("a fresh file");
    for target in ["victim", "nowhere"] {
        symlink(target, folder.path().join("link")).expect("a fresh link");
        let slot = slot(&folder, "link");
        let error = slot.put(b"new").expect_err("it is a link");
        assert_eq!(error.to_string(), "it is a link; replace it with a file");
        assert_eq!(
            slot.read(9).expect_err("it is a link").to_string(),
            error.to_string()
        );
        fs::remove_file(folder.path().join("link")).expect("it is there");
    }
    assert_eq!(
        (text(&folder, "victim").as_str(), names(folder.path())),
        ("old", vec!["victim".to_owned()])
    );
}

#[test]
fn only_the_read_file_is_replaced() {
    let folder = folder();
    let path = folder.path().join("a");
    fs::write(&path, "old").expect("a fresh file");
    let slot = slot(&folder, "a");
    let (bytes, seen) = slot.read(9).expect("the file can be read");
    assert_eq!(bytes, b"old");
    fs::write(folder.path().join("b"), "another").expect("a fresh file");
    fs::rename(folder.path().join("b"), &path).expect("it is there");
    let error = slot
        .replace(&seen, b"new")
        .expect_err("another file bears the name");
    assert_eq!(error.to_string(), "the file changed during the operation");
    assert_eq!(
        (text(&folder, "a").as_str(), names(folder.path())),
        ("another", vec!["a".to_owned()])
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_late_file_is_put_back() {
    let folder = folder();
    fs::write(folder.path().join("a"), "old").expect("a fresh file");
    let slot = slot(&folder, "a");
    let (_, seen) = slot.read(9).expect("the file can be read");
    for (name, content) in [("late", "late"), ("a.tmp", "new")] {
        fs::write(folder.path().join(name), content).expect("a fresh file");
    }
    // After the look and before the exchange.
    fs::rename(folder.path().join("late"), folder.path().join("a")).expect("it is there");
    assert_eq!(
        slot.exchange(&seen, "a.tmp")
            .expect_err("it is late")
            .to_string(),
        "the file changed during the operation"
    );
    assert_eq!(
        (text(&folder, "a"), text(&folder, "a.tmp")),
        ("late".to_owned(), "new".to_owned())
    );
}

#[test]
#[cfg(unix)]
fn a_path_that_leads_out_is_refused() {
    use std::os::unix::fs::symlink;

    let folder = folder();
    let inside = folder.path().join("inside");
    fs::create_dir_all(inside.join("deep")).expect("fresh folders");
    fs::write(folder.path().join("victim"), "old").expect("a fresh file");
    fs::write(inside.join("deep/real"), "real").expect("a fresh file");
    symlink("../victim", inside.join("out")).expect("a fresh link");
    symlink("deep/real", inside.join("in")).expect("a fresh link");
    symlink("..", inside.join("up")).expect("a fresh link");
    let read = |name: &str| {
        FileSlot::below(&inside, &inside.join(name)).and_then(|slot| Ok(slot.read(9)?.0))
    };
    assert_eq!(read("deep/real").expect("it is inside"), b"real");
    assert_eq!(read("in").expect("it leads inside"), b"real");
    for name in ["out", "up/victim", "../victim"] {
        assert_eq!(
            read(name).expect_err("it is outside").kind(),
            ErrorKind::PermissionDenied,
            "{name}"
        );
    }
}

#[test]
fn a_read_only_file_is_left() {
    let folder = folder();
    let path = folder.path().join("a");
    fs::write(&path, "old").expect("a fresh file");
    let mut permissions = fs::metadata(&path)
        .expect("the file is there")
        .permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("the file is ours");
    let error = slot(&folder, "a")
        .put(b"new")
        .expect_err("the file is read-only");
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    assert_eq!(
        (text(&folder, "a").as_str(), names(folder.path())),
        ("old", vec!["a".to_owned()])
    );
}
