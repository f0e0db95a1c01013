use proptest::prelude::*;

use crate::truncate::*;

#[test]
fn truncation_ends_at_words_or_grapheme_clusters() {
    for (text, most, short) in [
        (
            "Sorts a folder, then stops.",
            27,
            "Sorts a folder, then stops.",
        ),
        ("Sorts a folder, then stops.", 26, "Sorts a folder, then…"),
        ("Sorts a folder, then stops.", 20, "Sorts a folder…"),
        ("Sorts a folder, then stops.", 16, "Sorts a folder…"),
        ("Sorts a folder, then stops.", 15, "Sorts a…"),
        ("Sorts a folder, then stops.", 8, "Sorts a…"),
        ("Sorts a folder, then stops.", 1, ""),
        ("Sorts a folder, then stops.", 0, ""),
        ("a pneumonoultramicroscopic word", 12, "a pneumonou…"),
        ("表を読み、合計を確かめ", 6, "表を読み、…"),
        ("ab\u{1F3F3}\u{FE0F}\u{200D}\u{1F308}cd", 6, "ab…"),
        ("e\u{301}e\u{301}e\u{301}", 5, "e\u{301}e\u{301}…"),
        (",,,,,,,,,,", 8, ""),
        ("", 0, ""),
    ] {
        assert_eq!(truncate(text, most), short, "{text:?} in {most}");
    }
}

proptest! {
    /// A model that asks for the name it was shown finds the skill.
    #[test]
    fn an_id_is_shown_as_it_is(name in prop_oneof![any::<String>(), "[a\u{200d}\u{202e}\u{2028}\u{fffe}\u{e0041} ]{1,6}"]) {
        if let Ok(id) = repertoire_core::Id::new(&name) {
            prop_assert_eq!(repertoire_core::text::clean_line(id.as_str()), id.as_str());
        }
    }

    #[test]
    fn truncated_text_is_a_prefix_within_its_limit(text in "[ a-c,é表\u{301}\u{200D}\u{1F308}]{0,40}", most in 0..44usize) {
        let short = truncate(&text, most);
        prop_assert!(short.chars().count() <= most);
        prop_assert!(short == text || text.starts_with(short.trim_end_matches('…')));
        // More room never shows less.
        prop_assert!(truncate(&text, most + 1).chars().count() >= short.chars().count());
    }
}
