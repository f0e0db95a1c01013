//! The skills that a lock file can speak of.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::path::{Path, PathBuf};

use repertoire::{Claim, Digest, Id, Resource, ResourcePath, Skill, SourceError, Tier};
use serde::Serialize;

use super::compared::{Compared, NotCompared};
use crate::builtin;
use crate::failure::Failure;
use crate::session::Session;

/// The skills that a lock file in one folder can speak of: those of the user tier that lie below it.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    /// By the paths of their folders.
    pub(crate) skills: BTreeMap<ResourcePath, Present>,
    /// Which of them has an id.
    pub(crate) winners: BTreeMap<Id, ResourcePath>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// One skill as it is now.
#[derive(Debug)]
pub(crate) struct Present {
    pub(crate) id: Id,
    pub(crate) tier: Tier,
    pub(crate) source: String,
    pub(crate) folder: PathBuf,
    /// Of the file that makes it a skill.
    pub(crate) digest: Digest,
    pub(crate) compared: Compared,
}

/// A skill that is not locked.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct LeftOut {
    pub(crate) qualified_id: Id,
    pub(crate) why: Reason,
}

/// Why a skill is not locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reason {
    /// What is shipped or plugged in is pinned by whoever ships or plugs.
    Tier,
    /// Its source has no folders.
    NoFolder,
    /// A lock speaks of what it can be checked in with.
    Outside,
    /// Writing the lock would change the skill.
    HoldsLock,
}

impl Reason {
    /// What is said of the skills that are left out for it.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Reason::Tier => "not of the user tier",
            Reason::NoFolder => "not from a source that searches folders",
            Reason::Outside => "not below the folder of the lock",
            Reason::HoldsLock => "the lock would lie inside",
        }
    }
}

impl Inventory {
    /// What `session` has below the folder `base`. Every file is read anew. The program's own skills are no news to anybody.
    pub(crate) async fn take(session: &Session<'_>, base: &Path) -> Result<Inventory, Failure> {
        let mut inventory = Inventory::default();
        let claims = session.snapshot.entries().iter().flat_map(|entry| entry.claims());
        for claim in claims.filter(|claim| claim.origin.source.as_ref() != builtin::NAME) {
            match place(claim, session, base) {
                Ok((path, folder, file)) => inventory.add(path, folder, file, claim, session).await?,
                Err(why) => inventory.left_out.push(LeftOut { qualified_id: claim.qualified_id(), why }),
            }
        }
        Ok(inventory)
    }

    async fn add(
        &mut self,
        path: ResourcePath,
        folder: PathBuf,
        file: ResourcePath,
        claim: &Claim<Skill>,
        session: &Session<'_>,
    ) -> Result<(), Failure> {
        let id = claim.item.id.clone();
        // Two sources may search one folder: whoever comes first has it.
        if let Slot::Vacant(slot) = self.skills.entry(path.clone()) {
            let unreadable = |error: SourceError| {
                Failure::of(&SourceError::new(error.kind(), format!("cannot read the skill `{path}`")).caused_by(error))
            };
            let bytes = session.registry.resource(claim, &file).await.map_err(unreadable)?;
            let own = Resource::new(file, bytes.len() as u64, Digest::of(&bytes));
            let digest = own.digest;
            let everything = session.registry.manifest(claim).await.map_err(unreadable)?;
            let compared = Compared::of(path.as_str(), own, &everything);
            let source = claim.origin.source.to_string();
            slot.insert(Present { id: id.clone(), tier: claim.origin.tier, source, folder, digest, compared });
        }
        // Winners come before those whom they hide.
        self.winners.entry(id).or_insert(path);
        Ok(())
    }

    /// Everything in the folders of the skills that is not compared.
    pub(crate) fn not_compared(&self) -> impl Iterator<Item = &NotCompared> {
        self.skills.values().flat_map(|skill| &skill.compared.not_compared)
    }

    /// The skill that has `id`.
    pub(crate) fn winner(&self, id: &Id) -> Option<&Present> {
        self.skills.get(self.winners.get(id)?)
    }
}

/// Where a skill lies: the path from `base` to its folder, the folder, and the name of its file.
fn place(
    claim: &Claim<Skill>,
    session: &Session<'_>,
    base: &Path,
) -> Result<(ResourcePath, PathBuf, ResourcePath), Reason> {
    if claim.origin.tier != Tier::User {
        return Err(Reason::Tier);
    }
    let searches = session.folders.iter().any(|(name, _)| *name == *claim.origin.source);
    let location = claim.item.location.as_deref().filter(|_| searches).map(Path::new).ok_or(Reason::NoFolder)?;
    let (folder, file) = location.parent().zip(location.file_name()).ok_or(Reason::NoFolder)?;
    let below = match folder.strip_prefix(base) {
        Ok(below) => below.to_owned(),
        // Another spelling of the way there.
        Err(_) => folder
            .canonicalize()
            .ok()
            .and_then(|real| Some(real.strip_prefix(base).ok()?.to_owned()))
            .ok_or(Reason::Outside)?,
    };
    if below.as_os_str().is_empty() {
        return Err(Reason::HoldsLock);
    }
    let path = portable(&below).ok_or(Reason::Outside)?;
    let file = file.to_str().and_then(|name| name.parse().ok()).ok_or(Reason::NoFolder)?;
    Ok((path, folder.to_owned(), file))
}

/// The path with `/` between its parts, if it can be spelled everywhere.
fn portable(path: &Path) -> Option<ResourcePath> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    parts?.join("/").parse().ok()
}
