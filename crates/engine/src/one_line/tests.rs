use proptest::prelude::*;

use super::*;

#[test]
fn one_line_folds_breaks_and_keeps_the_rest() {
    for (text, line) in [
        ("plain", "plain"),
        ("  both ends \n", "both ends"),
        ("two  spaces", "two  spaces"),
        ("wide\u{3000}gap\u{a0}here", "wide\u{3000}gap\u{a0}here"),
        ("one\n\n  two\r\n\tthree", "one two three"),
        ("next\u{85}line\u{2028}and\u{2029}more", "next line and more"),
        ("bell\u{7}and\u{1b}[31mred", "belland[31mred"),
        ("left\u{202E}right\u{2066}", "leftright"),
        ("tags\u{E0041}\u{E0042}\u{E007F}", "tags"),
        ("no\u{FFFE}character\u{FFFF}", "nocharacter"),
        ("flag \u{1F3F3}\u{FE0F}\u{200D}\u{1F308}", "flag \u{1F3F3}\u{FE0F}\u{200D}\u{1F308}"),
        ("\u{E0041} \n\u{E0042}", ""),
        ("", ""),
    ] {
        assert_eq!(one_line(text), line, "{text:?}");
    }
}

#[test]
fn a_cut_is_at_a_word_if_it_can_be_and_never_inside_a_letter() {
    for (text, most, short) in [
        ("Sorts a folder, then stops.", 27, "Sorts a folder, then stops."),
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
        assert_eq!(shorten(text, most), short, "{text:?} in {most}");
    }
}

proptest! {
    /// A model that asks for the name it was shown finds the skill.
    #[test]
    fn an_id_is_shown_as_it_is(name in prop_oneof![any::<String>(), "[a\u{200d}\u{202e}\u{2028}\u{fffe}\u{e0041} ]{1,6}"]) {
        if let Ok(id) = repertoire_core::Id::new(&name) {
            prop_assert_eq!(one_line(id.as_str()), id.as_str());
        }
    }

    #[test]
    fn one_line_is_one_line_and_stays_itself(text in any::<String>()) {
        let line = one_line(&text);
        prop_assert!(!line.chars().any(|c| is_break(c) || is_unfit(c)));
        prop_assert_eq!(line.trim(), line.as_ref());
        prop_assert_eq!(one_line(&line), line.as_ref());
    }

    #[test]
    fn one_line_is_the_parts_between_breaks(text in "[ \t\r\nabé表、“\u{a0}\u{85}\u{2028}\u{200E}\u{E0041}\u{7}]{0,80}") {
        let seen: String = text.chars().filter(|c| is_break(*c) || !is_unfit(*c)).collect();
        let parts: Vec<&str> = seen.split(is_break).map(str::trim).filter(|part| !part.is_empty()).collect();
        prop_assert_eq!(one_line(&text), parts.join(" "));
    }

    #[test]
    fn a_short_text_is_a_beginning_within_its_bound(text in "[ a-c,é表\u{301}\u{200D}\u{1F308}]{0,40}", most in 0..44usize) {
        let short = shorten(&text, most);
        prop_assert!(short.chars().count() <= most);
        prop_assert!(short == text || text.starts_with(short.trim_end_matches('…')));
        // More room never shows less.
        prop_assert!(shorten(&text, most + 1).chars().count() >= short.chars().count());
    }
}

#[test]
fn whatever_has_to_go_begins_with_a_byte_that_is_looked_for() {
    let has_to_go = |c: &char| is_break(*c) || is_unfit(*c);
    let is_found = |c: char| is_suspect(c.encode_utf8(&mut [0; 4]).as_bytes()[0]);
    assert_eq!(('\0'..=char::MAX).filter(has_to_go).find(|c| !is_found(*c)), None);
    assert_eq!(('\0'..=char::MAX).filter(has_to_go).count(), 0x20 + 0x21 + 2 + 12 + 0x80 + 2);
}
