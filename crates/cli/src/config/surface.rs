//! `[surface]`: what the cascade adds to what skills declare.

use repertoire::{ConfigError, ModelPattern, SurfaceMode, SurfacePolicy, SurfaceRule, SurfaceRules};
use serde::Deserialize;

use super::Section;
use crate::failure::Failure;

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Surface {
    mode: String,
    hint: Option<String>,
    table: Shipped,
    rules: Vec<Rule>,
}

impl Default for Surface {
    fn default() -> Surface {
        Surface { mode: "auto".to_owned(), hint: None, table: Shipped::Corrected, rules: Vec::new() }
    }
}

/// The table of rules behind one's own.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Shipped {
    #[serde(rename = "shipped")]
    Corrected,
    SeedCompat,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    id: String,
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
