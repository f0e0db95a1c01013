//! How a session works.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use repertoire_core::{Flavor, Id, Injection, Model, Skill, SurfaceMode, SurfacePolicy, Trigger};
use serde::{Deserialize, Serialize};

use super::provider::MessageRules;
use super::turn::Turn;
use crate::Tokenizer;

/// How a session works: the cascade, the host's own injections and rules, limits.
///
/// ```
/// use repertoire_core::{Content, Flavor, Injection, SurfacePolicy, Trigger};
/// use repertoire_engine::SessionOptions;
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
    pub(super) bodies: Bodies,
    pub(super) refresh: Refresh,
    pub(super) survival: Survival,
    pub(super) most_skills: usize,
    pub(super) most_tokens: usize,
    pub(super) tokenizer: Tokenizer,
}

pub(super) type Rule = Arc<dyn Fn(&Turn<'_>) -> bool + Send + Sync>;

/// An injection of the host.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) injection: Injection,
    /// Compiled, where its trigger has one.
    pub(super) tool: Option<Regex>,
    /// The mode that a skill declares.
    pub(super) surface: Option<SurfaceMode>,
}

/// How long an activation holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lifetime {
    /// Until the user's next message.
    Message,
    /// Until it is ended.
    #[default]
    Conversation,
}

/// Where bodies stand that do not come as the result of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bodies {
    /// In the system prompt.
    #[default]
    SystemPrompt,
    /// In one message of the user before what the user said last, made anew for each call: what stands before it stays the
    /// same bytes, for prompt caches. With a [`Lifetime`] of one message this is Cortex's buffer.
    Buffer,
}

/// When a body that came as a tool's result is given again, because it lies far back: as much of it as [`Survival`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refresh {
    /// Never.
    #[default]
    Never,
    /// When the conversation has grown by so many tokens since.
    AfterTokens(usize),
    /// After so many model calls.
    AfterTurns(usize),
}

/// How much of the bodies is given again when a conversation was shortened: the newest skills first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Survival {
    /// Tokens of one skill. What is longer is cut, and says so.
    pub per_skill: usize,
    /// Tokens of all.
    pub total: usize,
}

impl Default for Survival {
    /// 5,000 tokens of each skill and 25,000 of all: what Claude Code keeps when it compacts a conversation.
    fn default() -> Survival {
        Survival { per_skill: 5_000, total: 25_000 }
    }
}

impl Survival {
    /// Tokens of one skill, and of all.
    pub fn new(per_skill: usize, total: usize) -> Survival {
        Survival { per_skill, total }
    }
}

/// Why an injection cannot take part.
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
        /// Why.
        why: String,
    },
}

impl SessionOptions {
    /// Bodies go where `surfaces` says; activations hold for the conversation; nothing is refreshed. Triggers activate up to 6
    /// skills for one message of the user, as many as Claude Code takes from one, of up to 25,000 tokens, as many as
    /// [`Survival`] keeps.
    pub fn new(surfaces: SurfacePolicy) -> SessionOptions {
        SessionOptions {
            surfaces,
            injections: Vec::new(),
            rules: BTreeMap::new(),
            providers: BTreeMap::new(),
            lifetime: Lifetime::default(),
            bodies: Bodies::default(),
            refresh: Refresh::default(),
            survival: Survival::default(),
            most_skills: 6,
            most_tokens: 25_000,
            tokenizer: Tokenizer::default(),
        }
    }

    /// One more injection of the host. They are placed in the order in which they are given.
    ///
    /// # Errors
    /// [`InvalidSession`] for an id that another one of its flavor has, and for a trigger that is no regular expression.
    pub fn inject(mut self, injection: Injection) -> Result<SessionOptions, InvalidSession> {
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
        self.injections.push(Arc::new(Host { injection, tool, surface }));
        Ok(self)
    }

    /// What `Trigger::Rule` of this name asks. It shall look at nothing but the turn, so that the same turn is evaluated alike;
    /// one that panics does not hold, and the evaluation says so.
    #[must_use]
    pub fn rule(mut self, name: &str, holds: impl Fn(&Turn<'_>) -> bool + Send + Sync + 'static) -> SessionOptions {
        self.rules.insert(name.into(), Arc::new(holds));
        self
    }

    /// What a provider takes as messages, instead of what [`MessageRules::of`] says.
    #[must_use]
    pub fn message_rules(mut self, provider: &str, rules: MessageRules) -> SessionOptions {
        self.providers.insert(provider.trim().to_lowercase(), rules);
        self
    }

    /// How long an activation holds.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Lifetime) -> SessionOptions {
        self.lifetime = lifetime;
        self
    }

    /// Where bodies stand that do not come as the result of a tool.
    #[must_use]
    pub fn bodies(mut self, bodies: Bodies) -> SessionOptions {
        self.bodies = bodies;
        self
    }

    /// When a body that came as a tool's result is given again.
    #[must_use]
    pub fn refresh(mut self, refresh: Refresh) -> SessionOptions {
        self.refresh = refresh;
        self
    }

    /// How much is given again when something has to be.
    #[must_use]
    pub fn survival(mut self, survival: Survival) -> SessionOptions {
        self.survival = survival;
        self
    }

    /// How many skills triggers activate for one message of the user, and of how many tokens together.
    #[must_use]
    pub fn triggered_at_most(mut self, skills: usize, tokens: usize) -> SessionOptions {
        (self.most_skills, self.most_tokens) = (skills, tokens);
        self
    }

    /// What counts tokens.
    #[must_use]
    pub fn tokenizer(mut self, tokenizer: Tokenizer) -> SessionOptions {
        self.tokenizer = tokenizer;
        self
    }

    pub(super) fn host(&self, flavor: &Flavor, id: &Id) -> Option<&Arc<Host>> {
        self.injections.iter().find(|host| host.injection.id == *id && host.injection.flavor == *flavor)
    }

    /// The provider of `model`, as the cascade takes it.
    pub(super) fn provider<'a>(&'a self, model: &Model<'a>) -> Option<&'a str> {
        model.provider.filter(|provider| !provider.trim().is_empty()).or(self.surfaces.hint.as_deref())
    }

    pub(super) fn rules_of(&self, model: &Model<'_>) -> MessageRules {
        let provider = self.provider(model);
        let name = provider.unwrap_or_default().trim().to_lowercase();
        self.providers.get(&name).copied().unwrap_or_else(|| MessageRules::of(provider))
    }
}

/// `pattern`, held against a name from its start on. Without state: the same name always matches alike.
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
