//! `repertoire remove`.

use clap::Args;

use crate::Environment;
use crate::failure::Failure;
use crate::install_plan::{ChangeOptions, InstallPlan};
use crate::installation::ScopeOption;
use crate::output::Output;

/// Remove installed skills.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire remove pdf")]
pub(crate) struct RemoveCommand {
    /// Names of installed skills, or their folders.
    #[arg(value_name = "NAME", required = true)]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeOption,
    #[command(flatten)]
    options: ChangeOptions,
}

impl RemoveCommand {
    pub(super) fn run(
        &self,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let installation = self.scope.open(environment)?;
        let mut lock = installation.at.lock.clone();
        let mut plan = InstallPlan::new();
        for row in installation.at.named(&self.names)? {
            plan.remove(&installation, &self.options, row)?;
            lock.installed.remove(&row.path);
        }
        plan.run(&installation, &self.options, &lock, environment, out)
    }
}
