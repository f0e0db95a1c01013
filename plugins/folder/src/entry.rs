//! The skills of a folder.

use std::fs;
use std::io;
use std::path::Path;

use repertoire_plugin_sdk::{
    Bytes, Digest, ListingEntry, Resource, ResourcePath, Skill, Stamp,
    skill_md::{self, FileContext, Parsed},
};

use crate::or_default;

/// One skill of a folder, with its files.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    name: String,
    pub(crate) text: Vec<u8>,
    files: Vec<(ResourcePath, Bytes)>,
}

impl Entry {
    /// Reads every skill of `folder`, by name. Links are not followed.
    pub(crate) fn all(folder: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for (path, name) in children(folder)? {
            if let Some(name) = name.strip_suffix(".md").filter(|_| path.is_file()) {
                let mut files = Vec::new();
                collect(&folder.join(name), "", &mut files)?;
                files.sort_by(|a, b| a.0.cmp(&b.0));
                entries.push(Entry {
                    name: name.to_owned(),
                    text: fs::read(&path)?,
                    files,
                });
            }
        }
        Ok(entries)
    }

    pub(crate) fn parse(&self) -> Parsed {
        skill_md::parse(
            &self.text,
            FileContext::new(&format!("{}.md", self.name)).in_directory(&self.name),
        )
    }

    pub(crate) fn row(&self, skill: Skill) -> ListingEntry<Skill> {
        ListingEntry::new(skill, self.stamp()).with_digest(self.digest())
    }

    pub(crate) fn stamp(&self) -> Stamp {
        Stamp::of(&(&self.text, &self.files))
    }

    pub(crate) fn digest(&self) -> Digest {
        Digest::of(&self.text)
    }

    pub(crate) fn resources(&self) -> Vec<Resource> {
        let resource = |(path, bytes): &(ResourcePath, Bytes)| {
            Resource::new(path.clone(), bytes.len() as u64, Digest::of(bytes))
        };
        self.files.iter().map(resource).collect()
    }

    pub(crate) fn resource(&self, path: &ResourcePath) -> Option<Bytes> {
        self.files
            .iter()
            .find(|(own, _)| own == path)
            .map(|(_, bytes)| bytes.clone())
    }
}

/// Returns the files and folders in `folder`, without links, by name.
fn children(folder: &Path) -> io::Result<Vec<(std::path::PathBuf, String)>> {
    let mut children = Vec::new();
    for entry in or_default(fs::read_dir(folder).map(Some))?
        .into_iter()
        .flatten()
    {
        let entry = entry?;
        if let Ok(name) = entry.file_name().into_string()
            && !entry.file_type()?.is_symlink()
        {
            children.push((entry.path(), name));
        }
    }
    children.sort();
    Ok(children)
}

/// Reads the files below `folder`, with paths that begin with `within`.
fn collect(folder: &Path, within: &str, files: &mut Vec<(ResourcePath, Bytes)>) -> io::Result<()> {
    for (path, name) in children(folder)? {
        let inner = format!("{within}{name}");
        if path.is_dir() {
            collect(&path, &format!("{inner}/"), files)?;
        } else if let Ok(inner) = ResourcePath::new(&inner) {
            files.push((inner, fs::read(&path)?.into()));
        }
    }
    Ok(())
}
