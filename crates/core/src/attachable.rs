//! Raw skills, and the policies for their tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Skill;

/// A skill whose tools a host may attach: one that is not raw, or a raw one behind its gate.
///
/// A host that takes nothing else cannot attach a raw skill by accident:
///
/// ```
/// use repertoire_core::{Attachable, ToolPolicies, RawSkill, ToolPolicy};
/// # use repertoire_core::{Skill, skill_md};
/// # let text = b"---\nname: database\ndescription: Reads tables.\ncategory: raw\ntools: [run_query, drop_table]\n---\n";
/// # let skill = skill_md::parse(text, skill_md::FileContext::new("SKILL.md")).skill.ok_or("no skill")?;
///
/// fn attach(skill: &Attachable) -> Vec<(&str, ToolPolicy)> {
///     skill.tools().collect()
/// }
///
/// let raw: RawSkill = Attachable::new(skill).unwrap_err();
/// let skill = raw.with_policies(ToolPolicies::new().with("run_query", ToolPolicy::RequiresApproval));
/// assert_eq!(attach(&skill), [("run_query", ToolPolicy::RequiresApproval)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A skill declares itself whether it is raw. This type prevents mistakes with skills that the host knows. What other skills may do
/// depends on [`Trust`](crate::Trust).
#[derive(Debug, Clone, PartialEq)]
pub struct Attachable {
    skill: Arc<Skill>,
    gate: Option<ToolPolicies>,
}

impl Attachable {
    /// Creates it of a skill that is not raw.
    ///
    /// # Errors
    /// [`RawSkill`] for a raw one, which becomes attachable by [`with_policies`](RawSkill::with_policies).
    pub fn new(skill: impl Into<Arc<Skill>>) -> Result<Attachable, RawSkill> {
        let skill = skill.into();
        if skill.is_raw() {
            Err(RawSkill(skill))
        } else {
            Ok(Attachable { skill, gate: None })
        }
    }

    /// Returns the skill.
    pub fn skill(&self) -> &Arc<Skill> {
        &self.skill
    }

    /// Returns the policy for `tool`: that of the gate, or safe if there is no gate.
    pub fn policy(&self, tool: &str) -> ToolPolicy {
        self.gate
            .as_ref()
            .map_or(ToolPolicy::Safe, |gate| gate.policy(tool))
    }

    /// Returns the tools to offer, in the skill's order: those that it brings and that are not blocked.
    pub fn tools(&self) -> impl Iterator<Item = (&str, ToolPolicy)> {
        let tools = self
            .skill
            .tools()
            .into_iter()
            .map(|tool| (tool, self.policy(tool)));
        tools.filter(|(_, policy)| *policy != ToolPolicy::Blocked)
    }
}

/// A skill that runs code or reaches data, and has no gate yet. A host without a gate returns it as an error.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("skill `{}` is raw and can be attached behind a gate only", .0.id)]
pub struct RawSkill(Arc<Skill>);

impl RawSkill {
    /// Puts the skill behind `gate`.
    pub fn with_policies(self, gate: ToolPolicies) -> Attachable {
        Attachable {
            skill: self.0,
            gate: Some(gate),
        }
    }
}

/// The policy for calls of a tool. Later ones are stricter.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum ToolPolicy {
    /// The call goes through.
    Safe,
    /// A person is asked first.
    RequiresApproval,
    /// The tool is not offered, and a call is refused.
    #[default]
    Blocked,
}

/// A policy for each tool of a raw skill. Every tool without a policy is blocked.
///
/// ```
/// use repertoire_core::{ToolPolicies, ToolPolicy};
///
/// let gate = ToolPolicies::new()
///     .with("read_table", ToolPolicy::Safe)
///     .with("run_query", ToolPolicy::RequiresApproval);
/// assert_eq!(gate.policy("read_table"), ToolPolicy::Safe);
/// assert_eq!(gate.policy("drop_table"), ToolPolicy::Blocked);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct ToolPolicies(BTreeMap<Arc<str>, ToolPolicy>);

impl ToolPolicies {
    /// Creates a gate that blocks every tool.
    pub fn new() -> ToolPolicies {
        ToolPolicies::default()
    }

    /// Sets the policy for `tool`, in exact letter case. The stricter of two policies for one tool applies.
    #[must_use]
    pub fn with(mut self, tool: impl Into<Arc<str>>, policy: ToolPolicy) -> ToolPolicies {
        self.0
            .entry(tool.into())
            .and_modify(|held| *held = policy.max(*held))
            .or_insert(policy);
        self
    }

    /// Returns the policy for `tool`.
    pub fn policy(&self, tool: &str) -> ToolPolicy {
        self.0.get(tool).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
