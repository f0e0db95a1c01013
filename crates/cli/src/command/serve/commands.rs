//! Commands that are run for clients.

use std::collections::BTreeSet;
use std::path::PathBuf;

use repertoire::render::{Approvals, Outcome, Runner};
use repertoire::{ApprovedCommands, Asked, Commands, async_trait};

use crate::Environment;
use crate::approved::Approved;
use crate::command::render::SandboxArgs;
use crate::failure::Failure;

/// Runs what was approved, for skills of the sources that the operator named and of no other.
#[derive(Debug)]
pub(super) struct CommandsOf {
    sources: BTreeSet<String>,
    runner: Runner,
    /// The file of approvals, read whenever something is to run, so that what was taken back runs no more.
    approvals: Option<PathBuf>,
}

impl CommandsOf {
    /// Those of `sources`, as far as they are approved by the time they run. A file of approvals that cannot be used is an error now.
    pub(super) fn read(
        sources: &BTreeSet<String>,
        sandbox: SandboxArgs,
        environment: &Environment<'_>,
    ) -> Result<CommandsOf, Failure> {
        let approvals = environment.approvals();
        Approved::at(approvals.clone())?;
        let runner = Runner::new(environment.variables.clone()).helper(environment.helper.clone());
        Ok(CommandsOf { sources: sources.clone(), runner: sandbox.around(runner), approvals })
    }
}

#[async_trait]
impl Commands for CommandsOf {
    async fn run(&self, asked: Asked<'_>) -> Vec<Outcome> {
        if !self.sources.contains(asked.claim.origin.source.as_ref()) {
            return Vec::new();
        }
        let approvals = match Approved::at(self.approvals.clone()) {
            Ok(approved) => approved.approvals,
            Err(failure) => {
                tracing::warn!(why = failure.message(), "nothing runs: the approvals cannot be read");
                Approvals::default()
            }
        };
        ApprovedCommands::new(self.runner.clone(), approvals).run(asked).await
    }
}
