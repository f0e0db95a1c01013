//! What the operator chooses for each skill.

use clap::Args;
use repertoire::{Mode, Modes, Target};

use super::labels::Labels;

/// What the operator chooses for each skill.
#[derive(Debug, Args)]
pub(crate) struct Offered {
    /// How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or
    /// `*`; of those that fit, the first of these decides.
    #[arg(long = "mode", value_name = "TARGET=MODE", value_parser = rule)]
    rules: Vec<(Target, Mode)>,
    /// The workflow that runs: without one, skills that name theirs under `allowedWorkflows` are hidden.
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    #[command(flatten)]
    pub(super) labels: Labels,
}

impl Offered {
    pub(crate) fn modes(&self) -> Modes {
        let modes = self.labels.narrow(Modes::default());
        let modes = self.workflow.iter().fold(modes, |modes, workflow| modes.in_workflow(workflow.as_str()));
        self.rules.iter().fold(modes, |modes, (target, mode)| modes.with(target.clone(), *mode))
    }
}

fn rule(text: &str) -> Result<(Target, Mode), String> {
    let (target, mode) = text.rsplit_once('=').ok_or("expected `TARGET=MODE`")?;
    let target = target.parse().map_err(|error: repertoire::InvalidId| error.to_string())?;
    Ok((target, mode.parse().map_err(|error: repertoire::UnknownMode| error.to_string())?))
}
