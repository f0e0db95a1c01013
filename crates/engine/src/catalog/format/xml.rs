//! Catalogs as XML.

use super::escape;

type Rows<'t> = (&'static str, &'t str);

/// All of a skill on one line.
pub(super) fn compact<'t>(rows: impl Iterator<Item = Rows<'t>>, out: &mut String) {
    out.push_str("<skill>");
    rows.for_each(|(name, text)| element(name, text, out));
    out.push_str("</skill>\n");
}

/// Each element on a line of its own, indented.
pub(super) fn indented<'t>(rows: impl Iterator<Item = Rows<'t>>, out: &mut String) {
    out.push_str("  <skill>\n");
    for (name, text) in rows {
        out.push_str("    ");
        element(name, text, out);
        out.push('\n');
    }
    out.push_str("  </skill>\n");
}

/// Each tag and each text on a line of its own.
pub(super) fn reference<'t>(rows: impl Iterator<Item = Rows<'t>>, out: &mut String) {
    out.push_str("<skill>\n");
    for (name, text) in rows {
        out.extend(["<", name, ">\n"]);
        let special = text.bytes().enumerate().filter(|(_, byte)| b"&<>\"'".contains(byte));
        escape(text, special.map(|(at, _)| at), out);
        out.extend(["\n</", name, ">\n"]);
    }
    out.push_str("</skill>\n");
}

pub(super) fn note(indent: &str, note: &str, out: &mut String) {
    out.push_str(indent);
    element("note", note, out);
    out.push('\n');
}

fn element(name: &str, text: &str, out: &mut String) {
    out.extend(["<", name, ">"]);
    escape(text, memchr::memchr3_iter(b'&', b'<', b'>', text.as_bytes()), out);
    out.extend(["</", name, ">"]);
}
