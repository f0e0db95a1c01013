//! `.skill-lock.json`, version 3: what was installed for the user, and from where.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use repertoire::Client;
use serde::{Deserialize, Serialize};

use super::document;
use crate::failure::Failure;

/// The lock file that `skills` and `gh skill` share. It is read, and never written.
#[derive(Debug, Default)]
pub(crate) struct SkillLock {
    rows: BTreeMap<String, InstalledRow>,
    /// The folders that it speaks of.
    folders: Vec<PathBuf>,
}

/// Where a skill was installed from, as the lock file says it.
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
    /// The name of the folder's tree in git.
    pub(crate) skill_folder_hash: Option<String>,
    pub(crate) plugin_name: Option<String>,
    pub(crate) installed_at: Option<String>,
    pub(crate) updated_at: Option<String>,
}

const VERSION: u64 = 3;

impl SkillLock {
    /// The one of this user, and where it should be: in the folder `state` if there is such a one, else at `home`.
    ///
    /// One that cannot be understood says nothing, as for the tools that write it; then why is told.
    pub(crate) fn of_user(home: Option<&Path>, state: Option<&Path>) -> (SkillLock, Option<String>) {
        let Some(home) = home else { return (SkillLock::default(), None) };
        let path = match state {
            Some(state) => state.join("skills/.skill-lock.json"),
            None => home.join(".agents/.skill-lock.json"),
        };
        match SkillLock::read(&path) {
            Ok(rows) => {
                let clients = std::iter::once(&Client::SHARED).chain(Client::ALL);
                let folders = clients.flat_map(|client| client.home).map(|below| home.join(below)).collect();
                (SkillLock { rows, folders }, None)
            }
            Err(failure) => (
                SkillLock::default(),
                Some(format!("{}; where skills were installed from is not known", failure.message())),
            ),
        }
    }

    fn read(path: &Path) -> Result<BTreeMap<String, InstalledRow>, Failure> {
        let name = path.to_string_lossy();
        let Some(mut value) = document::read(path, &name)? else { return Ok(BTreeMap::new()) };
        match value.get("version") {
            Some(version) if *version == VERSION => document::typed(value["skills"].take(), &name),
            Some(version) => Err(Failure::new(format!("`{name}`: expected version {VERSION}, found {version}"))),
            None => Err(Failure::new(format!("`{name}`: expected version {VERSION}, found none"))),
        }
    }

    /// The row of the skill whose file is at `location`: one of those that the user has for every project.
    pub(crate) fn row(&self, location: &Path) -> Option<&InstalledRow> {
        if self.rows.is_empty() {
            return None;
        }
        let folder = location.parent()?;
        let (parent, name) = (folder.parent()?, folder.file_name()?.to_str()?);
        let real = parent.canonicalize().ok();
        let is_spoken_of = |known: &PathBuf| known == parent || real.is_some() && known.canonicalize().ok() == real;
        if !self.folders.iter().any(is_spoken_of) {
            return None;
        }
        self.rows.get(name).or_else(|| {
            let (_, row) = self.rows.iter().find(|(written, _)| folder_name(written) == name)?;
            Some(row)
        })
    }
}

/// The folder that the tool `skills` gives to a skill of this name.
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
    if folder.is_empty() { "unnamed-skill".to_owned() } else { folder.chars().take(255).collect() }
}

#[cfg(test)]
mod tests;
