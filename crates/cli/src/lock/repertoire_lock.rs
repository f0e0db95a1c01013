//! `repertoire.lock.json`: a digest of every file of every skill, and the origins of installed skills.

use std::collections::BTreeMap;
use std::path::Path;

use repertoire::Id;
use repertoire::registry::Tier;
use repertoire::skill::{Digest, Manifest, Omission, Resource, ResourcePath};
use serde::{Deserialize, Serialize};

use super::installed_skill::InstalledSkill;
use super::inventory::{Inventory, Present};
use crate::failure::Failure;

/// A parsed `repertoire.lock.json`; its schema is `docs/schema/repertoire-lock-2.json`.
///
/// Version 1 had no installed skills. It is read, and written again as version 2.
#[derive(Debug, Clone, Default)]
pub(crate) struct RepertoireLock {
    /// The skills by the path of their folder, installed ones included.
    pub(crate) skills: BTreeMap<ResourcePath, LockEntry>,
    /// The installed skills by the path of their folder.
    pub(crate) installed: BTreeMap<ResourcePath, InstalledSkill>,
    /// The rows that `lock` wrote; `None` if it never ran.
    written: Option<Vec<LockedSkill>>,
}

/// A locked skill.
#[derive(Debug, Clone)]
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
    /// The skills of the project, sorted by `path`, which is unique; absent if `repertoire lock` never ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skills: Option<Vec<LockedSkill>>,
    /// The skills that `repertoire add` installed, sorted by `path`, which is unique.
    ///
    /// A row in `skills` for the same path states local changes that were accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    installed: Vec<InstalledSkill>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct LockedDependencies {
    /// Relative to the skill's folder.
    path: String,
    /// The digest of the manifest of its content, with paths relative to it.
    digest: Digest,
}

const SCHEMA: &str = "repertoire-lock/2";
const FIRST_SCHEMA: &str = "repertoire-lock/1";

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
        let is_first = value
            .get("schema")
            .is_some_and(|schema| schema == FIRST_SCHEMA);
        if !is_first {
            super::check_version(&value, "schema", &SCHEMA.into(), Self::NAME)?;
        }
        let document: LockDocument = super::typed(value, Self::NAME)?;
        if is_first && (document.skills.is_none() || !document.installed.is_empty()) {
            return Err(refuse("expected `skills` alone in version 1".to_owned()));
        }
        let mut lock = RepertoireLock::default();
        for skill in document.skills.iter().flatten() {
            let entry = LockEntry::checked(skill)?;
            if lock.skills.insert(skill.path.clone(), entry).is_some() {
                return Err(refuse(format!("skill `{}` is repeated", skill.path)));
            }
        }
        lock.written = document.skills;
        for skill in document.installed {
            let manifest = skill.checked_manifest();
            let manifest = manifest.map_err(|error| refuse(format!("installed {error}")))?;
            lock.skills.entry(skill.path.clone()).or_insert(LockEntry {
                id: skill.id.clone(),
                manifest,
                dependencies: BTreeMap::new(),
            });
            let path = skill.path.clone();
            if lock.installed.insert(path.clone(), skill).is_some() {
                return Err(refuse(format!("installed skill `{path}` is repeated")));
            }
        }
        Ok(Some(lock))
    }

    /// Returns whether the lock states every skill of the project.
    pub(crate) fn covers_project(&self) -> bool {
        self.written.is_some()
    }

    /// Returns the installed skills by name, in the order of their folders.
    #[cfg(feature = "install")]
    pub(crate) fn installed_by_id(&self) -> BTreeMap<&Id, Vec<&InstalledSkill>> {
        let mut skills: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for skill in self.installed.values() {
            skills.entry(&skill.id).or_default().push(skill);
        }
        skills
    }

    /// Returns the text of the lock with the installed skills as they are now.
    ///
    /// The row that `lock` wrote for a folder is removed if the folder is in `changed`.
    pub(crate) fn to_text(&self, changed: &[ResourcePath]) -> String {
        let written = self.written.as_ref().map(|rows| {
            let rows = rows.iter().filter(|row| !changed.contains(&row.path));
            rows.cloned().collect()
        });
        super::to_text(&LockDocument {
            schema: SCHEMA.to_owned(),
            skills: written,
            installed: self.installed.values().cloned().collect(),
        })
    }

    /// Returns the text of a lock of the present skills, with the same installed skills.
    ///
    /// An installed skill has a row among the present ones only if its files were changed.
    pub(crate) fn text(&self, inventory: &Inventory) -> String {
        let is_installed = |path: &ResourcePath, skill: &Present| {
            let installed = self.installed.get(path);
            installed.is_some_and(|row| row.manifest == skill.compared.manifest.digest())
        };
        let skills = inventory.skills.iter();
        let skills = skills.filter(|(path, skill)| !is_installed(path, skill));
        let skills = skills.map(|(path, skill)| LockedSkill {
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
            skills: Some(skills.collect()),
            installed: self.installed.values().cloned().collect(),
        })
    }
}

fn refuse(message: String) -> Failure {
    Failure::new(format!("`{}`: {message}", RepertoireLock::NAME))
}

impl LockEntry {
    /// Returns a row whose digests are those of its files.
    fn checked(row: &LockedSkill) -> Result<LockEntry, Failure> {
        let path = &row.path;
        let manifest = Manifest::new(row.files.iter().cloned());
        let manifest = manifest.map_err(|error| refuse(format!("skill `{path}`: {error}")))?;
        let manifest = manifest.with_omissions(row.omissions.iter().cloned());
        let dependencies = row.dependencies.iter();
        let dependencies: BTreeMap<_, _> = dependencies
            .map(|folder| (folder.path.clone(), folder.digest))
            .collect();
        if dependencies.len() < row.dependencies.len() {
            return Err(refuse(format!(
                "skill `{path}`: a folder is repeated in `dependencies`"
            )));
        }
        if manifest.digest() != row.manifest {
            return Err(refuse(format!(
                "skill `{path}`: `manifest` is not the digest of its files"
            )));
        }
        if !manifest
            .files()
            .iter()
            .any(|file| file.digest == row.digest)
        {
            return Err(refuse(format!(
                "skill `{path}`: `digest` is not the digest of one of its files"
            )));
        }
        Ok(LockEntry {
            id: row.id.clone(),
            manifest,
            dependencies,
        })
    }
}
