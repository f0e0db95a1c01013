//! Questions to an authorizer, and its answers.

use std::error::Error;
use std::fmt;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use repertoire_core::{Skill, ToolPolicy};
use repertoire_registry::Candidate;
use serde::Serialize;

/// An access that an [`Authorizer`](super::Authorizer) decides about.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Access<'a> {
    /// Call the tool of this name.
    Tool(&'a str),
    /// See and read this skill. A tool of the same name is another matter.
    Skill(&'a Candidate<Skill>),
    /// Use a capability by calling the tool of this name.
    Data(Capability, &'a str),
}

/// A kind of access that permissions are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Calling a tool.
    ToolCall,
    /// Seeing and reading a skill.
    SkillRead,
    /// Reading what was remembered.
    MemoryRead,
    /// Remembering.
    MemoryWrite,
    /// Reaching other machines.
    ExternalNet,
    /// Using what is known of the user.
    UserData,
}

impl Access<'_> {
    /// The kind of access that is asked for.
    pub fn capability(&self) -> Capability {
        match self {
            Access::Tool(_) => Capability::ToolCall,
            Access::Skill(_) => Capability::SkillRead,
            Access::Data(capability, _) => *capability,
        }
    }
}

/// For the operator: `skill:home:tidy`, `run_query`.
impl fmt::Display for Access<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::Skill(candidate) => write!(f, "skill:{}", candidate.qualified_id()),
            Access::Tool(tool) | Access::Data(_, tool) => f.write_str(tool),
        }
    }
}

impl Capability {
    /// Returns the name in policies: `memory_read`.
    pub fn as_str(self) -> &'static str {
        match self {
            Capability::ToolCall => "tool_call",
            Capability::SkillRead => "skill_read",
            Capability::MemoryRead => "memory_read",
            Capability::MemoryWrite => "memory_write",
            Capability::ExternalNet => "external_net",
            Capability::UserData => "user_data",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Decides what may be done: a [`PermissionPolicy`](super::PermissionPolicy), or a host's own rules.
///
/// # Contract
/// * It answers from what it has, without waiting: it is asked for every skill before a catalog is written. One that has to ask
///   elsewhere asks beforehand, and gives an error for what it did not hear in time.
/// * It is asked once for a skill as long as that stays as it is, by all clones of the [`VisibilityPolicy`](crate::permission::VisibilityPolicy) that hold it; for a
///   tool, at each offer and each call.
/// * An error or a panic denies.
pub trait Authorizer: Debug + Send + Sync + 'static {
    /// Returns whether it decides about this kind of access. Otherwise it is not asked.
    fn governs(&self, capability: Capability) -> bool;

    /// Decides about one access.
    ///
    /// # Errors
    /// Whatever keeps it from deciding; then the access is denied.
    fn check(&self, access: &Access<'_>) -> Result<Ruling, Box<dyn Error + Send + Sync>>;
}

/// Returns the strictest ruling of the authorizers that govern this access, of equal ones the first; `None` without one.
pub(crate) fn ruling(authorizers: &[Arc<dyn Authorizer>], access: &Access<'_>) -> Option<Ruling> {
    authorizers.iter().filter_map(|authorizer| ruling_of(authorizer.as_ref(), access)).reduce(Ruling::and)
}

fn ruling_of(authorizer: &dyn Authorizer, access: &Access<'_>) -> Option<Ruling> {
    let asked =
        catch_unwind(AssertUnwindSafe(|| authorizer.governs(access.capability()).then(|| authorizer.check(access))));
    let failure = match asked {
        Ok(None) => return None,
        Ok(Some(Ok(ruling))) => return Some(ruling),
        Ok(Some(Err(error))) => format!("could not decide about `{access}`: {error}"),
        Err(_) => format!("panicked over `{access}`"),
    };
    Some(Ruling::new(Effect::Deny, "authorizer.failed", failure))
}

/// Returns whether one of `authorizers` governs this kind of access; one that panics does.
pub(crate) fn governs(authorizers: &[Arc<dyn Authorizer>], capability: Capability) -> bool {
    authorizers.iter().any(|authorizer| {
        let governs = catch_unwind(AssertUnwindSafe(|| authorizer.governs(capability)));
        governs.unwrap_or(true)
    })
}

/// The effect of a ruling. Later ones are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
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

/// A decision with its rule: for the host and its records, never for the model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Ruling {
    /// The effect.
    pub effect: Effect,
    /// The rule that decided: `support.allowlist.miss`.
    pub rule: Arc<str>,
    /// The reason, for people.
    pub rationale: Arc<str>,
}

impl Ruling {
    /// A ruling.
    pub fn new(effect: Effect, rule: impl Into<Arc<str>>, rationale: impl Into<Arc<str>>) -> Ruling {
        Ruling { effect, rule: rule.into(), rationale: rationale.into() }
    }

    /// Returns whether the access is allowed without a question.
    pub fn is_allowed(&self) -> bool {
        self.effect == Effect::Allow
    }

    /// Returns whether the access is denied.
    pub fn is_refused(&self) -> bool {
        self.effect >= Effect::Deny
    }

    pub(crate) fn and(self, other: Ruling) -> Ruling {
        if other.effect > self.effect { other } else { self }
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
