//! Commands that are run for clients.

use std::collections::BTreeSet;

use repertoire::render::{Outcome, Runner};
use repertoire::{ApprovedCommands, Asked, Commands, SkillRegistry, async_trait};

use crate::Environment;
use crate::approved::Approved;
use crate::failure::Failure;

/// Runs what was approved, for skills of the sources that the operator named and of no other.
#[derive(Debug)]
pub(super) struct CommandsOf {
    sources: BTreeSet<String>,
    approved: ApprovedCommands,
}

impl CommandsOf {
    /// Those of `sources`, each of which must be one of `registry`, so that a slip does not go unnoticed.
    pub(super) fn read(
        sources: &[String],
        registry: &SkillRegistry,
        environment: &Environment<'_>,
    ) -> Result<CommandsOf, Failure> {
        let mounts = registry.mounts();
        if let Some(source) =
            sources.iter().find(|source| mounts.iter().all(|mount| mount.origin().source.as_ref() != source.as_str()))
        {
            let known: Vec<_> = mounts.iter().map(|mount| format!("`{}`", mount.origin().source)).collect();
            let failure = Failure::new(format!("no source `{source}` to run commands of"));
            return Err(failure.help(format!("there are {}", known.join(", "))));
        }
        let approvals = Approved::at(environment.approvals())?.approvals;
        let runner = Runner::new(environment.variables.clone()).helper(environment.helper.clone());
        Ok(CommandsOf {
            sources: sources.iter().cloned().collect(),
            approved: ApprovedCommands::new(runner, approvals),
        })
    }
}

#[async_trait]
impl Commands for CommandsOf {
    async fn run(&self, asked: Asked<'_>) -> Vec<Outcome> {
        if !self.sources.contains(asked.claim.origin.source.as_ref()) {
            return Vec::new();
        }
        self.approved.run(asked).await
    }
}
