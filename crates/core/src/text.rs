//! Untrusted text: detection and removal of hidden characters, and escapes for its destinations.
//!
//! Every text of a skill is data. [`clean`] and [`clean_line`] remove what people do not see, before a model reads it.
//! A function for each destination escapes it:
//!
//! | place | function |
//! |---|---|
//! | a line on a terminal | [`terminal_line`] |
//! | several lines on a terminal | [`terminal_lines`] |
//! | a foreign message inside a message | [`excerpt`] |
//! | a shell comment | [`clean_line`] |
//!
//! # Hidden text
//! A character counts as hidden by its neighbours. These are not hidden:
//!
//! - the tags of the flags of England, Scotland and Wales behind a black flag,
//! - joiners between emoji,
//! - joiners beside a letter of a joining script, such as Persian or Hindi,
//! - up to two direction marks U+200E, U+200F and U+061C,
//! - a single variation selector behind a character that has variants,
//! - what Mongolian, Hangul, Khmer, Thai and Braille texts need.
//!
//! All other control characters, tag characters, bidirectional overrides, embeddings and isolates, variation selectors,
//! and characters of `Default_Ignorable_Code_Point` are hidden. Line breaks and tabs are layout.

mod clean;
mod escape;
mod hidden;
mod parts;
mod printed;
mod scan;

pub use self::clean::{clean, clean_line};
pub use self::escape::{excerpt, terminal_line, terminal_lines};
pub use self::hidden::{Hidden, hidden, is_clean};

pub(crate) use self::clean::shows_nothing;
pub(crate) use self::escape::{quoted, spelled_out};
pub(crate) use self::scan::{is_break, may_hide};

// The other crates of the workspace share these. They are not a public interface.
#[doc(hidden)]
pub use self::escape::{
    command_argument, inside_elements, json, log_value, masked, push_markdown, push_markdown_name,
    push_xml, push_xml_quoted, xml_attribute,
};
#[doc(hidden)]
pub use self::hidden::hidden_count;
#[doc(hidden)]
pub use self::parts::has_parts;
#[doc(hidden)]
pub use self::printed::printed;

/// Returns a form of `text` that is equal for texts that look alike: the skeleton of Unicode Technical Standard 39.
///
/// It is for comparing only: a Cyrillic `о` and a Latin `o` are one letter in it, and so are `1` and `l`.
///
/// ```
/// use repertoire_core::text::skeleton;
///
/// assert_eq!(skeleton("d\u{435}ploy"), skeleton("deploy"));
/// assert_ne!(skeleton("отчёт"), skeleton("otchet"));
/// ```
#[doc(hidden)]
pub fn skeleton(text: &str) -> String {
    unicode_security::confusable_detection::skeleton(text).collect()
}

/// Returns whether `text` has a letter of a script whose letters are taken for those of another: Cyrillic, Greek, Armenian,
/// Cherokee, Coptic, Lisu, and Latin beyond ASCII.
#[doc(hidden)]
pub fn has_lookalikes(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(|c| {
        matches!(c, '\u{80}'..='\u{58F}' | '\u{13A0}'..='\u{13FF}' | '\u{1C80}'..='\u{1CBF}' | '\u{1D00}'..='\u{1DBF}'
                | '\u{1E00}'..='\u{1FFF}' | '\u{2C00}'..='\u{2DFF}' | '\u{A4D0}'..='\u{A4FF}' | '\u{A640}'..='\u{A69F}'
                | '\u{A720}'..='\u{A7FF}' | '\u{AB30}'..='\u{ABBF}' | '\u{10280}'..='\u{1044F}')
    })
}

#[cfg(test)]
mod tests;
