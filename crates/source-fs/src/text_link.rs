//! Links that were checked out as text files.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use repertoire_core::Code;

use crate::file;
use crate::pattern::FILE_NAME;
use crate::visit::Finding;

/// Bytes of the longest path that a link can hold on the systems that Git runs on.
const LONGEST: u64 = 4096;

/// Returns the path that `text` holds if a text file stands for a link: one line, without blanks around it.
pub(crate) fn target(text: &[u8]) -> Option<&Path> {
    let text = std::str::from_utf8(text).ok()?;
    let line = text.strip_suffix('\n').map_or(text, |line| line.strip_suffix('\r').unwrap_or(line));
    let is_path = !line.is_empty() && line.trim() == line && !line.chars().any(char::is_control);
    is_path.then(|| Path::new(line))
}

/// Returns the target of the text file at `path`, if it stands for a link to a folder that holds skills.
pub(crate) fn to_folder(path: &Path) -> Option<PathBuf> {
    let text = read(path)?;
    let target = target(&text)?;
    let folder = path.parent()?.join(target);
    let is_skill = |folder: &Path| folder.join(FILE_NAME).is_file();
    let holds_skills =
        || folder.read_dir().is_ok_and(|mut all| all.any(|one| one.is_ok_and(|one| is_skill(&one.path()))));
    (is_skill(&folder) || holds_skills()).then(|| target.to_owned())
}

/// Returns whether `text`, the content of a `SKILL.md` in `folder`, stands for a link to another one.
pub(crate) fn to_file(folder: &Path, text: &[u8]) -> Option<PathBuf> {
    if text.len() as u64 > LONGEST {
        return None;
    }
    let target = target(text)?;
    let is_named = target.file_name().is_some_and(|name| name.eq_ignore_ascii_case(FILE_NAME));
    (is_named || folder.join(target).is_file()).then(|| target.to_owned())
}

/// Returns the diagnostic of the file at `path`, if it is a text file that stands for a link to a folder of skills.
pub(crate) fn finding_of(path: &Path) -> Option<Finding> {
    Some(finding(path, &to_folder(path)?))
}

/// Returns the diagnostic of the file on the way to `path` that stands for a link to a folder.
pub(crate) fn finding_above(path: &Path) -> Option<Finding> {
    let file = path.ancestors().find(|above| above.symlink_metadata().is_ok())?;
    let text = read(file)?;
    let (target, below) = (target(&text)?, path.strip_prefix(file).ok()?);
    file.parent()?.join(target).join(below).is_dir().then(|| finding(file, target))
}

/// Returns the diagnostic of the text file at `path` that stands for a link to `target`.
pub(crate) fn finding(path: &Path, target: &Path) -> Finding {
    let target = file::shown(target);
    let message =
        format!("expected a link to `{target}`, found a text file that holds this path: Git could not make the link");
    let finding = Finding::new(path.to_owned(), Code::LINK_AS_TEXT, message);
    finding.help(format!(
        "run `git config core.symlinks true`, on Windows with developer mode on, then `git checkout -- {}` in its folder",
        file::shown(path.file_name().unwrap_or_default().as_ref())
    ))
}

/// Returns the content of a small regular file.
fn read(path: &Path) -> Option<Vec<u8>> {
    let is_small = |size: u64| (1..=LONGEST).contains(&size);
    if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file() && is_small(metadata.len())) {
        return None;
    }
    let (opened, metadata): (File, _) = file::open(path).ok()?;
    let mut bytes = Vec::new();
    if metadata.is_file() {
        opened.take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    }
    is_small(bytes.len() as u64).then_some(bytes)
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
            assert_eq!(target(text.as_bytes()), expected.map(Path::new), "{text:?}");
        }
        assert_eq!(target(b"\xff"), None);
    }
}
