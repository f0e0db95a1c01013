//! The list of an agent itself beside the prediction.

use std::collections::BTreeSet;

use clap::Args;
use repertoire_profiles::{AgentProfile, AgentView, ObservedDifference, ObservedList, ShownPaths};
use serde::Serialize;

use crate::Environment;
use crate::agent_views::AgentViews;
use crate::agents::Agents;
use crate::diagnostics::{counted, quoted};
use crate::failure::Failure;
use crate::transcripts::{Transcripts, ask};

/// The option that reads lists from agents instead of from transcripts.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AskOption {
    /// Ask the agents: run the command that prints the list, or query the running server of OpenCode. No model is asked.
    #[arg(
        long,
        value_name = "ADDRESS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = ""
    )]
    ask: Option<String>,
}

/// The option that compares the predictions with the lists of the agents themselves.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ObservedOption {
    /// Compare with the lists that the agents themselves left in transcripts for this folder.
    #[arg(long)]
    observed: bool,
    #[command(flatten)]
    ask: AskOption,
}

/// The list of one agent beside the prediction.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ObservedAgent {
    pub(crate) agent: String,
    /// The transcript, the command or the server; null if the agent left no list for this folder.
    pub(crate) origin: Option<String>,
    pub(crate) list: Option<ObservedList>,
    pub(crate) differences: Vec<ObservedDifference>,
    /// The loaded skills that no transcript of the last 30 days used; null without such transcripts.
    pub(crate) unused: Option<Vec<String>>,
    /// The names that a transcript of the last 30 days used.
    #[serde(skip)]
    pub(crate) used: BTreeSet<String>,
    /// The reason why the agent could not be asked.
    pub(crate) not_asked: Option<String>,
}

impl AskOption {
    /// Returns `true` if the agents are to be asked.
    pub(crate) fn is_given(&self) -> bool {
        self.ask.is_some()
    }

    /// Returns the address of a server, if one was given.
    fn address(&self) -> Option<&str> {
        self.ask.as_deref().filter(|address| !address.is_empty())
    }
}

impl ObservedOption {
    /// Returns the lists of the surveyed agents; `None` without `--observed`.
    ///
    /// # Errors
    /// `--ask` is given without `--observed`, or no agent could be asked.
    pub(crate) fn lists(
        &self,
        seen: &AgentViews,
        environment: &Environment<'_>,
    ) -> Result<Option<Vec<ObservedAgent>>, Failure> {
        match self.observed {
            true => ObservedAgent::all(seen, &self.ask, environment).map(Some),
            false if self.ask.is_given() => {
                Err(Failure::new("`--ask` has no effect without `--observed`")
                    .help("add `--observed`"))
            }
            false => Ok(None),
        }
    }

    /// Returns `true` if the option is given.
    pub(crate) fn is_given(&self) -> bool {
        self.observed || self.ask.is_given()
    }
}

impl ObservedAgent {
    /// Returns the lists of the surveyed agents, in the order of their views.
    ///
    /// # Errors
    /// Agents were to be asked, and none of them could be.
    pub(crate) fn all(
        seen: &AgentViews,
        option: &AskOption,
        environment: &Environment<'_>,
    ) -> Result<Vec<ObservedAgent>, Failure> {
        let mut found = Vec::new();
        let mut first_failure = None;
        let mut is_asked = !option.is_given();
        for view in &seen.views {
            let profile = seen.agents.profiles().get(&view.agent);
            let profile = profile.expect("a view is of a known profile");
            let asked = option
                .is_given()
                .then(|| ask(profile, option.address(), &seen.agents.place, environment));
            let (asked, failure) = match asked {
                Some(Ok(asked)) => {
                    is_asked = true;
                    (Some(asked), None)
                }
                Some(Err(failure)) => (None, Some(failure)),
                None => (None, None),
            };
            let not_asked = failure.as_ref().map(Failure::sentence);
            found.push(ObservedAgent {
                not_asked,
                ..ObservedAgent::of(view, profile, &seen.agents, asked)
            });
            first_failure = first_failure.or(failure);
        }
        match first_failure.filter(|_| !is_asked) {
            Some(failure) => Err(failure),
            None => Ok(found),
        }
    }

    fn of(
        view: &AgentView,
        profile: &AgentProfile,
        agents: &Agents,
        asked: Option<(String, ObservedList)>,
    ) -> ObservedAgent {
        let transcripts = Transcripts::read(profile, &agents.place);
        let recent = transcripts.as_ref().filter(|found| found.has_recent);
        let unused = recent.map(|transcripts| {
            let loaded = view.loaded().map(|skill| skill.name.to_string());
            let mut unused: Vec<_> = loaded
                .filter(|name| !transcripts.used.contains(name))
                .collect();
            unused.dedup();
            unused
        });
        let Transcripts { newest, used, .. } = transcripts.unwrap_or_default();
        let newest = newest.map(|(path, list)| (path.to_string_lossy().into_owned(), list));
        let (origin, list) = asked.or(newest).unzip();
        let differences = list.as_ref().map(|list| view.differences(list));
        ObservedAgent {
            agent: profile.name().to_owned(),
            differences: differences.unwrap_or_default(),
            origin,
            list,
            unused,
            used,
            not_asked: None,
        }
    }

    /// Returns the sentences for people: the list, each difference, and the reason why the agent was not asked.
    pub(crate) fn lines(&self, paths: &ShownPaths) -> Vec<String> {
        let agent = &self.agent;
        let mut lines = Vec::new();
        match (&self.origin, &self.list) {
            (Some(origin), Some(list)) => {
                let count = counted(list.skills.len(), "skill");
                let date = date_of(list.date.as_deref());
                let line = format!("{agent}: lists {count}{date}, in `{origin}`");
                lines.push(paths.text(&line));
            }
            _ => lines.push(format!("{agent}: no list for this folder was found")),
        }
        let differences = self.differences.iter();
        lines.extend(differences.map(|one| format!("  {}", difference(one, paths))));
        let reason = self.not_asked.iter();
        lines.extend(reason.map(|reason| format!("  not asked: {reason}")));
        lines
    }
}

/// Returns the sentence about the skills that were not used; `None` if there are none.
pub(crate) fn unused_line(
    unused: impl IntoIterator<Item = impl std::fmt::Display>,
) -> Option<String> {
    let names = quoted(unused);
    (!names.is_empty()).then(|| format!("not used in the last 30 days: {names}"))
}

/// Returns the date of a list as the end of a clause.
pub(crate) fn date_of(date: Option<&str>) -> String {
    date.map_or_else(String::new, |date| format!(" on {date}"))
}

/// Returns a difference as a sentence.
pub(crate) fn difference(one: &ObservedDifference, paths: &ShownPaths) -> String {
    let side = match one.is_observed {
        true => "listed, not predicted",
        false => "predicted, not listed",
    };
    paths.text(&format!("{}: {side}: {}", one.name, one.because))
}
