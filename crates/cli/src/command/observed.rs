//! `repertoire observed`.

use clap::Args;
use serde::Serialize;

use crate::Environment;
use crate::agent_views::AgentViews;
use crate::failure::Failure;
use crate::observed_agent::{AskOption, ObservedAgent, unused_line};
use crate::output::Output;

/// Compare the skills that an agent should see with the list in its own transcript.
///
/// Reads the newest transcript of the working folder. Only names, descriptions and paths of skills are taken from it. Without
/// --agent: the installed agents.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire observed --agent claude-code\n  repertoire observed --agent codex --ask\n  repertoire observed --agent opencode --ask=http://127.0.0.1:4096"
)]
pub(crate) struct ObservedCommand {
    #[command(flatten)]
    ask: AskOption,
}

/// The lists of agents beside the predictions.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ObservedOutput {
    agents: Vec<ObservedAgent>,
}

impl ObservedCommand {
    pub(super) fn run(
        &self,
        names: &[String],
        environment: &Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let seen = AgentViews::survey(names, environment)?;
        let output = ObservedOutput {
            agents: ObservedAgent::all(&seen, &self.ask, environment)?,
        };
        if out.write_json(&output) {
            return Ok(());
        }
        for agent in &output.agents {
            let unused = unused_line(agent.unused.iter().flatten()).map(|line| format!("  {line}"));
            for line in agent.lines(&seen.paths).into_iter().chain(unused) {
                out.line(line);
            }
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
}
