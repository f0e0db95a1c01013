use super::*;

#[test]
fn bytes_and_characters_agree() {
    for c in '\0'..=char::MAX {
        let text = format!("some text before {c}{c}{c} and some more after it");
        let wanted = is_shapeless(c) || is_break(c);
        assert_eq!(odd(&text).next().is_some(), wanted, "{c:?}");
        assert_eq!(
            hidden(&text).next().is_some(),
            wanted && !is_break(c),
            "{c:?}"
        );
    }
}
