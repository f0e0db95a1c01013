use super::*;

fn ids(skills: &[(&str, &str)]) -> Vec<String> {
    let named: Vec<_> = skills
        .iter()
        .map(|(name, uri)| (name.parse().unwrap(), ServerUri::parse(uri).unwrap()))
        .collect();
    distinct_ids(&named)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn equal_names_are_qualified_by_folders() {
    let all = [
        ("tidy", "skill://a/tidy/SKILL.md"),
        ("sort", "skill://a/sort/SKILL.md"),
        ("tidy", "skill://b/c/tidy/SKILL.md"),
    ];
    assert_eq!(ids(&all), ["a.tidy", "sort", "b.c.tidy"]);
}

#[test]
fn equal_folders_are_qualified_by_uri() {
    let all = [
        ("tidy", "skill://tidy/SKILL.md"),
        ("tidy", "other://tidy/SKILL.md"),
        ("a.tidy", "skill://x/SKILL.md"),
    ];
    let ids = ids(&all);
    assert_eq!(ids[2], "a.tidy");
    assert!(
        ids[0].starts_with("tidy~") && ids[1].starts_with("tidy~") && ids[0] != ids[1],
        "{ids:?}"
    );
}
