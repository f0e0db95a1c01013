use proptest::prelude::*;

use super::*;

#[test]
fn letter_case_and_variants_of_spelling_are_gone() {
    for (text, folded) in [
        ("Release  Notes\n", "release notes "),
        ("ＡＢＣ ﬁle ①", "abc file 1"),
        ("STRASSE Straße", "strasse strasse"),
        ("cafe\u{301} CAFÉ", "café café"),
        ("ｶﾞ가\u{1100}\u{1161}", "ガ가가"),
        ("soft\u{AD}ware \u{2764}\u{FE0F}", "software \u{2764}"),
        ("\u{200B}", ""),
        ("", ""),
    ] {
        assert_eq!(Folded::of(text).text, folded, "{text:?}");
    }
}

#[test]
fn a_place_leads_back_to_the_text() {
    let check = |text: &str, part: &str, expected: &str| {
        let folded = Folded::of(text);
        let at = folded.text.find(part).unwrap();
        assert_eq!(
            &text[folded.span(at..at + part.len())],
            expected,
            "{text:?}"
        );
    };
    check("a  b\n c", "b c", "b\n c");
    check("x \u{FB01}le y", "file", "\u{FB01}le");
    // Half of a character is the whole of it.
    check("x \u{FB01}le y", "ile", "\u{FB01}le");
    check("das Straßenbild", "strasse", "Straße");
    check("\u{200B}g\u{200D}it!", "git", "\u{200B}g\u{200D}it");
    check("é cafe\u{301} é", "café", "cafe\u{301}");
    check("ㇰ㍻の年", "平成の", "㍻の");
}

proptest! {
    #[test]
    fn parts_fold_as_the_whole_does(text in "[a-cA-Cß\u{301}\u{327}ｶﾞ\u{1100}\u{1161}\u{11A8}가İéﬁ\u{200D}表 \n]{0,12}") {
        let mut whole = String::new();
        let mut blank = false;
        for c in text.nfkc().filter(|c| !is_ignorable(*c)) {
            if !(blank && c.is_whitespace()) {
                fold(if c.is_whitespace() { ' ' } else { c }, &mut whole);
            }
            blank = c.is_whitespace();
        }
        prop_assert_eq!(Folded::of(&text).text, whole);
    }

    #[test]
    fn every_place_is_on_the_edges_of_characters(text in any::<String>()) {
        let folded = Folded::of(&text);
        let edges: Vec<usize> = folded.text.char_indices().map(|(at, _)| at).chain([folded.text.len()]).collect();
        let mut last = 0;
        for pair in edges.windows(2) {
            let span = folded.span(pair[0]..pair[1]);
            prop_assert!(text.get(span.clone()).is_some_and(|part| !part.is_empty()), "{span:?} of {text:?}");
            prop_assert!(last <= span.start);
            last = span.start;
        }
        if !folded.text.is_empty() {
            prop_assert_eq!(folded.span(0..folded.text.len()).end, text.len());
        }
    }
}
