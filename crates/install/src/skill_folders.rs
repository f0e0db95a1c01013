//! The skills in a list of files.

use std::collections::BTreeSet;

use repertoire_core::text::terminal_line;
use repertoire_core::{ResourcePath, SkippedFolder};

use crate::install_error::{InstallError, InstallErrorKind};
use crate::limits;

const FILE: &str = "SKILL.md";

/// Returns the folders of the skills among these paths, in order; empty for a skill at the top.
///
/// A skill in the folder of a different skill is a part of it.
pub(crate) fn skill_folders<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<String> {
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    for path in paths {
        let folder = match path.strip_suffix(FILE) {
            Some("") => "",
            Some(folder) => match folder.strip_suffix('/') {
                Some(folder) => folder,
                None => continue,
            },
            None => continue,
        };
        let is_apart = |name| SkippedFolder::of(name).is_some_and(SkippedFolder::is_apart);
        let depth = folder.split('/').count();
        if depth <= limits::SKILL_DEPTH && !folder.split('/').any(is_apart) {
            folders.insert(folder);
        }
    }
    let outer = folders.clone();
    let has_outer = |folder: &str| {
        let mut above = folder.match_indices('/').map(|(at, _)| &folder[..at]);
        !folder.is_empty() && (outer.contains("") || above.any(|above| outer.contains(above)))
    };
    folders.retain(|folder| !has_outer(folder));
    folders.into_iter().map(str::to_owned).collect()
}

/// Returns those of the skills that `wanted` names: the folder of a skill, or one above some.
///
/// A folder that does not exist is taken for the last part of one skill's folder.
///
/// # Errors
/// [`Unavailable`](InstallErrorKind::Unavailable) if there are none, or several by their last part.
pub(crate) fn chosen_folders(
    folders: Vec<String>,
    wanted: Option<&ResourcePath>,
) -> Result<Vec<String>, InstallError> {
    if folders.is_empty() {
        return Err(unavailable("no skills found".to_owned())
            .help("expected a `SKILL.md` in a folder of the name of the skill"));
    }
    let Some(wanted) = wanted.map(ResourcePath::as_str) else {
        return Ok(folders);
    };
    let is_below = |folder: &str| {
        let below = folder.strip_prefix(wanted);
        below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
    };
    let is_named = |folder: &str| {
        let before = folder.strip_suffix(wanted);
        before.is_some_and(|before| before.ends_with('/'))
    };
    let below: Vec<_> = folders.iter().filter(|folder| is_below(folder)).collect();
    let chosen = match below.is_empty() {
        true => folders.iter().filter(|folder| is_named(folder)).collect(),
        false => below,
    };
    let names = || {
        let names = folders.iter().take(20).map(|folder| terminal_line(folder));
        names.collect::<Vec<_>>().join(", ")
    };
    match chosen.as_slice() {
        [] => Err(unavailable(format!("no skill in the folder `{wanted}`"))
            .help(format!("choose one of {}", names()))),
        [_, _, ..] if !is_below(chosen[0]) => {
            Err(unavailable(format!("several folders end with `{wanted}`"))
                .help("write the whole path of the folder"))
        }
        _ => Ok(chosen.iter().map(|folder| (*folder).clone()).collect()),
    }
}

fn unavailable(message: String) -> InstallError {
    InstallError::new(InstallErrorKind::Unavailable, message)
}
