//! The files of a skill as they were approved.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use repertoire_core::Digest;
use tempfile::TempDir;

use crate::{Action, Binding, Directive};

/// Bytes of all files of one copy.
const MOST_BYTES: u64 = 256 << 20;

/// Files of one copy.
const MOST_FILES: usize = 10_000;

const SKILL_MD: &str = "SKILL.md";

/// A copy of the files that an approval is bound to, in a folder of this user alone. Removed when it is dropped.
///
/// Each file was compared with its digest while it was copied. What happens to the skill afterwards changes nothing here.
#[derive(Debug)]
pub(crate) struct VerifiedCopy {
    folder: TempDir,
}

/// Why there is no copy.
#[derive(Debug)]
pub(crate) enum NotCopied {
    /// A file is another one than was approved.
    Changed,
    /// The system refuses, or there is too much to copy.
    Failed(io::Error),
}

impl VerifiedCopy {
    /// Copies what `binding` lists from `folder`. A link may lead elsewhere in the folder, and not out of it.
    pub(crate) fn of(folder: &Path, binding: &Binding) -> Result<VerifiedCopy, NotCopied> {
        if binding.files.len() > MOST_FILES {
            let message = format!("the skill has more than {MOST_FILES} files, and each would be copied");
            return Err(NotCopied::Failed(io::Error::other(message)));
        }
        let from = Dir::open_ambient_dir(folder, ambient_authority()).map_err(NotCopied::Failed)?;
        let copy = VerifiedCopy { folder: private_folder().map_err(NotCopied::Failed)? };
        let mut room = MOST_BYTES;
        for (path, digest) in &binding.files {
            copy.take(&from, path.as_str(), *digest, &mut room)?;
        }
        // A skill need not lie in a file.
        if from.exists(SKILL_MD) {
            copy.take(&from, SKILL_MD, binding.skill_md, &mut room)?;
        }
        Ok(copy)
    }

    /// Returns the folder of the copy.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn take(&self, from: &Dir, path: &str, expected: Digest, room: &mut u64) -> Result<(), NotCopied> {
        // One that cannot be read any more could be read when it was approved.
        let (file, bytes) = read(from, path, *room).map_err(|_| NotCopied::Changed)?;
        let length = bytes.len() as u64;
        if length > *room {
            let message = format!("the skill has more than {} MiB, and all of it would be copied", MOST_BYTES >> 20);
            return Err(NotCopied::Failed(io::Error::other(message)));
        }
        if Digest::of(&bytes) != expected {
            return Err(NotCopied::Changed);
        }
        *room -= length;
        self.put(path, &file, &bytes).map_err(NotCopied::Failed)
    }

    fn put(&self, path: &str, original: &File, bytes: &[u8]) -> io::Result<()> {
        let path = self.path().join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
            let is_program = original.metadata()?.mode() & 0o111 != 0;
            options.mode(if is_program { 0o700 } else { 0o600 });
        }
        #[cfg(not(unix))]
        let _ = original;
        options.open(path)?.write_all(bytes)
    }
}

/// Makes a folder that no other user reads, whatever the mask of this process is.
fn private_folder() -> io::Result<TempDir> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("repertoire-skill-");
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    folder.tempdir()
}

/// Opens and reads a regular file of at most `most` bytes; of a larger one, one byte more.
fn read(from: &Dir, path: &str, most: u64) -> io::Result<(File, Vec<u8>)> {
    // Asked before opening: opening a pipe would wait for its other end.
    if !from.metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut file = from.open(path)?.into_std();
    let mut bytes = Vec::new();
    (&mut file).take(most + 1).read_to_end(&mut bytes)?;
    Ok((file, bytes))
}

/// Returns whether `directive` runs files below the skill's folder by what it says. These are:
///
/// - a script;
/// - a command with the variable of the folder of the skill;
/// - a command with the name of a covered file, or with a path into its folder;
/// - a command with the name of a place that no digest covers. The copy lacks that place, so nothing in it runs.
pub(crate) fn names_files(directive: &Directive, binding: &Binding) -> bool {
    match &directive.action {
        Action::Script { .. } => true,
        Action::Command { command } => {
            command.contains("SKILL_DIR")
                || binding.files.keys().any(|file| names(command, file.as_str()))
                || binding.uncovered.iter().any(|omission| names(command, &omission.path))
        }
    }
}

fn names(command: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_named = command
        .match_indices(name)
        .any(|(at, _)| !command[..at].ends_with(is_word) && !command[at + name.len()..].starts_with(is_word));
    is_named || path.split_once('/').is_some_and(|(folder, _)| leads_into(command, folder))
}

fn leads_into(command: &str, folder: &str) -> bool {
    command.match_indices(folder).any(|(at, _)| {
        let before = command[..at].strip_suffix("./").unwrap_or(&command[..at]);
        command[at + folder.len()..].starts_with('/') && !before.ends_with(|c: char| is_word(c) || c == '/')
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

#[cfg(test)]
mod tests;
