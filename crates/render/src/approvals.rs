//! The approvals of skills, and the permission to run what their bodies ask for.

use std::collections::BTreeMap;

use repertoire_core::{Digest, Id, Manifest, Omission, OmissionReason, ResourcePath, Trust};
use serde::{Deserialize, Serialize};

use crate::{Directive, Refusal};

/// The content that an approval is bound to: a skill in its folder, its instructions, and all files beside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The skill, by its full name `source:skill`.
    pub skill: Id,
    /// The folder of the skill, if it has one. The same skill in a different folder needs its own approval.
    pub folder: Option<Box<str>>,
    /// The digest of its `SKILL.md`, which has every command.
    pub skill_md: Digest,
    /// The digest of the manifest of all files beside it.
    pub manifest: Digest,
    /// The digests of the files in that manifest.
    pub files: BTreeMap<ResourcePath, Digest>,
    /// Files without a digest that the skill could run: folders that are too large, links to folders outside.
    pub uncovered: Box<[Omission]>,
}

/// A stored approval.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Approved {
    /// The skill, by its full name `source:skill`.
    pub skill: Id,
    /// The folder of the skill, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<Box<str>>,
    /// The digest of its `SKILL.md`.
    pub skill_md: Digest,
    /// The digest of the manifest of all files beside it. An approval without one is not valid any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Digest>,
}

/// The approval of the content of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Approval {
    /// Exactly this content.
    Given,
    /// Different content of the same skill in the same folder.
    Outdated,
    /// No content of the skill.
    Missing,
}

/// The approvals of a user. The host stores this value where only the user can read and write.
///
/// ```
/// use repertoire_core::{Digest, Id, Manifest};
/// use repertoire_render::{Approval, Approvals, Binding};
///
/// let body = "Now: !`date`\n";
/// let clock: Id = "home:clock".parse()?;
/// let binding = Binding::of(clock.clone(), Digest::of(body.as_bytes()), &Manifest::default());
/// let changed = Binding::of(clock, Digest::of(b"Now: !`rm -r x`\n"), &Manifest::default());
/// let mut approvals = Approvals::default();
/// approvals.approve(&binding);
/// assert_eq!(approvals.approval(&binding), Approval::Given);
/// assert_eq!(approvals.approval(&changed), Approval::Outdated);
/// # Ok::<(), repertoire_core::InvalidId>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Approvals {
    #[serde(default)]
    approved: Vec<Approved>,
}

impl Binding {
    /// Returns the binding of a skill with this digest of its `SKILL.md` and this manifest of all other files.
    ///
    /// Each file that changes, appears or disappears changes the binding. Programs of the machine, files elsewhere and downloads
    /// are not part of it.
    pub fn of(skill: Id, skill_md: Digest, manifest: &Manifest) -> Binding {
        let files = manifest.files().iter().map(|file| (file.path.clone(), file.digest)).collect();
        let uncovered = manifest.omissions().iter().filter(|omission| match omission.reason {
            OmissionReason::VersionControl => true,
            OmissionReason::LinkOut => omission.digest.is_none(),
            reason => reason.is_limit(),
        });
        let uncovered = uncovered.cloned().collect();
        Binding { skill, folder: None, skill_md, manifest: manifest.digest(), files, uncovered }
    }

    /// Returns the same binding for the skill in `folder`.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<Box<str>>) -> Binding {
        Binding { folder: Some(folder.into()), ..self }
    }

    fn is_of(&self, approved: &Approved) -> bool {
        (&approved.skill, &approved.folder) == (&self.skill, &self.folder)
    }
}

impl Approvals {
    /// Returns the approval of this content.
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

    /// Adds an approval, and removes an earlier one of the same skill in the same folder.
    pub fn approve(&mut self, binding: &Binding) {
        self.revoke(binding);
        let Binding { skill, folder, skill_md, manifest, .. } = binding.clone();
        self.approved.push(Approved { skill, folder, skill_md, manifest: Some(manifest) });
        self.approved.sort();
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

    /// Returns all approvals, by skill.
    pub fn approved(&self) -> &[Approved] {
        &self.approved
    }
}

/// The host's switch for commands and scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Switch {
    /// The host runs none.
    #[default]
    Off,
    /// The host runs those that are permitted.
    On,
}

/// The decision of a host's gate about one directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may run.
    Allow,
    /// It may not run, for this reason.
    Deny(String),
}

/// The facts that decide whether a directive may run, by [`permit`](Rights::permit).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rights {
    /// The host's switch.
    pub switch: Switch,
    /// The trust of the skill's source.
    pub trust: Trust,
    /// The approval of the content: [`Approvals::approval`].
    pub approval: Approval,
}

impl Rights {
    /// Decides whether `directive` may run, in this order:
    ///
    /// 1. the host's switch
    /// 2. the trust of the source, which must be [`Trust::Trusted`]
    /// 3. the approval of the content
    /// 4. the gate of the host, which is called only if the others permit it
    ///
    /// # Errors
    /// Returns the first [`Refusal`].
    pub fn permit(self, directive: &Directive, gate: impl FnOnce(&Directive) -> Verdict) -> Result<(), Refusal> {
        if self.switch == Switch::Off {
            return Err(Refusal::Off);
        }
        if self.trust != Trust::Trusted {
            return Err(Refusal::Untrusted(self.trust));
        }
        match self.approval {
            Approval::Given => {}
            Approval::Outdated => return Err(Refusal::Changed),
            Approval::Missing => return Err(Refusal::Unapproved),
        }
        match gate(directive) {
            Verdict::Allow => Ok(()),
            Verdict::Deny(reason) => Err(Refusal::Denied(reason.into())),
        }
    }
}
