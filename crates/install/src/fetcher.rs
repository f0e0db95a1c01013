//! Fetches the skills of a reference.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

use repertoire_core::skill_md::{self, FileContext};
use repertoire_core::{Body, Diagnostic, Digest, Id, ResourcePath, Severity, Skill, Stamp};

use crate::archive::unpack;
use crate::file_tree::{FileTree, segment_fault};
use crate::folder;
use crate::git::GitProgram;
use crate::install_error::InstallError;
use crate::limits;
use crate::reference::Reference;
use crate::skill_folders::{chosen_folders, skill_folders};

/// Reads references: folders and archives of this machine, and git repositories.
#[derive(Debug, Clone)]
pub struct Fetcher {
    git: GitProgram,
    base: PathBuf,
    home: Option<PathBuf>,
}

/// The exact content that a reference stood for when it was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchedRevision {
    /// A commit of a git repository, in hexadecimal digits.
    Commit(String),
    /// The digest of an archive.
    Archive(Digest),
    /// The content of a folder, which only the manifests of its skills state.
    Folder,
}

/// The skills of a reference.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fetched {
    /// The fetched content.
    pub revision: FetchedRevision,
    /// The skills, by their folders. There is at least one.
    pub skills: Vec<SourceSkill>,
}

/// A skill that was fetched and is not installed.
#[derive(Debug)]
#[non_exhaustive]
pub struct SourceSkill {
    /// The skill as its `SKILL.md` states it. Its id is the name of the installed folder.
    pub skill: Skill,
    /// The folder in the source; `None` at the top.
    pub folder: Option<ResourcePath>,
    /// The files.
    pub tree: FileTree,
    /// The files of the source that are never part of a skill.
    pub left_out: Vec<ResourcePath>,
    /// The problems of `SKILL.md`, hidden text in its body included.
    pub diagnostics: Vec<Diagnostic>,
}

impl Fetcher {
    /// Creates a fetcher. Relative paths of references are relative to `base`.
    pub fn new(git: GitProgram, base: impl Into<PathBuf>) -> Fetcher {
        Fetcher {
            git,
            base: base.into(),
            home: None,
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

    /// Returns the commit that a reference leads to now, without fetching it; `None` if it is not a git repository.
    ///
    /// # Errors
    /// The repository cannot be reached, or has no such branch or tag.
    pub fn latest_commit(&self, reference: &Reference) -> Result<Option<String>, InstallError> {
        let url = reference.git_url();
        let commit = url.map(|url| self.git.resolve(url, reference.revision()));
        commit.transpose()
    }

    /// Reads the skills of a reference. Nothing of it is run.
    ///
    /// # Errors
    /// It cannot be reached, has no skills, or has content that is refused. Skills without a usable name are refused, and so
    /// are two skills of one name.
    pub fn fetch(&self, reference: &Reference) -> Result<Fetched, InstallError> {
        let (revision, found) = match reference.git_url() {
            Some(url) => self.fetch_repository(url, reference)?,
            None if reference.is_archive() => self.read_archive(reference)?,
            None => self.read_folder(reference)?,
        };
        let skills = found.into_iter().map(|(folder, tree)| {
            SourceSkill::parse(&folder, tree).map_err(|error| error.about(&folder))
        });
        let skills = skills.collect::<Result<Vec<_>, _>>()?;
        let mut ids: Vec<&Id> = skills.iter().map(|skill| &skill.skill.id).collect();
        ids.sort();
        match ids.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(InstallError::refused(format!(
                "two skills are called `{}`",
                pair[0]
            ))
            .help("name the folder of one skill in the reference")),
            None => Ok(Fetched { revision, skills }),
        }
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
        let found = folders.into_iter().zip(trees);
        let found = found.map(|(folder, tree)| match tree {
            Ok(tree) => Ok((folder, tree)),
            Err(error) => Err(error.about(&folder)),
        });
        Ok((
            FetchedRevision::Commit(commit.id),
            found.collect::<Result<_, _>>()?,
        ))
    }

    fn read_archive(&self, reference: &Reference) -> Result<FoundTrees, InstallError> {
        let path = self.path(reference);
        let unreadable = unreadable(reference);
        let mut bytes = Vec::new();
        let file = fs::File::open(&path).map_err(unreadable)?;
        let read = file.take(limits::ARCHIVE_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(unreadable)?;
        let tree = unpack(&bytes)?;
        let paths = tree.files().map(|(path, _)| path.as_str());
        let folders = chosen_folders(skill_folders(paths), reference.folder())?;
        let found = folders.into_iter().map(|folder| {
            let below = tree.below(&folder);
            (folder, below)
        });
        Ok((
            FetchedRevision::Archive(Digest::of(&bytes)),
            found.collect(),
        ))
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
            match tree {
                Ok(tree) => Ok((folder, tree)),
                Err(error) => Err(error.about(&folder)),
            }
        });
        Ok((FetchedRevision::Folder, found.collect::<Result<_, _>>()?))
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

type FoundTrees = (FetchedRevision, Vec<(String, FileTree)>);

impl SourceSkill {
    fn parse(folder: &str, tree: FileTree) -> Result<SourceSkill, InstallError> {
        let (tree, left_out) = tree.without_apart();
        let text = tree.get("SKILL.md").cloned().unwrap_or_default();
        let name = folder.rsplit('/').next().filter(|name| !name.is_empty());
        let context = FileContext::new("SKILL.md");
        let context = name.map_or(context, |name| context.in_directory(name));
        let parsed = skill_md::parse(&text, context);
        let Some(skill) = parsed.skill else {
            let mut errors = parsed.diagnostics.iter();
            let error = errors.find(|diagnostic| diagnostic.severity == Severity::Error);
            let message = error.map_or("it is not a skill", |error| &*error.message);
            return Err(InstallError::refused(format!("`SKILL.md`: {message}")));
        };
        // The name becomes that of a folder.
        let id = skill.id.as_str();
        if let Some(fault) = segment_fault(id) {
            return Err(InstallError::refused(format!(
                "`{id}` is not the name of a folder: {fault}"
            )));
        }
        if id.starts_with('.') || ResourcePath::new(id).is_err() {
            return Err(InstallError::refused(format!(
                "`{id}` is not the name of a folder"
            )));
        }
        let mut diagnostics = parsed.diagnostics;
        let body = Body::of_file(&text, Stamp::of("fetched"));
        let body = body.map_err(|error| InstallError::refused(format!("`SKILL.md`: {error}")))?;
        diagnostics.extend(body.diagnostic());
        Ok(SourceSkill {
            folder: folder.parse().ok(),
            skill,
            tree,
            left_out,
            diagnostics,
        })
    }

    /// Returns the files that are programs: by their first bytes, by their folder `scripts`, or by their ending.
    pub fn programs(&self) -> Vec<&ResourcePath> {
        const ENDINGS: [&str; 10] = [
            "bash", "bat", "cmd", "js", "mjs", "pl", "ps1", "py", "rb", "sh",
        ];
        let programs = self.tree.files().filter(|(path, bytes)| {
            let ending = path.as_str().rsplit_once('.').map(|(_, ending)| ending);
            path.as_str().starts_with("scripts/")
                || FileTree::is_program(bytes)
                || ending.is_some_and(|ending| ENDINGS.contains(&ending))
        });
        programs.map(|(path, _)| path).collect()
    }
}
