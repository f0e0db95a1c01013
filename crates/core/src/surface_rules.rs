//! Provider and model rules: data, in order, first match wins.

use serde::{Deserialize, Serialize};

use crate::SurfaceMode;

/// A pattern of model names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ModelPattern {
    /// Every model, an unknown one too.
    Any,
    /// A Claude model of at least this version, read from its name.
    ClaudeAtLeast {
        /// Major version.
        major: u16,
        /// Minor version.
        minor: u16,
    },
    /// The test of the seed: `claude-3-5`, `claude-3.5` or `claude-[family-]4` to `9` anywhere in the name.
    SeedClaude,
    /// A name that starts with this text, letter case ignored.
    Prefix(String),
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurfaceRule {
    /// Names the rule in answers.
    pub id: String,
    /// The provider in lower case, or `*` for every one, an unknown one too.
    pub provider: String,
    /// The models.
    pub model: ModelPattern,
    /// The mode that the rule gives.
    pub mode: SurfaceMode,
    /// `true` if blanks around the provider's name are significant, as in the seed's code.
    #[serde(default)]
    pub exact_provider: bool,
}

impl SurfaceRule {
    /// A rule for one provider and some of its models.
    pub fn new(id: &str, provider: &str, model: ModelPattern, mode: SurfaceMode) -> SurfaceRule {
        SurfaceRule { id: id.to_owned(), provider: provider.to_lowercase(), model, mode, exact_provider: false }
    }

    fn matches(&self, provider: Option<&str>, model: Option<&str>) -> bool {
        let normal = |text: &str| if self.exact_provider { text.to_lowercase() } else { text.trim().to_lowercase() };
        (self.provider == "*" || provider.is_some_and(|provider| normal(provider) == self.provider))
            && self.model.matches(model)
    }
}

/// An ordered table of rules.
///
/// [`shipped`](SurfaceRules::shipped) corrects the seed's code where it breaks its own stated threshold
/// (Claude 3.5 and later read both surfaces well); [`seed_compat`](SurfaceRules::seed_compat) is that code as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SurfaceRules(Vec<SurfaceRule>);

impl SurfaceRules {
    /// A table of one's own.
    pub fn new(rules: impl IntoIterator<Item = SurfaceRule>) -> SurfaceRules {
        SurfaceRules(rules.into_iter().collect())
    }

    /// The default: Claude 3.5 and later on `anthropic` read both surfaces. Every other model is left to the fallback.
    pub fn shipped() -> SurfaceRules {
        let from_3_5 = ModelPattern::ClaudeAtLeast { major: 3, minor: 5 };
        SurfaceRules::new([SurfaceRule::new("claude-3.5-or-later", "anthropic", from_3_5, SurfaceMode::Both)])
    }

    /// The seed's code, faults included, under the name `seed-compat`.
    pub fn seed_compat() -> SurfaceRules {
        let mut rule = SurfaceRule::new("seed-compat", "anthropic", ModelPattern::SeedClaude, SurfaceMode::Both);
        rule.exact_provider = true;
        SurfaceRules::new([rule])
    }

    /// The same table with `rule` ahead of all others.
    #[must_use]
    pub fn with(mut self, rule: SurfaceRule) -> SurfaceRules {
        self.0.insert(0, rule);
        self
    }

    /// The rules in order.
    pub fn iter(&self) -> impl Iterator<Item = &SurfaceRule> {
        self.0.iter()
    }

    /// The first rule for this provider and model.
    pub fn first_match(&self, provider: Option<&str>, model: Option<&str>) -> Option<&SurfaceRule> {
        self.0.iter().find(|rule| rule.matches(provider, model))
    }
}

impl Default for SurfaceRules {
    fn default() -> SurfaceRules {
        SurfaceRules::shipped()
    }
}

impl ModelPattern {
    fn matches(&self, model: Option<&str>) -> bool {
        let model = model.map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty());
        match (self, model) {
            (ModelPattern::Any, _) => true,
            (_, None) => false,
            (ModelPattern::ClaudeAtLeast { major, minor }, Some(name)) => {
                claude_version(&name).is_some_and(|version| version >= (*major, *minor))
            }
            (ModelPattern::SeedClaude, Some(name)) => seed_claude(&name),
            (ModelPattern::Prefix(prefix), Some(name)) => name.starts_with(&prefix.to_lowercase()),
        }
    }
}

fn claude_version(name: &str) -> Option<(u16, u16)> {
    let name = name.strip_prefix("anthropic/").unwrap_or(name);
    let name = match name.split_once("anthropic.") {
        Some(("", rest)) => rest,
        Some((region, rest)) if region.ends_with('.') && region.matches('.').count() == 1 => rest,
        _ => name,
    };
    let rest = name.strip_prefix("claude-")?;
    let family = rest.bytes().take_while(u8::is_ascii_lowercase).count();
    let rest = match family {
        0 => rest,
        letters => rest[letters..].strip_prefix('-')?,
    };
    let (major, rest) = version_number(rest)?;
    if let Some((minor, rest)) = rest.strip_prefix(['-', '.']).and_then(version_number)
        && ends_number(rest)
    {
        return Some((major, minor));
    }
    // `3-sonnet` and `3-20240229` have no minor; `3.x` would.
    ends_number(rest).then_some((major, 0))
}

fn version_number(text: &str) -> Option<(u16, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    Some((text[..digits].parse().ok()?, &text[digits..]))
}

fn ends_number(rest: &str) -> bool {
    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.')
}

fn seed_claude(name: &str) -> bool {
    let later = |rest: &str| {
        let rest = ["opus-", "sonnet-", "haiku-"].iter().find_map(|family| rest.strip_prefix(family)).unwrap_or(rest);
        rest.starts_with(|c| matches!(c, '4'..='9'))
    };
    name.contains("claude-3-5")
        || name.contains("claude-3.5")
        || name.match_indices("claude-").any(|(at, found)| later(&name[at + found.len()..]))
}
