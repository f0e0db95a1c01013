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
