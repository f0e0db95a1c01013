//! The place that skills are installed into: a project or the home folder, with its lock and the user's store.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use repertoire::skill::{Digest, ResourcePath};
use repertoire::source::fs::AgentFolders;
use repertoire_install::{
    Fetched, Fetcher, InstalledSkill, ProjectFolder, Reference, SourceSkill, Store,
};
use repertoire_profiles::AgentProfile;

use crate::Environment;
use crate::agents::Agents;
use crate::diagnostics::quoted;
use crate::failure::Failure;
use crate::fetching::fetch;
use crate::install_policy::InstallPolicy;
use crate::lock::RepertoireLock;
use crate::utc::utc;

/// The option that selects where skills are installed.
#[derive(Debug, Args)]
pub(crate) struct ScopeOption {
    /// Install for this project (the working folder) or for the user (the home folder).
    #[arg(long, value_enum, default_value_t)]
    scope: InstallScope,
}

/// The place that skills are installed into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum InstallScope {
    #[default]
    Project,
    User,
}

/// The folder of a scope, and what its lock states.
#[derive(Debug)]
pub(crate) struct InstallBase {
    pub(crate) base: PathBuf,
    pub(crate) lock: RepertoireLock,
    scope: InstallScope,
}

/// An opened installation, which excludes every other process from the same one.
#[derive(Debug)]
pub(crate) struct Installation {
    pub(crate) project: ProjectFolder,
    pub(crate) store: Store,
    pub(crate) policy: InstallPolicy,
    pub(crate) at: InstallBase,
}

impl ScopeOption {
    /// Reads the installed skills, and writes nothing.
    pub(crate) fn read(&self, environment: &Environment<'_>) -> Result<InstallBase, Failure> {
        let base = match self.scope {
            InstallScope::Project => environment.cwd.clone(),
            InstallScope::User => environment.home.clone().ok_or_else(|| {
                Failure::new("the home folder is unknown").help("set the variable `HOME`")
            })?,
        };
        let base = base.canonicalize().map_err(|error| {
            Failure::io(
                format!("cannot read the folder `{}`", base.display()),
                &error,
            )
        })?;
        Ok(InstallBase {
            lock: RepertoireLock::read(&base)?.unwrap_or_default(),
            base,
            scope: self.scope,
        })
    }

    /// Opens the installation, and completes a change that was interrupted.
    pub(crate) fn open(&self, environment: &Environment<'_>) -> Result<Installation, Failure> {
        let at = self.read(environment)?;
        let policy = InstallPolicy::read(environment, &at.base)?;
        let store = Store::open(store_folder(environment)?).map_err(Failure::of_install)?;
        let project = ProjectFolder::open(&at.base, &store).map_err(Failure::of_install)?;
        Ok(Installation {
            // A completed change has written the lock.
            at: self.read(environment)?,
            project,
            store,
            policy,
        })
    }
}

/// Returns the folder of the user's store.
pub(crate) fn store_folder(environment: &Environment<'_>) -> Result<PathBuf, Failure> {
    let data = environment.own_data().ok_or_else(|| {
        Failure::new("the data folder of the user is unknown")
            .help("set the variable `XDG_DATA_HOME`")
    })?;
    Ok(data.join("store"))
}

/// Returns the present time, as a lock states it.
pub(crate) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs());
    utc(seconds.saturating_mul(1000)).replace(' ', "T")
}

impl InstallBase {
    /// Returns the folders for skills of these agents, relative to the base; without agents, the shared one.
    ///
    /// An agent that reads the shared folder gets no other one.
    pub(crate) fn folders(
        &self,
        agents: &[String],
        environment: &Environment<'_>,
    ) -> Result<Vec<ResourcePath>, Failure> {
        let all = Agents::of(environment);
        let mut folders = Vec::new();
        for profile in all.named(agents)? {
            let own = self.folders_of(profile, &all);
            let shared = own
                .iter()
                .find(|folder| folder.as_str() == AgentFolders::SHARED);
            let folder = shared.or(own.first()).ok_or_else(|| {
                let message = format!(
                    "`{}` has no folder for skills in this scope",
                    profile.name()
                );
                Failure::new(message).help("choose a different agent or `--scope`")
            })?;
            if !folders.contains(folder) {
                folders.push(folder.clone());
            }
        }
        if folders.is_empty() {
            folders.extend(AgentFolders::SHARED.parse::<ResourcePath>());
        }
        Ok(folders)
    }

    fn folders_of(&self, profile: &AgentProfile, all: &Agents) -> Vec<ResourcePath> {
        let mut place = all.place.clone();
        place.home = PathBuf::new();
        let folders = match self.scope {
            InstallScope::Project => profile.project_folders(&place),
            InstallScope::User => profile.home_folders(&place),
        };
        let below = folders.iter().map(|folder| {
            let folder = folder.strip_prefix(&self.base).unwrap_or(folder);
            folder.to_string_lossy().replace('\\', "/")
        });
        below.filter_map(|folder| folder.parse().ok()).collect()
    }

    /// Returns a note about the agents of this machine that do not read the shared folder.
    pub(crate) fn unread_note(&self, environment: &Environment<'_>) -> Option<String> {
        let all = Agents::of(environment);
        let chosen = all.chosen(&[]).ok()?;
        let names = chosen.chosen.iter().filter(|profile| {
            let folders = self.folders_of(profile, &all);
            !folders
                .iter()
                .any(|folder| folder.as_str() == AgentFolders::SHARED)
        });
        let names: Vec<_> = names.map(|profile| profile.name()).collect();
        (!names.is_empty()).then(|| {
            format!(
                "{} does not read `{}`; pass `--agent NAME` to install for it",
                quoted(names),
                AgentFolders::SHARED
            )
        })
    }

    /// Returns the installed skills of these names; without names, all of them.
    pub(crate) fn named(&self, names: &[String]) -> Result<Vec<&InstalledSkill>, Failure> {
        for name in names {
            if !self.lock.installed.values().any(|row| is_named(row, name)) {
                let failure = Failure::new(format!("`{name}` is not installed"));
                return Err(failure.help("run `repertoire installed` to see every name"));
            }
        }
        let rows = self.lock.installed.values();
        let rows =
            rows.filter(|row| names.is_empty() || names.iter().any(|name| is_named(row, name)));
        Ok(rows.collect())
    }
}

fn is_named(row: &InstalledSkill, name: &str) -> bool {
    row.id.as_str() == name || row.path.as_str() == name.trim_end_matches('/')
}

/// Fetches the reference of each row, once for all rows with the same one.
pub(crate) async fn fetch_again<'r>(
    fetcher: &Fetcher,
    rows: &[&'r InstalledSkill],
    reference: impl Fn(&InstalledSkill) -> Reference,
    environment: &mut Environment<'_>,
) -> Result<Vec<(&'r InstalledSkill, FetchedAgain)>, Failure> {
    let mut fetched: BTreeMap<_, Rc<Fetched>> = BTreeMap::new();
    let mut all = Vec::new();
    for row in rows {
        let reference = reference(row);
        let known = match fetched.get(&reference) {
            Some(known) => known.clone(),
            None => {
                let new = Rc::new(fetch(fetcher, &reference, environment).await?);
                fetched.insert(reference, new.clone());
                new
            }
        };
        let mut skills = known.skills.iter();
        let at = skills
            .position(|skill| skill.folder == row.folder && skill.skill.id == row.id)
            .or_else(|| {
                known
                    .skills
                    .iter()
                    .position(|skill| skill.skill.id == row.id)
            });
        all.push((*row, FetchedAgain { fetched: known, at }));
    }
    Ok(all)
}

/// The present content of an installed skill at its source.
#[derive(Debug)]
pub(crate) struct FetchedAgain {
    pub(crate) fetched: Rc<Fetched>,
    /// The skill among the fetched ones, if it is still there.
    at: Option<usize>,
}

impl FetchedAgain {
    pub(crate) fn skill(&self) -> Option<&SourceSkill> {
        Some(&self.fetched.skills[self.at?])
    }
}

/// Returns the digests that a lock file names; `None` if there is no such file.
pub(crate) fn used_digests(lock: &Path) -> Result<Option<Vec<Digest>>, Failure> {
    let Some(folder) = lock.parent().filter(|_| lock.exists()) else {
        return Ok(None);
    };
    let lock = RepertoireLock::read(folder)?.unwrap_or_default();
    let rows = lock.installed.values();
    Ok(Some(rows.map(|row| row.manifest).collect()))
}
