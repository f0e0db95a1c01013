use proptest::prelude::*;

use super::*;
use crate::{Skill, Splice};

fn row(name: &str, content: &str) -> Listed<Skill> {
    let skill =
        Skill::new(name.parse().unwrap(), format!("About {name}.")).from_location(format!("{name}/{content}/SKILL.md"));
    Listed::new(skill, Stamp::of(content))
}

fn listing(revision: u64, rows: &[(u16, u8)]) -> Listing<Skill> {
    let rows = rows.iter().map(|(name, content)| row(&format!("s{name}"), &content.to_string()));
    Listing::new(Revision(revision), rows, [])
}

#[test]
fn the_first_of_two_rows_with_one_id_stays_and_the_other_is_reported_with_both_places() {
    let listing = Listing::new(Revision(0), [row("a", "x"), row("b", "x"), row("a", "y")], []);
    assert_eq!(listing.iter().cloned().collect::<Vec<_>>(), [row("a", "x"), row("b", "x")]);
    assert_eq!(
        listing.diagnostics().to_vec(),
        [Diagnostic::new(Code::DUPLICATE_ID, "skill `a` is defined twice; the first one stays")
            .at_path("a/y/SKILL.md")
            .and_path("a/x/SKILL.md")
            .help("rename one of them")]
    );
}

#[test]
fn modified_means_another_item_another_digest_or_an_unknown_digest_and_another_stamp() {
    let digested =
        |content: &str, digest: &str| row("a", "x").with_digest(Digest::of(digest.as_bytes())).clone_stamped(content);
    assert!(!row("a", "x").is_modified_by(&row("a", "x")));
    assert!(row("a", "x").is_modified_by(&row("a", "y")), "another item and stamp");
    assert!(!digested("1", "d").is_modified_by(&digested("2", "d")), "touched, but the same content");
    assert!(digested("1", "d").is_modified_by(&digested("1", "e")), "same stamp, other content");
    assert!(
        digested("1", "d").is_modified_by(&row("a", "x").clone_stamped("2")),
        "one digest unknown: the stamps decide"
    );
}

#[test]
fn what_moved_is_told_by_the_parts_and_what_cannot_be_told_has_moved() {
    let files = |text: &str| {
        let file = crate::Resource::new("run.sh".parse().unwrap(), text.len() as u64, Digest::of(text.as_bytes()));
        Manifest::new([file]).unwrap()
    };
    let known = |front: &str, body: &str, script: &str| {
        row("a", "x")
            .with_digest(Digest::of(format!("{front}{body}").as_bytes()))
            .with_parts(Parts::new(body, &files(script)))
            .clone_stamped(&format!("{front}{body}{script}"))
    };
    let moved = |metadata, body, resources| Moved { metadata, body, resources };
    let old = known("f", "b", "s");
    assert_eq!(old.moved(&old.clone_stamped("touched")), moved(false, false, false));
    assert_eq!(old.moved(&known("f", "c", "s")), moved(false, true, false));
    assert_eq!(old.moved(&known("f", "b", "t")), moved(false, false, true));
    assert_eq!(old.moved(&known("g", "b", "s")), moved(true, false, false), "a comment in the front matter");
    assert_eq!(old.moved(&Listed { item: row("a", "y").item, ..old.clone() }), moved(true, false, false));
    assert_eq!(old.moved(&row("a", "x").clone_stamped("2")), moved(false, true, true), "nothing is known of the new");
    assert_eq!(row("a", "x").moved(&row("a", "x")), moved(false, false, false));
}

impl Listed<Skill> {
    fn clone_stamped(&self, content: &str) -> Listed<Skill> {
        Listed { stamp: Stamp::of(content), ..self.clone() }
    }
}

#[test]
fn digests_are_filled_in_and_known_ones_stay() {
    let known = Digest::of(b"known");
    let listing = Listing::new(Revision(0), [row("a", "x"), row("b", "x").with_digest(known)], []);
    let found = Digest::of(b"found");
    let filled = listing.with_digests(|id| (id.as_str() == "a").then_some(found));
    assert_eq!(filled.iter().map(|row| row.digest).collect::<Vec<_>>(), [Some(found), Some(known)]);
}

#[test]
fn a_delta_that_does_not_fit_is_refused() {
    let old = listing(5, &[(1, 0), (2, 0), (3, 0)]);
    let apply = |revision, splices: &[(std::ops::Range<usize>, &[u16])]| {
        let splice = |(range, names): &(std::ops::Range<usize>, &[u16])| Splice {
            range: range.clone(),
            items: names.iter().map(|name| row(&format!("s{name}"), "0")).collect(),
        };
        old.apply(&Delta::new(Revision(revision), splices.iter().map(splice), [])).map(|new| new.len())
    };
    assert_eq!(apply(5, &[(1..2, &[7, 8])]), Ok(4));
    assert_eq!(apply(4, &[]), Err(DeltaError::Backwards { from: 5, to: 4 }));
    assert_eq!(apply(6, &[(2..4, &[])]), Err(DeltaError::OutOfRange { len: 3 }));
    assert_eq!(apply(6, &[(1..2, &[]), (0..1, &[])]), Err(DeltaError::OutOfRange { len: 3 }));
    assert_eq!(apply(6, &[(0..1, &[3])]), Err(DeltaError::DuplicateId { id: "s3".parse().unwrap() }));
    assert_eq!(apply(6, &[(0..1, &[8, 8])]), Err(DeltaError::DuplicateId { id: "s8".parse().unwrap() }));
    assert_eq!(apply(6, &[(0..1, &[3]), (2..3, &[1])]), Ok(3), "two rows change places");
}

/// The same rows in blocks of its own, for which no delta is a shortcut.
fn copy(listing: &Listing<Skill>) -> Listing<Skill> {
    Listing::new(listing.revision(), listing.iter().cloned(), [])
}

fn any_rows() -> impl Strategy<Value = Vec<(u16, u8)>> {
    // Few names, so that two lists share some; long enough for several blocks now and then.
    let names = prop::sample::subsequence((0u16..900).collect::<Vec<_>>(), 0..900);
    let few = prop::sample::subsequence((0u16..9).collect::<Vec<_>>(), 0..9);
    prop_oneof![4 => few, 1 => names].prop_flat_map(|names| {
        let contents = prop::collection::vec(0u8..2, names.len());
        (Just(names).prop_shuffle(), contents).prop_map(|(names, contents)| names.into_iter().zip(contents).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_difference_of_two_listings_applied_to_the_old_one_gives_the_new_one(old in any_rows(), new in any_rows()) {
        let (old, new) = (listing(1, &old), listing(2, &new));
        let delta = Delta::between(&old, &new);
        prop_assert_eq!(old.apply(&delta).unwrap(), new.clone());
        prop_assert_eq!(copy(&old).apply(&delta).unwrap(), new.clone());
        prop_assert!(Delta::between(&new, &new).is_empty_for(&new));
    }

    #[test]
    fn edits_at_any_place_equal_edits_of_a_plain_list(
        start in any_rows(),
        edits in prop::collection::vec((any::<u16>(), 0usize..4, 0usize..4), 0..20),
    ) {
        let mut plain: Vec<Listed<Skill>> = listing(0, &start).iter().cloned().collect();
        let first = listing(0, &start);
        let mut blocks = first.clone();
        for (n, (at, gone, come)) in edits.into_iter().enumerate() {
            let from = at as usize % (plain.len() + 1);
            let range = from..(from + gone).min(plain.len());
            let items: Vec<_> = (0..come).map(|k| row(&format!("new-{n}-{k}"), "0")).collect();
            plain.splice(range.clone(), items.iter().cloned());
            blocks = blocks.apply(&Delta::new(Revision(n as u64), [Splice { range, items }], [])).unwrap();
            prop_assert_eq!(blocks.len(), plain.len());
        }
        prop_assert!(blocks.iter().eq(plain.iter()));
        // Of two listings that share blocks.
        let delta = Delta::between(&first, &blocks);
        prop_assert_eq!(first.apply(&delta).unwrap(), blocks.clone());
        prop_assert_eq!(copy(&first).apply(&delta).unwrap(), blocks);
    }
}
