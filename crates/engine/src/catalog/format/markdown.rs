//! Catalogs as Markdown.

use repertoire_core::text::{push_markdown, push_markdown_name};

use super::Texts;

/// A skill, behind its mark if it has one.
pub(super) fn item(texts: &Texts<'_>, description: &str, out: &mut String) {
    push_markdown_name(&texts.name, out);
    // Ahead of the description, which could claim another source.
    for (word, text) in [("source", &texts.source), ("location", &texts.location)] {
        if let Some(text) = text {
            out.extend([" (", word, ": "]);
            push_markdown(text, out);
            out.push(')');
        }
    }
    if texts.is_suggested {
        out.push_str(" (suggested)");
    }
    if !description.is_empty() {
        out.push_str(": ");
        push_markdown(description, out);
    }
    out.push('\n');
}

/// A paragraph; the blank line ends the list before it.
pub(super) fn note(note: &str, out: &mut String) {
    out.push('\n');
    push_markdown(note, out);
    out.push('\n');
}
