//! The skills of one commit.

use std::path::Path;

use git2::{FileMode, ObjectType, Oid, Repository, TreeEntry};
use repertoire_plugin_sdk::message::PluginDiagnostic;
use repertoire_plugin_sdk::{
    Digest, Resource, ResourcePath, Severity, SourceError, SourceErrorKind,
};

use crate::mirror::Mirror;

/// The folder of one commit that holds the skills.
pub(crate) struct Tree {
    repository: Repository,
    root: Oid,
}

/// The skills of a commit: key, stamp and text of each, and the diagnostics about omissions.
#[derive(Default)]
pub(crate) struct Skills {
    pub(crate) found: Vec<(String, String, String)>,
    pub(crate) diagnostics: Vec<PluginDiagnostic>,
}

const FILE: &str = "SKILL.md";

// The limits of a folder source. A few objects of a repository can stand for any number of files.

/// The depth of folders with skills.
const MAX_DEPTH: usize = 8;

/// The folders that are visited to find skills.
const MAX_FOLDERS: usize = 20_000;

/// The bytes of a `SKILL.md`.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// The bytes of all of them. A host reads listings of 64 MiB, and escapes add to that.
const MAX_LISTING_BYTES: usize = 48 << 20;

/// The depth of files within a skill.
const MAX_FILE_DEPTH: usize = 32;

/// The files of a skill, and the entries that are visited to find them.
const MAX_FILES: usize = 10_000;
const MAX_ENTRIES: usize = 100_000;

/// The bytes of one file, and of all files of a skill.
const MAX_FILE_BYTES: usize = 16 << 20;
const MAX_SKILL_BYTES: usize = 256 << 20;

fn unreadable(error: git2::Error) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, "the clone cannot be read").caused_by(error)
}

fn not_found(what: &str) -> SourceError {
    SourceError::new(
        SourceErrorKind::NotFound,
        format!("no `{what}` at this commit"),
    )
}

fn too_large(what: &str, size: usize, most: usize) -> SourceError {
    SourceError::new(
        SourceErrorKind::TooLarge,
        format!("`{what}` has {size} bytes, and at most {most} are read"),
    )
}

impl Tree {
    pub(crate) fn open(mirror: &Mirror, commit: Oid, folder: &str) -> Result<Tree, SourceError> {
        let repository = mirror.repository().map_err(unreadable)?;
        let root = {
            let tree = repository
                .find_commit(commit)
                .and_then(|commit| commit.tree())
                .map_err(unreadable)?;
            match folder.trim_matches('/') {
                "" => tree.id(),
                // A folder that is not there has no skills.
                folder => tree
                    .get_path(Path::new(folder))
                    .map_or_else(|_| Oid::ZERO_SHA1, |entry| entry.id()),
            }
        };
        Ok(Tree { repository, root })
    }

    /// Finds every skill, by key. Omissions by the limits are diagnostics.
    pub(crate) fn skills(&self) -> Result<Skills, SourceError> {
        let mut skills = Skills::default();
        let mut folders = Vec::new();
        if !self.root.is_zero() {
            folders.push((self.root, String::new(), 0));
        }
        let (mut visited, mut entries, mut bytes) = (0, 0, 0);
        while let Some((folder, key, depth)) = folders.pop() {
            visited += 1;
            if visited > MAX_FOLDERS {
                skills.left_out(format!(
                    "more than {MAX_FOLDERS} folders: the rest were left out"
                ));
                break;
            }
            let tree = self.repository.find_tree(folder).map_err(unreadable)?;
            let text = tree
                .get_name(FILE)
                .filter(is_file)
                .filter(|_| !key.is_empty());
            if let Some(entry) = text {
                // What lies below a skill is part of it.
                match self.text(&entry, &key) {
                    Ok(text) if bytes + text.len() > MAX_LISTING_BYTES => {
                        skills.left_out(format!(
                            "more than {MAX_LISTING_BYTES} bytes of skills: the rest were left out"
                        ));
                        break;
                    }
                    Ok(text) => {
                        bytes += text.len();
                        // One listing visits this many entries. Each skill has its own limits when it is read.
                        if entries <= MAX_ENTRIES {
                            self.survey(&tree, &key, &mut entries, &mut skills)?;
                        }
                        skills.found.push((key, folder.to_string(), text));
                    }
                    Err(error) if error.kind() == SourceErrorKind::TooLarge => {
                        skills.left_out(error.to_string())
                    }
                    Err(error) => return Err(error),
                }
                continue;
            }
            // Reversed, because the last one is visited first.
            for entry in tree.iter().rev() {
                if let Ok(name) = entry.name()
                    && entry.filemode() == i32::from(FileMode::Tree)
                    && depth < MAX_DEPTH
                {
                    let key = if key.is_empty() {
                        name.to_owned()
                    } else {
                        format!("{key}/{name}")
                    };
                    folders.push((entry.id(), key, depth + 1));
                }
            }
        }
        Ok(skills)
    }

    /// Returns the stamp and text of one skill. The id of its tree is the stamp, which changes with each file.
    pub(crate) fn skill(&self, key: &str) -> Result<(String, String), SourceError> {
        let folder = self.folder(key)?;
        let entry = folder
            .get_name(FILE)
            .filter(is_file)
            .ok_or_else(|| not_found(key))?;
        Ok((folder.id().to_string(), self.text(&entry, key)?))
    }

    /// Returns the files of a skill within the limits, without links and submodules.
    pub(crate) fn files(&self, key: &str) -> Result<Vec<Resource>, SourceError> {
        let mut files = Vec::new();
        self.walk(&self.folder(key)?, &mut 0, &mut |file| match file {
            Seen::File(path, id) => {
                let blob = self.repository.find_blob(id).map_err(unreadable)?;
                let bytes = blob.content();
                files.push(Resource::new(path, bytes.len() as u64, Digest::of(bytes)));
                Ok(())
            }
            Seen::LeftOut(_) => Ok(()),
        })?;
        Ok(files)
    }

    /// Adds diagnostics about the omissions of a skill.
    fn survey(
        &self,
        folder: &git2::Tree<'_>,
        key: &str,
        entries: &mut usize,
        skills: &mut Skills,
    ) -> Result<(), SourceError> {
        self.walk(folder, entries, &mut |file| {
            if let Seen::LeftOut(why) = file {
                skills.left_out(format!("`{key}`: {why}"));
            }
            Ok(())
        })
    }

    /// Calls `visit` for each file of a skill, and for each omission.
    fn walk(
        &self,
        folder: &git2::Tree<'_>,
        entries: &mut usize,
        visit: &mut dyn FnMut(Seen) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let database = self.repository.odb().map_err(unreadable)?;
        let mut folders = vec![(folder.id(), String::new(), 0)];
        let (mut files, mut bytes) = (0, 0);
        while let Some((folder, within, depth)) = folders.pop() {
            let tree = self.repository.find_tree(folder).map_err(unreadable)?;
            for entry in tree.iter().rev() {
                let Ok(name) = entry.name() else { continue };
                *entries += 1;
                if *entries > MAX_ENTRIES {
                    return visit(Seen::LeftOut(format!(
                        "more than {MAX_ENTRIES} entries: the rest were left out"
                    )));
                }
                let path = format!("{within}{name}");
                if entry.filemode() == i32::from(FileMode::Tree) {
                    if depth < MAX_FILE_DEPTH {
                        folders.push((entry.id(), format!("{path}/"), depth + 1));
                    } else {
                        visit(Seen::LeftOut(format!(
                            "`{path}` lies more than {MAX_FILE_DEPTH} folders deep"
                        )))?;
                    }
                    continue;
                }
                let Some(place) = ResourcePath::new(&path)
                    .ok()
                    .filter(|_| is_file(&entry) && path != FILE)
                else {
                    continue;
                };
                // An object in a tree may be missing in the clone.
                let Ok((size, ObjectType::Blob)) = database.read_header(entry.id()) else {
                    visit(Seen::LeftOut(format!("`{path}` is not in the clone")))?;
                    continue;
                };
                if size > MAX_FILE_BYTES {
                    visit(Seen::LeftOut(format!(
                        "`{path}` has {size} bytes, and at most {MAX_FILE_BYTES} are read"
                    )))?;
                    continue;
                }
                if files == MAX_FILES || bytes + size > MAX_SKILL_BYTES {
                    let most = format!("{MAX_FILES} files and {MAX_SKILL_BYTES} bytes");
                    return visit(Seen::LeftOut(format!(
                        "more than {most}: the rest were left out"
                    )));
                }
                (files, bytes) = (files + 1, bytes + size);
                visit(Seen::File(place, entry.id()))?;
            }
        }
        Ok(())
    }

    /// Reads one file.
    pub(crate) fn file(&self, key: &str, path: &ResourcePath) -> Result<Vec<u8>, SourceError> {
        let folder = self.folder(key)?;
        // Follows trees only, so no link on the way.
        let entry = folder
            .get_path(Path::new(path.as_str()))
            .map_err(|_| not_found(path.as_str()))?;
        if !is_file(&entry) || path.as_str() == FILE {
            return Err(not_found(path.as_str()));
        }
        self.bytes(&entry, path.as_str(), MAX_FILE_BYTES)
    }

    fn folder(&self, key: &str) -> Result<git2::Tree<'_>, SourceError> {
        if self.root.is_zero() || ResourcePath::new(key).is_err() {
            return Err(not_found(key));
        }
        let root = self.repository.find_tree(self.root).map_err(unreadable)?;
        let entry = root.get_path(Path::new(key)).map_err(|_| not_found(key))?;
        self.repository
            .find_tree(entry.id())
            .map_err(|_| not_found(key))
    }

    fn bytes(
        &self,
        entry: &TreeEntry<'_>,
        what: &str,
        most: usize,
    ) -> Result<Vec<u8>, SourceError> {
        // Checked before reading, because a small object can unpack to any size.
        let (size, _) = self
            .repository
            .odb()
            .and_then(|odb| odb.read_header(entry.id()))
            .map_err(unreadable)?;
        if size > most {
            return Err(too_large(what, size, most));
        }
        Ok(self
            .repository
            .find_blob(entry.id())
            .map_err(unreadable)?
            .content()
            .to_vec())
    }

    /// Replaces invalid UTF-8, so that the host reports this file and no other.
    fn text(&self, entry: &TreeEntry<'_>, key: &str) -> Result<String, SourceError> {
        let bytes = self.bytes(entry, &format!("{key}/{FILE}"), MAX_TEXT_BYTES)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

enum Seen {
    File(ResourcePath, Oid),
    LeftOut(String),
}

/// The diagnostics about one commit.
const MAX_DIAGNOSTICS: usize = 100;

impl Skills {
    fn left_out(&mut self, why: String) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(PluginDiagnostic::new(
                Severity::Warning,
                "git-left-out",
                why,
            ));
        }
    }
}

fn is_file(entry: &TreeEntry<'_>) -> bool {
    [
        FileMode::Blob,
        FileMode::BlobExecutable,
        FileMode::BlobGroupWritable,
    ]
    .into_iter()
    .any(|mode| entry.filemode() == i32::from(mode))
}
