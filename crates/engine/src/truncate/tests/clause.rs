use proptest::prelude::*;

use super::super::*;

#[test]
fn truncation_retains_the_distinguishing_clauses() {
    let text = "Fills in PDF forms, checks required fields, and writes a short report about each of them for the \
                archive. Use when the user has a form to fill in, or a whole folder of them.";
    for (most, expected) in [
        (400, text),
        (
            100,
            "Fills in PDF forms, checks required fields… Use when the user has a form to fill in…",
        ),
        (70, "Fills in PDF forms… Use when the user has a form to…"),
        (40, "Fills in PDF forms…"),
        (4, "Fil…"),
        (0, ""),
    ] {
        assert_eq!(truncate_at_clause(text, most), expected, "{most}");
    }
}

#[test]
fn without_such_a_sentence_the_beginning_stays() {
    let text =
        "Number 1 handles forms of version 1.2, checks totals, flags gaps, and writes letters.";
    for (most, expected) in [
        (60, "Number 1 handles forms of version 1.2, checks totals…"),
        (41, "Number 1 handles forms of version 1.2…"),
        (36, "Number 1 handles forms of version…"),
    ] {
        assert_eq!(truncate_at_clause(text, most), expected, "{most}");
    }
}

proptest! {
    #[test]
    fn truncated_text_fits_and_contains_only_original_clauses(
        text in "([A-Z][a-z]{2,8} [a-z]{3,9}(, [a-z]{3,9}){0,3}[.;] ){0,3}(Use when [a-z ]{5,60}\\.)?( 表を、é[.] )?",
        most in 0..160usize,
    ) {
        let text = text.trim();
        let short = truncate_at_clause(text, most);
        prop_assert!(short.chars().count() <= most);
        for piece in short.split('…') {
            prop_assert!(text.contains(piece.trim()), "{piece:?} of {text:?}");
        }
        prop_assert_eq!(short == text, text.chars().count() <= most);
    }
}
