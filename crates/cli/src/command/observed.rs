//! `repertoire observed`.

use clap::Args;
use repertoire_profiles::{AgentView, ObservedDifference, ObservedList};
use serde::Serialize;

use crate::Environment;
use crate::agent_views::AgentViews;
use crate::agents::Agents;
use crate::diagnostics::{counted, quoted};
use crate::failure::Failure;
use crate::output::Output;
use crate::transcripts::{Transcripts, ask};

/// Compare the skills that an agent should see with the list in its own transcript.
///
/// Reads the newest transcript of the working folder. Only names, descriptions and paths of skills are taken from it. Without
/// --agent: the installed agents.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire observed --agent claude-code\n  repertoire observed --agent codex --ask"
)]
pub(crate) struct ObservedCommand {
    /// Run the agent's own command that prints its list; it calls no model.
    #[arg(long)]
    ask: bool,
}

/// The lists of agents beside the predictions.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ObservedOutput {
    agents: Vec<ObservedAgent>,
}

/// The list of one agent beside the prediction.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ObservedAgent {
    agent: String,
    /// The transcript or the command; null if the agent left no list for this folder.
    origin: Option<String>,
    list: Option<ObservedList>,
    differences: Vec<ObservedDifference>,
    /// The loaded skills that no transcript of the last 30 days used; null if the agent leaves no transcripts.
    unused: Option<Vec<String>>,
}

impl ObservedCommand {
    pub(super) fn run(
        &self,
        names: &[String],
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let seen = AgentViews::survey(names, environment)?;
        let rows = seen.views.iter();
        let rows = rows.map(|view| self.row(view, &seen.agents, environment));
        let output = ObservedOutput {
            agents: rows.collect::<Result<_, _>>()?,
        };
        if out.write_json(&output) {
            return Ok(());
        }
        for row in &output.agents {
            row.write(out);
        }
        out.notes(
            output
                .agents
                .is_empty()
                .then(|| "no agent was found; pass --agent".to_owned()),
        );
        out.notes(seen.notes());
        Ok(())
    }

    fn row(
        &self,
        view: &AgentView,
        agents: &Agents,
        environment: &Environment<'_>,
    ) -> Result<ObservedAgent, Failure> {
        let profile = agents.profiles().get(&view.agent);
        let profile = profile.expect("a view is of a known profile");
        let transcripts = Transcripts::read(profile, &agents.place);
        let unused = transcripts.as_ref().map(|transcripts| {
            let loaded = view.loaded().map(|skill| skill.name.to_string());
            loaded
                .filter(|name| !transcripts.used.contains(name))
                .collect()
        });
        let newest = transcripts.and_then(|transcripts| transcripts.newest);
        let newest = newest.map(|(path, list)| (path.to_string_lossy().into_owned(), list));
        let found = match self.ask {
            true => Some(ask(profile, &agents.place, environment)?),
            false => newest,
        };
        let (origin, list) = found.unzip();
        Ok(ObservedAgent {
            agent: profile.name().to_owned(),
            differences: list
                .as_ref()
                .map(|list| view.differences(list))
                .unwrap_or_default(),
            origin,
            list,
            unused,
        })
    }
}

impl ObservedAgent {
    fn write(&self, out: &mut Output) {
        let agent = &self.agent;
        let (Some(origin), Some(list)) = (&self.origin, &self.list) else {
            out.line(format!("{agent}: no list for this folder was found"));
            return;
        };
        let count = counted(list.skills.len(), "skill");
        let date = list.date.as_deref().map(|date| format!(" on {date}"));
        let date = date.unwrap_or_default();
        out.line(format!("{agent}: lists {count}{date}, in `{origin}`"));
        for one in &self.differences {
            let who = if one.is_observed {
                "listed, not predicted"
            } else {
                "predicted, not listed"
            };
            out.line(format!("  {}: {who}: {}", one.name, one.because));
        }
        if let Some(unused) = self.unused.as_ref().filter(|unused| !unused.is_empty()) {
            out.line(format!(
                "  not used in the last 30 days: {}",
                quoted(unused)
            ));
        }
    }
}
