use proptest::prelude::*;

use super::*;
use crate::Skill;

fn row(name: &str, content: &str) -> ListingEntry<Skill> {
    let skill = Skill::new(name.parse().unwrap(), format!("About {name}."))
        .from_location(format!("{name}/{content}/SKILL.md"));
    ListingEntry::new(skill, Stamp::of(content))
}

fn listing(revision: u64, rows: &[(u16, u8)]) -> Listing<Skill> {
    let rows = rows
        .iter()
        .map(|(name, content)| row(&format!("s{name}"), &content.to_string()));
    Listing::new(Revision(revision), rows, [])
}

#[test]
fn duplicate_rows_are_reported() {
    let listing = Listing::new(
        Revision(0),
        [row("a", "x"), row("b", "x"), row("a", "y")],
        [],
    );
    assert_eq!(
        listing.iter().cloned().collect::<Vec<_>>(),
        [row("a", "x"), row("b", "x")]
    );
    assert_eq!(
        listing.diagnostics().to_vec(),
        [Diagnostic::new(
            Code::DUPLICATE_ID,
            "skill `a` is defined twice; the first one is used"
        )
        .at_path("a/y/SKILL.md")
        .and_path("a/x/SKILL.md")
        .help("rename one of them")]
    );
}

#[test]
fn differences_are_without_rows_that_stay() {
    let rows: Vec<_> = (0..600).map(|number| (number, 0)).collect();
    let old = listing(1, &rows);
    let new = old.spliced(Revision(2), [(300..302, vec![row("s300", "9")])], []);
    assert_eq!(old.differences(&new), [(300..302, 300..301)]);
    assert_eq!(new.differences(&old), [(300..301, 300..302)]);
    assert_eq!(old.differences(&old), Vec::new());
}

#[test]
fn digests_and_stamps_decide() {
    let digested = |content: &str, digest: &str| {
        row("a", "x")
            .with_digest(Digest::of(digest.as_bytes()))
            .clone_stamped(content)
    };
    assert!(!row("a", "x").is_modified_by(&row("a", "x")));
    assert!(
        row("a", "x").is_modified_by(&row("a", "y")),
        "another item and stamp"
    );
    assert!(
        digested("1", "d").is_modified_by(&digested("2", "d")),
        "a file that the digest does not cover"
    );
    assert!(
        digested("1", "d").is_modified_by(&digested("1", "e")),
        "same stamp, other content"
    );
    assert!(
        digested("1", "d").is_modified_by(&row("a", "x").clone_stamped("2")),
        "one digest unknown: the stamps decide"
    );
}

#[test]
fn unknown_parts_count_as_changed() {
    let files = |text: &str| {
        let file = crate::Resource::new(
            "run.sh".parse().unwrap(),
            text.len() as u64,
            Digest::of(text.as_bytes()),
        );
        Manifest::new([file]).unwrap()
    };
    let known = |front: &str, body: &str, script: &str| {
        row("a", "x")
            .with_digest(Digest::of(format!("{front}{body}").as_bytes()))
            .with_parts(ContentDigests::new(body, &files(script)))
            .clone_stamped(&format!("{front}{body}{script}"))
    };
    let changed_parts = |metadata, body, resources| ChangedParts {
        metadata,
        body,
        resources,
    };
    let old = known("f", "b", "s");
    assert_eq!(
        old.changed_parts(&old.clone_stamped("touched")),
        changed_parts(false, false, false)
    );
    assert_eq!(
        old.changed_parts(&known("f", "c", "s")),
        changed_parts(false, true, false)
    );
    assert_eq!(
        old.changed_parts(&known("f", "b", "t")),
        changed_parts(false, false, true)
    );
    assert_eq!(
        old.changed_parts(&known("g", "b", "s")),
        changed_parts(true, false, false),
        "a comment in the front matter"
    );
    assert_eq!(
        old.changed_parts(&ListingEntry {
            item: row("a", "y").item,
            ..old.clone()
        }),
        changed_parts(true, false, false)
    );
    assert_eq!(
        old.changed_parts(&row("a", "x").clone_stamped("2")),
        changed_parts(false, true, true),
        "nothing is known of the new"
    );
    assert_eq!(
        row("a", "x").changed_parts(&row("a", "x")),
        changed_parts(false, false, false)
    );
}

impl ListingEntry<Skill> {
    fn clone_stamped(&self, content: &str) -> ListingEntry<Skill> {
        ListingEntry {
            stamp: Stamp::of(content),
            ..self.clone()
        }
    }
}

#[test]
fn digests_are_filled_in_and_known_ones_stay() {
    let known = Digest::of(b"known");
    let listing = Listing::new(
        Revision(0),
        [row("a", "x"), row("b", "x").with_digest(known)],
        [],
    );
    let found = Digest::of(b"found");
    let filled = listing.with_digests(|id| (id.as_str() == "a").then_some(found));
    assert_eq!(
        filled.iter().map(|row| row.digest).collect::<Vec<_>>(),
        [Some(found), Some(known)]
    );
}

#[test]
fn a_repeated_id_in_a_splice_is_reported() {
    let old = listing(5, &[(1, 0), (2, 0), (3, 0)]);
    let splice = |splices: &[(Range<usize>, &[u16])]| {
        let rows = |names: &[u16]| {
            names
                .iter()
                .map(|name| row(&format!("s{name}"), "0"))
                .collect()
        };
        let splices = splices
            .iter()
            .map(|(range, names)| (range.clone(), rows(names)));
        let new = old.spliced(Revision(6), splices, []);
        let ids: Vec<_> = new.iter().map(|row| row.item.id.to_string()).collect();
        (ids.join(" "), new.diagnostics().len())
    };
    assert_eq!(splice(&[(1..2, &[7, 8])]), ("s1 s7 s8 s3".to_owned(), 0));
    assert_eq!(splice(&[(0..1, &[3])]), ("s3 s2".to_owned(), 1));
    assert_eq!(splice(&[(0..1, &[8, 8])]), ("s8 s2 s3".to_owned(), 1));
    assert_eq!(
        splice(&[(0..1, &[3]), (2..3, &[1])]),
        ("s3 s2 s1".to_owned(), 0),
        "two rows change places"
    );
}

#[test]
fn known_content_stays_known() {
    let (digest, other) = (Digest::of(b"a"), Digest::of(b"b"));
    let parts = Arc::new(ContentDigests::new("body", &Manifest::new([]).unwrap()));
    let plain = listing(1, &[(1, 0), (2, 0), (3, 0)]);
    let known = plain
        .iter()
        .map(|row| row.clone().with_digest(digest).with_parts(parts.clone()));
    let known = Listing::new(Revision(1), known, []);
    assert!(plain.clone().with_known(&known).iter().eq(known.iter()));
    assert!(known.clone().with_known(&plain).iter().eq(known.iter()));

    let next = listing(2, &[(4, 0), (3, 0), (1, 1)]);
    let kept: Vec<_> = next
        .with_known(&known)
        .iter()
        .map(|row| row.digest)
        .collect();
    assert_eq!(
        kept,
        [None, Some(digest), None],
        "the content of the last row changed"
    );
    let digested = plain.with_digests(|_| Some(other)).with_known(&known);
    assert_eq!(
        digested.iter().map(|row| row.digest).collect::<Vec<_>>(),
        [Some(other); 3]
    );
}

fn any_rows() -> impl Strategy<Value = Vec<(u16, u8)>> {
    // Few names, so that two lists share some. Some lists are longer than one chunk.
    let names = prop::sample::subsequence((0u16..900).collect::<Vec<_>>(), 0..900);
    let few = prop::sample::subsequence((0u16..9).collect::<Vec<_>>(), 0..9);
    prop_oneof![4 => few, 1 => names].prop_flat_map(|names| {
        let contents = prop::collection::vec(0u8..2, names.len());
        (Just(names).prop_shuffle(), contents)
            .prop_map(|(names, contents)| names.into_iter().zip(contents).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn spliced_rows_equal_those_of_a_plain_list(
        start in any_rows(),
        edits in prop::collection::vec((any::<u16>(), 0usize..4, 0usize..4), 0..20),
    ) {
        let mut plain: Vec<ListingEntry<Skill>> = listing(0, &start).iter().cloned().collect();
        let mut listing = listing(0, &start);
        for (n, (at, gone, come)) in edits.into_iter().enumerate() {
            let from = at as usize % (plain.len() + 1);
            let range = from..(from + gone).min(plain.len());
            let items: Vec<_> = (0..come).map(|k| row(&format!("new-{n}-{k}"), "0")).collect();
            plain.splice(range.clone(), items.iter().cloned());
            listing = listing.spliced(Revision(n as u64), [(range, items)], []);
            prop_assert!(listing.iter().eq(plain.iter()));
        }
    }
}
