//! The agents that `--agent` names.

use std::path::PathBuf;
use std::sync::OnceLock;

use repertoire::source::fs::AgentFolders;
use repertoire_profiles::{AgentPlace, AgentProfile, AgentProfiles, ProfileError};

use crate::Environment;
use crate::diagnostics::joined;
use crate::failure::Failure;

/// The name that selects the view of a host in place of an agent's.
pub(crate) const HOST: &str = "repertoire";
/// The name that selects every agent.
pub(crate) const EVERY: &str = "all";

/// The known agents, and the place in which they are started.
#[derive(Debug)]
pub(crate) struct Agents {
    pub(crate) place: AgentPlace,
    /// The folder with profiles of the user.
    own: Option<PathBuf>,
    read: OnceLock<ReadProfiles>,
}

/// The agents that a command answers for.
#[derive(Debug)]
pub(crate) struct ChosenAgents<'p> {
    /// In the order in which they were named, else by name.
    pub(crate) chosen: Vec<&'p AgentProfile>,
    /// The agents that only a folder hints at, where others were found for certain.
    pub(crate) hinted: Vec<&'p AgentProfile>,
}

#[derive(Debug)]
struct ReadProfiles {
    profiles: AgentProfiles,
    faults: Vec<ProfileError>,
}

impl Agents {
    /// Returns the agents without reading a file. Profiles are read when they are needed.
    pub(crate) fn of(environment: &Environment<'_>) -> Agents {
        // Without a home folder no path below it exists.
        let home = environment.home.clone().unwrap_or_else(|| "\0".into());
        let mut place = AgentPlace::new(home, &environment.cwd);
        place.environment = environment
            .variables
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?.into(), value.to_str()?.into())))
            .collect();
        Agents {
            place,
            own: environment.own_config().map(|folder| folder.join("agents")),
            read: OnceLock::new(),
        }
    }

    /// Returns the built-in profiles, and those of the user in their place.
    pub(crate) fn profiles(&self) -> &AgentProfiles {
        &self.read().profiles
    }

    /// Returns the reasons why files of the user's folder are not used.
    pub(crate) fn faults(&self) -> &[ProfileError] {
        &self.read().faults
    }

    fn read(&self) -> &ReadProfiles {
        self.read.get_or_init(|| {
            let mut profiles = AgentProfiles::built_in();
            let faults = self.own.iter().flat_map(|own| profiles.add_folder(own));
            let faults = faults.collect();
            ReadProfiles { profiles, faults }
        })
    }

    /// Returns the agents of these names; without names, those found on this machine. The host is not among them.
    ///
    /// # Errors
    /// A name is unknown, or a file of the user cannot be used.
    pub(crate) fn chosen(&self, names: &[String]) -> Result<ChosenAgents<'_>, Failure> {
        let (chosen, hinted) = match names {
            [] => self.profiles().found_in(&self.place),
            names => (self.named(names)?, Vec::new()),
        };
        Ok(ChosenAgents { chosen, hinted })
    }

    /// Returns the agents of these names, without repeats. The host is not among them.
    ///
    /// # Errors
    /// A name is unknown, or a file of the user cannot be used.
    pub(crate) fn named(&self, names: &[String]) -> Result<Vec<&AgentProfile>, Failure> {
        let mut found: Vec<&AgentProfile> = Vec::new();
        for name in names.iter().filter(|name| *name != HOST) {
            let named: Vec<_> = match self.profiles().get(name) {
                Some(profile) => vec![profile],
                None if name == EVERY => self.profiles().iter().collect(),
                None => return Err(self.unknown(name)),
            };
            for profile in named {
                if !found.iter().any(|known| known.name() == profile.name()) {
                    found.push(profile);
                }
            }
        }
        // Without agents, no profile needs to be read.
        match found.first().and_then(|_| self.faults().first()) {
            Some(fault) => {
                Err(Failure::new(fault.to_string()).help("correct the file, or remove it"))
            }
            None => Ok(found),
        }
    }

    /// Returns the folders of these agents, in the order of the names.
    pub(crate) fn folders(&self, names: &[String]) -> Result<AgentFolders, Failure> {
        Ok(self.folders_of(self.named(names)?.into_iter()))
    }

    /// Returns the folders of every known agent.
    pub(crate) fn all_folders(&self) -> AgentFolders {
        self.folders_of(self.profiles().iter())
    }

    fn folders_of<'p>(&self, profiles: impl Iterator<Item = &'p AgentProfile>) -> AgentFolders {
        // Folders below the home folder are relative, since a tree may hold the home folder of a different user.
        let mut place = self.place.clone();
        place.home = PathBuf::new();
        let mut folders = AgentFolders::default();
        for profile in profiles {
            folders.project.extend(profile.project_folders(&place));
            folders.home.extend(profile.home_folders(&place));
        }
        folders
    }

    fn unknown(&self, typed: &str) -> Failure {
        let names = self.profiles().iter().flat_map(|profile| {
            let aliases = profile.aliases();
            std::iter::once(profile.name()).chain(aliases)
        });
        let failure = Failure::new(format!("unknown agent `{typed}`"));
        match likely_slip(typed, names) {
            Some(name) => failure.help(format!("did you mean `{name}`?")),
            None => {
                let known = joined(self.profiles().iter().map(AgentProfile::name));
                failure.help(format!("choose {known}, `{HOST}` or `{EVERY}`"))
            }
        }
    }
}

/// Returns the name that a typing slip may have turned into `typed`.
pub(crate) fn likely_slip<'n>(
    typed: &str,
    names: impl Iterator<Item = &'n str>,
) -> Option<&'n str> {
    let nearest = names.map(|name| (strsim::levenshtein(typed, name), name));
    let nearest = nearest.min().filter(|(distance, _)| *distance <= 2);
    nearest.map(|(_, name)| name)
}
