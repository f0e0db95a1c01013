use super::*;

#[test]
fn what_moves_a_cursor_or_hides_is_spelled_out() {
    for (text, expected) in [
        ("plain, ünïcode, 日本, 👩‍🔧", "plain, ünïcode, 日本, 👩‍🔧"),
        ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
        ("bell\u{7} delete\u{7f} c1\u{9b}31m", "bell\\u{7} delete\\u{7f} c1\\u{9b}31m"),
        ("two\nlines\r\tand a tab", "two\\nlines\\r\\tand a tab"),
        ("turned \u{202e}round", "turned \\u{202e}round"),
        ("tag \u{e0041}", "tag \\u{e0041}"),
        ("mark \u{feff} line \u{2028}", "mark \\u{feff} line \\u{2028}"),
    ] {
        assert_eq!(shown(text), expected, "{text:?}");
    }
}

#[test]
fn bodies_keep_their_lines() {
    assert_eq!(shown_lines("a\n\tb\r\u{1b}"), "a\n\tb\\r\\u{1b}");
}

#[test]
fn an_excerpt_keeps_its_columns() {
    let line = "a\tb\u{1b}\u{e0041}c";
    assert_eq!(veiled(line), "a\tb\u{fffd}\u{fffd}c");
    assert_eq!(veiled(line).chars().count(), line.chars().count());
}
