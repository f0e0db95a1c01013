use super::*;

#[test]
fn beginnings_compare_as_the_whole_does() {
    let ids = ["", "a", "a-long-one", "a-long-two", "ab", "b", "é"];
    assert!(ids.is_sorted() && ids.is_sorted_by_key(|id| beginning(id)));
}
