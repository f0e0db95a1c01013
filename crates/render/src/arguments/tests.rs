use proptest::prelude::*;

use super::Arguments;

#[test]
fn words_are_split_as_a_shell_does() {
    for (text, words) in [
        ("", &[] as &[&str]),
        ("  \t\n", &[]),
        ("a b  c", &["a", "b", "c"]),
        (r#""hello world" foo"#, &["hello world", "foo"]),
        (r#"'a "b"' "c 'd'""#, &[r#"a "b""#, "c 'd'"]),
        (r#"a"b c"d"#, &["ab cd"]),
        (r#""" ''"#, &["", ""]),
        (r"a\ b \' \\", &["a b", "'", r"\"]),
        (r#""a \" b \\ \n""#, &[r#"a " b \ \n"#]),
        (r"'a\'b", &[r"a\b"]),
        (r"C:\folder\file", &[r"C:\folder\file"]),
    ] {
        assert_eq!(Arguments::new(text).words(), words, "{text}");
    }
}

#[test]
fn an_unclosed_quote_is_a_character() {
    for (text, words) in [
        (
            r#"it's "fine"; touch x"#,
            &["it's", "fine;", "touch", "x"] as &[&str],
        ),
        (r#"say "no"#, &["say", "\"no"]),
        (r#"a "b\""#, &["a", "\"b\""]),
    ] {
        assert_eq!(Arguments::new(text).words(), words, "{text}");
    }
}

proptest! {
    #[test]
    fn words_survive_being_typed(words in proptest::collection::vec("[a ' \"\\\\\n é$`]{0,6}", 0..5)) {
        let arguments = Arguments::from_words(&words);
        prop_assert_eq!(arguments.words(), &words[..]);
        prop_assert_eq!(Arguments::new(arguments.raw()), arguments);
    }
}
