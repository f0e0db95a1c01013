use std::fs;

use super::*;

/// Returns the refusal of a lock file with these bytes.
fn refusal(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("lock.json");
    fs::write(&path, bytes).expect("the file can be written");
    read(&path, "lock.json")
        .expect_err("this is refused")
        .report()
        .draw(false)
}

#[test]
fn repeated_keys_are_refused() {
    snapbox::assert_data_eq!(
        refusal(b"{\n  \"a\": [{ \"b\": 1,\n  \"b\": 2 }]\n}\n"),
        snapbox::str![[r#"
error: `lock.json` is invalid: the key `b` comes twice
 --> lock.json:3:5
  |
3 |   "b": 2 }]
  |     ^

"#]]
    );
}

#[test]
fn the_marks_of_a_merge_are_called_that() {
    snapbox::assert_data_eq!(
        refusal(b"{\n<<<<<<< HEAD\n  \"a\": 1\n=======\n  \"a\": 2\n>>>>>>> theirs\n}\n"),
        snapbox::str![[r#"
error: `lock.json` has conflict markers of a merge
 --> lock.json:2:1
  |
2 | <<<<<<< HEAD
  | ^
  |
  = help: take one side, then run `repertoire lock`

"#]]
    );
}

#[test]
fn unbounded_lock_files_are_rejected() {
    let deep = "[".repeat(200_000);
    for (bytes, expected) in [
        (
            deep.as_bytes(),
            "error: `lock.json` is invalid: recursion limit exceeded\n |\n = help: see line 1, column 128\n",
        ),
        (
            &vec![b' '; 16 << 20][..],
            "error: `lock.json` is invalid: EOF while parsing a value\n",
        ),
        (
            &vec![b' '; (16 << 20) + 1],
            "error: `lock.json` is larger than 16777216 bytes\n",
        ),
        (b"\xff", "error: `lock.json` is not UTF-8\n"),
    ] {
        let said = refusal(bytes);
        assert!(
            said.starts_with(expected),
            "{}",
            said.get(..300).unwrap_or(&said)
        );
        assert!(said.len() < 300, "{}", said.len());
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let failure = read(folder.path(), "lock.json").expect_err("a folder is no file");
    assert_eq!(
        failure.message(),
        "cannot read `lock.json`: it is not a regular file"
    );
    assert!(
        read(&folder.path().join("lock.json"), "lock.json")
            .expect("nothing is no mistake")
            .is_none()
    );
}

#[test]
fn documents_parse_with_key_order_and_values() {
    let text = "\u{feff}{ \"z\": [1, -2, 2.5, true, null, \"\\n\"], \"a\": {} }";
    let value = parse(text, "lock.json").expect("it is JSON");
    assert_eq!(
        value.to_string(),
        r#"{"z":[1,-2,2.5,true,null,"\n"],"a":{}}"#
    );
}

#[test]
fn files_are_replaced_atomically_if_they_differ() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("lock.json");
    assert_eq!(
        write(&path, "one\n").expect("it can be written"),
        LockWrite::Written
    );
    let before = fs::metadata(&path)
        .expect("it is there")
        .modified()
        .expect("a time");
    assert_eq!(
        write(&path, "one\n").expect("it can be written"),
        LockWrite::Unchanged
    );
    assert_eq!(
        fs::metadata(&path)
            .expect("it is there")
            .modified()
            .expect("a time"),
        before
    );
    assert_eq!(
        write(&path, "two\n").expect("it can be written"),
        LockWrite::Written
    );
    assert_eq!(fs::read_to_string(&path).expect("it is there"), "two\n");
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1);
}

#[test]
fn failed_writes_leave_no_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("lock.json");
    fs::create_dir(&path).expect("the folder can be made");
    write(&path, "text").expect_err("a folder is in the way");
    assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1);
}
