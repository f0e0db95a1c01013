use super::*;

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
