//! `computedHash`: what the tool `skills` takes for the identity of a skill's folder.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use repertoire::{FsLimits, SkippedFile, SkippedFolder};
use sha2::{Digest as _, Sha256};

use super::name_order;

/// Which files of a folder are hashed, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hashed {
    /// Those that the tool hashes: it leaves out links, and folders called `.git` or `node_modules`.
    ByTool,
    /// Of those, the ones that belong to the skill, and so are in a fresh clone too. The tool hashes the same there.
    OfSkill,
    /// The same, with line feeds alone in place of other line ends.
    WithLineFeeds,
}

/// The hash of the regular files below `folder`, in hexadecimal digits: SHA-256 over each path and its bytes, one after the
/// other, in the tool's order.
///
/// # Errors
/// In words for a person, why there is no such hash, or none that can be told here.
pub(crate) fn folder_hash(folder: &Path, hashed: Hashed) -> Result<String, String> {
    let limits = FsLimits::default();
    let names = names(folder, &limits, hashed)?;
    let mut hash = Sha256::new();
    let mut left = limits.total_bytes;
    for name in &names {
        hash.update(name);
        let file = File::open(folder.join(name)).map_err(|error| unreadable(name, &error))?;
        let mut bytes = Vec::new();
        file.take(left.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| unreadable(name, &error))?;
        left = left
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| format!("its files are larger than {} bytes together", limits.total_bytes))?;
        hash.update(if hashed == Hashed::WithLineFeeds { line_feeds(bytes) } else { bytes });
    }
    Ok(hash.finalize().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a text");
        text
    }))
}

/// A text with line feeds in place of carriage returns and line feeds; what is no text stays as it is.
pub(crate) fn line_feeds(bytes: Vec<u8>) -> Vec<u8> {
    if bytes.contains(&0) {
        return bytes;
    }
    let mut lines = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if !(*byte == b'\r' && bytes.get(at + 1) == Some(&b'\n')) {
            lines.push(*byte);
        }
    }
    lines
}

/// The paths of the files, in the order in which they are hashed.
fn names(folder: &Path, limits: &FsLimits, hashed: Hashed) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let mut open = vec![(PathBuf::from(folder), String::new(), 0)];
    while let Some((path, below, depth)) = open.pop() {
        let failure = |error: &io::Error| unreadable(if below.is_empty() { "." } else { &below }, error);
        for entry in fs::read_dir(&path).map_err(|error| failure(&error))? {
            let entry = entry.map_err(|error| failure(&error))?;
            let (kind, name) = (entry.file_type().map_err(|error| failure(&error))?, entry.file_name());
            if !kind.is_dir() && !kind.is_file() || kind.is_dir() && (name == ".git" || name == "node_modules") {
                continue;
            }
            let is_apart =
                || SkippedFolder::of(&name).is_some_and(SkippedFolder::is_apart) || SkippedFile::of(&name).is_some();
            if hashed != Hashed::ByTool && is_apart() {
                continue;
            }
            let Some(name) = name.to_str().filter(|name| !name.contains('\\')) else {
                return Err(format!("`{}` is no name on every platform", name.to_string_lossy()));
            };
            let name = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
            if kind.is_file() {
                names.push(name);
            } else if depth == limits.resource_depth {
                return Err(format!("its folders are more than {depth} deep"));
            } else {
                open.push((entry.path(), name, depth + 1));
            }
            if names.len() > limits.resources {
                return Err(format!("it has more than {} files", limits.resources));
            }
        }
    }
    names.sort_by_cached_key(|name| name_order::key(name));
    match names.windows(2).find(|pair| name_order::compare(&pair[0], &pair[1]).is_none()) {
        Some(pair) => Err(format!("which of `{}` and `{}` comes first depends on the language", pair[0], pair[1])),
        None => Ok(names),
    }
}

fn unreadable(name: &str, error: &io::Error) -> String {
    format!("cannot read `{name}`: {error}")
}

#[cfg(test)]
mod tests;
