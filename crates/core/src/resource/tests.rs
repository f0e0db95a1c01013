use super::*;

#[test]
fn inner_paths_are_taken_as_they_are() {
    for path in ["a", "scripts/run me.sh", "..foo/x", ".hidden", "a/b/c.md", "数据/x:y"] {
        assert_eq!(ResourcePath::new(path).map(String::from), Ok(path.to_owned()));
    }
}

#[test]
fn no_path_leaves_its_skill_on_any_platform() {
    for path in [
        "",
        "/etc/passwd",
        "..",
        "../x",
        "a/../b",
        "a/..",
        ".",
        "./a",
        "a//b",
        "a/",
        "..\\x",
        "a\\b",
        "C:/x",
        "c:x",
        "a\0b",
        ".. /x",
        "a/. ./b",
        "\\\\host\\share",
    ] {
        assert!(ResourcePath::new(path).is_err(), "{path:?}");
    }
}
