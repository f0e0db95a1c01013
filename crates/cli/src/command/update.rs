//! `repertoire update`.

use clap::Args;
use repertoire_install::InstalledSkill;

use crate::Environment;
use crate::failure::Failure;
use crate::fetching::FetchOptions;
use crate::install_plan::{ChangeOptions, InstallPlan};
use crate::installation::{ScopeOption, fetch_again};
use crate::output::Output;

/// Update installed skills to the present content of their sources.
///
/// Shows the difference for each file, and asks before it writes. A skill with local changes is never replaced without
/// `--force`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  repertoire update\n  repertoire update pdf --check")]
pub(crate) struct UpdateCommand {
    /// Names of installed skills, or their folders [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Write nothing; exit with 1 if there are updates.
    #[arg(long, conflicts_with_all = ["yes", "dry_run", "force"])]
    check: bool,
    #[command(flatten)]
    scope: ScopeOption,
    #[command(flatten)]
    fetching: FetchOptions,
    #[command(flatten)]
    options: ChangeOptions,
}

impl UpdateCommand {
    pub(super) async fn run(
        &self,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let installation = self.scope.open(environment)?;
        let rows = installation.at.named(&self.names)?;
        let mut lock = installation.at.lock.clone();
        let mut plan = InstallPlan::new();
        for row in &rows {
            installation.policy.check_source(&row.reference)?;
        }
        let fetcher = self.fetching.fetcher(environment, &installation.at.base);
        let again = fetch_again(&fetcher, &rows, |row| row.reference.clone(), environment);
        for (row, again) in again.await? {
            let Some(skill) = again.skill() else {
                plan.add_gone(row);
                continue;
            };
            let is_new = skill.tree.manifest().digest() != row.manifest;
            let age = installation
                .policy
                .check_age(&row.reference, again.fetched.created);
            if let (true, Err(failure)) = (is_new, age) {
                plan.hold_back(row, &failure);
                continue;
            }
            installation
                .store
                .put(&skill.tree)
                .map_err(Failure::of_install)?;
            let new = InstalledSkill::new(
                skill,
                row.path.clone(),
                row.reference.clone(),
                &again.fetched.revision,
                row.first_trusted.clone(),
            );
            plan.place(&installation, &self.options, &new, Some(skill))?;
            lock.installed.insert(new.path.clone(), new);
        }
        if self.check {
            out.found_problems(plan.changes_folders());
            plan.print(out);
            return Ok(());
        }
        plan.run(&installation, &self.options, &lock, environment, out)
    }
}
