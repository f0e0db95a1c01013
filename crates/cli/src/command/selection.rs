//! Options that select skills, and how they are offered to a model.

use clap::Args;
use repertoire::Skill;
use repertoire::permission::{Exposure, VisibilityPolicy};
use repertoire::registry::Target;
use repertoire::skill::text::terminal_line;
use repertoire::skill::{FunctionalTier, InvokeLevel};

/// Options that select skills by their labels.
#[derive(Debug, Args)]
pub(crate) struct LabelOptions {
    /// Only skills with this label (repeat to match any): `pm-orchestration`, `task-roadmap`, `gsd-execution`, `audit-proof`,
    /// `infrastructure`, `integration`, or a custom label.
    #[arg(long = "functional-tier", value_name = "LABEL", value_parser = label)]
    tiers: Vec<FunctionalTier>,
    /// Only skills that an agent of this level may invoke (1 = any agent, 2 = executor, 3 = top level).
    #[arg(long = "invoke-level", value_name = "LEVEL", value_parser = level)]
    level: Option<InvokeLevel>,
}

/// Options that set how skills are offered to a model.
#[derive(Debug, Args)]
pub(crate) struct ExposureOptions {
    /// Offer the skills that TARGET matches as `pinned`, `auto`, `name-only`, `manual-only` or `off`. The most specific target wins:
    /// `source:name`, `name`, `source:*`, `*`.
    #[arg(long = "mode", value_name = "TARGET=MODE", value_parser = rule)]
    rules: Vec<(Target, Exposure)>,
    /// Name of the running workflow. Without it, skills with the field `allowedWorkflows` are hidden.
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    #[command(flatten)]
    pub(super) labels: LabelOptions,
}

impl LabelOptions {
    pub(super) fn is_given(&self) -> bool {
        !self.tiers.is_empty() || self.level.is_some()
    }

    pub(super) fn match_skill(&self, skill: &Skill) -> bool {
        (self.tiers.is_empty() || skill.has_functional_tier(&self.tiers))
            && self.level.is_none_or(|level| skill.invoke_level() <= level)
    }
}

impl ExposureOptions {
    pub(crate) fn modes(&self) -> VisibilityPolicy {
        let LabelOptions { tiers, level } = &self.labels;
        let mut modes = VisibilityPolicy::default();
        if !tiers.is_empty() {
            modes = modes.functional_tiers(tiers.iter().cloned());
        }
        if let Some(level) = level {
            modes = modes.invoke_level(*level);
        }
        if let Some(workflow) = &self.workflow {
            modes = modes.in_workflow(workflow.as_str());
        }
        self.rules.iter().fold(modes, |modes, (target, mode)| {
            modes.with(target.clone(), *mode)
        })
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
        .ok_or_else(|| format!("expected 1, 2 or 3, found `{}`", terminal_line(text)))
}

fn rule(text: &str) -> Result<(Target, Exposure), String> {
    let (target, mode) = text.rsplit_once('=').ok_or("expected `TARGET=MODE`")?;
    let target = target
        .parse()
        .map_err(|error: repertoire::skill::InvalidValue| error.to_string())?;
    Ok((
        target,
        mode.parse()
            .map_err(|error: repertoire::permission::PermissionError| error.to_string())?,
    ))
}
