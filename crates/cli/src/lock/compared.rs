//! The content of a skill that a lock compares.

use std::collections::BTreeMap;

use repertoire::skill::{
    Digest, Manifest, Omission, OmissionReason, Resource, ResourcePath, SkippedFile, SkippedFolder,
};
use serde::Serialize;

/// The content of a skill that a lock compares.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// Every file of the skill, SKILL.md included, and the omissions.
    pub(crate) manifest: Manifest,
    /// A digest for each dependency folder.
    pub(crate) dependencies: BTreeMap<String, Digest>,
    pub(crate) not_compared: Vec<NotCompared>,
}

/// A file or folder of a skill that is not compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct NotCompared {
    /// Relative to the lock directory.
    pub(crate) path: String,
    pub(crate) why: String,
}

enum ContentPart<'a> {
    /// Part of the skill.
    Skill,
    /// In this dependency folder, at this path.
    Dependencies(&'a str, &'a str),
    /// In this cache folder.
    Cache(&'a str),
    Secret,
    Litter,
}

impl Compared {
    pub(crate) fn of(skill: &str, own: Resource, everything: &Manifest) -> Compared {
        let mut rows = vec![own];
        let mut omissions = Vec::new();
        let mut inside: BTreeMap<&str, (Vec<Resource>, Vec<Omission>)> = BTreeMap::new();
        let mut not_compared = Vec::new();
        let mut skip = |path: &str, why: &str| {
            not_compared.push(NotCompared {
                path: format!("{skill}/{path}"),
                why: why.to_owned(),
            });
        };
        for file in everything.files() {
            match place(file.path.as_str()) {
                ContentPart::Skill => rows.push(file.clone()),
                ContentPart::Dependencies(folder, below) => {
                    let path: ResourcePath = below.parse().expect("the rest of a path is one");
                    inside.entry(folder).or_default().0.push(Resource::new(
                        path,
                        file.size,
                        file.digest,
                    ));
                }
                ContentPart::Cache(folder) => skip(folder, cache(folder)),
                ContentPart::Secret => skip(file.path.as_str(), "it holds secrets by convention"),
                ContentPart::Litter => {}
            }
        }
        for omission in everything.omissions() {
            match place(&omission.path) {
                _ if omission.reason == OmissionReason::VersionControl => {
                    skip(&omission.path, &omission.why())
                }
                // Git does not store pipes and sockets.
                _ if omission.reason == OmissionReason::NotAFile => {}
                ContentPart::Dependencies(_, "") if omission.reason.is_limit() => {
                    skip(&omission.path, &omission.why())
                }
                ContentPart::Dependencies(folder, below) => {
                    let below = if below.is_empty() { "." } else { below };
                    inside
                        .entry(folder)
                        .or_default()
                        .1
                        .push(locked(omission, below));
                }
                ContentPart::Skill => {
                    if omission.reason.is_limit() {
                        skip(&omission.path, &omission.why());
                    }
                    omissions.push(locked(omission, &omission.path));
                }
                ContentPart::Cache(folder) => skip(folder, cache(folder)),
                ContentPart::Secret => skip(&omission.path, "it holds secrets by convention"),
                ContentPart::Litter => {}
            }
        }
        let dependencies = inside.into_iter();
        let dependencies = dependencies
            .map(|(path, (rows, omissions))| (path.to_owned(), manifest(rows, omissions).digest()))
            .collect();
        let manifest = manifest(rows, omissions);
        not_compared.sort();
        not_compared.dedup();
        Compared {
            manifest,
            dependencies,
            not_compared,
        }
    }
}

fn manifest(rows: Vec<Resource>, omissions: Vec<Omission>) -> Manifest {
    Manifest::new(rows)
        .expect("a folder has every name once")
        .with_omissions(omissions)
}

/// Returns the row of an omission at `path`. The target of a link that leads out is not part of the project.
fn locked(omission: &Omission, path: &str) -> Omission {
    let row = Omission::new(path, omission.reason).detail(&omission.detail);
    match omission.digest {
        Some(digest) if omission.reason != OmissionReason::LinkOut => row.with_digest(digest),
        _ => row,
    }
}

fn cache(folder: &str) -> &'static str {
    let name = folder.rsplit('/').next().unwrap_or_default();
    match SkippedFolder::of(name) {
        Some(SkippedFolder::Cache) => "tools write to it while they run",
        _ => "only in part: tools write bytecode and caches into it while they run",
    }
}

fn place(path: &str) -> ContentPart<'_> {
    let mut dependencies = None;
    let mut end = 0;
    for name in path.split('/') {
        end += name.len();
        match (dependencies, SkippedFolder::of(name)) {
            (_, Some(SkippedFolder::Cache)) => {
                return ContentPart::Cache(dependencies.unwrap_or(&path[..end]));
            }
            (None, Some(SkippedFolder::Dependencies)) => dependencies = Some(&path[..end]),
            (None, Some(SkippedFolder::Secrets)) => return ContentPart::Secret,
            (_, Some(SkippedFolder::Litter)) => return ContentPart::Litter,
            _ => {}
        }
        match (dependencies, SkippedFile::of(name)) {
            (_, Some(SkippedFile::Litter)) => return ContentPart::Litter,
            (None, Some(_)) => return ContentPart::Secret,
            _ => {}
        }
        end += 1;
    }
    match dependencies {
        Some(folder) => {
            ContentPart::Dependencies(folder, path[folder.len()..].trim_start_matches('/'))
        }
        None => ContentPart::Skill,
    }
}
