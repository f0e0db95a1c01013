//! `[surface]`: what the cascade adds to what skills declare.

use repertoire::{ConfigError, ModelPattern, SurfaceMode, SurfacePolicy, SurfaceRule, SurfaceRules};
use serde::Deserialize;

use super::Section;
use crate::failure::Failure;

/// What the cascade adds to what skills declare.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub(super) struct Surface {
    /// For skills that declare none.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["system-prompt", "tool-only", "both", "auto"])))]
    mode: String,
    /// The provider, where the model names none.
    hint: Option<String>,
    /// The rules behind the own ones.
    table: Shipped,
    /// The first that matches decides.
    rules: Vec<Rule>,
}

impl Default for Surface {
    fn default() -> Surface {
        Surface { mode: "auto".to_owned(), hint: None, table: Shipped::Corrected, rules: Vec::new() }
    }
}

/// A table of rules.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema, serde::Serialize))]
#[serde(rename_all = "kebab-case")]
enum Shipped {
    /// Claude 3.5 and later read both surfaces.
    #[serde(rename = "shipped")]
    Corrected,
    /// The seed's code, faults included.
    SeedCompat,
}

/// A rule of one's own.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Names the rule in answers.
    id: String,
    /// In lower case; `*` for every one.
    #[serde(default = "every")]
    provider: String,
    #[serde(default = "any")]
    model: ModelPattern,
    mode: SurfaceMode,
}

fn every() -> String {
    "*".to_owned()
}

fn any() -> ModelPattern {
    ModelPattern::Any
}

/// Reads the section.
pub(super) fn read(section: &Section<'_>) -> Result<SurfacePolicy, Failure> {
    let surface: Surface = section.typed(section.values.clone())?;
    let mut policy = SurfacePolicy::default();
    policy.default = SurfaceMode::declared(&surface.mode)
        .map_err(|error| section.refuse(&ConfigError::in_option("mode", error.to_string())))?;
    policy.hint = surface.hint;
    let shipped = match surface.table {
        Shipped::Corrected => SurfaceRules::shipped(),
        Shipped::SeedCompat => SurfaceRules::seed_compat(),
    };
    // From the last to the first, as each goes ahead of those that are there.
    policy.rules = surface
        .rules
        .into_iter()
        .rev()
        .fold(shipped, |rules, rule| rules.with(SurfaceRule::new(&rule.id, &rule.provider, rule.model, rule.mode)));
    Ok(policy)
}
