//! The operator's rules about the tools of one server.

use std::sync::Arc;

use repertoire_core::text::has_parts;
use repertoire_core::{Skill, Trust};
use repertoire_registry::{Candidate, Target};
use serde::{Deserialize, Serialize};

/// The condition under which clients are offered the tools of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ToolOffer {
    /// While a skill is active that needs them.
    #[default]
    WithASkill,
    /// From the start of a session.
    Always,
    /// Never.
    Never,
}

/// The operator's rules about the tools of one server. In patterns, `*` is any text.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ToolRules {
    #[serde(rename = "tools")]
    pub(crate) offer: ToolOffer,
    /// Empty if everything is allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allow: Vec<Wildcard>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deny: Vec<Wildcard>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    grant_to: Vec<Target>,
}

impl ToolRules {
    /// Creates rules that allow every tool.
    pub fn new(offer: ToolOffer) -> ToolRules {
        ToolRules {
            offer,
            ..ToolRules::default()
        }
    }

    /// Adds patterns of tools that may be offered. Without one, all may be.
    #[must_use]
    pub fn allow(mut self, patterns: impl IntoIterator<Item = String>) -> ToolRules {
        let patterns = patterns.into_iter();
        self.allow.extend(patterns.map(|text| Wildcard::new(&text)));
        self
    }

    /// Adds patterns of tools that are never offered or called, in any letter case.
    #[must_use]
    pub fn deny(mut self, patterns: impl IntoIterator<Item = String>) -> ToolRules {
        let patterns = patterns.into_iter();
        let lower = patterns.map(|text| Wildcard::new(&text.to_lowercase()));
        self.deny.extend(lower);
        self
    }

    /// Adds skills that bring the tools although their source is not trusted.
    #[must_use]
    pub fn grant_to(mut self, skills: impl IntoIterator<Item = Target>) -> ToolRules {
        self.grant_to.extend(skills);
        self
    }

    /// Returns the rule that refuses every call of `tool`: `deny = "drop_*"`.
    pub fn refusal(&self, tool: &str) -> Option<String> {
        let lower = tool.to_lowercase();
        let pattern = self.deny.iter().find(|pattern| pattern.matches(&lower));
        pattern.map(|pattern| format!("deny = \"{pattern}\""))
    }

    /// Returns the reason why `tool` is offered to no client.
    pub(crate) fn denial(&self, server: &str, tool: &str) -> Option<Arc<str>> {
        if self.offer == ToolOffer::Never {
            return Some(format!("no tool of the server `{server}` is offered").into());
        }
        if let Some(rule) = self.refusal(tool) {
            return Some(format!("the rule `{rule}` of the server `{server}`").into());
        }
        let is_allowed =
            self.allow.is_empty() || self.allow.iter().any(|pattern| pattern.matches(tool));
        (!is_allowed).then(|| format!("the rule `allow` of the server `{server}`").into())
    }

    /// Returns whether `candidate` may bring the tools: its source is trusted and it is not raw, or the operator grants them.
    pub(crate) fn are_granted_to(&self, candidate: &Candidate<Skill>) -> bool {
        self.offer == ToolOffer::Always
            || candidate.trust == Trust::Trusted && !candidate.item.is_raw()
            || candidate.trust != Trust::Pending
                && candidate
                    .targets()
                    .any(|target| self.grant_to.contains(&target))
    }
}

/// A text in which `*` is any text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Wildcard(Arc<str>);

impl Wildcard {
    pub(crate) fn new(text: &str) -> Wildcard {
        Wildcard(text.trim().into())
    }

    pub(crate) fn has_star(&self) -> bool {
        self.0.contains('*')
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        has_parts(text, self.0.split('*'))
    }
}

impl std::fmt::Display for Wildcard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&repertoire_core::text::terminal_line(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text, matches) in [
            ("read", "read", true),
            ("read", "reads", false),
            ("read_*", "read_file", true),
            ("*_file", "read_file", true),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            ("[r]ead", "read", false),
        ] {
            assert_eq!(
                Wildcard::new(pattern).matches(text),
                matches,
                "{pattern} on {text}"
            );
        }
    }
}
