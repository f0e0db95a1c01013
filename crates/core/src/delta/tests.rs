use std::ops::Range;

use super::*;
use crate::{Skill, Stamp};

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
