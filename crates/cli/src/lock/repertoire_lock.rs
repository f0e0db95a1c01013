//! `repertoire.lock.json`: every file of every skill.

use std::collections::BTreeMap;
use std::path::Path;

use repertoire::{Digest, Id, Manifest, Omission, Resource, ResourcePath, Tier};
use serde::{Deserialize, Serialize};

use super::document;
use super::inventory::Inventory;
use crate::failure::Failure;

/// What `repertoire.lock.json` says: `docs/schema/repertoire-lock-1.json`.
#[derive(Debug)]
pub(crate) struct RepertoireLock {
    /// By the paths of their folders.
    pub(crate) skills: BTreeMap<ResourcePath, Locked>,
}

/// One skill as it was written down.
#[derive(Debug)]
pub(crate) struct Locked {
    pub(crate) id: Id,
    pub(crate) manifest: Manifest,
    pub(crate) dependencies: BTreeMap<String, Digest>,
}

/// What every file of a project's skills was. Nothing is added within a version.
#[derive(Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(title = RepertoireLock::NAME, extend("$id" = SCHEMA))
)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    schema: String,
    /// Sorted by `path`, which comes once.
    skills: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LockedSkill"))]
#[serde(deny_unknown_fields)]
struct Row {
    id: Id,
    tier: Tier,
    /// The name of the source. Neither it nor the tier is compared.
    source: String,
    /// The skill's folder, from that of the lock, with `/`.
    path: ResourcePath,
    /// Of `SKILL.md`: what other commands call the skill's digest.
    digest: Digest,
    /// Of the text `repertoire-manifest/1`, line feed, then for each file its path, NUL, its size in decimal digits, NUL, its
    /// digest, line feed; then for each omission its path, NUL, its reason, NUL, its detail, NUL, its digest, line feed.
    manifest: Digest,
    /// Every file, `SKILL.md` among them, sorted by the bytes of `path`, which comes once.
    files: Vec<Resource>,
    /// What lies in the folder and cannot be a file of the skill, sorted by `path`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    omissions: Vec<Omission>,
    /// The folders of dependencies that were there, sorted by `path`, which comes once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dependencies: Vec<Dependencies>,
}

/// A folder of dependencies: `node_modules`, `.venv` and the like.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LockedDependencies"))]
#[serde(deny_unknown_fields)]
struct Dependencies {
    /// From the skill's folder.
    path: String,
    /// Of the manifest of everything in it, with the paths that files have in there.
    digest: Digest,
}

const SCHEMA: &str = "repertoire-lock/1";

impl RepertoireLock {
    pub(crate) const NAME: &str = "repertoire.lock.json";

    /// The one in `folder`, if there is one. A row that contradicts itself is refused.
    pub(crate) fn read(folder: &Path) -> Result<Option<RepertoireLock>, Failure> {
        let Some(value) = document::read(&folder.join(Self::NAME), Self::NAME)? else { return Ok(None) };
        let refuse = |message: String| Failure::new(format!("`{}`: {message}", Self::NAME));
        match value.get("schema") {
            Some(schema) if schema == SCHEMA => {}
            Some(schema) => return Err(refuse(format!("expected schema `{SCHEMA}`, found {schema}"))),
            None => return Err(refuse(format!("expected schema `{SCHEMA}`, found none"))),
        }
        let document: Document = document::typed(value, Self::NAME)?;
        let mut skills = BTreeMap::new();
        for Row { id, path, digest, manifest: claimed, files, omissions, dependencies, .. } in document.skills {
            let manifest = Manifest::new(files).map_err(|error| refuse(format!("skill `{path}`: {error}")))?;
            let manifest = manifest.with_omissions(omissions);
            let count = dependencies.len();
            let dependencies: BTreeMap<_, _> = dependencies.into_iter().map(|row| (row.path, row.digest)).collect();
            if dependencies.len() < count {
                return Err(refuse(format!("skill `{path}`: a folder is among its `dependencies` twice")));
            }
            if manifest.digest() != claimed {
                return Err(refuse(format!("skill `{path}`: `manifest` is not the digest of its files")));
            }
            if !manifest.files().iter().any(|file| file.digest == digest) {
                return Err(refuse(format!("skill `{path}`: `digest` is of none of its files")));
            }
            if skills.insert(path.clone(), Locked { id, manifest, dependencies }).is_some() {
                return Err(refuse(format!("skill `{path}` is there twice")));
            }
        }
        Ok(Some(RepertoireLock { skills }))
    }

    /// The text that locks `inventory`.
    pub(crate) fn text(inventory: &Inventory) -> String {
        let row = |(path, skill): (&ResourcePath, &super::Present)| Row {
            id: skill.id.clone(),
            tier: skill.tier,
            source: skill.source.clone(),
            path: path.clone(),
            digest: skill.digest,
            manifest: skill.compared.manifest.digest(),
            files: skill.compared.manifest.files().to_vec(),
            omissions: skill.compared.manifest.omissions().to_vec(),
            dependencies: skill.compared.dependencies.iter().map(Dependencies::of).collect(),
        };
        document::text(&Document { schema: SCHEMA.to_owned(), skills: inventory.skills.iter().map(row).collect() })
    }
}

impl Dependencies {
    fn of((path, digest): (&String, &Digest)) -> Dependencies {
        Dependencies { path: path.clone(), digest: *digest }
    }
}
