//! The agents that a command answers for, and what each of them sees.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use repertoire_profiles::{AgentView, ShownPaths};

use crate::Environment;
use crate::agents::{Agents, HOST, likely_slip};
use crate::diagnostics::joined;
use crate::failure::Failure;

/// The view of each selected agent in the working folder.
#[derive(Debug)]
pub(crate) struct AgentViews {
    /// In the order in which they were named, else by name.
    pub(crate) views: Vec<AgentView>,
    pub(crate) paths: ShownPaths,
    /// All known agents.
    pub(crate) agents: Agents,
    /// The paths that decide about the views.
    pub(crate) read: ReadPaths,
    /// The agents that only a folder hints at, where others were found for certain.
    hinted: Vec<Arc<str>>,
}

/// The folders that a survey searched, and the settings that it read. They need not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReadPaths {
    pub(crate) folders: BTreeSet<PathBuf>,
    pub(crate) files: BTreeSet<PathBuf>,
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
        let place = &agents.place;
        let chosen = agents.chosen(named)?;
        let mut survey = agents.profiles().survey(place);
        let views = chosen.chosen.iter();
        let views: Vec<_> = views
            .filter_map(|agent| survey.view(agent.name()))
            .collect();
        let hinted = chosen.hinted.iter().map(|agent| agent.name().into());
        Ok(AgentViews {
            views,
            read: ReadPaths {
                folders: survey.searched_folders().map(Path::to_owned).collect(),
                files: survey.read_files().map(Path::to_owned).collect(),
            },
            paths: ShownPaths::new(&place.home, &place.folder),
            hinted: hinted.collect(),
            agents,
        })
    }

    /// Returns the view of the surveyed agent of this name or alias.
    pub(crate) fn view(&self, name: &str) -> Option<&AgentView> {
        let profile = self.agents.profiles().get(name)?;
        let mut views = self.views.iter();
        views.find(|view| *view.agent == *profile.name())
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
        let faults = self.agents.faults().iter();
        faults.map(ToString::to_string).chain(hint)
    }
}

/// Returns the name that a typing slip may have turned into `typed`, or that contains it.
pub(crate) fn nearest<'n>(
    typed: &str,
    mut names: impl Iterator<Item = &'n str> + Clone,
) -> Option<&'n str> {
    likely_slip(typed, names.clone())
        .or_else(|| names.find(|name| typed.len() > 2 && name.contains(typed)))
}
