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
}

pub(super) type Rule = Arc<dyn Fn(&Turn<'_>) -> bool + Send + Sync>;

#[derive(Debug)]
pub(super) struct Host {
    pub(super) injection: Injection,
    pub(super) tool: Option<Regex>,
    pub(super) surface: Option<SurfaceMode>,
    pub(super) template: Option<Template>,
}

/// The lifetime of an activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct CompactionBudget {
    /// Tokens of one skill. What is longer is cut, and says so.
    pub per_skill: usize,
    /// Tokens of all.
    pub total: usize,
}

impl Default for CompactionBudget {
    fn default() -> CompactionBudget {
        CompactionBudget { per_skill: 5_000, total: 25_000 }
    }
}

impl CompactionBudget {
    /// Tokens of one skill, and of all.
    pub fn new(per_skill: usize, total: usize) -> CompactionBudget {
        CompactionBudget { per_skill, total }
    }
}

/// The error returned when an injection cannot take part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSession {
    /// Another one of its flavor has its id.
    #[error("{flavor} `{id}` is there already; give each injection an id of its own")]
    Duplicate {
        /// The injection.
        id: Id,
        /// Its flavor.
        flavor: Flavor,
    },
    /// Its trigger holds an expression that cannot be compiled.
    #[error("the trigger of {flavor} `{id}` is no regular expression: {why}")]
    Pattern {
        /// The injection.
        id: Id,
        /// Its flavor.
        flavor: Flavor,
        /// The reason.
        why: String,
    },
    /// A template asks for what there is not.
    #[error("the text of {flavor} `{id}` asks for `{name}`: expected `action`, `actionBudget` or `actionsRemaining`")]
    UnknownFact {
        /// The injection.
        id: Id,
        /// Its flavor.
        flavor: Flavor,
        /// The name.
        name: String,
    },
    /// A template is a text for the system prompt, and no message.
    #[error("{flavor} `{id}` is no template: expected a text for the system prompt and no messages")]
    NoTemplate {
        /// The injection.
        id: Id,
        /// Its flavor.
        flavor: Flavor,
    },
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
        }
    }

    /// Adds an injection of the host. They are placed in the order in which they are added.
    ///
    /// # Errors
    /// [`InvalidSession`] for an id that another one of its flavor has, and for a trigger that is no regular expression.
    pub fn inject(self, injection: Injection) -> Result<SessionOptions, InvalidSession> {
        self.add(injection, None)
    }

    /// One more injection of the host, whose text for the system prompt has facts of the turn in it: `{{action}}`,
    /// `{{actionBudget}}` and `{{actionsRemaining}}`, blanks inside the braces or not. Where the turn does not tell one that the
    /// text asks for, the injection is [skipped](crate::session::SkipReason::UnknownFact), never given with a gap.
    ///
    /// ```
    /// use repertoire_core::{Content, Flavor, Injection, SurfacePolicy, Trigger};
    /// use repertoire_engine::session::SessionOptions;
    ///
    /// let text = Content::system_prompt("This is call {{action}} of {{ actionBudget }}.");
    /// let left = Injection::new("calls-left".parse()?, Flavor::Instructions, Trigger::Always, "Tells how many.", text)?;
    /// let options = SessionOptions::new(SurfacePolicy::default()).inject_template(left)?;
    /// # let _ = options;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`inject`](SessionOptions::inject); and [`InvalidSession`] for another name between double braces, and for an injection
    /// with messages or without such a text.
    pub fn inject_template(self, injection: Injection) -> Result<SessionOptions, InvalidSession> {
        let (id, flavor) = (&injection.id, &injection.flavor);
        let text = injection.content.system_prompt.as_deref().filter(|_| injection.content.messages.is_empty());
        let text = text.ok_or_else(|| InvalidSession::NoTemplate { id: id.clone(), flavor: flavor.clone() })?;
        let template = Template::read(text).map_err(|name| {
            let name = repertoire_core::text::terminal_line(name).into_owned();
            InvalidSession::UnknownFact { id: id.clone(), flavor: flavor.clone(), name }
        })?;
        self.add(injection, Some(template))
    }

    fn add(mut self, injection: Injection, template: Option<Template>) -> Result<SessionOptions, InvalidSession> {
        let (id, flavor) = (&injection.id, &injection.flavor);
        if self.host(flavor, id).is_some() {
            return Err(InvalidSession::Duplicate { id: id.clone(), flavor: flavor.clone() });
        }
        let tool =
            match &injection.trigger {
                Trigger::AfterToolMatching(pattern) => Some(anchored(pattern).map_err(|why| {
                    InvalidSession::Pattern { id: id.clone(), flavor: flavor.clone(), why: why.to_string() }
                })?),
                _ => None,
            };
        let surface = Skill::try_from(injection.clone()).ok().and_then(|skill| skill.surface);
        self.injections.push(Arc::new(Host { injection, tool, surface, template }));
        Ok(self)
    }

    /// Defines the rule of this name for `Trigger::Rule`. It may depend on the turn alone. A rule that panics does not hold, and the
    /// evaluation reports it.
    #[must_use]
    pub fn rule(mut self, name: &str, holds: impl Fn(&Turn<'_>) -> bool + Send + Sync + 'static) -> SessionOptions {
        self.rules.insert(name.into(), Arc::new(holds));
        self
    }

    /// Sets the message rules of a provider, instead of [`MessageRules::of`].
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

    pub(super) fn host(&self, flavor: &Flavor, id: &Id) -> Option<&Arc<Host>> {
        self.injections.iter().find(|host| host.injection.id == *id && host.injection.flavor == *flavor)
    }

    pub(super) fn provider<'a>(&'a self, model: &'a Model) -> Option<&'a str> {
        model.provider().or(self.surfaces.hint.as_deref())
    }

    pub(super) fn rules_of(&self, model: &Model) -> MessageRules {
        let provider = self.provider(model);
        let name = provider.unwrap_or_default().trim().to_lowercase();
        self.providers.get(&name).copied().unwrap_or_else(|| MessageRules::of(provider))
    }
}

fn anchored(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&format!("^(?:{pattern})")).size_limit(1 << 18).build()
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
            .finish_non_exhaustive()
    }
}
