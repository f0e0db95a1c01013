//! The markup of a catalog.

use std::borrow::Cow;

use serde::Serialize;

/// The markup of a catalog.
///
/// Names, descriptions, sources, locations and the hint are data in either: escaped for where they stand. A skill
/// takes one line, which costs the fewest tokens, and names its source when that is
/// [`Restricted`](repertoire_registry::Trust::Restricted).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// `<available_skills>` with a `<skill>` a line; well-formed XML, in which `&`, `<` and `>` are escaped and
    /// nothing else.
    #[default]
    Xml,
    /// A Markdown list: `- name: description`. `<` is escaped, and what would make a name another block.
    Bullets,
}

/// What one line tells. The texts are clean: one line, nothing invisible, not escaped.
pub(super) struct Texts<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) description: Cow<'a, str>,
    /// Only of a restricted skill.
    pub(super) source: Option<Cow<'a, str>>,
    /// Only where it is wanted and known.
    pub(super) location: Option<Cow<'a, str>>,
}

impl Format {
    /// What stands before the skills.
    pub(super) fn opening(self) -> &'static str {
        match self {
            Format::Xml => "<available_skills>\n",
            Format::Bullets => "",
        }
    }

    /// What stands after everything.
    pub(super) fn closing(self) -> &'static str {
        match self {
            Format::Xml => "</available_skills>\n",
            Format::Bullets => "",
        }
    }

    /// Writes a skill's line, with `description` in place of its own.
    pub(super) fn skill(self, texts: &Texts<'_>, description: &str, out: &mut String) {
        match self {
            Format::Xml => {
                out.push_str("<skill>");
                element("name", &texts.name, out);
                if !description.is_empty() {
                    element("description", description, out);
                }
                if let Some(source) = &texts.source {
                    element("source", source, out);
                }
                if let Some(location) = &texts.location {
                    element("location", location, out);
                }
                out.push_str("</skill>\n");
            }
            Format::Bullets => {
                out.push_str("- ");
                bullet_name(&texts.name, out);
                // Ahead of the description, which could claim another source.
                for (word, text) in [("source", &texts.source), ("location", &texts.location)] {
                    if let Some(text) = text {
                        out.extend([" (", word, ": "]);
                        markdown(text, out);
                        out.push(')');
                    }
                }
                if !description.is_empty() {
                    out.push_str(": ");
                    markdown(description, out);
                }
                out.push('\n');
            }
        }
    }

    /// Writes the line that tells how many skills are not listed, and how to find them.
    pub(super) fn note(self, left_out: usize, hint: &str, out: &mut String) {
        let note = format!("Skills not listed: {left_out}. {hint}");
        match self {
            Format::Xml => {
                element("note", note.trim_end(), out);
                out.push('\n');
            }
            Format::Bullets => {
                // The blank line ends the list.
                out.push('\n');
                markdown(note.trim_end(), out);
                out.push('\n');
            }
        }
    }
}

fn element(name: &str, text: &str, out: &mut String) {
    out.extend(["<", name, ">"]);
    let bytes = text.as_bytes();
    escape(text, memchr::memchr3_iter(b'&', b'<', b'>', bytes), out);
    out.extend(["</", name, ">"]);
}

/// Text inside a line: only `<` can leave it, for the markup that a host may put around the list.
fn markdown(text: &str, out: &mut String) {
    escape(text, memchr::memchr_iter(b'<', text.as_bytes()), out);
}

fn escape(text: &str, special: impl Iterator<Item = usize>, out: &mut String) {
    let mut done = 0;
    for at in special {
        out.push_str(&text[done..at]);
        out.push_str(match text.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            _ => "&gt;",
        });
        done = at + 1;
    }
    out.push_str(&text[done..]);
}

/// A name where Markdown looks for blocks: a heading, a quote, a fence, a rule, a list in the list.
fn bullet_name(name: &str, out: &mut String) {
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
        markdown(rest, out);
    } else {
        markdown(name, out);
    }
}
