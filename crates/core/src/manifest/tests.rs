use proptest::collection::btree_map;
use proptest::prelude::*;

use super::*;

fn row(path: &str, text: &[u8]) -> Resource {
    Resource::new(
        path.parse().expect("a path"),
        text.len() as u64,
        Digest::of(text),
    )
}

fn manifest(rows: impl IntoIterator<Item = Resource>) -> Manifest {
    Manifest::new(rows).expect("every path is there once")
}

/// Files by path, names that try to look like rows among them.
fn files() -> impl Strategy<Value = Vec<Resource>> {
    let path = "[a-c 0-9é:]{1,4}(/[a-c.-]{1,3}b){0,2}"
        .prop_filter("a path", |path| ResourcePath::new(path).is_ok());
    btree_map(path, any::<Vec<u8>>(), 0..6)
        .prop_map(|files| files.iter().map(|(path, text)| row(path, text)).collect())
}

#[test]
fn the_digest_is_that_of_the_documented_text() {
    let rows = [row("SKILL.md", b"Sort.\n"), row("a/run.sh", b"")];
    let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let sort = Digest::of(b"Sort.\n");
    let text = format!(
        "repertoire-manifest/1\nSKILL.md\0{}\0{sort}\na/run.sh\0{}\0{empty}\n",
        6, 0
    );
    assert_eq!(manifest(rows).digest(), Digest::of(text.as_bytes()));
}

#[test]
fn a_file_that_comes_twice_is_refused() {
    let error = Manifest::new([row("a b", b"1"), row("c", b""), row("a b", b"2")])
        .expect_err("one path, two files");
    assert_eq!(error.to_string(), "file `a b` is in the manifest twice");
}

#[test]
fn changes_name_every_file_that_differs_in_order() {
    let (old, new) = (
        manifest([row("a", b"1"), row("b", b"1"), row("d", b"1")]),
        manifest([row("b", b"2"), row("c", b"1"), row("d", b"1")]),
    );
    let changes: Vec<_> = old.changes(&new).collect();
    assert_eq!(
        changes,
        [
            (Some(&row("a", b"1")), None),
            (Some(&row("b", b"1")), Some(&row("b", b"2"))),
            (None, Some(&row("c", b"1"))),
        ]
    );
}

proptest! {
    #[test]
    fn manifest_digests_ignore_row_order(rows in files(), seed in any::<prop::sample::Index>()) {
        let mut turned = rows.clone();
        if !turned.is_empty() {
            turned.rotate_left(seed.index(rows.len()));
            turned.reverse();
        }
        prop_assert_eq!(manifest(rows).digest(), manifest(turned).digest());
    }

    #[test]
    fn digests_are_equal_where_manifests_are(one in files(), other in files()) {
        let (one, other) = (manifest(one), manifest(other));
        prop_assert_eq!(one == other, one.digest() == other.digest());
        prop_assert_eq!(one == other, one.changes(&other).next().is_none());
    }

    #[test]
    fn any_path_size_or_byte_changes_the_digest(rows in files(), at in any::<prop::sample::Index>(), field in 0..4) {
        prop_assume!(!rows.is_empty());
        let mut changed = rows.clone();
        let index = at.index(rows.len());
        let file = &mut changed[index];
        match field {
            0 => file.path = format!("{}x", file.path).parse().expect("still a path"),
            1 => file.size ^= 1,
            2 => file.digest = Digest::of(file.digest.as_bytes()),
            _ => drop(changed.remove(index)),
        }
        prop_assume!(Manifest::new(changed.clone()).is_ok());
        prop_assert_ne!(manifest(rows).digest(), manifest(changed).digest());
    }

    #[test]
    fn changes_lead_from_one_manifest_to_the_other(old in files(), new in files()) {
        let (old, new) = (manifest(old), manifest(new));
        let mut rows: Vec<Resource> = old.files().to_vec();
        for (before, after) in old.changes(&new) {
            rows.retain(|row| Some(row) != before);
            rows.extend(after.cloned());
        }
        prop_assert_eq!(manifest(rows), new);
    }
}
