//! Lock files of other tools, which commands that install skills write on request.

use clap::ValueEnum;

use crate::failure::Failure;
use crate::installation::{Installation, now};
use crate::lock::tool_lock;
use crate::lock::{RepertoireLock, SkillsLock, tree_hash};

/// A lock file of a different tool that has a row for each installed skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OtherLock {
    /// The lock file of the tool `skills`.
    #[value(name = SkillsLock::NAME)]
    Skills,
    /// The lock file of tools for OCI registries.
    #[value(name = tool_lock::OCI)]
    Oci,
}

/// The new text of a lock file.
#[derive(Debug)]
pub(crate) struct OtherLockText {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    /// The reasons why skills have no new row.
    pub(crate) notes: Vec<String>,
}

impl OtherLock {
    /// Returns the text with exactly the installed skills of `lock`, and the rows of skills that were never installed by this
    /// program.
    pub(crate) fn text(
        self,
        installation: &Installation,
        lock: &RepertoireLock,
    ) -> Result<OtherLockText, Failure> {
        match self {
            OtherLock::Skills => skills_lock(installation, lock),
            OtherLock::Oci => oci_lock(installation, lock),
        }
    }
}

fn oci_lock(installation: &Installation, lock: &RepertoireLock) -> Result<OtherLockText, Failure> {
    let at = &installation.at;
    Ok(OtherLockText {
        name: tool_lock::OCI,
        text: tool_lock::oci_lock::text(&at.base, (&at.lock, lock), &now())?,
        notes: Vec::new(),
    })
}

fn skills_lock(
    installation: &Installation,
    lock: &RepertoireLock,
) -> Result<OtherLockText, Failure> {
    let mut rows = SkillsLock::read(&installation.at.base)?.unwrap_or_default();
    let installed = lock.installed_by_id();
    for id in installation.at.lock.installed_by_id().keys() {
        if !installed.contains_key(id) {
            rows.remove(id);
        }
    }
    let mut notes = Vec::new();
    for (id, skills) in installed {
        // The tool has one row for a skill in several folders.
        let skill = skills[0];
        let tree = installation.store.get(&skill.manifest);
        let tree = tree.map_err(Failure::of_install)?;
        let hash = tree.as_ref().map(tree_hash).unwrap_or_else(|| {
            Err("the store does not have it; run `repertoire sync` with a network".to_owned())
        });
        match hash {
            Ok(hash) => rows.install(skill, &hash),
            Err(why) => notes.push(format!(
                "`{id}` has no new row in `{}`: {why}",
                SkillsLock::NAME
            )),
        }
    }
    Ok(OtherLockText {
        name: SkillsLock::NAME,
        text: rows.text(),
        notes,
    })
}
