//! Agents, each a Markdown file with front matter as in a `SKILL.md`. The text below it is the prompt.

use repertoire::Id;
use repertoire::permission::VisibleItem;
use repertoire::search::{SearchItem, SearchTexts};
use repertoire::skill::{Diagnostic, Item, skill_md};
use repertoire::source::fs::{FileItem, ListedFile};

/// An agent that a host can start.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Agent {
    id: Id,
    about: String,
    pub(crate) command: String,
    location: Option<String>,
}

impl Agent {
    pub(crate) fn new(id: Id, about: &str, command: &str) -> Agent {
        Agent {
            id,
            about: about.to_owned(),
            command: command.to_owned(),
            location: None,
        }
    }
}

// Enough for a registry.
impl Item for Agent {
    const KIND: &'static str = "agent";

    fn id(&self) -> &Id {
        &self.id
    }

    fn description(&self) -> Option<&str> {
        Some(&self.about)
    }

    fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }
}

// For folders of agents.
impl FileItem for Agent {
    fn is_parsed(_: &str) -> bool {
        true
    }

    fn has_front_matter(_: &str) -> bool {
        true
    }

    fn from_file(file: &ListedFile<'_>) -> (Option<Agent>, Vec<Diagnostic>) {
        let bytes = file.bytes.unwrap_or_default();
        let parsed = skill_md::parse(bytes, skill_md::FileContext::new(file.location));
        let agent = parsed.skill.map(|skill| {
            let command = skill.text("command").unwrap_or("agent");
            Agent {
                location: Some(file.location.to_owned()),
                ..Agent::new(skill.id.clone(), &skill.description, command)
            }
        });
        (agent, parsed.diagnostics)
    }
}

// For catalogs, and for searches by the description and by the command.
impl VisibleItem for Agent {}

impl SearchItem for Agent {
    fn search_texts(&self) -> SearchTexts<'_> {
        SearchTexts::new()
            .description(&self.about)
            .tag(&self.command)
    }
}
