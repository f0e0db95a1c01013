//! The agents that a command answers for, and what each of them sees.

use std::sync::Arc;

use repertoire_profiles::{AgentPlace, AgentProfile, AgentProfiles, AgentView, InstallSign};

use crate::Environment;
use crate::agents::{Agents, HOST};
use crate::diagnostics::joined;
use crate::failure::Failure;
use crate::shown_paths::ShownPaths;

/// What the selected agents see in the working folder.
#[derive(Debug)]
pub(crate) struct AgentViews {
    /// In the order in which they were named, else by name.
    pub(crate) views: Vec<AgentView>,
    pub(crate) paths: ShownPaths,
    /// The agents that only a folder hints at, where others were found for certain.
    hinted: Vec<Arc<str>>,
    /// The reasons why profiles of the user are not used.
    faults: Vec<String>,
}

impl AgentViews {
    /// Surveys the working folder for the agents called `named`; without names, for those found on this machine.
    ///
    /// # Errors
    /// A name is unknown, or the home folder is.
    pub(crate) fn survey(
        named: &[String],
        environment: &Environment<'_>,
    ) -> Result<AgentViews, Failure> {
        if environment.home.is_none() {
            return Err(Failure::new("the home folder is unknown").help("set `HOME`"));
        }
        if named.iter().any(|name| name == HOST) {
            return Err(
                Failure::new(format!("`{HOST}` is this program, and not an agent"))
                    .help(format!("run `repertoire list --agent {HOST}`")),
            );
        }
        let agents = Agents::of(environment);
        let (place, profiles) = (&agents.place, agents.profiles());
        let (chosen, hinted) = match named {
            [] => found(profiles, place),
            named => (agents.named(named)?, Vec::new()),
        };
        let mut survey = profiles.survey(place);
        let views = chosen.iter().filter_map(|agent| survey.view(agent.name()));
        Ok(AgentViews {
            views: views.collect(),
            paths: ShownPaths::new(&place.home, &place.folder),
            hinted: hinted
                .into_iter()
                .map(|agent| agent.name().into())
                .collect(),
            faults: agents.faults().iter().map(ToString::to_string).collect(),
        })
    }

    /// Surveys the working folder for a command that also answers for the sources of this program.
    ///
    /// `None` selects those sources:
    ///
    /// 1. with `--agent repertoire`;
    /// 2. if an argument, or an option other than `--agent`, is about sources;
    /// 3. without `--agent`, if no agent was found on this machine.
    pub(crate) fn unless_own(
        named: &[String],
        has_sources: bool,
        environment: &Environment<'_>,
    ) -> Result<Option<AgentViews>, Failure> {
        if has_sources || environment.home.is_none() || named.iter().any(|name| name == HOST) {
            return Ok(None);
        }
        let seen = AgentViews::survey(named, environment)?;
        Ok(Some(seen).filter(|seen| !seen.views.is_empty()))
    }

    /// Returns notes about agents and profiles that were left out.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let names = joined(self.hinted.iter().map(|name| &**name));
        let hint = (!names.is_empty()).then(|| {
            format!("left out, as only a folder hints at them: {names}; `--agent NAME` shows one")
        });
        self.faults.iter().cloned().chain(hint)
    }
}

/// Returns the agents of this machine, and those that only a folder hints at.
///
/// Installers of skills create the folders of agents that are not there. So a folder counts only if nothing else was found.
fn found<'p>(
    profiles: &'p AgentProfiles,
    place: &AgentPlace,
) -> (Vec<&'p AgentProfile>, Vec<&'p AgentProfile>) {
    let (hinted, certain): (Vec<_>, Vec<_>) = profiles
        .installed(place)
        .into_iter()
        .partition(|(_, sign)| *sign == InstallSign::Folder);
    match certain.is_empty() {
        true => (without_signs(hinted), Vec::new()),
        false => (without_signs(certain), without_signs(hinted)),
    }
}

fn without_signs(found: Vec<(&AgentProfile, InstallSign)>) -> Vec<&AgentProfile> {
    found.into_iter().map(|(profile, _)| profile).collect()
}

/// Returns the name that a typing slip may have turned into `typed`, or that contains it.
pub(crate) fn nearest<'n>(
    typed: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Option<&'n str> {
    let close = names
        .clone()
        .map(|name| (strsim::levenshtein(typed, name), name))
        .min();
    let close = close.filter(|(distance, _)| *distance <= 2);
    close.map(|(_, name)| name).or_else(|| {
        let mut names = names;
        names.find(|name| typed.len() > 2 && name.contains(typed))
    })
}
