use proptest::prelude::*;

use std::fs;

use super::*;

/// A folder of files; a name with a slash lies in one below.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder"))
            .expect("the folder can be made");
        fs::write(path, bytes).expect("the file can be written");
    }
    folder
}

fn hash(files: &[(&str, &[u8])]) -> String {
    folder_hash(folder(files).path(), HashedFiles::ByTool).expect("these can be hashed")
}

/// The hashes are what `skills` 1.5.18 computes for these trees.
#[test]
fn hashes_are_those_of_the_tool() {
    assert_eq!(
        hash(&[(
            "SKILL.md",
            b"---\nname: alone\ndescription: Is alone.\n---\nAlone.\n"
        )]),
        "b21ef810b43cb998fd896acb1a7de36527bb5f718f8ea5bb04df116dc3bd5707"
    );
    assert_eq!(
        hash(&[
            ("SKILL.md", b"Sort.\n"),
            ("references/how to.md", b"Slowly.\n"),
            ("scripts/run.sh", b"ls\n"),
            ("scripts/empty", b""),
            ("LICENSE", b"MIT\n"),
            ("Zebra/a", b"z\n"),
            ("assets/x.bin", b"\xff\x00\r\n"),
        ]),
        "310c883be8d8fd73aa2bafdbda2c3d5bd49d87bb75ecb77dd06372152eeaabb8"
    );
}

#[test]
fn only_skipped_files_are_not_hashed() {
    let folder = folder(&[
        ("SKILL.md", b"Skip.\n"),
        (".git/config", b"x"),
        ("node_modules/a/index.js", b"x"),
        ("deep/node_modules/b.js", b"x"),
        (".hidden", b"seen\n"),
        ("docs/.git", b"a file\n"),
        ("__pycache__/a.pyc", b"seen"),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("SKILL.md", folder.path().join("link.md"))
        .expect("a link can be made");
    let expected = "356e6464ed752c103a2d2aa8b1353de7cf23d77634a980c4b573b9d4aa90cbbc";
    assert_eq!(
        folder_hash(folder.path(), HashedFiles::ByTool).as_deref(),
        Ok(expected)
    );
}

#[test]
fn names_are_ordered_as_the_tool_orders_them() {
    let names = [
        "a_b", "a-b", "a.b", "a b", "ab", "a/b", "a1", "a10", "a2", "a~", "a$", "(a)", "@a",
    ];
    let numbers: Vec<String> = (1..=names.len()).map(|number| number.to_string()).collect();
    let mut files: Vec<(&str, &[u8])> = names
        .into_iter()
        .zip(numbers.iter().map(String::as_bytes))
        .collect();
    files.push(("SKILL.md", b"Names.\n"));
    assert_eq!(
        hash(&files),
        "387a257ea5f8b194a0d380be2b63c08b89604de6d8aff49baf900f666f17132f"
    );
}

#[test]
fn hashes_that_depend_on_language_are_refused() {
    let error = folder_hash(
        folder(&[("SKILL.md", b""), ("é", b""), ("z", b"")]).path(),
        HashedFiles::ByTool,
    )
    .expect_err("no order");
    assert_eq!(error, "the order of `z` and `é` depends on the language");
}

#[test]
fn a_folder_without_end_is_given_up() {
    let deep = "a/".repeat(40) + "b";
    let error =
        folder_hash(folder(&[(&deep, b"")]).path(), HashedFiles::ByTool).expect_err("too deep");
    assert_eq!(error, "its folders are more than 32 deep");
}

#[test]
fn ascii_is_ordered_as_in_english() {
    let names = [
        " a",
        "_a",
        "-a",
        ",a",
        "(a)",
        "@a",
        "/a",
        "~a",
        "$a",
        "0",
        "1",
        "10",
        "2",
        "a",
        "A",
        "a b",
        "a_b",
        "a-b",
        "a.b",
        "a/b",
        "a$",
        "a1",
        "a2",
        "ab",
        "aB",
        "Ab",
        "AB",
        "LICENSE",
        "references/a.md",
        "scripts/run.sh",
        "SKILL.md",
        "Zebra",
    ];
    for pair in names.windows(2) {
        assert_eq!(
            compare_names(pair[0], pair[1]),
            Some(Ordering::Less),
            "{pair:?}"
        );
        assert_eq!(
            compare_names(pair[1], pair[0]),
            Some(Ordering::Greater),
            "{pair:?}"
        );
    }
}

#[test]
fn names_that_need_collation_tables_are_not_compared() {
    for (a, b) in [
        ("é", "z"),
        ("a", "aé"),
        ("a\u{1}", "a\u{2}"),
        ("ä", "ö"),
        ("a", "a\u{200d}"),
        ("日", "本"),
        ("-é", "-a"),
    ] {
        assert_eq!(
            (compare_names(a, b), compare_names(b, a)),
            (None, None),
            "{a:?} {b:?}"
        );
    }
    for (a, b) in [
        ("a/é", "b/ö"),
        ("é/a", "é/b"),
        ("é", "é a"),
        ("柴/a.md", "柴/b.md"),
    ] {
        assert_eq!(
            (compare_names(a, b), compare_names(b, a)),
            (Some(Ordering::Less), Some(Ordering::Greater)),
            "{a:?} {b:?}"
        );
    }
}

proptest! {
    #[test]
    fn sort_keys_agree_with_name_comparison(a in "[ -~é\u{1}]{0,5}", b in "[ -~é\u{1}]{0,5}", common in "[ -~]{0,3}") {
        let (a, b) = (common.clone() + &a, common + &b);
        if let Some(order) = compare_names(&a, &b) {
            prop_assert_eq!(sort_key(&a).cmp(&sort_key(&b)), order);
            prop_assert_eq!(order == Ordering::Equal, a == b);
        }
    }
}
