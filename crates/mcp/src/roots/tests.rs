use super::*;

#[test]
fn only_local_absolute_folders_are_roots() {
    for (uri, expected) in [
        ("file:///work/my%20project/", Some("/work/my project")),
        ("file://localhost/work", Some("/work")),
        ("file:///work/./a//b", Some("/work/a/b")),
        ("file://elsewhere/work", None),
        ("file:///work/../etc", None),
        ("file:///work/%2e%2e/etc", None),
        ("file:///work%00", None),
        ("file:///work%FF", None),
        ("file:work", None),
        ("https://example.org/work", None),
        ("", None),
    ] {
        assert_eq!(folder(uri), expected.map(PathBuf::from), "{uri}");
    }
    assert_eq!(folder(&format!("file:///{}", "a".repeat(MAX_URI_BYTES))), None);
}
