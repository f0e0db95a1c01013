//! The approvals of skills, and the permission to run what their bodies ask for.

use std::collections::BTreeMap;

use repertoire_core::{Digest, Id, Manifest, Omission, OmissionReason, ResourcePath, Trust};
use serde::{Deserialize, Serialize};

use crate::Refusal;

/// The content that an approval is bound to: a skill in its folder, its instructions, and all files beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    skill: Id,
    folder: Option<Box<str>>,
    pub(crate) skill_md: Digest,
    manifest: Digest,
    /// The digests of the files beside its `SKILL.md`.
    pub files: BTreeMap<ResourcePath, Digest>,
    /// Files without a digest that the skill could run: folders that are too large, links to folders outside.
    pub uncovered: Box<[Omission]>,
}

/// The approval of the content of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Approval")
)]
pub enum ApprovalState {
    /// Exactly this content.
    Given,
    /// Different content of the same skill in the same folder.
    Outdated,
    /// No content of the skill.
    Missing,
}

impl ApprovalState {
    /// Decides whether the directives of a skill may run. The source must be [`Trust::Trusted`], then the content approved.
    ///
    /// A host that runs nothing does not call this, and a gate of its own comes after it.
    ///
    /// # Errors
    /// Returns the first [`Refusal`].
    pub fn permit(self, trust: Trust) -> Result<(), Refusal> {
        match (trust, self) {
            (Trust::Trusted, ApprovalState::Given) => Ok(()),
            (Trust::Trusted, ApprovalState::Outdated) => Err(Refusal::Changed),
            (Trust::Trusted, ApprovalState::Missing) => Err(Refusal::Unapproved),
            (trust, _) => Err(Refusal::Untrusted(trust)),
        }
    }
}

/// The approvals of a user. The host stores this value where only the user can read and write.
///
/// ```
/// use repertoire_core::{Digest, Id, Manifest};
/// use repertoire_render::{ApprovalState, Binding, CommandApprovals};
///
/// let clock: Id = "home:clock".parse()?;
/// let binding = Binding::new(clock.clone(), Digest::of(b"Now: !`date`\n"), &Manifest::default());
/// let changed = Binding::new(clock, Digest::of(b"Now: !`rm -r x`\n"), &Manifest::default());
/// let mut approvals = CommandApprovals::default();
/// approvals.approve(&binding);
/// assert_eq!(approvals.state(&binding), ApprovalState::Given);
/// assert_eq!(approvals.state(&changed), ApprovalState::Outdated);
/// # Ok::<(), repertoire_core::InvalidValue>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CommandApprovals {
    #[serde(default)]
    approved: Vec<ApprovedContent>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct ApprovedContent {
    skill: Id,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<Box<str>>,
    skill_md: Digest,
    /// An approval without one was stored by an earlier version, and is not valid any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    manifest: Option<Digest>,
}

impl Binding {
    /// Creates the binding of a skill by its full name `source:skill`, the digest of its `SKILL.md`, and the manifest of all files
    /// beside it.
    ///
    /// Each file that changes, appears or disappears changes the binding. Programs of the machine, files elsewhere and downloads
    /// are not part of it.
    pub fn new(skill: Id, skill_md: Digest, manifest: &Manifest) -> Binding {
        let files = manifest
            .files()
            .iter()
            .map(|file| (file.path.clone(), file.digest))
            .collect();
        let uncovered = manifest
            .omissions()
            .iter()
            .filter(|omission| match omission.reason {
                OmissionReason::VersionControl => true,
                OmissionReason::LinkOut => omission.digest.is_none(),
                reason => reason.is_limit(),
            });
        let uncovered = uncovered.cloned().collect();
        Binding {
            skill,
            folder: None,
            skill_md,
            manifest: manifest.digest(),
            files,
            uncovered,
        }
    }

    /// Returns the same binding for the skill in `folder`. The same skill in a different folder needs its own approval.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<Box<str>>) -> Binding {
        Binding {
            folder: Some(folder.into()),
            ..self
        }
    }

    fn is_of(&self, approved: &ApprovedContent) -> bool {
        (&approved.skill, &approved.folder) == (&self.skill, &self.folder)
    }
}

impl CommandApprovals {
    /// Returns the approval of this content.
    pub fn state(&self, binding: &Binding) -> ApprovalState {
        let known = self
            .approved
            .iter()
            .filter(|approved| binding.is_of(approved));
        let mut contents = known
            .map(|approved| (approved.skill_md, approved.manifest))
            .peekable();
        if contents.peek().is_none() {
            return ApprovalState::Missing;
        }
        let is_given =
            contents.any(|content| content == (binding.skill_md, Some(binding.manifest)));
        if is_given {
            ApprovalState::Given
        } else {
            ApprovalState::Outdated
        }
    }

    /// Adds an approval, and removes an earlier one of the same skill in the same folder.
    pub fn approve(&mut self, binding: &Binding) {
        self.revoke(binding);
        let Binding {
            skill,
            folder,
            skill_md,
            manifest,
            ..
        } = binding.clone();
        self.approved.push(ApprovedContent {
            skill,
            folder,
            skill_md,
            manifest: Some(manifest),
        });
        self.approved.sort();
    }

    /// Returns the full name of each approved skill, with its folder if it has one.
    pub fn skills(&self) -> impl Iterator<Item = (&Id, Option<&str>)> {
        let approved = self.approved.iter();
        approved.map(|approved| (&approved.skill, approved.folder.as_deref()))
    }

    /// Removes the approvals of the skills that `selects` returns `true` for. Returns their number.
    pub fn revoke_where(&mut self, selects: impl Fn(&Id, Option<&str>) -> bool) -> usize {
        let before = self.approved.len();
        self.approved
            .retain(|approved| !selects(&approved.skill, approved.folder.as_deref()));
        before - self.approved.len()
    }

    /// Removes the approvals of a skill in its folder, and those without a manifest. Returns whether there were any.
    pub fn revoke(&mut self, binding: &Binding) -> bool {
        let before = self.approved.len();
        self.approved.retain(|approved| {
            let is_old = approved.skill == binding.skill && approved.manifest.is_none();
            !binding.is_of(approved) && !is_old
        });
        self.approved.len() < before
    }
}
