use super::*;

#[test]
fn inner_paths_are_taken_as_they_are() {
    for path in [
        "a",
        "scripts/run me.sh",
        "..foo/x",
        ".hidden",
        "a/b/c.md",
        "数据/x:y",
    ] {
        assert_eq!(
            ResourcePath::new(path).map(String::from),
            Ok(path.to_owned())
        );
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

#[test]
fn typed_paths_are_cleaned_or_refused() {
    let typed = |text| {
        ResourcePath::typed(text)
            .ok()
            .map(|path| path.as_str().to_owned())
    };
    for text in [
        "docs/x.md",
        "./docs/x.md",
        "docs//x.md",
        "docs/./x.md",
        "docs/x.md/",
        " docs/x.md ",
    ] {
        assert_eq!(typed(text).as_deref(), Some("docs/x.md"), "{text:?}");
    }
    for text in [
        "",
        ".",
        "./",
        "/docs/x.md",
        "../x.md",
        "docs/../x.md",
        "C:/x.md",
        "docs\\x.md",
    ] {
        assert_eq!(typed(text), None, "{text:?}");
    }
}

#[test]
fn two_alike_paths_are_ambiguous() {
    let path = |text: &str| text.parse::<ResourcePath>().unwrap();
    let (typed, other) = (path("a\u{302}\u{323}.md"), path("\u{1ead}.md"));
    let both = [path("a\u{323}\u{302}.md"), other.clone()];
    assert_eq!(typed.meant_among([&other]), Some(&other));
    assert_eq!(typed.meant_among(&both), None);
    assert_eq!(typed.meant_among([&both[0], &typed]), Some(&typed));
}

#[test]
fn a_typeable_path_hides_nothing() {
    for path in [" a.md", "a/b.md ", "a /b.md", "f\u{e0041}.md"] {
        let path = ResourcePath::new(path).unwrap();
        assert!(!path.is_typeable(), "{path:?}");
    }
    assert!(ResourcePath::new("a b/\u{fc}.md").unwrap().is_typeable());
}
