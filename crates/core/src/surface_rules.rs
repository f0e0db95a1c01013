//! Rules that choose a surface by provider and model.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Model, SurfaceMode};

/// A pattern of model names, in any letter case.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ModelPattern {
    /// Every model, an unknown one too.
    #[default]
    Any,
    /// A Claude model of at least this version, read from its name.
    ClaudeAtLeast {
        /// Major version.
        major: u16,
        /// Minor version.
        minor: u16,
    },
    /// A name that starts with this text, as the maker or the provider writes it.
    Prefix(String),
    /// A test of the host's own. See [`custom`](ModelPattern::custom).
    #[serde(skip)]
    Custom(ModelTest),
}

/// A host's own test of a [`Model`], in [`ModelPattern::Custom`].
#[derive(Clone)]
pub struct ModelTest(Arc<dyn Fn(&Model) -> bool + Send + Sync>);

/// One rule: a provider, a pattern of models, and the mode for them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SurfaceRule {
    /// The name of the rule in answers.
    pub id: String,
    /// The provider or the [maker](Model::maker), in lower case; `*` for every one, an unknown one too.
    pub provider: String,
    /// The models.
    pub model: ModelPattern,
    /// The mode of skills for these models.
    pub mode: SurfaceMode,
}

impl SurfaceRule {
    /// Creates a rule for every model of every provider.
    pub fn new(id: impl Into<String>, mode: SurfaceMode) -> SurfaceRule {
        SurfaceRule {
            id: id.into(),
            provider: "*".to_owned(),
            model: ModelPattern::Any,
            mode,
        }
    }

    /// Limits the rule to a provider, or to a maker whose models others resell.
    #[must_use]
    pub fn provider(self, provider: &str) -> SurfaceRule {
        SurfaceRule {
            provider: provider.trim().to_lowercase(),
            ..self
        }
    }

    /// Limits the rule to some models.
    #[must_use]
    pub fn model(self, model: ModelPattern) -> SurfaceRule {
        SurfaceRule { model, ..self }
    }

    fn matches(&self, model: &Model) -> bool {
        let is_provider = self.provider == "*"
            || model
                .provider()
                .is_some_and(|provider| provider.to_lowercase() == self.provider)
            || model.maker() == Some(&self.provider);
        is_provider && self.model.matches(model)
    }
}

/// An ordered table of rules: the first match decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceRules(Vec<SurfaceRule>);

impl SurfaceRules {
    /// Creates a table of these rules alone.
    pub fn new(rules: impl IntoIterator<Item = SurfaceRule>) -> SurfaceRules {
        SurfaceRules(rules.into_iter().collect())
    }

    /// Creates the default table: Claude 3.5 and later, of Anthropic or resold, read both surfaces.
    pub fn shipped() -> SurfaceRules {
        let from_3_5 = ModelPattern::ClaudeAtLeast { major: 3, minor: 5 };
        SurfaceRules::new([SurfaceRule::new("claude-3.5-or-later", SurfaceMode::Both)
            .provider("anthropic")
            .model(from_3_5)])
    }

    /// Adds `rule` before all others.
    #[must_use]
    pub fn with(mut self, rule: SurfaceRule) -> SurfaceRules {
        self.0.insert(0, rule);
        self
    }

    pub(crate) fn first_match(&self, model: &Model) -> Option<&SurfaceRule> {
        self.0.iter().find(|rule| rule.matches(model))
    }
}

impl Default for SurfaceRules {
    fn default() -> SurfaceRules {
        SurfaceRules::shipped()
    }
}

impl ModelPattern {
    /// Creates a pattern that matches the models for which `test` returns `true`. The model has the provider of the hint if it
    /// names none.
    ///
    /// ```
    /// use repertoire_core::{Model, ModelPattern, SurfaceMode, SurfacePolicy, SurfaceRule, SurfaceRules};
    ///
    /// let coders = ModelPattern::custom(|model| model.base_name().is_some_and(|name| name.ends_with("-coder")));
    /// let mut policy = SurfacePolicy::default();
    /// policy.rules = SurfaceRules::shipped().with(SurfaceRule::new("coders", SurfaceMode::SystemPrompt).model(coders));
    /// let surface = policy.resolve(None, &Model::from("openrouter/qwen/qwen3-coder"));
    /// assert_eq!(surface.decided_by.to_string(), "rule coders");
    /// ```
    pub fn custom(test: impl Fn(&Model) -> bool + Send + Sync + 'static) -> ModelPattern {
        ModelPattern::Custom(ModelTest(Arc::new(test)))
    }

    fn matches(&self, model: &Model) -> bool {
        match self {
            ModelPattern::Any => true,
            ModelPattern::ClaudeAtLeast { major, minor } => model
                .base_name()
                .and_then(|name| claude_version(&name.to_lowercase()))
                .is_some_and(|version| version >= (*major, *minor)),
            ModelPattern::Prefix(prefix) => {
                let prefix = prefix.to_lowercase();
                let names = [model.name(), model.base_name()];
                names
                    .into_iter()
                    .flatten()
                    .any(|name| name.to_lowercase().starts_with(&prefix))
            }
            ModelPattern::Custom(ModelTest(test)) => test(model),
        }
    }
}

/// Compares by identity.
impl PartialEq for ModelTest {
    fn eq(&self, other: &ModelTest) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ModelTest {}

impl fmt::Debug for ModelTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ModelTest")
    }
}

fn claude_version(name: &str) -> Option<(u16, u16)> {
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
