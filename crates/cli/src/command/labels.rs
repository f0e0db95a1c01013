//! Colibri's labels, as a choice among skills.

use clap::Args;
use repertoire::{FunctionalTier, InvokeLevel, Modes, Skill};

/// Colibri's labels, as a choice among skills.
#[derive(Debug, Args)]
pub(crate) struct Labels {
    /// Only skills with this label; of several, with one of them: `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`,
    /// `infrastructure`, `integration`, or one of their own.
    #[arg(long = "functional-tier", value_name = "LABEL", value_parser = label)]
    tiers: Vec<FunctionalTier>,
    /// Only skills that an agent of this level may call: 1 for any agent, 2 for executors, 3 for the top one.
    #[arg(long = "invoke-level", value_name = "LEVEL", value_parser = level)]
    level: Option<InvokeLevel>,
}

impl Labels {
    /// Whether `skill` is among what was chosen.
    pub(super) fn fit(&self, skill: &Skill) -> bool {
        (self.tiers.is_empty() || skill.has_functional_tier(&self.tiers))
            && self.level.is_none_or(|level| skill.invoke_level() <= level)
    }

    /// `modes`, under which nothing else is there.
    pub(super) fn narrow(&self, modes: Modes) -> Modes {
        let modes = if self.tiers.is_empty() { modes } else { modes.functional_tiers(self.tiers.iter().cloned()) };
        self.level.into_iter().fold(modes, Modes::invoke_level)
    }
}

fn label(text: &str) -> Result<FunctionalTier, String> {
    if text.trim().is_empty() {
        Err("expected a label, found nothing".to_owned())
    } else {
        Ok(FunctionalTier::new(text))
    }
}

fn level(text: &str) -> Result<InvokeLevel, String> {
    InvokeLevel::new(text)
        .ok_or_else(|| format!("expected 1, 2 or 3, found `{}`", repertoire::text::terminal_line(text)))
}
