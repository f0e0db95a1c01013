//! Questions to an authorizer, and its answers.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use repertoire_core::{Skill, ToolPolicy};
use repertoire_registry::Candidate;
use serde::Serialize;
use serde_json::Value;

/// An access that an [`Authorizer`](super::Authorizer) decides about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Access<'a> {
    /// Use a tool.
    Tool {
        /// Its name.
        name: &'a str,
        /// The kind of access, [`Capability::TOOL_CALL`] unless the host knows a more specific one.
        capability: Capability,
        /// The arguments of the call; `None` when the tool is only offered.
        arguments: Option<&'a Value>,
    },
    /// See and read a skill. This includes no tool of the same name.
    Skill(&'a Candidate<Skill>),
}

/// A kind of access that permissions are about: one of the constants, or a kind of the host's own.
///
/// ```
/// use repertoire_permission::Capability;
///
/// assert_eq!(Capability::TOOL_CALL.as_str(), "tool_call");
/// assert_eq!(Capability::new("print").as_str(), "print");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Capability(Cow<'static, str>);

impl Capability {
    /// Calling a tool.
    pub const TOOL_CALL: Capability = Capability(Cow::Borrowed("tool_call"));
    /// Seeing and reading a skill.
    pub const SKILL_READ: Capability = Capability(Cow::Borrowed("skill_read"));
    /// Reading what was remembered.
    pub const MEMORY_READ: Capability = Capability(Cow::Borrowed("memory_read"));
    /// Remembering.
    pub const MEMORY_WRITE: Capability = Capability(Cow::Borrowed("memory_write"));
    /// Reaching other machines.
    pub const EXTERNAL_NET: Capability = Capability(Cow::Borrowed("external_net"));
    /// Using data of the user.
    pub const USER_DATA: Capability = Capability(Cow::Borrowed("user_data"));

    /// Creates a capability of the host's own.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Capability {
        Capability(name.into())
    }

    /// Returns the name in policies: `memory_read`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'a> Access<'a> {
    /// Creates the access of offering the tool `name` to a model.
    pub fn offer(name: &'a str) -> Access<'a> {
        Access::Tool {
            name,
            capability: Capability::TOOL_CALL,
            arguments: None,
        }
    }

    /// Creates the access of calling the tool `name` with these arguments.
    pub fn call(name: &'a str, arguments: &'a Value) -> Access<'a> {
        Access::Tool {
            name,
            capability: Capability::TOOL_CALL,
            arguments: Some(arguments),
        }
    }

    /// Returns the kind of access.
    pub fn capability(&self) -> &Capability {
        match self {
            Access::Tool { capability, .. } => capability,
            Access::Skill(_) => const { &Capability::SKILL_READ },
        }
    }
}

/// For the operator: `skill:home:tidy`, `run_query`.
impl fmt::Display for Access<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::Skill(candidate) => write!(f, "skill:{}", candidate.qualified_id()),
            Access::Tool { name, .. } => f.write_str(name),
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A decision about accesses: a [`PermissionPolicy`](super::PermissionPolicy), or the rules of a host.
///
/// # Contract
/// * It never blocks, because it decides about every skill before a catalog is written. An authorizer that depends on a service
///   queries it beforehand, and returns an error if it has no answer.
/// * The result for a skill is cached until the skill changes, and shared by all clones of a
///   [`VisibilityPolicy`](crate::VisibilityPolicy). Tools are checked for each offer, without arguments, and for each call, with them.
/// * An error or a panic denies.
pub trait Authorizer: Debug + Send + Sync + 'static {
    /// Returns whether it decides about this kind of access. [`check`](Authorizer::check) is not called for other kinds.
    fn governs(&self, capability: &Capability) -> bool;

    /// Decides about one access.
    ///
    /// # Errors
    /// Any error denies the access.
    fn check(&self, access: &Access<'_>) -> Result<AccessDecision, Box<dyn Error + Send + Sync>>;
}

/// Returns the strictest decision of the authorizers that govern this access, of equal ones the first; `None` without one.
pub fn decide(authorizers: &[Arc<dyn Authorizer>], access: &Access<'_>) -> Option<AccessDecision> {
    authorizers
        .iter()
        .filter_map(|authorizer| decision_of(authorizer.as_ref(), access))
        .reduce(AccessDecision::and)
}

fn decision_of(authorizer: &dyn Authorizer, access: &Access<'_>) -> Option<AccessDecision> {
    let asked = catch_unwind(AssertUnwindSafe(|| {
        authorizer
            .governs(access.capability())
            .then(|| authorizer.check(access))
    }));
    let failure = match asked {
        Ok(None) => return None,
        Ok(Some(Ok(decision))) => return Some(decision),
        Ok(Some(Err(error))) => format!("could not decide about `{access}`: {error}"),
        Err(_) => format!("panicked over `{access}`"),
    };
    Some(AccessDecision::new(
        Effect::Deny,
        "authorizer.failed",
        failure,
    ))
}

/// Returns whether one of `authorizers` governs this kind of access; one that panics does.
pub(crate) fn governs(authorizers: &[Arc<dyn Authorizer>], capability: &Capability) -> bool {
    authorizers.iter().any(|authorizer| {
        let governs = catch_unwind(AssertUnwindSafe(|| authorizer.governs(capability)));
        governs.unwrap_or(true)
    })
}

/// The effect of a decision. Later ones are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Effect {
    /// It goes through.
    Allow,
    /// A person is asked first.
    Ask,
    /// It is refused.
    Deny,
    /// It is refused, and the run ends.
    Halt,
}

/// A decision and its rule, for the host and its log. A model never gets it.
///
/// ```
/// use repertoire_permission::{AccessDecision, Effect};
///
/// let decision = AccessDecision::new(Effect::Deny, "office-hours", "the office is closed");
/// assert!(decision.is_refused());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct AccessDecision {
    /// The effect.
    pub effect: Effect,
    /// The rule that decided: `support.allowlist.miss`.
    pub rule: Arc<str>,
    /// The reason, for people.
    pub rationale: Arc<str>,
}

impl AccessDecision {
    /// Creates a decision.
    pub fn new(
        effect: Effect,
        rule: impl Into<Arc<str>>,
        rationale: impl Into<Arc<str>>,
    ) -> AccessDecision {
        AccessDecision {
            effect,
            rule: rule.into(),
            rationale: rationale.into(),
        }
    }

    /// Returns whether the access is allowed without a question.
    pub fn is_allowed(&self) -> bool {
        self.effect == Effect::Allow
    }

    /// Returns whether the access is denied.
    pub fn is_refused(&self) -> bool {
        self.effect >= Effect::Deny
    }

    pub(crate) fn and(self, other: AccessDecision) -> AccessDecision {
        if other.effect > self.effect {
            other
        } else {
            self
        }
    }
}

impl From<ToolPolicy> for Effect {
    fn from(policy: ToolPolicy) -> Effect {
        match policy {
            ToolPolicy::Safe => Effect::Allow,
            ToolPolicy::RequiresApproval => Effect::Ask,
            ToolPolicy::Blocked => Effect::Deny,
        }
    }
}
