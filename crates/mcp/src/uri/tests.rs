use proptest::prelude::*;

use super::*;

fn place(uri: &str) -> Option<(String, Option<String>)> {
    let place = Place::parse(uri)?;
    Some((place.root.to_string(), place.path.map(|path| path.as_str().to_owned())))
}

#[test]
fn a_uri_is_a_skill_and_a_path_in_it() {
    let some = |root: &str, path: Option<&str>| Some((root.to_owned(), path.map(str::to_owned)));
    for (uri, expected) in [
        ("skill://home/tidy", some("skill://home/tidy", None)),
        ("skill://home/tidy/SKILL.md", some("skill://home/tidy", Some("SKILL.md"))),
        ("skill://home/tidy/a/b%20c.md", some("skill://home/tidy", Some("a/b c.md"))),
        ("skill://a%3Ab/Workspace%20Guide/x", some("skill://a%3Ab/Workspace%20Guide", Some("x"))),
        ("skill://home", None),
        ("skill://home/", None),
        ("skill://home/tidy/", None),
        ("skill:///tidy/SKILL.md", None),
        ("skill://home/tidy//SKILL.md", None),
        ("skill://home/tidy/../SKILL.md", None),
        ("skill://home/tidy/%2E%2E/SKILL.md", None),
        ("skill://home/tidy/a%2Fb", None),
        ("skill://home/tidy/a%5Cb", None),
        ("skill://home/tidy/a%00b", None),
        ("skill://home/tidy/%2", None),
        ("skill://home/tidy/%FF", None),
        ("skill://home/tidy/%41", None),
        ("skill://home/tidy/b c", None),
        ("skill://home/tidy/SKILL.md?x", None),
        ("skill://home/tidy/SKILL.md#x", None),
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
    fn what_is_written_is_read_again(source in "\\PC{1,8}", id in "[a-z][a-zA-Z0-9 ._-]{0,8}[a-z]", path in "[a-z é%?#]{1,6}(/[a-z é%?#]{1,6}){0,2}") {
        prop_assume!(!source.contains('/'));
        if let Ok(path) = ResourcePath::new(&path) && id.parse::<Id>().is_ok_and(|parsed| parsed.as_str() == id) {
            let uri = Root::new(&source, &id).join(path.as_str());
            prop_assert_eq!(Place::parse(&uri), Some(Place { root: Root::new(&source, &id), path: Some(path) }));
        }
    }

    #[test]
    fn no_text_is_too_odd_to_be_looked_at(text in ".{0,64}") {
        if let Some(place) = Place::parse(&text) {
            prop_assert_eq!(place.to_string(), text);
        }
    }
}
