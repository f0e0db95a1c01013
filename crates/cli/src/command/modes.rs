//! What the operator chooses for each skill.

use clap::Args;
use repertoire::{Mode, Modes, Target};

/// What the operator chooses for each skill.
#[derive(Debug, Args)]
pub(crate) struct Offered {
    /// How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A target is `source:id`, an id, `source:*` or
    /// `*`; of those that fit, the first of these decides.
    #[arg(long = "mode", value_name = "TARGET=MODE", value_parser = rule)]
    rules: Vec<(Target, Mode)>,
}

impl Offered {
    pub(crate) fn modes(&self) -> Modes {
        self.rules.iter().fold(Modes::default(), |modes, (target, mode)| modes.with(target.clone(), *mode))
    }
}

fn rule(text: &str) -> Result<(Target, Mode), String> {
    let (target, mode) = text.rsplit_once('=').ok_or("expected `TARGET=MODE`")?;
    let target = target.parse().map_err(|error: repertoire::InvalidId| error.to_string())?;
    Ok((target, mode.parse().map_err(|error: repertoire::UnknownMode| error.to_string())?))
}
