//! `repertoire sync`.

use clap::Args;
use repertoire_install::{Fetcher, InstalledSkill};

use crate::Environment;
use crate::failure::Failure;
use crate::fetching::FetchOptions;
use crate::install_plan::{ChangeOptions, InstallPlan};
use crate::installation::{Installation, ScopeOption, fetch_again};
use crate::lock::RepertoireLock;
use crate::output::Output;

/// Install exactly the skills that the lock states.
///
/// Content comes from the store. What the store does not have is fetched at the locked commit, and must have the locked digest.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  repertoire sync --yes\n  repertoire sync --frozen --yes")]
pub(crate) struct SyncCommand {
    /// Use the store alone, without a network.
    #[arg(long)]
    frozen: bool,
    #[command(flatten)]
    scope: ScopeOption,
    #[command(flatten)]
    fetching: FetchOptions,
    #[command(flatten)]
    options: ChangeOptions,
}

impl SyncCommand {
    pub(super) async fn run(
        &self,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let installation = self.scope.open(environment)?;
        RepertoireLock::existing(&installation.at.base)?;
        let rows = installation.at.named(&[])?;
        let mut missing = Vec::new();
        for row in &rows {
            installation.policy.check(row)?;
            match installation.store.get(&row.manifest) {
                Ok(Some(_)) => {}
                Ok(None) => missing.push(*row),
                Err(error) if self.frozen => return Err(Failure::of_install(error)),
                Err(_) => missing.push(*row),
            }
        }
        match missing.first() {
            Some(row) if self.frozen => {
                let failure = Failure::new(format!("the store does not have `{}`", row.id));
                return Err(failure.help("run `repertoire sync` with a network once"));
            }
            _ => {
                let fetcher = self.fetching.fetcher(environment, &installation.at.base);
                fetch_locked(&installation, &fetcher, &missing, environment).await?;
            }
        }
        let mut plan = InstallPlan::new();
        for row in rows {
            plan.place(&installation, &self.options, row, None)?;
        }
        plan.run(
            &installation,
            &self.options,
            &installation.at.lock,
            environment,
            out,
        )
    }
}

/// Fetches exactly the locked content into the store.
async fn fetch_locked(
    installation: &Installation,
    fetcher: &Fetcher,
    rows: &[&InstalledSkill],
    environment: &mut Environment<'_>,
) -> Result<(), Failure> {
    let again = fetch_again(fetcher, rows, InstalledSkill::pinned, environment);
    for (row, again) in again.await? {
        let created = again.fetched.created;
        installation.policy.check_age(&row.reference, created)?;
        let skill = again.skill();
        let skill = skill.filter(|skill| skill.tree.manifest().digest() == row.manifest);
        let skill = skill.ok_or_else(|| {
            let message = format!(
                "`{}` does not have the locked content of `{}`",
                row.pinned(),
                row.id
            );
            Failure::new(message).help("run `repertoire update` to install its present content")
        })?;
        installation
            .store
            .put(&skill.tree)
            .map_err(Failure::of_install)?;
    }
    Ok(())
}
