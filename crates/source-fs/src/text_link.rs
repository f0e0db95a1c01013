//! Links that were checked out as text files.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use repertoire_core::Code;
use repertoire_core::text::{command_argument, terminal_line};

use crate::file;
use crate::frontier::PathDiagnostic;
use crate::pattern::FILE_NAME;

/// Bytes of the longest path that a link can hold on the systems that Git runs on.
const LONGEST: u64 = 4096;

/// Returns the path that `text` holds if a text file stands for a link: one line, without blanks around it.
fn target(text: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(text).ok()?;
    let line = text
        .strip_suffix('\n')
        .map_or(text, |line| line.strip_suffix('\r').unwrap_or(line));
    let is_path = !line.is_empty() && line.trim() == line && !line.chars().any(char::is_control);
    is_path.then_some(line)
}

/// Returns the path to which `target` leads from `folder`. Links that were made on Windows hold backslashes.
fn resolve(folder: &Path, target: &str) -> PathBuf {
    folder.join(target.replace('\\', "/"))
}

fn to_folder(path: &Path) -> Option<String> {
    let text = read(path)?;
    let target = target(&text)?;
    let folder = resolve(path.parent()?, target);
    let inside = folder
        .read_dir()
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let mut folders = std::iter::once(folder).chain(inside);
    folders
        .any(|folder| folder.join(FILE_NAME).is_file())
        .then(|| target.to_owned())
}

pub(crate) fn to_file<'t>(folder: &Path, text: &'t [u8]) -> Option<&'t str> {
    if text.len() as u64 > LONGEST {
        return None;
    }
    let target = target(text)?;
    let path = resolve(folder, target);
    let is_named = path
        .file_name()
        .is_some_and(|name| name.eq_ignore_ascii_case(FILE_NAME));
    (is_named || path.is_file()).then_some(target)
}

pub(crate) fn diagnostic_of(path: &Path) -> Option<PathDiagnostic> {
    Some(diagnostic(path, &to_folder(path)?))
}

/// Returns whether `path`, or a folder above it, is a text file that Git wrote where it could not make a link to a folder.
///
/// A source over such a path lists nothing, with a [`link-as-text`](Code::LINK_AS_TEXT) diagnostic that holds the fix.
pub fn is_text_link(path: &Path) -> bool {
    diagnostic_above(path).is_some()
}

pub(crate) fn diagnostic_above(path: &Path) -> Option<PathDiagnostic> {
    let file = path
        .ancestors()
        .find(|above| above.symlink_metadata().is_ok())?;
    let text = read(file)?;
    let (target, below) = (target(&text)?, path.strip_prefix(file).ok()?);
    resolve(file.parent()?, target)
        .join(below)
        .is_dir()
        .then(|| diagnostic(file, target))
}

pub(crate) fn diagnostic(path: &Path, target: &str) -> PathDiagnostic {
    let target = terminal_line(target);
    let message = format!(
        "expected a link to `{target}`, found a text file that holds this path: Git could not make the link"
    );
    let diagnostic = PathDiagnostic::new(path.to_owned(), Code::LINK_AS_TEXT, message);
    diagnostic.help(format!(
        "run `git config core.symlinks true`, on Windows with developer mode on, then `git checkout -- {}` in its folder",
        command_argument(&path.file_name().unwrap_or_default().to_string_lossy())
    ))
}

fn read(path: &Path) -> Option<Vec<u8>> {
    if !path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_file() && (1..=LONGEST).contains(&metadata.len()))
    {
        return None;
    }
    let (opened, metadata): (File, _) = file::open(path).ok()?;
    let mut bytes = Vec::new();
    if metadata.is_file() {
        opened.take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    }
    (1..=LONGEST)
        .contains(&(bytes.len() as u64))
        .then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_without_blanks_is_a_target() {
        for (text, expected) in [
            ("../src/alpha", Some("../src/alpha")),
            ("../src/alpha\r\n", Some("../src/alpha")),
            ("with blank inside", Some("with blank inside")),
            ("", None),
            ("\n", None),
            (" ../alpha", None),
            ("one\ntwo\n", None),
        ] {
            assert_eq!(target(text.as_bytes()), expected, "{text:?}");
        }
        assert_eq!(target(b"\xff"), None);
    }
}
