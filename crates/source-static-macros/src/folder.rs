//! The search for skills and their files, by the rules of folders that are read at run time.

use std::collections::{BTreeSet, HashSet};

use repertoire_core::{ResourcePath, SkippedFile, SkippedFolder};

use crate::source_path::{EmbedError, SourcePath};

pub(crate) const FILE_NAME: &str = "SKILL.md";

/// Returns the folders that hold a `SKILL.md`, in the order of the bytes of its path. Nothing below one is a further skill.
///
/// Links are followed. Every real folder counts once, and under its own path if it has one.
pub(crate) fn skills(root: &SourcePath) -> Result<Vec<SourcePath>, EmbedError> {
    let real_root = root.real()?;
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let (mut folders, mut links) = (BTreeSet::from([root.clone()]), BTreeSet::new());
    while let Some(folder) = folders.pop_first().or_else(|| links.pop_first()) {
        let real = folder.real()?;
        let leads_up = real != real_root && real_root.starts_with(&real);
        if leads_up || !seen.insert(real) {
            continue;
        }
        let entries = folder.entries()?;
        if entries.iter().any(|entry| entry.name() == Some(FILE_NAME)) {
            found.push(folder);
            continue;
        }
        let is_misspelled = |entry: &&SourcePath| {
            entry
                .name()
                .is_some_and(|name| name.eq_ignore_ascii_case(FILE_NAME))
        };
        if let Some(file) = entries.iter().find(is_misspelled) {
            return Err(file
                .error(format!("the file must be named `{FILE_NAME}`"))
                .help("rename it"));
        }
        if folder != *root
            && folder
                .name()
                .is_some_and(|name| SkippedFolder::of(name) == Some(SkippedFolder::Output))
        {
            continue;
        }
        for entry in entries {
            let is_skipped = entry.name().is_some_and(|name| {
                name.starts_with('.')
                    || SkippedFolder::of(name).is_some_and(SkippedFolder::is_apart)
            });
            if !is_skipped && entry.metadata()?.is_dir() {
                if entry.is_link() {
                    links.insert(entry)
                } else {
                    folders.insert(entry)
                };
            }
        }
    }
    found.sort_by_cached_key(|folder| {
        folder
            .join(FILE_NAME.as_ref())
            .path
            .into_os_string()
            .into_encoded_bytes()
    });
    Ok(found)
}

/// Returns the files of the skill in `folder` beside its `SKILL.md`, sorted by their path inside the skill.
///
/// A link counts as the file inside the folder to which it leads. Links to folders are skipped: the files in there have their own paths.
pub(crate) fn resources(folder: &SourcePath) -> Result<Vec<(String, SourcePath)>, EmbedError> {
    let real = folder.real()?;
    let mut found = Vec::new();
    let mut open = vec![(String::new(), folder.clone())];
    while let Some((below, folder)) = open.pop() {
        for entry in folder.entries()? {
            let name = entry
                .name()
                .ok_or_else(|| entry.error("the name is not UTF-8").help("rename it"))?;
            let is_apart = SkippedFolder::of(name).is_some_and(SkippedFolder::is_apart)
                || SkippedFile::of(name).is_some();
            if below.is_empty() && name == FILE_NAME || is_apart {
                continue;
            }
            let path = format!("{below}{name}");
            let metadata = entry.metadata()?;
            if entry.is_link() && !entry.real()?.starts_with(&real) {
                return Err(entry
                    .error("the link leads out of its skill")
                    .help("put a copy in its place"));
            }
            if metadata.is_file() {
                let resource = ResourcePath::new(&path)
                    .map_err(|error| entry.error(error.to_string()).help("rename it"))?;
                if !resource.is_typeable() {
                    let message = "its name has hidden characters or blanks at an edge";
                    return Err(entry.error(message).help("rename it"));
                }
                found.push((path, entry));
            } else if metadata.is_dir() && !entry.is_link() {
                open.push((format!("{path}/"), entry));
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests;
