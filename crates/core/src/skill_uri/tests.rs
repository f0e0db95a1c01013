use proptest::prelude::*;

use super::*;

fn place(uri: &str) -> Option<(String, Option<String>)> {
    let place = SkillAddress::parse(uri)?;
    Some((
        place.root.to_string(),
        place.path.map(|path| path.as_str().to_owned()),
    ))
}

#[test]
fn addresses_are_parsed_in_one_spelling() {
    let some = |root: &str, path: Option<&str>| Some((root.to_owned(), path.map(str::to_owned)));
    for (uri, expected) in [
        ("skill://home/tidy", some("skill://home/tidy", None)),
        (
            "skill://home/tidy/SKILL.md",
            some("skill://home/tidy", Some("SKILL.md")),
        ),
        (
            "skill://home/tidy/a/b%20c.md",
            some("skill://home/tidy", Some("a/b c.md")),
        ),
        (
            "skill://a%3Ab/Workspace%20Guide/x",
            some("skill://a%3Ab/Workspace%20Guide", Some("x")),
        ),
        (
            " skill://home/tidy/SKILL.md\n",
            some("skill://home/tidy", Some("SKILL.md")),
        ),
        (
            "skill://home/%EF%BD%94idy%20/SKILL.md",
            some("skill://home/tidy", Some("SKILL.md")),
        ),
        ("skill://home/tidy/", some("skill://home/tidy", None)),
        (
            "skill://home/tidy//./SKILL.md",
            some("skill://home/tidy", Some("SKILL.md")),
        ),
        (
            "skill://home/tidy/%41/b c",
            some("skill://home/tidy", Some("A/b c")),
        ),
        ("skill://home", None),
        ("skill://home/", None),
        ("skill:///tidy/SKILL.md", None),
        ("skill://home/tidy/../SKILL.md", None),
        ("skill://home/tidy/%2E%2E/SKILL.md", None),
        ("skill://home/tidy/a%2Fb", None),
        ("skill://home/tidy/a%5Cb", None),
        ("skill://home/tidy/a%00b", None),
        ("skill://home/tidy/%2", None),
        ("skill://home/tidy/%FF", None),
        ("SKILL://home/tidy/SKILL.md", None),
        ("file:///etc/passwd", None),
        ("file:etc", None),
        ("", None),
    ] {
        assert_eq!(place(uri), expected, "{uri}");
    }
}

proptest! {
    #[test]
    fn skill_addresses_round_trip_through_uris(source in "\\PC{1,8}", id in "[a-z][a-zA-Z0-9 ._-]{0,8}[a-z]", path in "[a-z é%?#]{1,6}(/[a-z é%?#]{1,6}){0,2}") {
        prop_assume!(!source.contains('/'));
        if let Ok(path) = ResourcePath::new(&path) && id.parse::<Id>().is_ok_and(|parsed| parsed.as_str() == id) {
            let root = SkillRoot { source: source.into(), id: id.parse().unwrap() };
            let uri = root.join(path.as_str());
            prop_assert_eq!(SkillAddress::parse(&uri), Some(SkillAddress { root, path: Some(path) }));
        }
    }

    #[test]
    fn parsed_addresses_print_as_written(text in ".{0,64}") {
        if let Some(place) = SkillAddress::parse(&text) {
            prop_assert_eq!(SkillAddress::parse(&place.to_string()), Some(place));
        }
    }
}

#[test]
fn an_address_is_taken_apart() {
    let uri = ServerUri::parse("skill://team/sub%20team/release-notes/SKILL.md").unwrap();
    assert_eq!(
        (uri.folder(), uri.prefix()),
        (
            "release-notes",
            &["team".to_owned(), "sub team".to_owned()][..]
        )
    );
    assert_eq!(uri.root(), "skill://team/sub%20team/release-notes/");
    let path = uri
        .path_of("skill://team/sub%20team/release-notes/a/b%20c.md")
        .unwrap();
    assert_eq!(path.as_str(), "a/b c.md");
    assert!(ServerUri::parse("github://owner/repo/tidy/SKILL.md").is_ok());
    assert_eq!(
        ServerUri::parse("skill://tidy/SKILL.md").unwrap().prefix(),
        &[] as &[String]
    );
}

#[test]
fn an_address_that_could_lead_elsewhere_is_refused() {
    for uri in [
        "",
        "SKILL.md",
        "skill://SKILL.md",
        "skill:tidy/SKILL.md",
        "skill:///SKILL.md",
        "skill:///tidy/SKILL.md",
        "skill://a/../tidy/SKILL.md",
        "skill://a/%2e%2E/tidy/SKILL.md",
        "skill://a%2Fb/SKILL.md",
        "skill://a%5cb/SKILL.md",
        "skill://a\\b/SKILL.md",
        "skill://a%00/SKILL.md",
        "skill://a%zz/SKILL.md",
        "skill://a%ff/SKILL.md",
        "skill://tidy/SKILL.md?x",
        "skill://tidy/SKILL.md#x",
        "skill://tidy/skill.md",
        "skill://tidy/%53KILL.md",
        "skill://tidy/%5SKILL.md",
        "skill://ti dy/SKILL.md",
        "skill://ti\u{202e}dy/SKILL.md",
        "skill://ti%E2%80%AEdy/SKILL.md",
        "skill://tidy\u{e0041}/SKILL.md",
        "file:///etc/tidy/SKILL.md",
        "FILE:/etc/tidy/SKILL.md",
        "file:etc/tidy/SKILL.md",
        "1skill://tidy/SKILL.md",
    ] {
        assert!(ServerUri::parse(uri).is_err(), "{uri:?}");
    }
    assert!(ServerUri::parse(&format!("skill://{}/SKILL.md", "a".repeat(LONGEST))).is_err());
}

#[test]
fn a_file_outside_of_its_skill_is_refused() {
    let uri = ServerUri::parse("skill://a/tidy/SKILL.md").unwrap();
    for file in [
        "skill://a/tidy/../other/secret.md",
        "skill://a/tidy/%2e%2e/other/secret.md",
        "skill://a/tidy/..%2fsecret.md",
        "skill://a/tidy-2/secret.md",
        "skill://a/other/secret.md",
        "skill://b/tidy/secret.md",
        "other://a/tidy/secret.md",
        "skill://a/tidy/",
        "skill://a/tidy",
        "skill://a/tidy/a//b",
        "skill://a/tidy/C:/x",
        "skill://a/tidy/a\\b",
        "file:///etc/passwd",
        "file:/etc/passwd",
        "file:etc/passwd",
    ] {
        assert!(uri.path_of(file).is_err(), "{file}");
    }
}

#[test]
fn typed_addresses_are_cleaned_or_refused() {
    let typed = |uri| SkillAddress::parse(uri).map(|address| address.to_string());
    for uri in [
        "skill://home/tidy/a/b.md",
        "skill://home/tidy//a/./b.md",
        "skill://home/%74idy/a/b.md/",
    ] {
        assert_eq!(
            typed(uri).as_deref(),
            Some("skill://home/tidy/a/b.md"),
            "{uri}"
        );
    }
    for uri in [
        "skill://home/tidy/../b.md",
        "skill://home/tidy/a%2Fb.md",
        "skill:///tidy/a.md",
        "skill://home//a.md",
    ] {
        assert_eq!(typed(uri), None, "{uri}");
    }
}
