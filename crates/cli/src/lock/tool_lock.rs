//! The lock files of other tools: `skills.lock.json`, which is also written, `toolhive.lock.yaml` and `apm.lock.yaml`.

pub(crate) mod oci_lock;

use std::collections::BTreeMap;
use std::path::Path;

use repertoire::skill::{Digest, ResourcePath};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::failure::Failure;

/// A lock file of a different tool.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ToolLock {
    pub(crate) name: &'static str,
    pub(crate) rows: Vec<ToolRow>,
}

/// A skill in the lock file of a different tool.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ToolRow {
    pub(crate) id: String,
    pub(crate) content: ToolContent,
}

/// The part of a skill's content that a tool states.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ToolContent {
    /// The folder, and the digest of the OCI manifest, which no file has.
    Artifact(ResourcePath, String),
    /// The digest of agentskills#358 over the files of every folder with the skill, if it is stated.
    Files(Option<Digest>),
    /// The folder, and the digest of each file in it by its path there.
    EachFile(ResourcePath, BTreeMap<String, Digest>),
}

pub(crate) const OCI: &str = "skills.lock.json";
const TOOLHIVE: &str = "toolhive.lock.yaml";
const APM: &str = "apm.lock.yaml";

/// The names of the lock files.
pub(crate) const NAMES: [&str; 3] = [OCI, TOOLHIVE, APM];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OciDocument {
    lockfile_version: u64,
    skills: Vec<OciRow>,
}

#[derive(Deserialize)]
struct OciRow {
    name: String,
    path: String,
    source: OciSource,
}

#[derive(Deserialize)]
struct OciSource {
    digest: String,
}

#[derive(Deserialize)]
struct ToolHiveDocument {
    version: u64,
    skills: Option<Vec<ToolHiveRow>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolHiveRow {
    name: String,
    content_digest: Option<Digest>,
}

#[derive(Deserialize)]
struct ApmDocument {
    lockfile_version: Value,
    dependencies: Option<Vec<ApmDependency>>,
    local_deployed_file_hashes: Option<BTreeMap<String, Digest>>,
}

#[derive(Deserialize)]
struct ApmDependency {
    deployed_file_hashes: Option<BTreeMap<String, Digest>>,
}

impl ToolLock {
    /// Reads the lock files of other tools in `folder`.
    pub(crate) fn read_all(folder: &Path) -> Result<Vec<ToolLock>, Failure> {
        let mut locks = Vec::new();
        for name in NAMES {
            let Some(text) = super::read_text(&folder.join(name), name)? else {
                continue;
            };
            let rows = match name {
                OCI => oci_rows(super::typed(super::parse(&text, name)?, name)?)?,
                TOOLHIVE => toolhive_rows(yaml(&text, name)?)?,
                _ => apm_rows(yaml(&text, name)?)?,
            };
            locks.push(ToolLock { name, rows });
        }
        Ok(locks)
    }
}

fn yaml<T: DeserializeOwned>(text: &str, name: &str) -> Result<T, Failure> {
    let parsed = serde_saphyr::from_str(text);
    parsed.map_err(|error| Failure::new(format!("`{name}` is invalid: {error}")))
}

fn oci_rows(document: OciDocument) -> Result<Vec<ToolRow>, Failure> {
    check_version(OCI, document.lockfile_version == 1, "`lockfileVersion` 1")?;
    let rows = document.skills.into_iter().map(|row| {
        let content = ToolContent::Artifact(folder(OCI, &row.path)?, row.source.digest);
        Ok(ToolRow {
            id: row.name,
            content,
        })
    });
    rows.collect()
}

fn toolhive_rows(document: ToolHiveDocument) -> Result<Vec<ToolRow>, Failure> {
    check_version(TOOLHIVE, document.version == 1, "`version` 1")?;
    let rows = document.skills.into_iter().flatten().map(|row| ToolRow {
        id: row.name,
        content: ToolContent::Files(row.content_digest),
    });
    Ok(rows.collect())
}

/// Returns the deployed folders that have a `SKILL.md`. The tool deploys other files, too.
fn apm_rows(document: ApmDocument) -> Result<Vec<ToolRow>, Failure> {
    let version = document.lockfile_version.to_string();
    let is_known = ["1", "2"].contains(&version.trim_matches('"'));
    check_version(APM, is_known, "`lockfile_version` 1 or 2")?;
    let dependencies = document.dependencies.into_iter().flatten();
    let hashes = dependencies.map(|dependency| dependency.deployed_file_hashes);
    let hashes = hashes.chain([document.local_deployed_file_hashes]);
    let files: BTreeMap<String, Digest> = hashes.flatten().flatten().collect();
    let skills = files
        .keys()
        .filter_map(|path| path.strip_suffix("/SKILL.md"));
    let rows = skills.map(|skill| {
        let below = files.iter().filter_map(|(path, digest)| {
            let below = path.strip_prefix(skill)?.strip_prefix('/')?;
            Some((below.to_owned(), *digest))
        });
        Ok(ToolRow {
            id: skill.rsplit('/').next().unwrap_or(skill).to_owned(),
            content: ToolContent::EachFile(folder(APM, skill)?, below.collect()),
        })
    });
    rows.collect()
}

fn check_version(name: &str, is_known: bool, expected: &str) -> Result<(), Failure> {
    match is_known {
        true => Ok(()),
        false => Err(Failure::new(format!("`{name}`: expected {expected}"))),
    }
}

fn folder(name: &str, path: &str) -> Result<ResourcePath, Failure> {
    let below = path.trim_start_matches("./").trim_end_matches('/');
    let parsed = below.parse();
    parsed.map_err(|error| Failure::new(format!("`{name}`: {error}")))
}

#[cfg(test)]
mod tests;
