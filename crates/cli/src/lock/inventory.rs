//! The skills that a lock file covers.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::path::{Path, PathBuf};

use repertoire::registry::{Candidate, Tier};
use repertoire::skill::{Digest, Resource, ResourcePath, SourceError};
use repertoire::{Id, Skill};
use serde::Serialize;

use super::compared::{Compared, NotCompared};
use crate::builtin;
use crate::context::CommandContext;
use crate::failure::Failure;

/// The skills that a lock file in a folder covers: those of the user tier below the folder.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    /// By the path of the skill's folder.
    pub(crate) skills: BTreeMap<ResourcePath, Present>,
    /// The skill that each name resolves to.
    pub(crate) winners: BTreeMap<Id, ResourcePath>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// A skill in its current state.
#[derive(Debug)]
pub(crate) struct Present {
    pub(crate) id: Id,
    pub(crate) tier: Tier,
    pub(crate) source: String,
    pub(crate) folder: PathBuf,
    /// The digest of SKILL.md.
    pub(crate) digest: Digest,
    pub(crate) compared: Compared,
}

/// A skill that is not locked.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct LeftOut {
    pub(crate) qualified_id: Id,
    pub(crate) why: LeftOutReason,
}

/// The reason why a skill is not locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LeftOutReason {
    /// It is not of the user tier; built-in skills and plugins have their own versions.
    Tier,
    /// Its source does not search folders.
    NoFolder,
    /// It is not below the lock directory.
    Outside,
    /// The lock directory is the skill's folder, so writing the lock would change the skill.
    HoldsLock,
}

impl LeftOutReason {
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            LeftOutReason::Tier => "not of the user tier",
            LeftOutReason::NoFolder => "not from a source that searches folders",
            LeftOutReason::Outside => "not below the lock directory",
            LeftOutReason::HoldsLock => "the lock would be part of the skill",
        }
    }
}

impl Inventory {
    /// Reads every file of the skills below the folder `base`. Built-in skills are not listed as left out.
    pub(crate) async fn take(context: &CommandContext, base: &Path) -> Result<Inventory, Failure> {
        let mut inventory = Inventory::default();
        let candidates = context
            .snapshot
            .entries()
            .iter()
            .flat_map(|entry| entry.candidates());
        for candidate in
            candidates.filter(|candidate| candidate.origin.source.as_ref() != builtin::NAME)
        {
            match place(candidate, context, base) {
                Ok((path, folder, file)) => {
                    inventory
                        .add(path, folder, file, candidate, context)
                        .await?
                }
                Err(why) => inventory.left_out.push(LeftOut {
                    qualified_id: candidate.qualified_id(),
                    why,
                }),
            }
        }
        Ok(inventory)
    }

    async fn add(
        &mut self,
        path: ResourcePath,
        folder: PathBuf,
        file: ResourcePath,
        candidate: &Candidate<Skill>,
        context: &CommandContext,
    ) -> Result<(), Failure> {
        let id = candidate.item.id.clone();
        // Two sources may search one folder; the first one counts.
        if let Slot::Vacant(slot) = self.skills.entry(path.clone()) {
            let unreadable = |error: SourceError| {
                Failure::of(
                    &SourceError::new(error.kind(), format!("cannot read the skill `{path}`"))
                        .caused_by(error),
                )
            };
            let bytes = context
                .registry
                .resource(candidate, &file)
                .await
                .map_err(unreadable)?;
            let own = Resource::new(file, bytes.len() as u64, Digest::of(&bytes));
            let digest = own.digest;
            let everything = context
                .registry
                .manifest(candidate)
                .await
                .map_err(unreadable)?;
            let compared = Compared::of(path.as_str(), own, &everything);
            let source = candidate.origin.source.to_string();
            slot.insert(Present {
                id: id.clone(),
                tier: candidate.origin.tier,
                source,
                folder,
                digest,
                compared,
            });
        }
        // Winners come before their shadows.
        self.winners.entry(id).or_insert(path);
        Ok(())
    }

    pub(crate) fn not_compared(&self) -> impl Iterator<Item = &NotCompared> {
        self.skills
            .values()
            .flat_map(|skill| &skill.compared.not_compared)
    }

    pub(crate) fn winner(&self, id: &Id) -> Option<&Present> {
        self.skills.get(self.winners.get(id)?)
    }
}

fn place(
    candidate: &Candidate<Skill>,
    context: &CommandContext,
    base: &Path,
) -> Result<(ResourcePath, PathBuf, ResourcePath), LeftOutReason> {
    if candidate.origin.tier != Tier::User {
        return Err(LeftOutReason::Tier);
    }
    let searches = context
        .folders
        .iter()
        .any(|(name, _)| *name == *candidate.origin.source);
    let location = candidate
        .item
        .location
        .as_deref()
        .filter(|_| searches)
        .map(Path::new)
        .ok_or(LeftOutReason::NoFolder)?;
    let (folder, file) = location
        .parent()
        .zip(location.file_name())
        .ok_or(LeftOutReason::NoFolder)?;
    let below = match folder.strip_prefix(base) {
        Ok(below) => below.to_owned(),
        // The path may lead through a link.
        Err(_) => folder
            .canonicalize()
            .ok()
            .and_then(|real| Some(real.strip_prefix(base).ok()?.to_owned()))
            .ok_or(LeftOutReason::Outside)?,
    };
    if below.as_os_str().is_empty() {
        return Err(LeftOutReason::HoldsLock);
    }
    let path = portable(&below).ok_or(LeftOutReason::Outside)?;
    let file = file
        .to_str()
        .and_then(|name| name.parse().ok())
        .ok_or(LeftOutReason::NoFolder)?;
    Ok((path, folder.to_owned(), file))
}

fn portable(path: &Path) -> Option<ResourcePath> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    parts?.join("/").parse().ok()
}
