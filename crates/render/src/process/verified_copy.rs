//! The files of a skill as they were approved.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use repertoire_core::Digest;
use tempfile::TempDir;

use crate::{Binding, Directive, DirectiveAction};

const MAX_BYTES: u64 = 256 << 20;

const MAX_FILES: usize = 10_000;

const SKILL_MD: &str = "SKILL.md";

/// A copy of the files that an approval is bound to, in a folder of this user alone. Removed when it is dropped.
///
/// Each file is compared with its digest while it is copied, so later changes of the skill have no effect.
#[derive(Debug)]
pub(crate) struct VerifiedCopy {
    folder: TempDir,
}

#[derive(Debug)]
pub(crate) enum NotCopied {
    /// A file differs from the approved one.
    Changed,
    /// An error of the system, or too many files or bytes.
    Failed(io::Error),
}

impl From<io::Error> for NotCopied {
    fn from(error: io::Error) -> NotCopied {
        NotCopied::Failed(error)
    }
}

impl VerifiedCopy {
    /// Copies the files of `binding` from `folder`. Links are followed within the folder only.
    pub(crate) fn new(folder: &Path, binding: &Binding) -> Result<VerifiedCopy, NotCopied> {
        if binding.files.len() > MAX_FILES {
            let message =
                format!("the skill has more than {MAX_FILES} files, and each would be copied");
            return Err(io::Error::other(message).into());
        }
        let from = Dir::open_ambient_dir(folder, ambient_authority())?;
        let copy = VerifiedCopy {
            folder: private_folder()?,
        };
        let mut room = MAX_BYTES;
        for (path, digest) in &binding.files {
            copy.copy(&from, path.as_str(), *digest, &mut room)?;
        }
        // A skill may have no file.
        if from.exists(SKILL_MD) {
            copy.copy(&from, SKILL_MD, binding.skill_md, &mut room)?;
        }
        Ok(copy)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    fn copy(
        &self,
        from: &Dir,
        path: &str,
        expected: Digest,
        room: &mut u64,
    ) -> Result<(), NotCopied> {
        // It could be read when it was approved.
        let (file, bytes) = read(from, path, *room).map_err(|_| NotCopied::Changed)?;
        let length = bytes.len() as u64;
        if length > *room {
            let message = format!(
                "the skill has more than {} MiB, and all of it would be copied",
                MAX_BYTES >> 20
            );
            return Err(io::Error::other(message).into());
        }
        if Digest::of(&bytes) != expected {
            return Err(NotCopied::Changed);
        }
        *room -= length;
        Ok(self.write(path, &file, &bytes)?)
    }

    fn write(&self, path: &str, original: &File, bytes: &[u8]) -> io::Result<()> {
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

/// Creates a folder with the mode 0700, whatever the umask is.
fn private_folder() -> io::Result<TempDir> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("repertoire-skill-");
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    folder.tempdir()
}

/// Reads a regular file. The result has `most + 1` bytes if the file is larger than `most`.
fn read(from: &Dir, path: &str, most: u64) -> io::Result<(File, Vec<u8>)> {
    // Checked before opening, because opening a pipe blocks until its other end is open.
    if !from.metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut file = from.open(path)?.into_std();
    let mut bytes = Vec::new();
    (&mut file).take(most + 1).read_to_end(&mut bytes)?;
    Ok((file, bytes))
}

/// Returns whether `directive` runs files of the skill:
///
/// - a script
/// - a command with the variable of the skill's folder
/// - a command with the name of a file, or a path into its folder
/// - a command with the name of a file without a digest, which the copy lacks, so that it does not run
pub(crate) fn names_files(directive: &Directive, binding: &Binding) -> bool {
    match &directive.action {
        DirectiveAction::Script { .. } => true,
        DirectiveAction::Command { command } => {
            command.contains("SKILL_DIR")
                || binding
                    .files
                    .keys()
                    .any(|file| names(command, file.as_str()))
                || binding
                    .uncovered
                    .iter()
                    .any(|omission| names(command, &omission.path))
        }
    }
}

fn names(command: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_named = command.match_indices(name).any(|(at, _)| {
        !command[..at].ends_with(is_word) && !command[at + name.len()..].starts_with(is_word)
    });
    is_named
        || path
            .split_once('/')
            .is_some_and(|(folder, _)| leads_into(command, folder))
}

fn leads_into(command: &str, folder: &str) -> bool {
    command.match_indices(folder).any(|(at, _)| {
        let before = command[..at].strip_suffix("./").unwrap_or(&command[..at]);
        command[at + folder.len()..].starts_with('/')
            && !before.ends_with(|c: char| is_word(c) || c == '/')
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

#[cfg(test)]
mod tests;
