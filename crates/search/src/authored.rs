//! Prompts that authors put beside their skills.

use std::sync::{Arc, LazyLock};

use repertoire_core::{Digest, Item, Manifest, ResourcePath};
use repertoire_registry::{Candidate, Entry, Registry, SkillRegistry};

use super::prompt::{ExpectedPrompt, PromptGoal};

/// Files of prompts beside a `SKILL.md`. Few, because each is a file to open.
const FILES: [&str; 2] = ["evals/evals.json", "evals/trigger-evals.json"];

impl ExpectedPrompt {
    /// Reads the prompts that authors put beside the skills of `registry`, each for its own skill: `evals/evals.json`
    /// and `evals/trigger-evals.json`.
    ///
    /// # Cancel safety
    /// Safe: what was read is lost.
    pub async fn beside_skills(registry: &SkillRegistry) -> Vec<ExpectedPrompt> {
        let mut prompts = Vec::new();
        for entry in registry.snapshot().entries() {
            prompts.extend(prompts_beside(registry, entry).await);
        }
        prompts
    }
}

/// Reads the prompts beside the skill of `entry`. Each counts for this skill alone, and a file that is none is skipped.
///
/// A skill without a location has none, as it may be on another machine.
pub(super) async fn prompts_beside<T: Item>(
    registry: &Registry<T>,
    entry: &Entry<T>,
) -> Vec<ExpectedPrompt> {
    let mut prompts = Vec::new();
    let may_have_some = entry.item().location().is_some() && !has_no_files(&entry.candidate);
    let files = may_have_some.then_some(FILES);
    for file in files.into_iter().flatten() {
        let path = ResourcePath::new(file).expect("it is relative");
        let Ok(bytes) = registry.resource(&entry.candidate, &path).await else {
            continue;
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            continue;
        };
        let path = format!("{}/{file}", entry.item().id());
        prompts.extend(ExpectedPrompt::parse(&path, text).unwrap_or_default());
    }
    let own = |prompt| own_prompt(prompt, entry);
    prompts.into_iter().filter_map(own).collect()
}

/// Returns whether the source has listed that there are no files beside the item.
fn has_no_files<T: Item>(candidate: &Candidate<T>) -> bool {
    static NO_FILES: LazyLock<Digest> = LazyLock::new(|| Manifest::default().digest());
    let parts = candidate.parts.as_ref();
    parts.is_some_and(|parts| parts.resources == *NO_FILES)
}

/// Returns a prompt with the effective id of its skill; `None` if it is about a different one.
fn own_prompt<T: Item>(prompt: ExpectedPrompt, entry: &Entry<T>) -> Option<ExpectedPrompt> {
    let names = [entry.id.as_str(), entry.item().id().as_str()];
    let is_own = |skills: &[Arc<str>]| skills.iter().any(|skill| names.contains(&skill.as_ref()));
    let id = || vec![entry.id.as_str().into()];
    let goal = match &prompt.goal {
        PromptGoal::AnyOf(skills) if is_own(skills) => PromptGoal::AnyOf(id()),
        PromptGoal::NoneOf(skills) if is_own(skills) => PromptGoal::NoneOf(id()),
        PromptGoal::Nothing => PromptGoal::NoneOf(id()),
        _ => return None,
    };
    Some(ExpectedPrompt { goal, ..prompt })
}
