//! The content of a skill, as a lock records and compares it.

use std::collections::BTreeMap;

use repertoire::skill::{
    Digest, Manifest, Omission, OmissionReason, Resource, ResourcePath, SkippedFile, SkippedFolder,
};
use serde::Serialize;

/// The content of a skill, as a lock records and compares it.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// The files of the skill, `SKILL.md` included, and the omissions.
    ///
    /// It does not list dependencies, caches, secrets and litter.
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
    /// A path below a dependency folder: the folder, and the rest of the path.
    Dependencies(&'a str, &'a str),
    /// A path in a cache: the cache folder, or the dependency folder that contains it.
    Cache(&'a str),
    Secret,
    Litter,
}

impl Compared {
    pub(crate) fn of(skill: &str, own: Resource, everything: &Manifest) -> Compared {
        let mut content = SortedContent {
            skill,
            rows: vec![own],
            omissions: Vec::new(),
            dependencies: BTreeMap::new(),
            not_compared: Vec::new(),
        };
        for file in everything.files() {
            content.add_file(file);
        }
        for omission in everything.omissions() {
            content.add_omission(omission);
        }
        let dependencies = content.dependencies.into_iter();
        let dependencies = dependencies
            .map(|(path, (rows, omissions))| (path.to_owned(), manifest(rows, omissions).digest()))
            .collect();
        let mut not_compared = content.not_compared;
        not_compared.sort();
        not_compared.dedup();
        Compared {
            manifest: manifest(content.rows, content.omissions),
            dependencies,
            not_compared,
        }
    }
}

/// The files and omissions of a skill, each in the list of its [`ContentPart`].
struct SortedContent<'a> {
    skill: &'a str,
    rows: Vec<Resource>,
    omissions: Vec<Omission>,
    dependencies: BTreeMap<&'a str, (Vec<Resource>, Vec<Omission>)>,
    not_compared: Vec<NotCompared>,
}

impl<'a> SortedContent<'a> {
    fn add_file(&mut self, file: &'a Resource) {
        match place(file.path.as_str()) {
            ContentPart::Skill => self.rows.push(file.clone()),
            ContentPart::Dependencies(folder, below) => {
                let path: ResourcePath = below.parse().expect("the rest of a path is one");
                let (rows, _) = self.dependencies.entry(folder).or_default();
                rows.push(Resource::new(path, file.size, file.digest));
            }
            ContentPart::Cache(folder) => self.skip(folder, cache(folder)),
            ContentPart::Secret => self.skip(file.path.as_str(), SECRET),
            ContentPart::Litter => {}
        }
    }

    fn add_omission(&mut self, omission: &'a Omission) {
        match place(&omission.path) {
            _ if omission.reason == OmissionReason::VersionControl => {
                self.skip(&omission.path, &omission.why());
            }
            // Git does not store pipes and sockets.
            _ if omission.reason == OmissionReason::NotAFile => {}
            ContentPart::Dependencies(_, "") if omission.reason.is_limit() => {
                self.skip(&omission.path, &omission.why());
            }
            ContentPart::Dependencies(folder, below) => {
                let below = if below.is_empty() { "." } else { below };
                let (_, omissions) = self.dependencies.entry(folder).or_default();
                omissions.push(locked(omission, below));
            }
            ContentPart::Skill => {
                if omission.reason.is_limit() {
                    self.skip(&omission.path, &omission.why());
                }
                self.omissions.push(locked(omission, &omission.path));
            }
            ContentPart::Cache(folder) => self.skip(folder, cache(folder)),
            ContentPart::Secret => self.skip(&omission.path, SECRET),
            ContentPart::Litter => {}
        }
    }

    fn skip(&mut self, path: &str, why: &str) {
        self.not_compared.push(NotCompared {
            path: format!("{}/{path}", self.skill),
            why: why.to_owned(),
        });
    }
}

const SECRET: &str = "it holds secrets by convention";

fn manifest(rows: Vec<Resource>, omissions: Vec<Omission>) -> Manifest {
    Manifest::new(rows)
        .expect("a folder has every name once")
        .with_omissions(omissions)
}

/// Returns the omission for a lock, at `path`.
///
/// It has no digest if it is a link that leads out, because the target is not part of the skill.
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
