//! Fetches the skills of a reference.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
#[cfg(feature = "http")]
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::SystemTime;

#[cfg(feature = "http")]
use bytes::Bytes;
use repertoire_core::{Digest, ResourcePath, Skill, Source};

use crate::archive::unpack;
use crate::file_tree::FileTree;
use crate::folder;
use crate::git::GitProgram;
#[cfg(feature = "http")]
use crate::http::{HttpClient, HttpSettings};
use crate::install_error::{InstallError, InstallErrorKind};
use crate::installed_skill::InstalledSkill;
use crate::limits;
#[cfg(feature = "http")]
use crate::oci;
use crate::oci_reference::OciReference;
use crate::reference::Reference;
use crate::skill_folders::{chosen_folders, skill_folders};
use crate::source_skill::SourceSkill;
use crate::source_trees;
#[cfg(feature = "http")]
use crate::well_known::{IndexedSkill, WellKnownIndex};

/// Reads references: folders and archives of this machine, git repositories, archives and indexes of web servers, and OCI registries.
#[derive(Debug, Clone)]
pub struct Fetcher {
    git: GitProgram,
    base: PathBuf,
    home: Option<PathBuf>,
    #[cfg(feature = "http")]
    http: HttpSettings,
    #[cfg(feature = "http")]
    docker_config: Option<PathBuf>,
}

/// The exact content that a reference stood for when it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchedRevision {
    /// A commit of a git repository, in hexadecimal digits.
    Commit(String),
    /// The digest of an archive, or of the manifest or index of an OCI artifact.
    Archive(Digest),
    /// The content of a folder, which only the manifests of its skills state.
    Folder,
    /// The index of a host, or the list of a server. The skills state their own digests.
    Index,
}

/// The content that a reference leads to now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LatestRevision {
    /// A commit of a git repository, in hexadecimal digits.
    Commit(String),
    /// The digest of the manifest or index of an OCI artifact.
    Manifest(Digest),
    /// The digests that an index of version 0.2.0 states, by the names in it.
    Artifacts(BTreeMap<ResourcePath, Digest>),
    /// Only a fetch finds it out.
    Unknown,
}

/// The skills of a reference.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fetched {
    /// The fetched content.
    pub revision: FetchedRevision,
    /// The time at which the content was made, as its author states it; `None` if it states none.
    ///
    /// Commits and most artifacts of OCI registries state it. Archives, folders and indexes of hosts do not.
    pub created: Option<SystemTime>,
    /// The skills, by their folders. There is at least one.
    pub skills: Vec<SourceSkill>,
}

impl Fetcher {
    /// Creates a fetcher. Relative paths of references are relative to `base`.
    pub fn new(git: GitProgram, base: impl Into<PathBuf>) -> Fetcher {
        Fetcher {
            git,
            base: base.into(),
            home: None,
            #[cfg(feature = "http")]
            http: HttpSettings::default(),
            #[cfg(feature = "http")]
            docker_config: None,
        }
    }

    /// Sets the home folder, for references that begin with `~/`.
    #[must_use]
    pub fn home(self, home: impl Into<PathBuf>) -> Fetcher {
        Fetcher {
            home: Some(home.into()),
            ..self
        }
    }

    /// Sets the proxies and allowed hosts of downloads.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn http(self, http: HttpSettings) -> Fetcher {
        Fetcher { http, ..self }
    }

    /// Sets the file with logins for OCI registries, which `docker login` writes. It need not exist.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn docker_config(self, file: impl Into<PathBuf>) -> Fetcher {
        Fetcher {
            docker_config: Some(file.into()),
            ..self
        }
    }

    /// Returns the addresses of the host of a URL, which are safe to connect to. Blocks while the name is resolved.
    ///
    /// There are none for a URL with an address, and for a name that only a proxy can resolve.
    ///
    /// # Errors
    /// - [`Refused`](InstallErrorKind::Refused) if an address is private and the host is not allowed.
    /// - [`Unavailable`](InstallErrorKind::Unavailable) if the name has no address.
    #[cfg(feature = "http")]
    pub fn addresses(&self, url: &str) -> Result<Vec<SocketAddr>, InstallError> {
        self.http.addresses(url)
    }

    /// Returns what a reference leads to now, as far as that is known without fetching the skills.
    ///
    /// # Errors
    /// The source cannot be reached, or a repository has no such branch or tag.
    pub fn latest(&self, reference: &Reference) -> Result<LatestRevision, InstallError> {
        if let Some(artifact) = reference.oci() {
            return self.latest_manifest(artifact);
        }
        match (reference.git_url(), reference.index_base()) {
            (Some(url), _) => {
                let commit = self.git.resolve(url, reference.revision())?;
                Ok(LatestRevision::Commit(commit))
            }
            (_, Some(base)) => self.latest_index(base),
            _ => Ok(LatestRevision::Unknown),
        }
    }

    #[cfg(feature = "http")]
    fn latest_index(&self, base: &str) -> Result<LatestRevision, InstallError> {
        HttpClient::run(&self.http, |client| async move {
            let index = WellKnownIndex::read(&client, base).await?;
            let skills = index.skills.into_iter();
            let digests = skills.map(|skill| Some((skill.name.clone(), skill.digest()?)));
            let digests: Option<BTreeMap<_, _>> = digests.collect();
            Ok(digests.map_or(LatestRevision::Unknown, LatestRevision::Artifacts))
        })
    }

    #[cfg(not(feature = "http"))]
    fn latest_index(&self, base: &str) -> Result<LatestRevision, InstallError> {
        Err(without_http(base))
    }

    #[cfg(feature = "http")]
    fn latest_manifest(&self, artifact: &OciReference) -> Result<LatestRevision, InstallError> {
        let config = self.docker_config.as_deref();
        let digest = HttpClient::run(&self.http, |client| async move {
            oci::latest(&client, config, artifact).await
        });
        Ok(LatestRevision::Manifest(digest?))
    }

    #[cfg(not(feature = "http"))]
    fn latest_manifest(&self, artifact: &OciReference) -> Result<LatestRevision, InstallError> {
        Err(without_http(&artifact.to_string()))
    }

    /// Reads the skills of a reference. Nothing of it is run.
    ///
    /// # Errors
    /// It cannot be reached, has no skills, or has content that is refused. Skills without a usable name are refused, and so
    /// are two skills of one name. [`Fetched::from_source`] reads the skills of an MCP server.
    pub fn fetch(&self, reference: &Reference) -> Result<Fetched, InstallError> {
        let (fetched, faults) = self.fetch_each(reference)?;
        fetched.complete(reference, faults)
    }

    /// Reads the skills of a reference, and returns the errors of skills that are refused beside the others.
    ///
    /// # Errors
    /// It cannot be reached, or a folder that it names has no skill.
    pub fn fetch_each(
        &self,
        reference: &Reference,
    ) -> Result<(Fetched, Vec<InstallError>), InstallError> {
        if let Some(base) = reference.index_base() {
            return self.fetch_index(base, reference);
        }
        if let Some(artifact) = reference.oci() {
            let found = self.fetch_artifact(artifact, reference.folder())?;
            return Ok(Fetched::checked(found));
        }
        if reference.mcp_url().is_some() {
            let message = format!("`{reference}` needs a client for MCP");
            let error = InstallError::new(InstallErrorKind::Unavailable, message);
            return Err(error.help("build the program with the feature `mcp`"));
        }
        let found = match (reference.git_url(), reference.archive_url()) {
            (Some(url), _) => self.fetch_repository(url, reference)?,
            (_, Some(url)) => self.fetch_archive(url, reference)?,
            _ if reference.is_archive() => self.read_archive(reference)?,
            _ => self.read_folder(reference)?,
        };
        Ok(Fetched::checked(found))
    }

    #[cfg(feature = "http")]
    fn fetch_index(
        &self,
        base: &str,
        reference: &Reference,
    ) -> Result<(Fetched, Vec<InstallError>), InstallError> {
        let (skills, trees) = HttpClient::run(&self.http, |client| async move {
            let index = WellKnownIndex::read(&client, base).await?;
            let skills = index.chosen(reference.folder())?;
            let trees = IndexedSkill::fetch_all(&client, &skills).await;
            Ok((skills, trees))
        })?;
        let names = skills.iter().map(|skill| skill.name.to_string());
        let (mut fetched, faults) = Fetched::checked(FoundTrees {
            revision: FetchedRevision::Index,
            created: None,
            trees: names.zip(trees).collect(),
        });
        for skill in &mut fetched.skills {
            let mut rows = skills.iter();
            let row = rows.find(|row| Some(&row.name) == skill.folder.as_ref());
            skill.artifact = row.and_then(IndexedSkill::digest);
        }
        Ok((fetched, faults))
    }

    #[cfg(not(feature = "http"))]
    fn fetch_index(
        &self,
        base: &str,
        _reference: &Reference,
    ) -> Result<(Fetched, Vec<InstallError>), InstallError> {
        Err(without_http(base))
    }

    #[cfg(feature = "http")]
    fn fetch_archive(&self, url: &str, reference: &Reference) -> Result<FoundTrees, InstallError> {
        let bytes: Bytes = HttpClient::run(&self.http, |client| async move {
            let url = url.parse().map_err(|_| {
                let message = format!("`{reference}` is not a URL");
                InstallError::new(InstallErrorKind::Reference, message)
            })?;
            let answer = client.download(url, limits::ARCHIVE_BYTES).await?;
            Ok(answer.body)
        })?;
        unpack_chosen(&bytes, reference)
    }

    #[cfg(not(feature = "http"))]
    fn fetch_archive(&self, url: &str, _reference: &Reference) -> Result<FoundTrees, InstallError> {
        Err(without_http(url))
    }

    #[cfg(feature = "http")]
    fn fetch_artifact(
        &self,
        artifact: &OciReference,
        folder: Option<&ResourcePath>,
    ) -> Result<FoundTrees, InstallError> {
        let config = self.docker_config.as_deref();
        let fetched = HttpClient::run(&self.http, |client| async move {
            oci::fetch(&client, config, artifact, folder).await
        })?;
        let (mut read, mut found) = (Vec::new(), Vec::new());
        for tree in fetched.trees {
            match tree {
                Ok(tree) => read.push(tree),
                Err(fault) => found.push((String::new(), Err(fault))),
            }
        }
        let trees = read.iter().flat_map(|tree| {
            let folders = skill_folders(tree.files().map(|(path, _)| path.as_str()));
            folders.into_iter().map(move |folder| (folder, tree))
        });
        let trees: Vec<_> = trees.collect();
        let folders = trees.iter().map(|(folder, _)| folder.clone()).collect();
        // A collection may be empty, or have only members that are refused.
        let chosen = match read.is_empty() {
            true => Vec::new(),
            false => chosen_folders(folders, folder)?,
        };
        let chosen: BTreeSet<_> = chosen.iter().collect();
        let trees = trees.iter().filter(|(folder, _)| chosen.contains(folder));
        found.extend(trees.map(|(folder, tree)| (folder.clone(), Ok(tree.below(folder)))));
        Ok(FoundTrees {
            revision: FetchedRevision::Archive(fetched.digest),
            created: fetched.created,
            trees: found,
        })
    }

    #[cfg(not(feature = "http"))]
    fn fetch_artifact(
        &self,
        artifact: &OciReference,
        _folder: Option<&ResourcePath>,
    ) -> Result<FoundTrees, InstallError> {
        Err(without_http(&artifact.to_string()))
    }

    fn fetch_repository(
        &self,
        url: &str,
        reference: &Reference,
    ) -> Result<FoundTrees, InstallError> {
        let scratch = tempfile::tempdir();
        let scratch =
            scratch.map_err(|error| InstallError::io("cannot create a temporary folder", error))?;
        let repository = scratch.path().join("repository");
        let commit = self.git.fetch(url, reference.revision(), &repository)?;
        let folders = chosen_folders(skill_folders(commit.paths()), reference.folder())?;
        let trees = self.git.read(&commit, &folders)?;
        Ok(FoundTrees {
            revision: FetchedRevision::Commit(commit.id),
            created: commit.created,
            trees: folders.into_iter().zip(trees).collect(),
        })
    }

    fn read_archive(&self, reference: &Reference) -> Result<FoundTrees, InstallError> {
        let path = self.path(reference);
        let unreadable = unreadable(reference);
        let mut bytes = Vec::new();
        let file = fs::File::open(&path).map_err(unreadable)?;
        let read = file.take(limits::ARCHIVE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(unreadable)?;
        unpack_chosen(&bytes, reference)
    }

    fn read_folder(&self, reference: &Reference) -> Result<FoundTrees, InstallError> {
        let path = self.path(reference);
        let paths = match path.join("SKILL.md").is_file() {
            true => vec!["SKILL.md".to_owned()],
            false => folder::list(&path)?,
        };
        let folders = skill_folders(paths.iter().map(String::as_str));
        let found = chosen_folders(folders, None)?.into_iter().map(|folder| {
            let tree = folder::read_tree(&path.join(&folder));
            (folder, tree)
        });
        Ok(FoundTrees {
            revision: FetchedRevision::Folder,
            created: None,
            trees: found.collect(),
        })
    }

    fn path(&self, reference: &Reference) -> PathBuf {
        let path = reference.path(&self.base, self.home.as_deref());
        path.expect("a reference that is not a repository has a path")
    }
}

/// Returns the conversion of errors about an archive.
fn unreadable(reference: &Reference) -> impl Fn(io::Error) -> InstallError + Copy {
    move |error| InstallError::io(format!("cannot read `{reference}`"), error)
}

/// Unpacks the skills of an archive that a reference names.
fn unpack_chosen(bytes: &[u8], reference: &Reference) -> Result<FoundTrees, InstallError> {
    let tree = unpack(bytes)?;
    let paths = tree.files().map(|(path, _)| path.as_str());
    let folders = chosen_folders(skill_folders(paths), reference.folder())?;
    let found = folders.into_iter().map(|folder| {
        let below = tree.below(&folder);
        (folder, Ok(below))
    });
    Ok(FoundTrees {
        revision: FetchedRevision::Archive(Digest::of(bytes)),
        created: None,
        trees: found.collect(),
    })
}

#[cfg(not(feature = "http"))]
fn without_http(url: &str) -> InstallError {
    let message = format!("`{url}` cannot be fetched, as this program was built without HTTP");
    InstallError::new(InstallErrorKind::Unavailable, message)
        .help("build it with the feature `http` of `repertoire-install`")
}

/// The folder of a skill, and its files if they are not refused.
pub(crate) type FoundTree = (String, Result<FileTree, InstallError>);

/// The folders of skills that a reference leads to.
struct FoundTrees {
    revision: FetchedRevision,
    created: Option<SystemTime>,
    trees: Vec<FoundTree>,
}

impl LatestRevision {
    /// Returns the commit or digest of an installed skill at its source now, if it is known.
    pub fn revision_of(&self, installed: &InstalledSkill) -> Option<String> {
        match self {
            LatestRevision::Commit(commit) => Some(commit.clone()),
            LatestRevision::Manifest(digest) => Some(digest.to_string()),
            LatestRevision::Artifacts(digests) => {
                let digest = digests.get(installed.folder.as_ref()?)?;
                Some(digest.to_string())
            }
            LatestRevision::Unknown => None,
        }
    }
}

impl Fetched {
    /// Reads the skills of a source that stands for `reference`: all, or the one that it names.
    ///
    /// # Errors
    /// Those of [`Fetcher::fetch`].
    pub async fn from_source(
        source: &dyn Source<Skill>,
        reference: &Reference,
    ) -> Result<Fetched, InstallError> {
        let trees = source_trees::read(source, reference).await?;
        let (fetched, faults) = Fetched::checked(FoundTrees {
            revision: FetchedRevision::Index,
            created: None,
            trees,
        });
        fetched.complete(reference, faults)
    }

    /// Returns the skills if there are any, and no faults.
    fn complete(
        self,
        reference: &Reference,
        faults: Vec<InstallError>,
    ) -> Result<Fetched, InstallError> {
        match faults.into_iter().next() {
            Some(fault) => Err(fault),
            None if self.skills.is_empty() => {
                let message = format!("`{reference}` has no skills");
                Err(InstallError::new(InstallErrorKind::Unavailable, message))
            }
            None => Ok(self),
        }
    }

    /// Parses each skill, and refuses the second of two skills of one name.
    fn checked(found: FoundTrees) -> (Fetched, Vec<InstallError>) {
        let (mut skills, mut faults) = (Vec::<SourceSkill>::new(), Vec::new());
        let mut ids = BTreeSet::new();
        for (folder, tree) in found.trees {
            let skill = tree.and_then(|tree| SourceSkill::parse(&folder, tree));
            match skill {
                Ok(skill) if ids.insert(skill.skill.id.clone()) => skills.push(skill),
                Ok(skill) => {
                    let message = format!("two skills are called `{}`", skill.skill.id);
                    let fault = InstallError::refused(message);
                    faults.push(fault.help("name the folder of one skill in the reference"));
                }
                Err(fault) => faults.push(fault.about(&folder)),
            }
        }
        let fetched = Fetched {
            revision: found.revision,
            created: found.created,
            skills,
        };
        (fetched, faults)
    }
}
