//! What the tools of a raw skill may do.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What happens when a model calls a tool. Later ones are stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
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

/// A policy for each tool of a raw skill. A tool that it does not name is blocked, and so is everything at first.
///
/// ```
/// use repertoire_core::{Gate, ToolPolicy};
///
/// let gate = Gate::new()
///     .with("read_table", ToolPolicy::Safe)
///     .with("run_query", ToolPolicy::RequiresApproval);
/// assert_eq!(gate.policy("read_table"), ToolPolicy::Safe);
/// assert_eq!(gate.policy("drop_table"), ToolPolicy::Blocked);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct Gate(BTreeMap<Arc<str>, ToolPolicy>);

impl Gate {
    /// A gate that blocks every tool.
    pub fn new() -> Gate {
        Gate::default()
    }

    /// The same gate with `policy` for `tool`, a name that is compared letter by letter. Of two policies for one tool
    /// the stricter one holds.
    #[must_use]
    pub fn with(mut self, tool: impl Into<Arc<str>>, policy: ToolPolicy) -> Gate {
        self.0.entry(tool.into()).and_modify(|held| *held = policy.max(*held)).or_insert(policy);
        self
    }

    /// The policy for `tool`.
    pub fn policy(&self, tool: &str) -> ToolPolicy {
        self.0.get(tool).copied().unwrap_or_default()
    }
}
