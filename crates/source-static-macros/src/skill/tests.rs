use std::fs;

use super::*;

/// Returns the errors of a folder of these skills: the folder's path, and the bytes of its file.
#[track_caller]
fn errors(skills: &[(&str, &[u8])]) -> Vec<String> {
    let root = tempfile::tempdir().unwrap();
    for (folder, bytes) in skills {
        let folder = root.path().join("skills").join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(FILE_NAME), bytes).unwrap();
    }
    let errors = embed(&SourcePath::new(root.path().join("skills"), root.path())).unwrap_err();
    errors
        .iter()
        .map(|error| error.to_string().replace('\\', "/"))
        .collect()
}

#[test]
fn a_sound_folder_is_embedded_whole() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("tidy-up/notes")).unwrap();
    fs::write(
        root.path().join("tidy-up/SKILL.md"),
        "---\ndescription: ' Sorts. '\n---\nSort.\n",
    )
    .unwrap();
    fs::write(root.path().join("tidy-up/notes/order.md"), "By date.\n").unwrap();
    let path = |path: &str| root.path().join(path).to_str().unwrap().to_owned();
    let expected = EmbeddedSkill {
        id: "tidy-up".into(),
        description: "Sorts.".into(),
        file: path("tidy-up/SKILL.md"),
        resources: vec![("notes/order.md".into(), path("tidy-up/notes/order.md"))],
    };
    assert_eq!(
        embed(&SourcePath::new(root.path().to_owned(), root.path())),
        Ok(vec![expected])
    );
}

#[test]
fn every_error_has_place_and_help() {
    let found = errors(&[
        (
            "colon",
            b"---\nname: colon\ndescription: Sorts: all.\n---\nSort.\n",
        ),
        (
            "Capital",
            b"---\nname: Capital\ndescription: Sorts.\n---\nSort.\n",
        ),
        (
            "fine",
            b"---\nname: fine\ndescription: Sorts.\n---\nSort.\n",
        ),
        ("silent", b"---\nname: silent\n---\nSort.\n"),
    ]);
    // The sentences are the parser's.
    let expected = [
        (
            "skills/Capital/SKILL.md:2:7: name `Capital` ",
            "\nhelp: some agents will reject it",
        ),
        (
            "skills/colon/SKILL.md:3:19: invalid YAML in `description`: ",
            "\nhelp: quote this value: `description: \"Sorts: all.\"`",
        ),
        (
            "skills/silent/SKILL.md:1:1: missing required field in frontmatter: `description`",
            "",
        ),
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, (start, end)) in found.iter().zip(expected) {
        assert!(found.starts_with(start) && found.ends_with(end), "{found}");
    }
}

#[test]
fn instructions_are_looked_at_too() {
    let found = errors(&[
        ("blank", b"---\nname: blank\ndescription: Sorts.\n---\n\n"),
        (
            "latin",
            b"---\nname: latin\ndescription: Sorts.\n---\nSort.\nGr\xfc\xdfe.\n",
        ),
    ]);
    assert_eq!(
        found,
        [
            "skills/blank/SKILL.md:6:1: there are no instructions\nhelp: say behind the frontmatter what to do",
            "skills/latin/SKILL.md:6:3: the file is not UTF-8: byte 48 is 0xfc\nhelp: save the file as UTF-8",
        ]
    );
}

#[test]
fn an_id_comes_once() {
    let skill = b"---\nname: sort\ndescription: Sorts.\n---\nSort.\n";
    assert_eq!(
        errors(&[("a/sort", skill), ("b/sort", skill)]),
        [
            "skills/b/sort/SKILL.md: the id `sort` is taken by `skills/a/sort/SKILL.md`\nhelp: rename one of them"
        ]
    );
}

#[test]
fn a_folder_without_skills_is_a_mistake() {
    let empty = [
        "skills/empty: there is no skill to embed\nhelp: a skill is a folder in there with a `SKILL.md`",
    ];
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("skills/empty")).unwrap();
    let found = embed(&SourcePath::new(
        root.path().join("skills/empty"),
        root.path(),
    ))
    .unwrap_err();
    assert_eq!(
        found
            .iter()
            .map(|error| error.to_string().replace('\\', "/"))
            .collect::<Vec<_>>(),
        empty
    );
    let missing = embed(&SourcePath::new(root.path().join("skilsl"), root.path())).unwrap_err();
    assert!(
        missing[0]
            .to_string()
            .starts_with("skilsl: cannot be read: "),
        "{missing:?}"
    );
}
