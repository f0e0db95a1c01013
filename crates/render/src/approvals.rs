//! What a person let run.

use std::collections::BTreeMap;

use repertoire_core::{Digest, Id, Resource, ResourcePath};
use serde::{Deserialize, Serialize};

use crate::{Action, Directive};

/// What one approval is bound to: a skill, and the content of everything that it would run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Binding {
    /// The skill, by its full name `source:skill`.
    pub skill: Id,
    /// The digest of its `SKILL.md`, in which every command stands.
    pub skill_md: Digest,
    /// The digests of the files that it runs.
    pub files: BTreeMap<ResourcePath, Digest>,
}

/// Whether a person approved what a skill would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Approval {
    /// Exactly this content.
    Given,
    /// Other content of the same skill.
    Outdated,
    /// Nothing of it.
    Missing,
}

/// Every approval that was given: a value to be stored, by whoever stores it, where only its owner reads and writes.
///
/// ```
/// use repertoire_core::{Digest, Id};
/// use repertoire_render::{Approval, Approvals, Binding, directives};
///
/// let body = "Now: !`date`\n";
/// let binding = |text: &str| -> Result<Binding, Box<dyn std::error::Error>> {
///     Ok(Binding::of("home:clock".parse::<Id>()?, Digest::of(text.as_bytes()), &directives(text), &[]))
/// };
/// let mut approvals = Approvals::default();
/// approvals.approve(binding(body)?);
/// assert_eq!(approvals.approval(&binding(body)?), Approval::Given);
/// assert_eq!(approvals.approval(&binding("Now: !`rm -r x`\n")?), Approval::Outdated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Approvals {
    #[serde(default)]
    approved: Vec<Binding>,
}

impl Binding {
    /// What an approval of `directives` would be bound to.
    ///
    /// `skill_md` is the digest of the file they stand in, `files` what lies beside it. Bound are the scripts, and each file
    /// whose name is in the text of a command. A command may still run what it does not name: another file, a program of
    /// the machine, what it downloads.
    pub fn of(skill: Id, skill_md: Digest, directives: &[Directive], files: &[Resource]) -> Binding {
        let is_run = |file: &&Resource| directives.iter().any(|directive| directive.names(&file.path));
        let files = files.iter().filter(is_run).map(|file| (file.path.clone(), file.digest)).collect();
        Binding { skill, skill_md, files }
    }
}

impl Directive {
    fn names(&self, file: &ResourcePath) -> bool {
        match &self.action {
            Action::Script { path, .. } => path == file,
            Action::Command { command } => {
                let name = file.as_str().rsplit('/').next().unwrap_or_default();
                let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
                command.match_indices(name).any(|(at, _)| {
                    !command[..at].ends_with(is_word) && !command[at + name.len()..].starts_with(is_word)
                })
            }
        }
    }
}

impl Approvals {
    /// Whether exactly this was approved.
    pub fn approval(&self, binding: &Binding) -> Approval {
        if self.approved.contains(binding) {
            Approval::Given
        } else if self.approved.iter().any(|approved| approved.skill == binding.skill) {
            Approval::Outdated
        } else {
            Approval::Missing
        }
    }

    /// Keeps an approval, in place of an earlier one for the same skill.
    pub fn approve(&mut self, binding: Binding) {
        self.revoke(&binding.skill);
        self.approved.push(binding);
        self.approved.sort();
    }

    /// Forgets what was approved for a skill; whether there was anything.
    pub fn revoke(&mut self, skill: &Id) -> bool {
        let before = self.approved.len();
        self.approved.retain(|approved| approved.skill != *skill);
        self.approved.len() < before
    }

    /// Everything approved, by skill.
    pub fn approved(&self) -> &[Binding] {
        &self.approved
    }
}
