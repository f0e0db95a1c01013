use proptest::collection::btree_set;
use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn a_row_finds_the_place_of_a_bisection(
        numbers in btree_set(0..5_000_u32, 0..300),
        number in 0..5_000_u32,
    ) {
        let row: Vec<Posting> = numbers.iter().copied().map(Posting::of_facet).collect();
        prop_assert_eq!(place_of(&row, number), numbers.range(..number).count());
    }
}

#[test]
fn a_clone_ignores_later_writes() {
    let mut table = BlockTable::default();
    (0..2500).for_each(|number| table.set(number, number));
    let copy = table.clone();
    table.set(1100, 7);
    assert_eq!(
        (*table.get(1100), *copy.get(1100), *table.get(2499)),
        (7, 1100, 2499)
    );
    assert_eq!(
        table.blocks().map(<[u32]>::len).collect::<Vec<_>>(),
        [2048, 452]
    );
}
