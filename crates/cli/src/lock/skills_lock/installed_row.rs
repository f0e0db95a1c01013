//! The rows of skills that `repertoire add` installed.

use repertoire::Id;
use repertoire_install::InstalledSkill;
use serde_json::{Map, Value};

use super::{JsKey, LOCAL, SkillsLock, means};

/// The fields that state an origin.
const ORIGIN: [&str; 5] = ["source", "sourceUrl", "ref", "sourceType", "skillPath"];

const GITHUB: &str = "https://github.com/";

impl SkillsLock {
    /// Replaces the origin and the hash of a skill, and keeps the other fields of its row.
    pub(crate) fn install(&mut self, skill: &InstalledSkill, hash: &str) {
        let mut keys = self.rows.keys();
        let known = keys.find(|key| means(&key.name, &skill.id)).cloned();
        let key = known.unwrap_or_else(|| JsKey::new(skill.id.as_str()));
        let mut row = origin(skill);
        row.insert("computedHash".to_owned(), hash.into());
        let old = self.rows.remove(&key).unwrap_or_default();
        let kept = old.into_iter().filter(|(field, _)| {
            let is_written = ORIGIN.contains(&field.as_str()) || field == "computedHash";
            !is_written
        });
        row.extend(kept);
        self.rows.insert(key, row);
    }

    /// Removes the row of a skill.
    pub(crate) fn remove(&mut self, id: &Id) {
        self.rows.retain(|key, _| !means(&key.name, id));
    }
}

/// Returns the fields of an origin, in the order of the tool.
///
/// The tool installs from repositories, folders and indexes. A skill from anywhere else comes from its own folder.
fn origin(skill: &InstalledSkill) -> Map<String, Value> {
    let reference = &skill.reference;
    let mut row = Map::new();
    let mut set = |field: &str, value: &str| {
        row.insert(field.to_owned(), value.into());
    };
    if let Some(url) = reference.git_url() {
        let path = url.strip_prefix(GITHUB);
        let path = path.and_then(|path| path.strip_suffix(".git"));
        set("source", path.unwrap_or(url));
        if path.is_none() {
            set("sourceUrl", url);
        }
        if let Some(revision) = reference.revision() {
            set("ref", revision);
        }
        set("sourceType", path.map_or("git", |_| "github"));
        let folder = skill.folder.as_ref().map(|folder| format!("{folder}/"));
        let file = format!("{}SKILL.md", folder.unwrap_or_default());
        set("skillPath", &file);
    } else if let Some(base) = reference.index_base() {
        set("source", base);
        set("sourceType", "well-known");
    } else {
        let own = format!("./{}", skill.path);
        set("source", reference.local_folder().unwrap_or(&own));
        set("sourceType", LOCAL);
    }
    row
}
