//! Text from strangers: what is hidden in it, the same text without that, and the escapes of each place it goes to.
//!
//! Every text of a skill is data. Before a model reads it, [`clean`] or [`clean_line`] takes out what people do not see.
//! Before it is written somewhere, the function of that place escapes it:
//!
//! | place | function |
//! |---|---|
//! | a line on a terminal | [`terminal_line`] |
//! | several lines on a terminal | [`terminal_lines`] |
//! | the excerpt of a diagnostic, whose columns stay | [`masked`] |
//! | a name in a message, in backticks | [`quoted`]; [`spelled_out`] where it is refused |
//! | a foreign message inside a message | [`excerpt`] |
//! | XML | [`push_xml`], [`push_xml_quoted`], [`xml_attribute`] |
//! | inside an element that is no real XML | [`inside_elements`] |
//! | Markdown | [`push_markdown`], [`push_markdown_name`] |
//! | JSON that a terminal may show | [`json`] |
//! | a log line | [`log_value`], [`log_line`] |
//! | a shell comment | [`clean_line`] |
//!
//! What a program printed is text once [`printed`] took its escape sequences out.
//!
//! # Hidden text
//! Hidden characters are judged by sequence, not one by one. Honest are:
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
mod look;
mod printed;
mod scan;

pub use self::clean::{clean, clean_line, is_break, shows_nothing};
pub use self::escape::{
    excerpt, inside_elements, json, log_line, log_value, masked, push_markdown, push_markdown_name, push_xml,
    push_xml_quoted, quoted, spelled_out, terminal_line, terminal_lines, xml_attribute,
};
pub use self::hidden::{Hidden, hidden, hidden_count, is_clean};
pub use self::look::{has_lookalikes, look};
pub use self::printed::printed;

#[cfg(test)]
mod tests;
