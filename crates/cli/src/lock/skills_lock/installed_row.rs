//! The rows of skills that `repertoire add` installed.

use repertoire::Id;
use repertoire_install::InstalledSkill;
use serde_json::{Map, Value};

use super::{JsKey, LOCAL, SkillsLock, means};

/// The fields that state an origin.
const ORIGIN: [&str; 6] = [
    "source",
    "sourceUrl",
    "ref",
    "sourceType",
    "skillPath",
    "wellKnownDigest",
];

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
        set("source", host(base));
        set("sourceUrl", base);
        set("sourceType", "well-known");
        if let Some(digest) = &skill.archive {
            set("wellKnownDigest", &digest.to_string());
        }
    } else {
        let own = format!("./{}", skill.path);
        set("source", reference.local_folder().unwrap_or(&own));
        set("sourceType", LOCAL);
    }
    row
}

/// Returns the host of a URL without its port.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or(rest);
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => host,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(reference: &str, folder: Option<&str>) -> Value {
        let digest = format!("sha256:{}", "a".repeat(64));
        let skill = json!({
            "id": "tidy",
            "path": ".agents/skills/tidy",
            "reference": reference,
            "folder": folder,
            "archive": digest,
            "manifest": digest,
            "content": digest,
            "files": [],
            "first_trusted": "2026-11-30T02:33:42Z",
        });
        let skill = serde_json::from_value(skill).expect("it is a row");
        Value::Object(origin(&skill))
    }

    #[test]
    fn origins_are_stated_as_by_the_tool() {
        let digest = format!("sha256:{}", "a".repeat(64));
        for (reference, folder, expected) in [
            (
                "acme/skills@v1",
                Some("skills/tidy"),
                json!({ "source": "acme/skills", "ref": "v1", "sourceType": "github", "skillPath": "skills/tidy/SKILL.md" }),
            ),
            (
                "https://git.example.com/team/skills.git",
                None,
                json!({ "source": "https://git.example.com/team/skills.git", "sourceUrl": "https://git.example.com/team/skills.git", "sourceType": "git", "skillPath": "SKILL.md" }),
            ),
            (
                "https://skills.example.com:8443",
                Some("tidy"),
                json!({ "source": "skills.example.com", "sourceUrl": "https://skills.example.com:8443", "sourceType": "well-known", "wellKnownDigest": digest }),
            ),
            (
                "./shared",
                Some("tidy"),
                json!({ "source": "./shared", "sourceType": "local" }),
            ),
            (
                "./tidy.zip",
                Some("tidy"),
                json!({ "source": "./.agents/skills/tidy", "sourceType": "local" }),
            ),
        ] {
            assert_eq!(row(reference, folder), expected, "{reference}");
        }
    }
}
