use std::ops::Range;

use super::*;
use crate::{Digest, Manifest, Parts, Skill, Stamp};

fn listing(rows: &[(&str, u8)]) -> Listing<Skill> {
    let row = |(name, content): &(&str, u8)| Listed::new(Skill::new(name.parse().unwrap(), "d"), Stamp::of(content));
    Listing::new(Revision(0), rows.iter().map(row), [])
}

/// The replaced ranges between two listings.
fn ranges(old: &[(&str, u8)], new: &[(&str, u8)]) -> Vec<(Range<usize>, usize)> {
    let delta = Delta::between(&listing(old), &listing(new));
    delta.splices().iter().map(|splice| (splice.range.clone(), splice.items.len())).collect()
}

#[test]
fn only_what_differs_is_replaced() {
    let old = [("a", 0), ("b", 0), ("c", 0), ("d", 0)];
    assert_eq!(ranges(&old, &old), []);
    assert_eq!(ranges(&old, &[("a", 0), ("b", 1), ("c", 0), ("d", 0)]), [(1..2, 1)]);
    assert_eq!(ranges(&old, &[("a", 1), ("b", 0), ("c", 1), ("d", 1)]), [(0..1, 1), (2..4, 2)]);
    assert_eq!(ranges(&old, &[("a", 0), ("c", 0), ("d", 0)]), [(1..2, 0)]);
    assert_eq!(ranges(&old, &[("a", 0), ("b", 0), ("x", 0), ("c", 0), ("d", 0)]), [(2..2, 1)]);
    assert_eq!(ranges(&[], &old), [(0..0, 4)]);
    assert_eq!(ranges(&old, &[]), [(0..4, 0)]);
}

#[test]
fn what_goes_and_what_comes_can_be_read_off() {
    let (old, new) = (listing(&[("a", 0), ("b", 0)]), listing(&[("a", 0), ("c", 0), ("d", 0)]));
    let delta = Delta::between(&old, &new);
    let names = |rows: Vec<&Listed<Skill>>| rows.iter().map(|row| row.item.id.to_string()).collect::<Vec<_>>();
    assert_eq!(names(delta.removed(&old).collect()), ["b"]);
    assert_eq!(names(delta.inserted().collect()), ["c", "d"]);
}

#[test]
fn a_row_comes_when_more_is_known_of_its_content_and_stays_when_less_is() {
    let (digest, other) = (Digest::of(b"a"), Digest::of(b"b"));
    let parts = Arc::new(Parts::new("body", &Manifest::new([]).unwrap()));
    let unknown = listing(&[("a", 0), ("b", 0)]);
    let learned: Vec<Listed<Skill>> =
        unknown.iter().map(|row| row.clone().with_digest(digest).with_parts(parts.clone())).collect();
    let known = Listing::new(Revision(1), learned.clone(), []);
    let learning = Delta::between(&unknown, &known);
    assert_eq!(learning.inserted().cloned().collect::<Vec<_>>(), learned);
    assert_eq!(unknown.apply(&learning).unwrap(), known);

    let touched = Listing::new(Revision(2), [unknown.iter().next().unwrap().clone(), learned[1].clone()], []);
    let forgetting = Delta::between(&known, &touched);
    assert_eq!(forgetting.splices(), []);
    assert!(known.apply(&forgetting).unwrap().iter().eq(&learned), "what was known stays known");

    let digested = Listing::new(Revision(3), [learned[0].clone(), learned[1].clone().with_digest(other)], []);
    assert_eq!(Delta::between(&known, &digested).splices().len(), 1, "another content");
}

#[test]
fn rows_of_shared_blocks_stay_whatever_happens_around_them() {
    let names: Vec<String> = (0..2000).map(|number| format!("s{number}")).collect();
    let rows: Vec<(&str, u8)> = names.iter().map(|name| (name.as_str(), 0)).collect();
    let (old, fresh) = (listing(&rows), listing(&[("fresh", 0), ("s1900", 1)]));
    let fresh: Vec<_> = fresh.iter().cloned().collect();
    let edits = [
        Splice { range: 3..3, items: vec![fresh[0].clone()] },
        Splice { range: 1900..1901, items: vec![fresh[1].clone()] },
    ];
    let new = old.apply(&Delta::new(Revision(1), edits.clone(), [])).unwrap();
    let delta = Delta::between(&old, &new);
    assert_eq!(delta.splices(), edits);
    let applied = old.apply(&delta).unwrap();
    assert_eq!(applied, new);
    assert_eq!(applied.shared_with(&new).len(), new.shared_with(&new).len(), "and so does every later difference");
}
