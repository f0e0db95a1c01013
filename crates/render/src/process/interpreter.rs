//! The programs that run commands and scripts.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use repertoire_core::ResourcePath;

/// The shell that runs commands. The host chooses it, and the environment has no effect on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum CommandShell {
    /// `/bin/sh`.
    #[default]
    Sh,
    /// `bash`, without start-up files.
    Bash,
}

impl CommandShell {
    /// Returns the command line that runs `command` with `words` as the positional parameters `$1` and so on.
    ///
    /// The command is one argument, unchanged. No word is part of it.
    pub(crate) fn command_line(self, command: &str, words: &[String]) -> Vec<String> {
        let before: &[&str] = match self {
            CommandShell::Sh => &["/bin/sh", "-c", "--", command, "skill"],
            CommandShell::Bash => &[
                "bash",
                "--noprofile",
                "--norc",
                "-c",
                "--",
                command,
                "skill",
            ],
        };
        before
            .iter()
            .map(|part| (*part).to_owned())
            .chain(words.iter().cloned())
            .collect()
    }
}

const MAX_SCRIPT_BYTES: u64 = 16 * 1024 * 1024;

/// The interpreters of scripts without an interpreter line, by extension.
const BY_EXTENSION: [(&str, &[&str]); 9] = [
    ("sh", &["/bin/sh"]),
    ("bash", &["bash"]),
    ("py", &["python3"]),
    ("js", &["node"]),
    ("mjs", &["node"]),
    ("cjs", &["node"]),
    ("rb", &["ruby"]),
    ("pl", &["perl"]),
    ("ps1", &["pwsh", "-NoProfile", "-NonInteractive", "-File"]),
];

/// Returns the command line that runs the script at `path` beneath `folder`. Links are followed within the folder only.
pub(crate) fn command_line(folder: &Path, path: &ResourcePath) -> Result<Vec<OsString>, String> {
    let read = read(folder, path);
    let (real, bytes) = read.map_err(|error| format!("cannot open `{path}`: {error}"))?;
    let mut line = interpreter(&bytes, &real).ok_or_else(|| {
        format!("no interpreter is known for `{path}`, by its first line or its extension")
    })?;
    line.push(real.into());
    Ok(line)
}

fn read(folder: &Path, path: &ResourcePath) -> std::io::Result<(PathBuf, Vec<u8>)> {
    let beneath = Dir::open_ambient_dir(folder, ambient_authority())?;
    let inside = beneath.canonicalize(path.as_str())?;
    let file = beneath.open(&inside)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_SCRIPT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_SCRIPT_BYTES {
        return Err(std::io::Error::other("it is larger than 16 MiB"));
    }
    Ok((folder.canonicalize()?.join(inside), bytes))
}

fn interpreter(bytes: &[u8], path: &Path) -> Option<Vec<OsString>> {
    let first = bytes
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    if let Some(line) = first.strip_prefix(b"#!") {
        let line = std::str::from_utf8(line).ok()?.trim();
        // As in the kernel: a program, and the rest as one argument.
        let (program, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let parts = [program, argument.trim()]
            .into_iter()
            .filter(|part| !part.is_empty());
        return Some(parts.map(OsString::from).collect()).filter(|line: &Vec<_>| !line.is_empty());
    }
    let extension = path.extension()?.to_str()?;
    let (_, line) = BY_EXTENSION.iter().find(|(known, _)| *known == extension)?;
    Some(line.iter().map(OsString::from).collect())
}

#[cfg(test)]
mod tests;
