//! Catalogs as XML.

use repertoire_core::text::{push_xml, push_xml_quoted};

use super::tag::Tag;

type Row<'t> = (Tag, &'t str);

/// All of a skill on one line.
pub(super) fn compact<'t>(rows: impl Iterator<Item = Row<'t>>, out: &mut String) {
    out.push_str("<skill>");
    rows.for_each(|(tag, text)| element(tag, text, out));
    out.push_str("</skill>\n");
}

/// Each element on a line of its own, indented.
pub(super) fn indented<'t>(rows: impl Iterator<Item = Row<'t>>, out: &mut String) {
    out.push_str("  <skill>\n");
    for (tag, text) in rows {
        out.push_str("    ");
        element(tag, text, out);
        out.push('\n');
    }
    out.push_str("  </skill>\n");
}

/// Each tag and each text on a line of its own.
pub(super) fn reference<'t>(rows: impl Iterator<Item = Row<'t>>, out: &mut String) {
    out.push_str("<skill>\n");
    for (tag, text) in rows {
        out.extend([tag.open, "\n"]);
        push_xml_quoted(text, out);
        out.extend(["\n", tag.close, "\n"]);
    }
    out.push_str("</skill>\n");
}

pub(super) fn note(indent: &str, note: &str, out: &mut String) {
    out.push_str(indent);
    element(Tag::NOTE, note, out);
    out.push('\n');
}

fn element(tag: Tag, text: &str, out: &mut String) {
    out.push_str(tag.open);
    push_xml(text, out);
    out.push_str(tag.close);
}
