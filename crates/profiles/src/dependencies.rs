//! The skills that the front matter of a skill declares as necessary.

use std::collections::HashSet;
use std::sync::Arc;

use repertoire_core::Value;

/// Fields whose names are names of skills, at the top level or under `metadata`.
const OF_SKILLS: [&str; 4] = [
    "required_skills",
    "required-skills",
    "requires_skills",
    "requires-skills",
];
/// Blocks under `metadata` that can hold `requires.skills`.
const BLOCKS: [&str; 3] = ["openclaw", "clawdbot", "clawdis"];

/// The names that one file declares.
#[derive(Debug, Default)]
pub(crate) struct DeclaredDependencies {
    /// The names of skills.
    skills: Vec<Arc<str>>,
    /// The names in `dependencies`, of skills or of packages.
    mixed: Vec<Arc<str>>,
}

impl DeclaredDependencies {
    pub(crate) fn read<'v>(field: impl Fn(&str) -> Option<&'v Value>) -> DeclaredDependencies {
        let metadata = field("metadata");
        let own = OF_SKILLS.iter().flat_map(|key| {
            let nested = metadata.and_then(|metadata| metadata.get(key));
            [field(key), nested]
        });
        let blocks = BLOCKS.iter().map(|block| {
            let block = metadata?.get(block)?;
            block.at("requires.skills")
        });
        let skills = own.chain(blocks).flatten().flat_map(names);
        DeclaredDependencies {
            skills: skills.collect(),
            mixed: field("dependencies").map(names).unwrap_or_default(),
        }
    }

    /// Returns whether it lists names of skills or packages, so that known skills decide.
    pub(crate) fn is_mixed(&self) -> bool {
        !self.mixed.is_empty()
    }

    /// Returns the names of the necessary skills, each once.
    ///
    /// Authors list packages or skills in `dependencies`. The list counts if one of its names is that of a known skill.
    pub(crate) fn of_skills(&self, known: &HashSet<Arc<str>>) -> Vec<Arc<str>> {
        let has_skill = self.mixed.iter().any(|name| known.contains(name));
        let mixed = self.mixed.iter().filter(|_| has_skill);
        let mut found: Vec<Arc<str>> = Vec::new();
        for name in self.skills.iter().chain(mixed) {
            if !found.contains(name) {
                found.push(name.clone());
            }
        }
        found
    }
}

/// Returns the names in a list or in one text, without the folders before them.
fn names(value: &Value) -> Vec<Arc<str>> {
    let items = value.items().iter();
    let texts = items.filter_map(|item| item.get("name").unwrap_or(item).as_text());
    let words = texts.flat_map(|text| text.split(|c: char| c == ',' || c.is_whitespace()));
    let names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
    names
        .filter(|name| !name.is_empty())
        .map(Arc::from)
        .collect()
}
