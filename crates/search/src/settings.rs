//! The additions of an operator to an index.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use repertoire_core::{Id, Item};
use repertoire_registry::Snapshot;

use super::prompt::{ExpectedPrompt, PromptGoal};
use super::synonyms::Synonyms;

/// The additions of an operator to an index: example prompts and synonyms.
#[derive(Debug, Clone, Default)]
pub struct IndexSettings {
    examples: HashMap<Arc<str>, Vec<Arc<str>>>,
    omitted: HashSet<Arc<str>>,
    pub(super) synonyms: Arc<Synonyms>,
}

impl IndexSettings {
    /// Creates settings without additions.
    pub fn new() -> IndexSettings {
        IndexSettings::default()
    }

    /// Adds prompts as examples of the skills that they expect. Those with another goal are skipped.
    ///
    /// The caller vouches for them: an example ranks its skill high. Pass none from a source that is not trusted.
    #[must_use]
    pub fn examples<'p>(
        mut self,
        prompts: impl IntoIterator<Item = &'p ExpectedPrompt>,
    ) -> IndexSettings {
        for ExpectedPrompt { prompt, goal } in prompts {
            let PromptGoal::AnyOf(skills) = goal else {
                continue;
            };
            for skill in skills {
                let prompts = self.examples.entry(skill.clone()).or_default();
                prompts.push(prompt.clone());
            }
        }
        self
    }

    /// Omits these prompts from all examples, also from those that authors put beside their skills: they are asked.
    #[must_use]
    pub fn omit<'p>(
        mut self,
        prompts: impl IntoIterator<Item = &'p ExpectedPrompt>,
    ) -> IndexSettings {
        let prompts = prompts.into_iter().map(|asked| asked.prompt.clone());
        self.omitted.extend(prompts);
        self
    }

    /// Sets the synonyms.
    #[must_use]
    pub fn synonyms(mut self, synonyms: Synonyms) -> IndexSettings {
        self.synonyms = Arc::new(synonyms);
        self
    }

    /// Returns the examples of the operator by effective id. Names that no skill has are skipped.
    pub(super) fn examples_in<T: Item>(
        &self,
        snapshot: &Snapshot<T>,
    ) -> HashMap<Id, Vec<Arc<str>>> {
        let mut examples: HashMap<Id, Vec<Arc<str>>> = HashMap::new();
        for (name, prompts) in &self.examples {
            if let Ok(found) = snapshot.resolve(name) {
                let known = examples.entry(found.entry.id.clone()).or_default();
                known.extend(prompts.iter().cloned());
                // Two names may lead to one skill: the order is that of the texts.
                known.sort_unstable();
            }
        }
        examples
    }

    pub(super) fn is_omitted(&self, prompt: &str) -> bool {
        self.omitted.contains(prompt)
    }
}
