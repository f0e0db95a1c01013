//! `.skill-lock.json`, version 3: the origins of skills that a user installed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use repertoire::source::fs::AgentFolders;
use serde::{Deserialize, Serialize};

use crate::agents::Agents;
use crate::failure::Failure;

/// The lock file that `skills` and `gh skill` share, which is only read.
#[derive(Debug, Default)]
pub(crate) struct SkillLock {
    rows: BTreeMap<String, InstalledRow>,
    /// The folders whose skills it covers.
    folders: Vec<PathBuf>,
}

/// The origin of an installed skill, as the lock file states it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct InstalledRow {
    pub(crate) source: String,
    pub(crate) source_type: String,
    pub(crate) source_url: Option<String>,
    #[serde(rename = "ref")]
    pub(crate) reference: Option<String>,
    pub(crate) pinned_ref: Option<String>,
    pub(crate) skill_path: Option<String>,
    /// The name of the folder's Git tree.
    pub(crate) skill_folder_hash: Option<String>,
    pub(crate) plugin_name: Option<String>,
    pub(crate) installed_at: Option<String>,
    pub(crate) updated_at: Option<String>,
}

const VERSION: u64 = 3;

impl SkillLock {
    /// Returns the lock file of this user: in the folder `state` if that is set, else below `home`.
    ///
    /// An invalid file counts as empty, as for the tools that write it; the reason is returned.
    pub(crate) fn of_user(
        home: Option<&Path>,
        state: Option<&Path>,
        agents: &Agents,
    ) -> (SkillLock, Option<String>) {
        let Some(home) = home else {
            return (SkillLock::default(), None);
        };
        let path = match state {
            Some(state) => state.join("skills/.skill-lock.json"),
            None => home.join(".agents/.skill-lock.json"),
        };
        match SkillLock::read(&path) {
            Ok(rows) => {
                let folders = match rows.is_empty() {
                    true => Vec::new(),
                    false => agents.all_folders().home,
                };
                let shared = home.join(AgentFolders::SHARED);
                let folders = folders.iter().map(|below| home.join(below));
                let folders = folders.chain([shared]).collect();
                (SkillLock { rows, folders }, None)
            }
            Err(failure) => (
                SkillLock::default(),
                Some(format!(
                    "{}; the origins of installed skills are unknown",
                    failure.message()
                )),
            ),
        }
    }

    fn read(path: &Path) -> Result<BTreeMap<String, InstalledRow>, Failure> {
        let name = path.to_string_lossy();
        let Some(mut value) = super::read(path, &name)? else {
            return Ok(BTreeMap::new());
        };
        super::check_version(&value, "version", &VERSION.into(), &name)?;
        super::typed(value["skills"].take(), &name)
    }

    pub(crate) fn row(&self, location: &Path) -> Option<&InstalledRow> {
        if self.rows.is_empty() {
            return None;
        }
        let folder = location.parent()?;
        let (parent, name) = (folder.parent()?, folder.file_name()?.to_str()?);
        let real = parent.canonicalize().ok();
        let is_covered = |known: &PathBuf| {
            known == parent || real.is_some() && known.canonicalize().ok() == real
        };
        if !self.folders.iter().any(is_covered) {
            return None;
        }
        self.rows.get(name).or_else(|| {
            let (_, row) = self
                .rows
                .iter()
                .find(|(written, _)| folder_name(written) == name)?;
            Some(row)
        })
    }
}

fn folder_name(name: &str) -> String {
    let mut folder = String::new();
    for c in name.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' | '.' | '_' => folder.push(c),
            _ if folder.ends_with('-') => {}
            _ => folder.push('-'),
        }
    }
    let folder = folder.trim_matches(['.', '-']);
    if folder.is_empty() {
        "unnamed-skill".to_owned()
    } else {
        folder.chars().take(255).collect()
    }
}

#[cfg(test)]
mod tests;
