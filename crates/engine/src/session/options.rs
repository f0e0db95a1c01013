//! Options of a session.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use repertoire_core::{Flavor, Id, Injection, Model, Skill, SurfaceMode, SurfacePolicy, Trigger};
use serde::{Deserialize, Serialize};

use super::messages::MessageRules;
use super::turn::{Template, Turn};
use crate::catalog::Tokenizer;
use crate::error::EngineError;
use repertoire_permission::SkillTools;

/// The options of a session: the surface cascade, the host's injections and rules, and limits.
///
/// ```
/// use repertoire_core::{Content, Flavor, Injection, SurfacePolicy, Trigger};
/// use repertoire_engine::session::SessionOptions;
///
/// let wrap_up = Injection::new(
///     "wrap-up".parse()?,
///     Flavor::Instructions,
///     Trigger::Rule("almost-done".into()),
///     "Ends in time.",
///     Content::system_prompt("Come to an end."),
/// )?;
/// // A registry's own cascade is `registry.surface_policy()`.
/// let options = SessionOptions::new(SurfacePolicy::default())
///     .rule("almost-done", |turn| turn.remaining() == Some(1))
///     .inject(wrap_up)?;
/// # let _ = options;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SessionOptions {
    pub(super) surfaces: SurfacePolicy,
    pub(super) injections: Vec<Arc<Host>>,
    pub(super) rules: BTreeMap<Arc<str>, Rule>,
    pub(super) providers: BTreeMap<String, MessageRules>,
    pub(super) lifetime: Lifetime,
    pub(super) bodies: BodyPlacement,
    pub(super) refresh: RefreshPolicy,
    pub(super) survival: CompactionBudget,
    pub(super) most_skills: usize,
    pub(super) most_tokens: usize,
    pub(super) tokenizer: Tokenizer,
    pub(super) own_tools: Option<SkillTools>,
}

pub(super) type Rule = Arc<dyn Fn(&Turn) -> bool + Send + Sync>;

#[derive(Debug)]
pub(super) struct Host {
    pub(super) injection: Injection,
    pub(super) tool: Option<Regex>,
    pub(super) surface: Option<SurfaceMode>,
    pub(super) template: Option<Template>,
    /// Whether it is of one turn, and not of the session.
    pub(super) is_of_turn: bool,
}

/// The lifetime of an activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Lifetime {
    /// Until the user's next message.
    Message,
    /// Until it is ended.
    #[default]
    Conversation,
}

/// The place of bodies that are not delivered as a tool result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BodyPlacement {
    /// In the system prompt.
    #[default]
    SystemPrompt,
    /// In one message before the user's last one, rebuilt for each call, so that everything before it stays the same bytes for
    /// prompt caches.
    Buffer,
}

/// When a body is delivered again that is far back in the conversation. At most [`CompactionBudget`] tokens are delivered again, never in
/// the call that delivers it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RefreshPolicy {
    /// Never.
    #[default]
    Never,
    /// When the conversation has grown by so many tokens behind it.
    AfterTokens(usize),
    /// When so many model calls have had it.
    AfterTurns(usize),
}

/// The token budget for delivering bodies again after compaction. The most recently used skills come first.
///
/// ```
/// use repertoire_engine::session::CompactionBudget;
///
/// let budget = CompactionBudget::new(2_000, 8_000);
/// assert_eq!((budget.per_skill, budget.total), (2_000, 8_000));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct CompactionBudget {
    /// Tokens of one skill. A longer body is truncated, with a hint for reading the rest.
    pub per_skill: usize,
    /// Tokens of all.
    pub total: usize,
}

impl Default for CompactionBudget {
    fn default() -> CompactionBudget {
        CompactionBudget {
            per_skill: 5_000,
            total: 25_000,
        }
    }
}

impl CompactionBudget {
    /// Creates a budget of tokens for each skill, and for all together.
    pub fn new(per_skill: usize, total: usize) -> CompactionBudget {
        CompactionBudget { per_skill, total }
    }
}

impl SessionOptions {
    /// Creates options in which bodies go where `surfaces` says. Triggers activate at most 6 skills of 25,000 tokens for one
    /// message.
    pub fn new(surfaces: SurfacePolicy) -> SessionOptions {
        SessionOptions {
            surfaces,
            injections: Vec::new(),
            rules: BTreeMap::new(),
            providers: BTreeMap::new(),
            lifetime: Lifetime::default(),
            bodies: BodyPlacement::default(),
            refresh: RefreshPolicy::default(),
            survival: CompactionBudget::default(),
            most_skills: 6,
            most_tokens: 25_000,
            tokenizer: Tokenizer::default(),
            own_tools: None,
        }
    }

    /// Adds an injection of the host. They are placed in the order in which they are added. For content that changes during the
    /// conversation, use [`Turn::inject`].
    ///
    /// # Errors
    /// [`EngineError::InvalidInjection`] for a second one of the same flavor and id, and for a trigger that is not a regular
    /// expression.
    pub fn inject(self, injection: Injection) -> Result<SessionOptions, EngineError> {
        self.add(injection, None)
    }

    /// Adds an injection of the host, with facts of the turn in its text for the system prompt: `{{action}}`, `{{actionBudget}}` and
    /// `{{actionsRemaining}}`. If the turn does not have one of them, the injection is skipped.
    ///
    /// ```
    /// use repertoire_core::{Content, Flavor, Injection, SurfacePolicy, Trigger};
    /// use repertoire_engine::session::SessionOptions;
    ///
    /// let text = Content::system_prompt("This is call {{action}} of {{ actionBudget }}.");
    /// let left = Injection::new("calls-left".parse()?, Flavor::Instructions, Trigger::Always, "Counts calls.", text)?;
    /// let options = SessionOptions::new(SurfacePolicy::default()).inject_template(left)?;
    /// # let _ = options;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`inject`](SessionOptions::inject), and for an unknown name between double braces, for messages, and without a text.
    pub fn inject_template(self, injection: Injection) -> Result<SessionOptions, EngineError> {
        let text = injection
            .content
            .system_prompt
            .as_deref()
            .filter(|_| injection.content.messages.is_empty());
        let text = text.ok_or_else(|| {
            invalid(
                &injection,
                "a template is a text for the system prompt, without messages",
            )
        })?;
        let template = Template::parse(text).map_err(|name| {
            let name = repertoire_core::text::terminal_line(name);
            let expected = "expected `action`, `actionBudget` or `actionsRemaining`";
            invalid(
                &injection,
                format!("its text has the unknown name `{name}`: {expected}"),
            )
        })?;
        self.add(injection, Some(template))
    }

    fn add(
        mut self,
        injection: Injection,
        template: Option<Template>,
    ) -> Result<SessionOptions, EngineError> {
        if self
            .injections
            .iter()
            .any(|host| host.is(&injection.flavor, &injection.id))
        {
            return Err(invalid(
                &injection,
                "the session has one of its flavor and id",
            ));
        }
        let host = Host::new(injection.clone()).map_err(|why| invalid(&injection, why))?;
        self.injections.push(Arc::new(Host { template, ..host }));
        Ok(self)
    }

    /// Defines the rule of this name for `Trigger::Rule`. It may depend on the turn alone. A rule that panics does not hold, and the
    /// evaluation has a notice.
    #[must_use]
    pub fn rule(
        mut self,
        name: &str,
        holds: impl Fn(&Turn) -> bool + Send + Sync + 'static,
    ) -> SessionOptions {
        self.rules.insert(name.into(), Arc::new(holds));
        self
    }

    /// Sets the message rules of a provider, in place of [`MessageRules::of_provider`].
    #[must_use]
    pub fn message_rules(mut self, provider: &str, rules: MessageRules) -> SessionOptions {
        self.providers.insert(provider.trim().to_lowercase(), rules);
        self
    }

    /// The lifetime of an activation.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Lifetime) -> SessionOptions {
        self.lifetime = lifetime;
        self
    }

    /// The place of bodies that are not delivered as a tool result.
    #[must_use]
    pub fn bodies(mut self, bodies: BodyPlacement) -> SessionOptions {
        self.bodies = bodies;
        self
    }

    /// Sets when a body is delivered again.
    #[must_use]
    pub fn refresh(mut self, refresh: RefreshPolicy) -> SessionOptions {
        self.refresh = refresh;
        self
    }

    /// Sets the budget for delivering bodies again.
    #[must_use]
    pub fn survival(mut self, survival: CompactionBudget) -> SessionOptions {
        self.survival = survival;
        self
    }

    /// Sets the limits of automatic activation for one message: the number of skills and their tokens.
    #[must_use]
    pub fn triggered_at_most(mut self, skills: usize, tokens: usize) -> SessionOptions {
        (self.most_skills, self.most_tokens) = (skills, tokens);
        self
    }

    /// Sets the tokenizer.
    #[must_use]
    pub fn tokenizer(mut self, tokenizer: Tokenizer) -> SessionOptions {
        self.tokenizer = tokenizer;
        self
    }

    /// Sets the tools of the host and of its skills. [`compose`](super::Session::compose) offers those that are there now, and
    /// [`decision`](super::Session::decision) decides about calls.
    #[must_use]
    pub fn tools(mut self, tools: SkillTools) -> SessionOptions {
        self.own_tools = Some(tools);
        self
    }

    pub(super) fn provider<'a>(&'a self, model: &'a Model) -> Option<&'a str> {
        model.provider().or(self.surfaces.hint.as_deref())
    }

    pub(super) fn rules_of(&self, model: &Model) -> MessageRules {
        let provider = self.provider(model);
        let name = provider.unwrap_or_default().trim().to_lowercase();
        self.providers
            .get(&name)
            .copied()
            .unwrap_or_else(|| MessageRules::of_provider(&name))
    }
}

impl Host {
    /// Creates an injection without a template, or returns the reason why its trigger is not valid.
    pub(super) fn new(injection: Injection) -> Result<Host, String> {
        let tool =
            match &injection.trigger {
                Trigger::AfterToolMatching(pattern) => {
                    let regex = RegexBuilder::new(&format!("^(?:{pattern})"))
                        .size_limit(1 << 18)
                        .build();
                    Some(regex.map_err(|error| {
                        format!("its trigger is not a regular expression: {error}")
                    })?)
                }
                _ => None,
            };
        let surface = Skill::try_from(injection.clone())
            .ok()
            .and_then(|skill| skill.surface);
        Ok(Host {
            injection,
            tool,
            surface,
            template: None,
            is_of_turn: false,
        })
    }

    pub(super) fn is(&self, flavor: &Flavor, id: &Id) -> bool {
        self.injection.id == *id && self.injection.flavor == *flavor
    }
}

fn invalid(injection: &Injection, why: impl Into<String>) -> EngineError {
    EngineError::InvalidInjection {
        id: injection.id.clone(),
        flavor: injection.flavor.clone(),
        why: why.into(),
    }
}

impl fmt::Debug for SessionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionOptions")
            .field("surfaces", &self.surfaces)
            .field("injections", &self.injections)
            .field("rules", &self.rules.keys())
            .field("lifetime", &self.lifetime)
            .field("bodies", &self.bodies)
            .field("refresh", &self.refresh)
            .field("survival", &self.survival)
            .field("own_tools", &self.own_tools)
            .finish_non_exhaustive()
    }
}
