//! `computedHash`: the hash of a skill's folder that the tool `skills` computes.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use repertoire::skill::{Digest, SkippedFile, SkippedFolder};
#[cfg(feature = "install")]
use repertoire_install::FileTree;
use sha2::{Digest as _, Sha256};

/// The files of a folder that are hashed, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HashedFiles {
    /// The files that the tool hashes: all but links and the folders `.git` and `node_modules`.
    ByTool,
    /// Of these, the files that belong to the skill. In a fresh clone the tool hashes the same files.
    OfSkill,
    /// The same files, with line feeds as line endings.
    WithLineFeeds,
}

/// The limits of a folder that is hashed: the default limits of folder sources.
const FILES: usize = 10_000;
const DEPTH: usize = 32;
const BYTES: u64 = 256 << 20;

/// Returns the hash of the regular files below `folder` in hexadecimal digits: SHA-256 over each path and its bytes, in the
/// tool's order.
///
/// # Errors
/// The reason, for people, why the hash cannot be computed here.
pub(crate) fn folder_hash(folder: &Path, hashed: HashedFiles) -> Result<String, String> {
    let names = names(folder, hashed)?;
    let mut hash = Sha256::new();
    let mut left = BYTES;
    for name in &names {
        hash.update(name);
        let file = File::open(folder.join(name)).map_err(|error| unreadable(name, &error))?;
        let mut bytes = Vec::new();
        file.take(left.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(name, &error))?;
        left = left
            .checked_sub(bytes.len() as u64)
            .ok_or_else(|| format!("its files are larger than {BYTES} bytes together"))?;
        hash.update(if hashed == HashedFiles::WithLineFeeds {
            line_feeds(bytes)
        } else {
            bytes
        });
    }
    Ok(hexadecimal(hash))
}

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

fn names(folder: &Path, hashed: HashedFiles) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let mut open = vec![(PathBuf::from(folder), String::new(), 0)];
    while let Some((path, below, depth)) = open.pop() {
        let failure =
            |error: &io::Error| unreadable(if below.is_empty() { "." } else { &below }, error);
        for entry in fs::read_dir(&path).map_err(|error| failure(&error))? {
            let entry = entry.map_err(|error| failure(&error))?;
            let (kind, name) = (
                entry.file_type().map_err(|error| failure(&error))?,
                entry.file_name(),
            );
            if !kind.is_dir() && !kind.is_file()
                || kind.is_dir() && (name == ".git" || name == "node_modules")
            {
                continue;
            }
            let is_apart = || {
                SkippedFolder::of(&name).is_some_and(SkippedFolder::is_apart)
                    || SkippedFile::of(&name).is_some()
            };
            if hashed != HashedFiles::ByTool && is_apart() {
                continue;
            }
            let Some(name) = name.to_str().filter(|name| !name.contains('\\')) else {
                return Err(format!(
                    "`{}` is not a valid name on every platform",
                    name.to_string_lossy()
                ));
            };
            let name = if below.is_empty() {
                name.to_owned()
            } else {
                format!("{below}/{name}")
            };
            if kind.is_file() {
                names.push(name);
            } else if depth == DEPTH {
                return Err(format!("its folders are more than {depth} deep"));
            } else {
                open.push((entry.path(), name, depth + 1));
            }
            if names.len() > FILES {
                return Err(format!("it has more than {FILES} files"));
            }
        }
    }
    sorted(names)
}

/// Returns the hash of the files of a tree, as [`folder_hash`] of a folder with these files.
///
/// # Errors
/// The reason, for people, why the hash cannot be computed here.
#[cfg(feature = "install")]
pub(crate) fn tree_hash(tree: &FileTree) -> Result<String, String> {
    let names = tree.files().map(|(path, _)| path.to_string()).collect();
    let mut hash = Sha256::new();
    for name in sorted(names)? {
        hash.update(&name);
        hash.update(tree.get(&name).expect("it is a file of the tree"));
    }
    Ok(hexadecimal(hash))
}

fn hexadecimal(hash: Sha256) -> String {
    let mut text = String::new();
    for byte in hash.finalize() {
        write!(text, "{byte:02x}").expect("writing to a text");
    }
    text
}

fn sorted(mut names: Vec<String>) -> Result<Vec<String>, String> {
    names.sort_by_cached_key(|name| sort_key(name));
    match names
        .windows(2)
        .find(|pair| compare_names(&pair[0], &pair[1]).is_none())
    {
        Some(pair) => Err(format!(
            "the order of `{}` and `{}` depends on the language",
            pair[0], pair[1]
        )),
        None => Ok(names),
    }
}

fn unreadable(name: &str, error: &io::Error) -> String {
    format!("cannot read `{name}`: {error}")
}

/// Printable ASCII in the order of `String.prototype.localeCompare` in English: space, punctuation, symbols, digits, letters.
/// Of two names that differ only in case, the lower-case one comes first.
const ASCII: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStTuUvVwWxXyYzZ";

/// Compares two names; `None` if only the tables of the Unicode collation decide.
fn compare_names(a: &str, b: &str) -> Option<Ordering> {
    let mut by_case = Ordering::Equal;
    let (mut left, mut right) = (a.chars(), b.chars());
    loop {
        match (left.next(), right.next()) {
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => match weight(x)?.cmp(&weight(y)?) {
                Ordering::Equal => {
                    by_case = by_case.then(x.is_ascii_uppercase().cmp(&y.is_ascii_uppercase()))
                }
                decided => return Some(decided),
            },
            (None, None) => return Some(by_case),
            (rest, other) => {
                // The longer name comes later, unless the collation might ignore all of its additional characters.
                let mut more = rest.or(other).into_iter().chain(left).chain(right);
                let longer = if rest.is_some() {
                    Ordering::Greater
                } else {
                    Ordering::Less
                };
                return more.any(|c| weight(c).is_some()).then_some(longer);
            }
        }
    }
}

/// Returns a key for a total order that agrees with [`compare_names`] wherever that decides.
///
/// If it decides every pair of neighbours in this order, the names are in the tool's order.
fn sort_key(name: &str) -> (Vec<usize>, Vec<bool>, String) {
    let weights = name
        .chars()
        .map(|c| weight(c).unwrap_or(ASCII.len() + c as usize));
    (
        weights.collect(),
        name.chars().map(|c| c.is_ascii_uppercase()).collect(),
        name.to_owned(),
    )
}

fn weight(c: char) -> Option<usize> {
    ASCII.find(c.to_ascii_lowercase()).filter(|_| c.is_ascii())
}

/// Returns whether the text at `path` has this digest with different line endings. Links and files over 16 MiB are not read.
pub(crate) fn differs_only_in_line_ends(path: &Path, locked: Digest) -> bool {
    const MOST_BYTES: u64 = 16 << 20;
    if !path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MOST_BYTES)
    {
        return false;
    }
    let Some(bytes) = fs::read(path).ok().filter(|bytes| !bytes.contains(&0)) else {
        return false;
    };
    let lines = line_feeds(bytes);
    let mut with_returns = Vec::new();
    for byte in &lines {
        with_returns.extend((*byte == b'\n').then_some(b'\r').into_iter().chain([*byte]));
    }
    Digest::of(&lines) == locked || Digest::of(&with_returns) == locked
}

#[cfg(test)]
mod tests;
