//! Instructions in what they come in.

use repertoire_core::text::{clean_line, inside_elements, xml_attribute};
use repertoire_core::{Resource, Skill};
use repertoire_registry::{Claim, Trust};
use serde_json::json;

use super::preset::{ToolPreset, Wrapper};

/// Instructions, or the part of them that one answer has.
pub(crate) struct Wrapped<'a> {
    /// The name that the model gave.
    pub(crate) name: &'a str,
    pub(crate) claim: &'a Claim<Skill>,
    pub(crate) part: &'a str,
    pub(crate) files: &'a [Resource],
    /// How to read on.
    pub(crate) next: Option<String>,
}

/// Files that are named; what else there is, is counted.
const NAMED: usize = 50;

impl Wrapped<'_> {
    pub(crate) fn wrapped(&self, preset: &ToolPreset) -> String {
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
        let mut text = format!("<{tag} name=\"{}\"", xml_attribute(self.name));
        if self.claim.trust != Trust::Trusted {
            text.push_str(&format!(" source=\"{}\"", xml_attribute(&self.claim.origin.source)));
        }
        text.push_str(">\n");
        text.push_str(&inside_elements(self.part.trim_end(), &[tag]));
        text.push('\n');
        if let Some(next) = &self.next {
            text.push_str(&format!("\n{next}\n"));
        }
        if let Some(folder) = self.claim.item.location.as_deref().and_then(folder) {
            let folder = inside_elements(&clean_line(folder), &[tag]).into_owned();
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
            text.push_str(&format!("- {}\n", inside_elements(&clean_line(file.path.as_str()), &[tag])));
        }
    }
}

/// The folder of a file, as far as its path tells.
fn folder(location: &str) -> Option<&str> {
    let (folder, _) = location.rsplit_once(['/', '\\'])?;
    (!folder.is_empty()).then_some(folder)
}
