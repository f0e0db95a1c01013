//! The laws of triggers over made-up ones, and over inputs made to break them.

#[path = "../laws/triggers.rs"]
mod laws;

use proptest::prelude::*;

#[test]
fn known_hard_inputs_satisfy_the_laws() {
    for (texts, message) in [
        (&["\u{B4}", " \u{301}"][..], "a \u{B4} \u{301}"),
        (&["ß", "s", "ss"], "ß ss S"),
        (&["\u{200D}", "a\u{200D}b"], "ab \u{200D}a\u{AD}b\u{200D}"),
        (&["a b"], "a \u{200B} \u{3000}b"),
        (&["漢", "漢漢", "字漢"], "漢漢字漢漢"),
        (&["İ", "i\u{307}"], "İ i\u{307} I"),
        (&["$a", "/skill-0", "skill-0"], "/skill-0 $skill-1 $a"),
        (&["[", "{", "(", "\\"], "[ { ( \\"),
        (&["straße", "ssst", "strasse"], "STRASSE straße ssst"),
        (
            &["ab\u{200D}cd", "cd ef"],
            "abcd \u{AD}cd \u{3000}ef ab\u{200D}cd",
        ),
        (
            &["İstanbul", "istanbul"],
            "İstanbul i\u{307}stanbul ISTANBUL",
        ),
    ] {
        laws::hold(texts, message);
    }
}

proptest! {
    #[test]
    fn the_laws_hold(
        texts in prop::collection::vec("[ab+/.ßÉ表を\u{301}\u{200D}$ ]{1,6}", 1..8),
        message in "[abAB+/.ßsÉée表を\u{301}\u{200D}$\u{3000} \n]{0,40}",
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        laws::hold(&texts, &message);
    }

    #[test]
    fn any_text_satisfies_the_trigger_laws(texts in prop::collection::vec(any::<String>(), 1..4), message in any::<String>()) {
        let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        // Something that is there.
        let (from, to) = (message.floor_char_boundary(message.len() / 3), message.floor_char_boundary(message.len() / 2));
        texts.push(&message[from..to]);
        laws::hold(&texts, &message);
    }
}
