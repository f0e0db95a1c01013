//! Names that look alike.

use unicode_security::confusable_detection::skeleton;

/// Returns a form of `text` that is equal for texts that look alike: the skeleton of Unicode Technical Standard 39.
///
/// It is for comparing only: a Cyrillic `о` and a Latin `o` are one letter in it, and so are `1` and `l`.
///
/// ```
/// use repertoire_core::text::look;
///
/// assert_eq!(look("d\u{435}ploy"), look("deploy"));
/// assert_ne!(look("отчёт"), look("otchet"));
/// ```
pub fn look(text: &str) -> String {
    skeleton(text).collect()
}

/// Returns whether `text` has a letter of a script whose letters are taken for those of another: Cyrillic, Greek, Armenian,
/// Cherokee, Coptic, Lisu, and Latin beyond ASCII.
pub fn has_lookalikes(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|c| {
        matches!(c, '\u{80}'..='\u{58F}' | '\u{13A0}'..='\u{13FF}' | '\u{1C80}'..='\u{1CBF}' | '\u{1D00}'..='\u{1DBF}'
                | '\u{1E00}'..='\u{1FFF}' | '\u{2C00}'..='\u{2DFF}' | '\u{A4D0}'..='\u{A4FF}' | '\u{A640}'..='\u{A69F}'
                | '\u{A720}'..='\u{A7FF}' | '\u{AB30}'..='\u{ABBF}' | '\u{10280}'..='\u{1044F}')
    })
}
