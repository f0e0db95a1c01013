//! What the operator chooses for each skill.

use clap::Args;
use repertoire::{Mode, Modes};

/// What the operator chooses for each skill.
#[derive(Debug, Args)]
pub(crate) struct Offered {
    /// How skills are offered: `pinned`, `auto`, `name-only`, `manual-only` or `off`. A rule is an id or `source:id`, `*` for any
    /// text; the last one that fits decides.
    #[arg(long = "mode", value_name = "RULE=MODE", value_parser = rule)]
    rules: Vec<(String, Mode)>,
}

impl Offered {
    pub(crate) fn modes(&self) -> Modes {
        self.rules.iter().fold(Modes::default(), |modes, (rule, mode)| modes.with(rule, *mode))
    }
}

fn rule(text: &str) -> Result<(String, Mode), String> {
    let (rule, mode) = text.rsplit_once('=').ok_or("expected `RULE=MODE`")?;
    Ok((rule.to_owned(), mode.parse().map_err(|error: repertoire::UnknownMode| error.to_string())?))
}
