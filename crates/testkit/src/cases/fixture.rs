//! Copies of cases.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A copy of a case that is set up. It is deleted on drop.
#[derive(Debug)]
pub(crate) struct Fixture {
    folder: TempDir,
    /// The real path of the copy.
    path: PathBuf,
    /// An empty home folder.
    home: PathBuf,
}

impl Fixture {
    /// Copies `case` with its links, and runs its `setup.sh`.
    pub(crate) fn set_up(case: &Path) -> io::Result<Fixture> {
        let folder = TempDir::with_prefix("case-")?;
        let real = folder.path().canonicalize()?;
        let (path, home) = (real.join("copy"), real.join("home"));
        fs::create_dir(&home)?;
        let fixture = Fixture { folder, path, home };
        copy(case, &fixture.path)?;
        if fixture.path.join("setup.sh").exists() {
            run(fixture.shell().arg("setup.sh"), "`setup.sh`")?;
        }
        Ok(fixture)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Returns `path` relative to the copy if it is inside.
    pub(crate) fn relative<'a>(&self, path: &'a str) -> &'a str {
        let inside = Path::new(path)
            .strip_prefix(&self.path)
            .ok()
            .and_then(Path::to_str);
        inside.unwrap_or(path)
    }

    /// Returns every file, folder and link in the copy. Unreadable folders are skipped.
    pub(crate) fn everything(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.path.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(entry.path());
                }
                found.push(entry.path());
            }
        }
        found
    }

    /// Returns whether this process can read files that the set-up made unreadable, as root can.
    pub(crate) fn ignores_permissions(&self) -> bool {
        self.everything()
            .iter()
            .any(|path| match fs::symlink_metadata(path) {
                Ok(metadata) if metadata.permissions().mode() & 0o444 != 0 => false,
                Ok(metadata) if metadata.is_dir() => fs::read_dir(path).is_ok(),
                Ok(metadata) if metadata.is_file() => fs::File::open(path).is_ok(),
                _ => false,
            })
    }

    pub(crate) fn shell(&self) -> Command {
        let mut shell = Command::new("sh");
        shell.current_dir(&self.path).stdin(Stdio::null());
        shell
    }
}

impl Drop for Fixture {
    /// Restores permissions, so that the folder can be removed.
    fn drop(&mut self) {
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            // Folders that cannot be changed stay.
            let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            folders.extend(
                entries
                    .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                    .map(|entry| entry.path()),
            );
        }
    }
}

/// Runs `command`, which must succeed.
pub(crate) fn run(command: &mut Command, name: &str) -> io::Result<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(io::Error::other(format!(
        "{name} ended with {}: {}",
        output.status,
        stderr.trim_end()
    )))
}

/// Copies recursively and makes files writable.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let kind = fs::symlink_metadata(from)?;
    if kind.is_symlink() {
        symlink(fs::read_link(from)?, to)
    } else if kind.is_dir() {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
        Ok(())
    } else {
        fs::copy(from, to)?;
        fs::set_permissions(
            to,
            Permissions::from_mode(kind.permissions().mode() | 0o200),
        )
    }
}
