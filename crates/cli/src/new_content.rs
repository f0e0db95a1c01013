//! New content of installed skills, which is restricted where a policy says so.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use repertoire::Skill;
use repertoire::registry::{Authority, RuleSet, Snapshot};
use repertoire_install::{InstalledSkill, ProjectFolder};

use crate::Environment;
use crate::accepted_content::AcceptedContent;
use crate::configuration_file::CONFIGURATION;
use crate::install_policy::InstallPolicy;
use crate::lock::RepertoireLock;

/// The folders of installed skills whose content the user has not accepted, where a policy restricts new content.
#[derive(Debug)]
pub(crate) struct NewContent {
    /// Paths in the spelling of the locations of skills.
    folders: BTreeSet<String>,
    /// The files that decide about it. They need not exist.
    pub(crate) files: Vec<PathBuf>,
}

impl NewContent {
    /// Reads the locks and policies of the working folder, of the home folder, and above the skills of `snapshot`.
    ///
    /// A file that cannot be read accepts nothing.
    pub(crate) fn of(snapshot: &Snapshot<Skill>, environment: &Environment<'_>) -> NewContent {
        let mut real = real_parents(snapshot);
        let own = std::iter::once(&environment.cwd).chain(&environment.home);
        let mut bases: BTreeSet<PathBuf> =
            own.filter_map(|base| base.canonicalize().ok()).collect();
        let above: HashSet<&Path> = real
            .values()
            .flat_map(|folder| folder.ancestors())
            .collect();
        let locked = above
            .into_iter()
            .filter(|base| base.join(RepertoireLock::NAME).exists());
        bases.extend(locked.map(Path::to_owned));
        let new = bases.iter().flat_map(|base| unaccepted(base, environment));
        let new: Vec<_> = new.collect();
        if !new.is_empty() {
            real.extend(real_links(snapshot));
        }
        let mut folders = BTreeSet::new();
        for place in &new {
            folders.insert(place.to_string_lossy().into_owned());
            for (listed, real) in &real {
                let spelled = match place.strip_prefix(real) {
                    _ if real.starts_with(place) => listed.clone(),
                    Ok(below) => listed.join(below),
                    Err(_) => continue,
                };
                folders.insert(spelled.to_string_lossy().into_owned());
            }
        }
        let files = bases.iter().flat_map(|base| {
            let journal = ProjectFolder::journal(base);
            [RepertoireLock::NAME, CONFIGURATION]
                .map(|name| base.join(name))
                .into_iter()
                .chain([journal])
        });
        NewContent {
            folders,
            files: files.chain(AcceptedContent::path(environment)).collect(),
        }
    }

    /// Returns a level of rules that restricts the folders; `None` if there are none.
    pub(crate) fn level(&self) -> Option<RuleSet> {
        let level = RuleSet::new("new content", Authority::RestrictOnly);
        let restrict = |level: RuleSet, folder: &String| level.restrict(folder.as_str());
        (!self.folders.is_empty()).then(|| self.folders.iter().fold(level, restrict))
    }
}

/// Returns the installed folders below `base` that the policy restricts.
fn unaccepted(base: &Path, environment: &Environment<'_>) -> Vec<PathBuf> {
    let is_changing = ProjectFolder::journal(base).exists();
    if !is_changing && !base.join(RepertoireLock::NAME).exists() {
        return Vec::new();
    }
    let policy = InstallPolicy::read(environment, base);
    if policy.is_ok_and(|policy| !policy.restricts_new()) {
        return Vec::new();
    }
    // A folder is changed before the lock.
    let lock = match RepertoireLock::read(base) {
        Ok(lock) if !is_changing => lock,
        _ => return vec![base.to_owned()],
    };
    let accepted = AcceptedContent::read(environment).ok();
    let is_accepted = |row: &&InstalledSkill| {
        let accepted = accepted.as_ref();
        accepted.is_some_and(|accepted| accepted.has(&row.manifest))
    };
    let rows = lock.iter().flat_map(|lock| lock.installed.values());
    let folders = rows.filter(|row| !is_accepted(row)).map(|row| {
        let folder = base.join(row.path.as_str());
        folder.canonicalize().unwrap_or(folder)
    });
    folders.collect()
}

/// Returns the folders that the folders of skills lie in, with their real paths.
fn real_parents(snapshot: &Snapshot<Skill>) -> BTreeMap<PathBuf, PathBuf> {
    let parents = skill_folders(snapshot).filter_map(|folder| Some(folder.parent()?.as_os_str()));
    // Hashed as text: paths are compared part by part, and each skill has one.
    let parents: HashSet<&OsStr> = parents.collect();
    let real = parents.into_iter().map(Path::new);
    real.filter_map(|parent| Some((parent.to_owned(), parent.canonicalize().ok()?)))
        .collect()
}

/// Returns the folders of skills that are links, with their real paths.
fn real_links(snapshot: &Snapshot<Skill>) -> Vec<(PathBuf, PathBuf)> {
    let links = skill_folders(snapshot).filter(|folder| folder.is_symlink());
    links
        .filter_map(|link| Some((link.to_owned(), link.canonicalize().ok()?)))
        .collect()
}

fn skill_folders(snapshot: &Snapshot<Skill>) -> impl Iterator<Item = &Path> {
    let entries = snapshot.entries().iter();
    let candidates = entries.flat_map(|entry| entry.candidates());
    candidates.filter_map(|candidate| Path::new(candidate.item.location.as_deref()?).parent())
}
