use proptest::prelude::*;

use super::*;

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
        assert_eq!(compare(pair[0], pair[1]), Some(Ordering::Less), "{pair:?}");
        assert_eq!(compare(pair[1], pair[0]), Some(Ordering::Greater), "{pair:?}");
    }
}

#[test]
fn what_needs_tables_is_not_decided() {
    for (a, b) in
        [("é", "z"), ("a", "aé"), ("a\u{1}", "a\u{2}"), ("ä", "ö"), ("a", "a\u{200d}"), ("日", "本"), ("-é", "-a")]
    {
        assert_eq!((compare(a, b), compare(b, a)), (None, None), "{a:?} {b:?}");
    }
    for (a, b) in [("a/é", "b/ö"), ("é/a", "é/b"), ("é", "é a"), ("柴/a.md", "柴/b.md")] {
        assert_eq!((compare(a, b), compare(b, a)), (Some(Ordering::Less), Some(Ordering::Greater)), "{a:?} {b:?}");
    }
}

proptest! {
    #[test]
    fn the_key_decides_what_is_decided(a in "[ -~é\u{1}]{0,5}", b in "[ -~é\u{1}]{0,5}", common in "[ -~]{0,3}") {
        let (a, b) = (common.clone() + &a, common + &b);
        if let Some(order) = compare(&a, &b) {
            prop_assert_eq!(key(&a).cmp(&key(&b)), order);
            prop_assert_eq!(order == Ordering::Equal, a == b);
        }
    }
}
