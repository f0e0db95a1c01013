//! `repertoire.lock.json`: a digest of every file of every skill.

use std::collections::BTreeMap;
use std::path::Path;

use repertoire::Id;
use repertoire::registry::Tier;
use repertoire::skill::{Digest, Manifest, Omission, Resource, ResourcePath};
use serde::{Deserialize, Serialize};

use super::inventory::Inventory;
use crate::failure::Failure;

/// A parsed `repertoire.lock.json`; its schema is `docs/schema/repertoire-lock-1.json`.
#[derive(Debug)]
pub(crate) struct RepertoireLock {
    /// The skills by the path of their folder.
    pub(crate) skills: BTreeMap<ResourcePath, LockEntry>,
}

/// A locked skill.
#[derive(Debug)]
pub(crate) struct LockEntry {
    pub(crate) id: Id,
    pub(crate) manifest: Manifest,
    pub(crate) dependencies: BTreeMap<String, Digest>,
}

/// The digests of every file of a project's skills. No field is added within a version.
#[derive(Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(title = RepertoireLock::NAME, extend("$id" = SCHEMA))
)]
#[serde(deny_unknown_fields)]
pub(crate) struct LockDocument {
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    schema: String,
    /// Sorted by `path`, which is unique.
    skills: Vec<LockedSkill>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct LockedSkill {
    id: Id,
    tier: Tier,
    /// The name of the source. The source and the tier are not compared.
    source: String,
    /// The skill's folder, relative to the lock directory, with `/`.
    path: ResourcePath,
    /// The digest of `SKILL.md`, which other commands print as the skill's digest.
    digest: Digest,
    /// The digest of the text `repertoire-manifest/1`, line feed, then for each file its path, NUL, its size in decimal digits, NUL, its
    /// digest, line feed; then for each omission its path, NUL, its reason, NUL, its detail, NUL, its digest, line feed.
    manifest: Digest,
    /// Every file, `SKILL.md` included, sorted by the bytes of `path`, which is unique.
    files: Vec<Resource>,
    /// The files and folders that cannot be part of the skill, sorted by `path`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    omissions: Vec<Omission>,
    /// The dependency folders, sorted by `path`, which is unique.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dependencies: Vec<LockedDependencies>,
}

/// A dependency folder: `node_modules`, `.venv` and the like.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct LockedDependencies {
    /// Relative to the skill's folder.
    path: String,
    /// The digest of the manifest of its content, with paths relative to it.
    digest: Digest,
}

const SCHEMA: &str = "repertoire-lock/1";

impl RepertoireLock {
    pub(crate) const NAME: &str = "repertoire.lock.json";

    /// Reads the lock of `folder` for a command that needs one.
    pub(crate) fn existing(folder: &Path) -> Result<RepertoireLock, Failure> {
        RepertoireLock::read(folder)?.ok_or_else(|| {
            Failure::new(format!("no {} found", Self::NAME))
                .help("run `repertoire lock` to create it")
        })
    }

    pub(crate) fn read(folder: &Path) -> Result<Option<RepertoireLock>, Failure> {
        let Some(value) = super::read(&folder.join(Self::NAME), Self::NAME)? else {
            return Ok(None);
        };
        let refuse = |message: String| Failure::new(format!("`{}`: {message}", Self::NAME));
        super::check_version(&value, "schema", &SCHEMA.into(), Self::NAME)?;
        let document: LockDocument = super::typed(value, Self::NAME)?;
        let mut skills = BTreeMap::new();
        for LockedSkill {
            id,
            path,
            digest,
            manifest: claimed,
            files,
            omissions,
            dependencies,
            ..
        } in document.skills
        {
            let manifest =
                Manifest::new(files).map_err(|error| refuse(format!("skill `{path}`: {error}")))?;
            let manifest = manifest.with_omissions(omissions);
            let count = dependencies.len();
            let dependencies: BTreeMap<_, _> = dependencies
                .into_iter()
                .map(|row| (row.path, row.digest))
                .collect();
            if dependencies.len() < count {
                return Err(refuse(format!(
                    "skill `{path}`: a folder is repeated in `dependencies`"
                )));
            }
            if manifest.digest() != claimed {
                return Err(refuse(format!(
                    "skill `{path}`: `manifest` is not the digest of its files"
                )));
            }
            if !manifest.files().iter().any(|file| file.digest == digest) {
                return Err(refuse(format!(
                    "skill `{path}`: `digest` is not the digest of one of its files"
                )));
            }
            if skills
                .insert(
                    path.clone(),
                    LockEntry {
                        id,
                        manifest,
                        dependencies,
                    },
                )
                .is_some()
            {
                return Err(refuse(format!("skill `{path}` is repeated")));
            }
        }
        Ok(Some(RepertoireLock { skills }))
    }

    pub(crate) fn text(inventory: &Inventory) -> String {
        let skills = inventory.skills.iter().map(|(path, skill)| LockedSkill {
            id: skill.id.clone(),
            tier: skill.tier,
            source: skill.source.clone(),
            path: path.clone(),
            digest: skill.digest,
            manifest: skill.compared.manifest.digest(),
            files: skill.compared.manifest.files().to_vec(),
            omissions: skill.compared.manifest.omissions().to_vec(),
            dependencies: skill
                .compared
                .dependencies
                .iter()
                .map(|(path, digest)| LockedDependencies {
                    path: path.clone(),
                    digest: *digest,
                })
                .collect(),
        });
        super::to_text(&LockDocument {
            schema: SCHEMA.to_owned(),
            skills: skills.collect(),
        })
    }
}
