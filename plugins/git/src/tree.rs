//! The skills of one commit.

use std::path::Path;

use git2::{FileMode, Oid, Repository, TreeEntry};
use repertoire_plugin_sdk::{ResourcePath, SourceError, SourceErrorKind};

use crate::mirror::Mirror;

/// The folder of one commit that holds the skills.
pub(crate) struct Tree {
    repository: Repository,
    root: Oid,
}

const FILE: &str = "SKILL.md";

/// Folders deep.
const DEEPEST: usize = 8;

fn unreadable(error: git2::Error) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, "the clone cannot be read").caused_by(error)
}

fn not_found(what: &str) -> SourceError {
    SourceError::new(SourceErrorKind::NotFound, format!("no `{what}` at this commit"))
}

impl Tree {
    pub(crate) fn open(mirror: &Mirror, commit: Oid, folder: &str) -> Result<Tree, SourceError> {
        let repository = mirror.repository().map_err(unreadable)?;
        let root = {
            let tree = repository.find_commit(commit).and_then(|commit| commit.tree()).map_err(unreadable)?;
            match folder.trim_matches('/') {
                "" => tree.id(),
                // A folder that is not there has no skills.
                folder => tree.get_path(Path::new(folder)).map_or_else(|_| Oid::ZERO_SHA1, |entry| entry.id()),
            }
        };
        Ok(Tree { repository, root })
    }

    /// Key, stamp and text of every skill, by key.
    pub(crate) fn skills(&self) -> Result<Vec<(String, String, String)>, SourceError> {
        let mut skills = Vec::new();
        if !self.root.is_zero() {
            self.collect(self.root, "", 0, &mut skills)?;
        }
        Ok(skills)
    }

    fn collect(
        &self,
        folder: Oid,
        key: &str,
        depth: usize,
        skills: &mut Vec<(String, String, String)>,
    ) -> Result<(), SourceError> {
        let tree = self.repository.find_tree(folder).map_err(unreadable)?;
        if !key.is_empty()
            && let Some(entry) = tree.get_name(FILE)
            && is_file(&entry)
        {
            // What lies below a skill is part of it.
            skills.push((key.to_owned(), folder.to_string(), self.text(&entry)?));
            return Ok(());
        }
        for entry in &tree {
            if let Ok(name) = entry.name()
                && entry.filemode() == i32::from(FileMode::Tree)
                && depth < DEEPEST
            {
                let key = if key.is_empty() { name.to_owned() } else { format!("{key}/{name}") };
                self.collect(entry.id(), &key, depth + 1, skills)?;
            }
        }
        Ok(())
    }

    /// Stamp and text of one skill: the name of its whole tree changes with anything in it.
    pub(crate) fn skill(&self, key: &str) -> Result<(String, String), SourceError> {
        let folder = self.folder(key)?;
        let entry = folder.get_name(FILE).filter(is_file).ok_or_else(|| not_found(key))?;
        Ok((folder.id().to_string(), self.text(&entry)?))
    }

    /// Every file beside the text of a skill. Links and submodules are not among them.
    pub(crate) fn files(&self, key: &str) -> Result<Vec<(ResourcePath, Vec<u8>)>, SourceError> {
        let mut files = Vec::new();
        self.collect_files(&self.folder(key)?, "", &mut files)?;
        Ok(files)
    }

    fn collect_files(
        &self,
        folder: &git2::Tree<'_>,
        within: &str,
        files: &mut Vec<(ResourcePath, Vec<u8>)>,
    ) -> Result<(), SourceError> {
        for entry in folder {
            let Ok(name) = entry.name() else { continue };
            let path = format!("{within}{name}");
            if entry.filemode() == i32::from(FileMode::Tree) {
                let below = self.repository.find_tree(entry.id()).map_err(unreadable)?;
                self.collect_files(&below, &format!("{path}/"), files)?;
            } else if is_file(&entry)
                && path != FILE
                && let Ok(path) = ResourcePath::new(&path)
            {
                files.push((path, self.bytes(&entry)?));
            }
        }
        Ok(())
    }

    /// The bytes of one file.
    pub(crate) fn file(&self, key: &str, path: &ResourcePath) -> Result<Vec<u8>, SourceError> {
        let folder = self.folder(key)?;
        // Through trees alone: a link on the way is no tree.
        let entry = folder.get_path(Path::new(path.as_str())).map_err(|_| not_found(path.as_str()))?;
        if !is_file(&entry) || path.as_str() == FILE {
            return Err(not_found(path.as_str()));
        }
        self.bytes(&entry)
    }

    fn folder(&self, key: &str) -> Result<git2::Tree<'_>, SourceError> {
        if self.root.is_zero() || ResourcePath::new(key).is_err() {
            return Err(not_found(key));
        }
        let root = self.repository.find_tree(self.root).map_err(unreadable)?;
        let entry = root.get_path(Path::new(key)).map_err(|_| not_found(key))?;
        self.repository.find_tree(entry.id()).map_err(|_| not_found(key))
    }

    fn bytes(&self, entry: &TreeEntry<'_>) -> Result<Vec<u8>, SourceError> {
        Ok(self.repository.find_blob(entry.id()).map_err(unreadable)?.content().to_vec())
    }

    /// What is no UTF-8 is written as such signs are: the host then says what is wrong with the file, and with no other.
    fn text(&self, entry: &TreeEntry<'_>) -> Result<String, SourceError> {
        Ok(String::from_utf8_lossy(&self.bytes(entry)?).into_owned())
    }
}

fn is_file(entry: &TreeEntry<'_>) -> bool {
    [FileMode::Blob, FileMode::BlobExecutable, FileMode::BlobGroupWritable]
        .into_iter()
        .any(|mode| entry.filemode() == i32::from(mode))
}
