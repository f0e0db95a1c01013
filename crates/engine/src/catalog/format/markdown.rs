//! Catalogs as Markdown.

use super::{Texts, escape};

/// A skill, behind its mark if it has one.
pub(super) fn item(texts: &Texts<'_>, description: &str, out: &mut String) {
    name(&texts.name, out);
    // Ahead of the description, which could claim another source.
    for (word, text) in [("source", &texts.source), ("location", &texts.location)] {
        if let Some(text) = text {
            out.extend([" (", word, ": "]);
            inline(text, out);
            out.push(')');
        }
    }
    if !description.is_empty() {
        out.push_str(": ");
        inline(description, out);
    }
    out.push('\n');
}

/// A paragraph; the blank line ends the list before it.
pub(super) fn note(note: &str, out: &mut String) {
    out.push('\n');
    inline(note, out);
    out.push('\n');
}

/// Text inside a line: only `<` can leave it, for the markup that a host may put around the list.
fn inline(text: &str, out: &mut String) {
    escape(text, memchr::memchr_iter(b'<', text.as_bytes()), out);
}

/// A name where Markdown looks for blocks: a heading, a quote, a fence, a rule, a list in the list.
fn name(name: &str, out: &mut String) {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = name.len() - rest.len();
    let opens_block = match rest.as_bytes() {
        [b'<', ..] => false,
        [first, ..] if digits == 0 => first.is_ascii_punctuation(),
        [b'.' | b')'] | [b'.' | b')', b' ', ..] => true,
        _ => false,
    };
    if opens_block {
        out.extend([&name[..digits], "\\"]);
        inline(rest, out);
    } else {
        inline(name, out);
    }
}
