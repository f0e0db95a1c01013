//! The markup of a catalog.

use std::borrow::Cow;

use repertoire_core::text::{push_markdown, push_markdown_name, push_xml, push_xml_quoted};
use serde::Serialize;
use serde_json::json;

/// The markup of a catalog.
///
/// Every format escapes names, descriptions, sources, locations and the hint for its markup.
/// The item of a skill includes its source if that is
/// [`Restricted`](repertoire_registry::Trust::Restricted).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CatalogFormat {
    /// A well-formed `<available_skills>` element with one `<skill>` on each line.
    ///
    /// It costs the fewest tokens of the XML formats. Only `&`, `<` and `>` are escaped.
    #[default]
    Xml,
    /// The elements of `Xml`, each on a line of its own and indented.
    Indented,
    /// The format of the reference library of the Agent Skills standard.
    ///
    /// Every tag and every text of a skill has a line of its own. Quotes in these texts are
    /// escaped too.
    Reference,
    /// A Markdown list: `- name: description`.
    ///
    /// `<` is escaped, and so is the character that would turn a name into a Markdown block.
    Bullets,
    /// The items of `Bullets` without the `- `: `name: description`.
    Lines,
    /// A JSON object, `{"skills": [{"name": …, "description": …}]}`, with one skill on each line.
    Json,
}

/// The texts of one item of a catalog: each without line breaks, and not escaped yet.
pub(super) struct Texts<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) description: Cow<'a, str>,
    pub(super) source: Option<Cow<'a, str>>,
    pub(super) location: Option<Cow<'a, str>>,
    pub(super) is_suggested: bool,
    pub(super) is_not_ready: bool,
}

const MARKED: &str = "yes";

impl Texts<'_> {
    fn rows<'t>(&'t self, description: &'t str) -> impl Iterator<Item = (Tag, &'t str)> {
        let description = (!description.is_empty()).then_some(description);
        let rows = [
            (Tag::NAME, Some(self.name.as_ref())),
            (Tag::DESCRIPTION, description),
            (Tag::SOURCE, self.source.as_deref()),
            (Tag::LOCATION, self.location.as_deref()),
            (Tag::SUGGESTED, self.is_suggested.then_some(MARKED)),
            (Tag::NOT_READY, self.is_not_ready.then_some(MARKED)),
        ];
        rows.into_iter()
            .filter_map(|(tag, text)| Some((tag, text?)))
    }
}

impl CatalogFormat {
    pub(super) fn opening(self, kind: &str, how_to: Option<&str>) -> String {
        match (self, how_to) {
            (CatalogFormat::Json, Some(how_to)) => {
                format!("{{\"how_to\": {},\n\"{kind}s\": [\n", json!(how_to))
            }
            (CatalogFormat::Json, None) => format!("{{\"{kind}s\": [\n"),
            (_, Some(how_to)) => format!("{how_to}\n\n{}", self.opening(kind, None)),
            (CatalogFormat::Xml | CatalogFormat::Indented | CatalogFormat::Reference, None) => {
                format!("<available_{kind}s>\n")
            }
            (CatalogFormat::Bullets | CatalogFormat::Lines, None) => String::new(),
        }
    }

    pub(super) fn between(self) -> &'static str {
        if self == CatalogFormat::Json { "," } else { "" }
    }

    pub(super) fn closing(self, kind: &str) -> String {
        match self {
            CatalogFormat::Xml | CatalogFormat::Indented | CatalogFormat::Reference => {
                format!("</available_{kind}s>\n")
            }
            CatalogFormat::Bullets | CatalogFormat::Lines => String::new(),
            CatalogFormat::Json => "}\n".to_owned(),
        }
    }

    pub(super) fn item(self, kind: &str, texts: &Texts<'_>, description: &str, out: &mut String) {
        match self {
            CatalogFormat::Xml => compact(kind, texts.rows(description), out),
            CatalogFormat::Indented => indented(kind, texts.rows(description), out),
            CatalogFormat::Reference => reference(kind, texts.rows(description), out),
            CatalogFormat::Bullets => {
                out.push_str("- ");
                list_item(texts, description, out);
            }
            CatalogFormat::Lines => list_item(texts, description, out),
            CatalogFormat::Json => {
                let rows = texts
                    .rows(description)
                    .map(|(tag, text)| (tag.name.to_owned(), text.into()));
                out.push_str(&serde_json::Value::Object(rows.collect()).to_string());
                out.push('\n');
            }
        }
    }

    pub(super) fn note(self, kind: &str, left_out: usize, hint: &str, out: &mut String) {
        let mut kinds = format!("{kind}s");
        if let Some(first) = kinds.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        let note = if left_out > 0 {
            format!("{kinds} not listed: {left_out}. {hint}")
        } else {
            String::new()
        };
        let note = note.trim_end();
        match self {
            CatalogFormat::Json if note.is_empty() => out.push(']'),
            CatalogFormat::Json => {
                out.push_str("],\n\"note\": ");
                out.push_str(&json!(note).to_string());
            }
            _ if note.is_empty() => {}
            CatalogFormat::Xml | CatalogFormat::Reference => xml_note("", note, out),
            CatalogFormat::Indented => xml_note("  ", note, out),
            CatalogFormat::Bullets | CatalogFormat::Lines => markdown_note(note, out),
        }
    }
}

struct Tag {
    name: &'static str,
    open: &'static str,
    close: &'static str,
}

impl Tag {
    const NAME: Tag = Tag {
        name: "name",
        open: "<name>",
        close: "</name>",
    };
    const DESCRIPTION: Tag = Tag {
        name: "description",
        open: "<description>",
        close: "</description>",
    };
    const SOURCE: Tag = Tag {
        name: "source",
        open: "<source>",
        close: "</source>",
    };
    const LOCATION: Tag = Tag {
        name: "location",
        open: "<location>",
        close: "</location>",
    };
    const SUGGESTED: Tag = Tag {
        name: "suggested",
        open: "<suggested>",
        close: "</suggested>",
    };
    const NOT_READY: Tag = Tag {
        name: "not_ready",
        open: "<not_ready>",
        close: "</not_ready>",
    };
    const NOTE: Tag = Tag {
        name: "note",
        open: "<note>",
        close: "</note>",
    };
}

type TagRow<'t> = (Tag, &'t str);

fn compact<'t>(kind: &str, rows: impl Iterator<Item = TagRow<'t>>, out: &mut String) {
    out.extend(["<", kind, ">"]);
    rows.for_each(|(tag, text)| element(tag, text, out));
    out.extend(["</", kind, ">\n"]);
}

fn indented<'t>(kind: &str, rows: impl Iterator<Item = TagRow<'t>>, out: &mut String) {
    out.extend(["  <", kind, ">\n"]);
    for (tag, text) in rows {
        out.push_str("    ");
        element(tag, text, out);
        out.push('\n');
    }
    out.extend(["  </", kind, ">\n"]);
}

fn reference<'t>(kind: &str, rows: impl Iterator<Item = TagRow<'t>>, out: &mut String) {
    out.extend(["<", kind, ">\n"]);
    for (tag, text) in rows {
        out.extend([tag.open, "\n"]);
        push_xml_quoted(text, out);
        out.extend(["\n", tag.close, "\n"]);
    }
    out.extend(["</", kind, ">\n"]);
}

fn xml_note(indent: &str, note: &str, out: &mut String) {
    out.push_str(indent);
    element(Tag::NOTE, note, out);
    out.push('\n');
}

fn element(tag: Tag, text: &str, out: &mut String) {
    out.push_str(tag.open);
    push_xml(text, out);
    out.push_str(tag.close);
}

fn list_item(texts: &Texts<'_>, description: &str, out: &mut String) {
    push_markdown_name(&texts.name, out);
    // The source comes before the description, because a description could name a false source.
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
    if texts.is_not_ready {
        out.push_str(" (not ready)");
    }
    if !description.is_empty() {
        out.push_str(": ");
        push_markdown(description, out);
    }
    out.push('\n');
}

fn markdown_note(note: &str, out: &mut String) {
    out.push('\n');
    push_markdown(note, out);
    out.push('\n');
}
