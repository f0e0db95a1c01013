//! What runs a script.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use repertoire_core::ResourcePath;

use crate::Failure;

/// How large a script may be.
const LARGEST: u64 = 16 * 1024 * 1024;

/// By extension, what runs a script whose first line does not say it.
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

/// Returns the command line that runs the script at `path` beneath `folder`; a link may lead elsewhere in the folder, and not out of it.
pub(crate) fn command_line(folder: &Path, path: &ResourcePath) -> Result<Vec<OsString>, Failure> {
    let failed = |error: std::io::Error| Failure::NoScript(path.clone(), error.to_string().into());
    let (real, bytes) = read(folder, path).map_err(failed)?;
    let mut line = interpreter(&bytes, &real).ok_or_else(|| Failure::NoInterpreter(path.clone()))?;
    line.push(real.into());
    Ok(line)
}

fn read(folder: &Path, path: &ResourcePath) -> std::io::Result<(PathBuf, Vec<u8>)> {
    let beneath = Dir::open_ambient_dir(folder, ambient_authority())?;
    let inside = beneath.canonicalize(path.as_str())?;
    let file = beneath.open(&inside)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(std::io::Error::other("it is larger than 16 MiB"));
    }
    Ok((folder.canonicalize()?.join(inside), bytes))
}

/// What the first line says, else the extension.
fn interpreter(bytes: &[u8], path: &Path) -> Option<Vec<OsString>> {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if let Some(line) = first.strip_prefix(b"#!") {
        let line = std::str::from_utf8(line).ok()?.trim();
        // As the kernel reads it: a program, and the rest as one argument.
        let (program, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let parts = [program, argument.trim()].into_iter().filter(|part| !part.is_empty());
        return Some(parts.map(OsString::from).collect()).filter(|line: &Vec<_>| !line.is_empty());
    }
    let extension = path.extension()?.to_str()?;
    let (_, line) = BY_EXTENSION.iter().find(|(known, _)| *known == extension)?;
    Some(line.iter().map(OsString::from).collect())
}
