//! Commands that are run for clients.

use std::collections::BTreeSet;

use repertoire::render::{Outcome, Runner};
use repertoire::{ApprovedCommands, Asked, Commands, async_trait};

use crate::Environment;
use crate::approved::Approved;
use crate::command::render::When;
use crate::failure::Failure;

/// Runs what was approved, for skills of the sources that the operator named and of no other.
#[derive(Debug)]
pub(super) struct CommandsOf {
    sources: BTreeSet<String>,
    approved: ApprovedCommands,
}

impl CommandsOf {
    /// Those of `sources`, as far as they are approved by now.
    pub(super) fn read(
        sources: &BTreeSet<String>,
        sandbox: When,
        environment: &Environment<'_>,
    ) -> Result<CommandsOf, Failure> {
        let approvals = Approved::at(environment.approvals())?.approvals;
        let runner = Runner::new(environment.variables.clone()).helper(environment.helper.clone());
        let runner = sandbox.around(runner);
        Ok(CommandsOf { sources: sources.clone(), approved: ApprovedCommands::new(runner, approvals) })
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
