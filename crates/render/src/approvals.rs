//! What a person let run.

use std::collections::BTreeMap;

use repertoire_core::{Digest, Id, Manifest, Omission, OmissionReason, ResourcePath};
use serde::{Deserialize, Serialize};

/// What an approval is bound to: a skill where it lies, and the content of everything beside its instructions that can have
/// a part in what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The skill, by its full name `source:skill`.
    pub skill: Id,
    /// The folder of the skill, where it lies in one. The same skill in another folder is approved by itself.
    pub folder: Option<Box<str>>,
    /// The digest of its `SKILL.md`, in which every command stands.
    pub skill_md: Digest,
    /// The digest of the manifest of everything beside it.
    pub manifest: Digest,
    /// The digests of the files in that manifest.
    pub files: BTreeMap<ResourcePath, Digest>,
    /// What no digest covers although the skill could run it: folders that are too large, links to folders outside.
    pub uncovered: Box<[Omission]>,
}

/// One approval that was given, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Approved {
    /// The skill, by its full name `source:skill`.
    pub skill: Id,
    /// The folder of the skill, where it lies in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Box<str>>,
    /// The digest of its `SKILL.md`.
    pub skill_md: Digest,
    /// The digest of the manifest of everything beside it. An approval without one was bound to less, and counts no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Digest>,
}

/// Whether a person approved what a skill would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Approval {
    /// Exactly this content.
    Given,
    /// Other content of the same skill in the same folder.
    Outdated,
    /// Nothing of it.
    Missing,
}

/// Every approval that was given: a value to be stored, by whoever stores it, where only its owner reads and writes.
///
/// ```
/// use repertoire_core::{Digest, Id, Manifest};
/// use repertoire_render::{Approval, Approvals, Binding};
///
/// let body = "Now: !`date`\n";
/// let binding = |text: &str| -> Result<Binding, Box<dyn std::error::Error>> {
///     Ok(Binding::of("home:clock".parse::<Id>()?, Digest::of(text.as_bytes()), &Manifest::default()))
/// };
/// let mut approvals = Approvals::default();
/// approvals.approve(&binding(body)?);
/// assert_eq!(approvals.approval(&binding(body)?), Approval::Given);
/// assert_eq!(approvals.approval(&binding("Now: !`rm -r x`\n")?), Approval::Outdated);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Approvals {
    #[serde(default)]
    approved: Vec<Approved>,
}

impl Binding {
    /// What an approval of a skill would be bound to: the digest of its `SKILL.md`, and the manifest of everything else.
    ///
    /// Any file that changes, appears or goes makes it another. A command may still run what does not belong to the skill: a
    /// program of the machine, a file somewhere else, what it downloads.
    pub fn of(skill: Id, skill_md: Digest, manifest: &Manifest) -> Binding {
        let files = manifest.files().iter().map(|file| (file.path.clone(), file.digest)).collect();
        let is_uncovered = |omission: &&Omission| match omission.reason {
            OmissionReason::VersionControl => true,
            OmissionReason::LinkOut => omission.digest.is_none(),
            reason => reason.is_limit(),
        };
        let uncovered = manifest.omissions().iter().filter(is_uncovered).cloned().collect();
        Binding { skill, folder: None, skill_md, manifest: manifest.digest(), files, uncovered }
    }

    /// The same for the skill in `folder`.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<Box<str>>) -> Binding {
        Binding { folder: Some(folder.into()), ..self }
    }

    fn is_of(&self, approved: &Approved) -> bool {
        (&approved.skill, &approved.folder) == (&self.skill, &self.folder)
    }
}

impl Approvals {
    /// Whether exactly this was approved.
    pub fn approval(&self, binding: &Binding) -> Approval {
        let mut approval = Approval::Missing;
        for approved in self.approved.iter().filter(|approved| binding.is_of(approved)) {
            if (approved.skill_md, approved.manifest) == (binding.skill_md, Some(binding.manifest)) {
                return Approval::Given;
            }
            approval = Approval::Outdated;
        }
        approval
    }

    /// Keeps an approval, in place of an earlier one for the same skill in the same folder.
    pub fn approve(&mut self, binding: &Binding) {
        self.revoke(binding);
        let Binding { skill, folder, skill_md, manifest, .. } = binding.clone();
        self.approved.push(Approved { skill, folder, skill_md, manifest: Some(manifest) });
        self.approved.sort();
    }

    /// Forgets what was approved for a skill in its folder; whether there was anything. What was approved before folders
    /// counted goes too.
    pub fn revoke(&mut self, binding: &Binding) -> bool {
        let before = self.approved.len();
        let is_old = |approved: &Approved| approved.skill == binding.skill && approved.manifest.is_none();
        self.approved.retain(|approved| !binding.is_of(approved) && !is_old(approved));
        self.approved.len() < before
    }

    /// Everything approved, by skill.
    pub fn approved(&self) -> &[Approved] {
        &self.approved
    }
}
