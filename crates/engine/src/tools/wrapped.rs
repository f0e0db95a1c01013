//! Instructions in what they come in.

use repertoire_core::{Resource, Skill};
use repertoire_registry::{Claim, Trust};
use serde_json::json;

use super::preset::{ToolPreset, Wrapper};
use crate::one_line::one_line;

/// Instructions, or the part of them that one answer has.
pub(super) struct Wrapped<'a> {
    /// The name that the model gave.
    pub(super) name: &'a str,
    pub(super) claim: &'a Claim<Skill>,
    pub(super) part: &'a str,
    pub(super) files: &'a [Resource],
    /// How to read on.
    pub(super) next: Option<String>,
}

/// Files that are named; what else there is, is counted.
const NAMED: usize = 50;

impl Wrapped<'_> {
    pub(super) fn wrapped(&self, preset: &ToolPreset) -> String {
        match preset.wrapper {
            Wrapper::Element { tag } => self.element(tag, preset),
            Wrapper::Plain => self.part.to_owned(),
            Wrapper::Descriptor => {
                let skill = &self.claim.item;
                let descriptor = json!({
                    "name": self.name,
                    "instructions": self.part,
                    "tools": skill.tools(),
                    "references": skill.references(),
                });
                format!("{descriptor:#}")
            }
        }
    }

    fn element(&self, tag: &str, preset: &ToolPreset) -> String {
        let mut text = format!("<{tag} name=\"{}\"", attribute(self.name));
        if self.claim.trust != Trust::Trusted {
            text.push_str(&format!(" source=\"{}\"", attribute(&self.claim.origin.source)));
        }
        text.push_str(">\n");
        text.push_str(&kept_inside(self.part.trim_end(), tag));
        text.push('\n');
        if let Some(next) = &self.next {
            text.push_str(&format!("\n{next}\n"));
        }
        if let Some(folder) = self.claim.item.location.as_deref().and_then(folder) {
            let folder = kept_inside(&one_line(folder), tag).into_owned();
            text.push_str(&format!("\nThis skill lies in {folder}\nRelative paths in it start there.\n"));
        }
        self.files(tag, preset, &mut text);
        text.push_str(&format!("</{tag}>\n"));
        text
    }

    fn files(&self, tag: &str, preset: &ToolPreset, text: &mut String) {
        let count = self.files.len();
        if count == 0 {
            return;
        }
        let how = preset.resource.as_ref().map(|tool| format!(", each can be read with `{}`", tool.name));
        let how = how.unwrap_or_default();
        let shown =
            if count > NAMED { format!("{count} files{how}; the first {NAMED}") } else { format!("Its files{how}") };
        text.push_str(&format!("\n{shown}:\n"));
        for file in self.files.iter().take(NAMED) {
            text.push_str(&format!("- {}\n", kept_inside(&one_line(file.path.as_str()), tag)));
        }
    }
}

/// The folder of a file, as far as its path tells.
fn folder(location: &str) -> Option<&str> {
    let (folder, _) = location.rsplit_once(['/', '\\'])?;
    (!folder.is_empty()).then_some(folder)
}

fn attribute(text: &str) -> String {
    one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// `text`, in which nothing opens or closes an element called `tag`: what an author writes stays in it, word for word.
fn kept_inside<'t>(text: &'t str, tag: &str) -> std::borrow::Cow<'t, str> {
    let is_tag = |at: usize| {
        let rest = text[at + 1..].trim_start_matches(['/', ' ', '\t', '\r', '\n']);
        rest.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag))
    };
    let ends: Vec<usize> = text.match_indices('<').map(|(at, _)| at).filter(|at| is_tag(*at)).collect();
    if ends.is_empty() {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len() + 3 * ends.len());
    let mut done = 0;
    for at in ends {
        kept.push_str(&text[done..at]);
        kept.push_str("&lt;");
        done = at + 1;
    }
    kept.push_str(&text[done..]);
    kept.into()
}
