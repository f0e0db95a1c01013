//! The cascade that decides where a skill's body is placed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Model, SurfaceMode, SurfaceRules};

/// The step of the cascade that decided.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DecidedBy {
    /// The skill's own metadata.
    Skill,
    /// The registry's default.
    Registry,
    /// The rule with this id.
    Rule(String),
    /// No step. The fallback is tool-only.
    Fallback,
}

impl fmt::Display for DecidedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecidedBy::Skill => f.write_str("skill"),
            DecidedBy::Registry => f.write_str("registry"),
            DecidedBy::Rule(id) => write!(f, "rule {id}"),
            DecidedBy::Fallback => f.write_str("fallback"),
        }
    }
}

/// A resolved mode. Delivery takes this and nothing else, so that no declared mode bypasses the cascade.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Surface {
    /// The place of the body.
    pub mode: SurfaceMode,
    /// The step of the cascade that decided.
    pub decided_by: DecidedBy,
}

/// The part of a registry in the cascade: a default, a provider hint, a table of rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SurfacePolicy {
    /// The registry's default mode.
    pub default: Option<SurfaceMode>,
    /// The provider to assume when a call names none.
    pub hint: Option<String>,
    /// The provider and model rules. Default: [`SurfaceRules::shipped`].
    pub rules: SurfaceRules,
}

impl SurfacePolicy {
    /// Resolves the mode of a skill that declares `declared`, for `model`.
    ///
    /// 1. the skill's own mode;
    /// 2. the registry's default;
    /// 3. the first rule that matches the provider (the argument, else the hint; blank is absent) and the model;
    /// 4. tool-only.
    pub fn resolve(&self, declared: Option<SurfaceMode>, model: &Model) -> Surface {
        let (mode, decided_by) = if let Some(mode) = declared {
            (mode, DecidedBy::Skill)
        } else if let Some(mode) = self.default {
            (mode, DecidedBy::Registry)
        } else if let Some(rule) = self
            .rules
            .first_match(&model.or_provider(self.hint.as_deref()))
        {
            (rule.mode, DecidedBy::Rule(rule.id.clone()))
        } else {
            (SurfaceMode::ToolOnly, DecidedBy::Fallback)
        };
        Surface { mode, decided_by }
    }
}

#[cfg(test)]
mod tests;
