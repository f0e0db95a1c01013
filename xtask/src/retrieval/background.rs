//! The table of word frequencies in public skills.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use repertoire::registry::{Layer, Origin, Tier, merge};
use repertoire::search::background_of;
use repertoire::skill::skill_md::{self, FileContext};
use repertoire::skill::{Listing, ListingEntry, Revision, Stamp};

use crate::{Failure, workspace};

/// Repositories whose questions measure the search. Their words are not counted.
const MEASURED: [&str; 2] = ["AwesomeSalesforceSkills", "UiPath+skills"];

/// Counts the words of the `SKILL.md` files below `dir`, each description once, and writes the table of the engine.
pub(super) fn write(dir: &Path) -> Result<(), Failure> {
    let mut files = Vec::new();
    find(dir, &mut files)?;
    files.sort();
    let (mut seen, mut skills) = (HashSet::new(), Vec::new());
    for file in files {
        let bytes = fs::read(&file)?;
        let directory = file
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let parsed = skill_md::parse(
            &bytes,
            FileContext::new("SKILL.md").in_directory(&directory),
        );
        let (Some(skill), Ok(body)) = (parsed.skill, skill_md::body(&bytes)) else {
            continue;
        };
        if !seen.insert(skill.description.clone()) {
            continue;
        }
        let listing = Listing::new(
            Revision(0),
            [ListingEntry::new(skill, Stamp::of(&body))],
            [],
        );
        let snapshot = merge(&[Layer::new(Origin::new(Tier::User, "home"), 0, listing)]);
        skills.extend(
            snapshot
                .entries()
                .iter()
                .map(|entry| (entry.clone(), Arc::from(body.as_ref()))),
        );
    }
    let table = background_of(&skills);
    let file = workspace::root().join("crates/search/src/background.tsv");
    fs::write(&file, &table)?;
    eprintln!(
        "{} words of {} skills: {}",
        table.lines().count() - 1,
        skills.len(),
        file.display()
    );
    Ok(())
}

fn find(dir: &Path, files: &mut Vec<std::path::PathBuf>) -> Result<(), Failure> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = entry.file_name();
        if kind.is_dir()
            && !MEASURED
                .iter()
                .any(|repository| name.to_string_lossy().ends_with(repository))
        {
            find(&path, files)?;
        } else if kind.is_file() && name == "SKILL.md" {
            files.push(path);
        }
    }
    Ok(())
}
