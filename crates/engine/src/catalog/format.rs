//! The markup of a catalog.

mod markdown;
mod tag;
mod xml;

use std::borrow::Cow;

use serde::Serialize;
use serde_json::json;

use tag::Tag;

/// The markup of a catalog.
///
/// Names, descriptions, sources, locations and the hint are data in each: escaped for where they stand. A skill
/// names its source when that is [`Restricted`](repertoire_registry::Trust::Restricted).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// `<available_skills>` with a `<skill>` a line, which costs the fewest tokens of the XML formats; well-formed,
    /// `&`, `<` and `>` escaped and nothing else.
    #[default]
    Xml,
    /// The same elements, each on a line of its own, indented.
    Indented,
    /// As the reference library of the standard writes it: every tag and every text on a line of its own, quotes
    /// escaped too.
    Reference,
    /// A Markdown list: `- name: description`. `<` is escaped, and what would make a name another block.
    Bullets,
    /// The same without marks: `name: description`.
    Lines,
    /// `{"skills": [{"name", "description"}]}`, a skill a line.
    Json,
}

/// What one line tells. The texts are clean: one line, nothing invisible, not escaped.
pub(super) struct Texts<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) description: Cow<'a, str>,
    /// Only of a restricted skill.
    pub(super) source: Option<Cow<'a, str>>,
    /// Only where it is wanted and known.
    pub(super) location: Option<Cow<'a, str>>,
    /// Whether the turn suggests it.
    pub(super) is_suggested: bool,
}

/// What stands for a mark where every text has a value.
const MARKED: &str = "yes";

impl Texts<'_> {
    /// What is told by name, with `description` in place of the skill's own.
    fn rows<'t>(&'t self, description: &'t str) -> impl Iterator<Item = (Tag, &'t str)> {
        let description = (!description.is_empty()).then_some(description);
        let rows = [
            (Tag::NAME, Some(self.name.as_ref())),
            (Tag::DESCRIPTION, description),
            (Tag::SOURCE, self.source.as_deref()),
            (Tag::LOCATION, self.location.as_deref()),
            (Tag::SUGGESTED, self.is_suggested.then_some(MARKED)),
        ];
        rows.into_iter().filter_map(|(tag, text)| Some((tag, text?)))
    }
}

impl Format {
    /// What stands before the skills: how they are read, where that is told, and what opens their list.
    pub(super) fn opening(self, how_to: Option<&str>) -> String {
        match (self, how_to) {
            (Format::Json, Some(how_to)) => format!("{{\"how_to\": {},\n\"skills\": [\n", json!(how_to)),
            (Format::Json, None) => "{\"skills\": [\n".to_owned(),
            (_, Some(how_to)) => format!("{how_to}\n\n{}", self.opening(None)),
            (Format::Xml | Format::Indented | Format::Reference, None) => "<available_skills>\n".to_owned(),
            (Format::Bullets | Format::Lines, None) => String::new(),
        }
    }

    /// What stands between two skills.
    pub(super) fn between(self) -> &'static str {
        if self == Format::Json { "," } else { "" }
    }

    /// What stands after everything.
    pub(super) fn closing(self) -> &'static str {
        match self {
            Format::Xml | Format::Indented | Format::Reference => "</available_skills>\n",
            Format::Bullets | Format::Lines => "",
            Format::Json => "}\n",
        }
    }

    /// Writes a skill, with `description` in place of its own.
    pub(super) fn skill(self, texts: &Texts<'_>, description: &str, out: &mut String) {
        match self {
            Format::Xml => xml::compact(texts.rows(description), out),
            Format::Indented => xml::indented(texts.rows(description), out),
            Format::Reference => xml::reference(texts.rows(description), out),
            Format::Bullets => {
                out.push_str("- ");
                markdown::item(texts, description, out);
            }
            Format::Lines => markdown::item(texts, description, out),
            Format::Json => {
                let rows = texts.rows(description).map(|(tag, text)| (tag.name.to_owned(), text.into()));
                out.push_str(&serde_json::Value::Object(rows.collect()).to_string());
                out.push('\n');
            }
        }
    }

    /// Writes what stands behind the skills: how many are not listed, and how to find them.
    pub(super) fn note(self, left_out: usize, hint: &str, out: &mut String) {
        let note = if left_out > 0 { format!("Skills not listed: {left_out}. {hint}") } else { String::new() };
        let note = note.trim_end();
        match self {
            Format::Json if note.is_empty() => out.push(']'),
            Format::Json => {
                out.push_str("],\n\"note\": ");
                out.push_str(&json!(note).to_string());
            }
            _ if note.is_empty() => {}
            Format::Xml | Format::Reference => xml::note("", note, out),
            Format::Indented => xml::note("  ", note, out),
            Format::Bullets | Format::Lines => markdown::note(note, out),
        }
    }
}
