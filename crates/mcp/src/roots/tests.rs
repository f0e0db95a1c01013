use super::*;

#[test]
fn only_local_absolute_folders_are_roots() {
    for (uri, expected) in [
        ("file:///srv/my%20project/", Some("/srv/my project")),
        ("file://localhost/srv", Some("/srv")),
        ("file:///srv/./a//b", Some("/srv/a/b")),
        ("file://elsewhere/srv", None),
        ("file:///srv/../etc", None),
        ("file:///srv/%2e%2e/etc", None),
        ("file:///srv%00", None),
        ("file:///srv%FF", None),
        ("file:work", None),
        ("https://example.org/srv", None),
        ("", None),
    ] {
        assert_eq!(folder(uri), expected.map(PathBuf::from), "{uri}");
    }
    assert_eq!(
        folder(&format!("file:///{}", "a".repeat(MAX_URI_BYTES))),
        None
    );
}
