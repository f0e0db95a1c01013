//! Labels that extension fields give a skill: category, functional tier, level of invocation.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::Value;

/// A category of the mirai skills: whether a host may attach a skill as it is. See [`Attachable`](crate::Attachable).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Attached directly.
    Standard,
    /// Runs code or reaches data: attached behind the host's gate only.
    Raw,
}

impl Category {
    /// Returns the category that `value` declares: `standard` in any letter case, and raw for everything
    /// else; `None` for null.
    ///
    /// A slip, a word of the author's own or one other item in a list must not spare a skill its gate.
    pub(crate) fn of(value: &Value) -> Option<Category> {
        let items = value.items();
        let is_raw = items.is_empty()
            || !items.iter().all(|item: &Value| {
                item.as_text().is_some_and(|text| text.trim().eq_ignore_ascii_case(Category::Standard.as_str()))
            });
        (!value.is_null()).then_some(if is_raw { Category::Raw } else { Category::Standard })
    }

    /// The word in front matter.
    pub const fn as_str(self) -> &'static str {
        match self {
            Category::Standard => "standard",
            Category::Raw => "raw",
        }
    }
}

/// The kind of work that a skill does. A label without any effect on precedence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FunctionalTier {
    /// Coordinates tasks, delegates, manages pipelines.
    PmOrchestration,
    /// Keeps tasks, roadmaps and milestones.
    TaskRoadmap,
    /// Runs workflow phases and implements.
    GsdExecution,
    /// Builds audit trails and proofs, manages memory.
    AuditProof,
    /// Runs servers, watches health.
    Infrastructure,
    /// Connects outside systems.
    Integration,
    /// A label of one's own.
    Other(Arc<str>),
}

const SPELLINGS: [(FunctionalTier, &str, &str); 6] = [
    (FunctionalTier::PmOrchestration, "pm-orchestration", "PM & Orchestration"),
    (FunctionalTier::TaskRoadmap, "task-roadmap", "Task & Roadmap"),
    (FunctionalTier::GsdExecution, "gsd-execution", "GSD & Execution"),
    (FunctionalTier::AuditProof, "audit-proof", "Audit & Proof"),
    (FunctionalTier::Infrastructure, "infrastructure", "Infrastructure"),
    (FunctionalTier::Integration, "integration", "Integration"),
];

impl FunctionalTier {
    pub(crate) const KNOWN: [FunctionalTier; 6] = [
        FunctionalTier::PmOrchestration,
        FunctionalTier::TaskRoadmap,
        FunctionalTier::GsdExecution,
        FunctionalTier::AuditProof,
        FunctionalTier::Infrastructure,
        FunctionalTier::Integration,
    ];

    /// Reads a tier in kebab case or as its label, in any letter case; another text is a label of its own.
    pub fn new(text: &str) -> FunctionalTier {
        let text = text.trim();
        SPELLINGS
            .into_iter()
            .find(|(_, kebab, label)| kebab.eq_ignore_ascii_case(text) || label.eq_ignore_ascii_case(text))
            .map_or_else(|| FunctionalTier::Other(text.into()), |(tier, ..)| tier)
    }

    /// The tier in kebab case; another label as it is.
    pub fn as_str(&self) -> &str {
        match self {
            FunctionalTier::Other(label) => label,
            tier => SPELLINGS.iter().find(|(known, ..)| known == tier).map_or("", |(_, kebab, _)| kebab),
        }
    }

    /// The tier for people: `Audit & Proof`.
    pub fn label(&self) -> &str {
        match self {
            FunctionalTier::Other(label) => label,
            tier => SPELLINGS.iter().find(|(known, ..)| known == tier).map_or("", |(.., label)| label),
        }
    }
}

impl fmt::Display for FunctionalTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for FunctionalTier {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Colibri's three levels of invocation, the least demanding first. A declaration: granting is the host's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(into = "u8")]
pub enum InvokeLevel {
    /// 1: any agent.
    Any,
    /// 2: executors and above.
    #[default]
    Executor,
    /// 3: the top agent or a person only.
    Top,
}

impl InvokeLevel {
    /// Reads `1`, `2` or `3`.
    pub fn new(text: &str) -> Option<InvokeLevel> {
        match text.trim() {
            "1" => Some(InvokeLevel::Any),
            "2" => Some(InvokeLevel::Executor),
            "3" => Some(InvokeLevel::Top),
            _ => None,
        }
    }
}

impl From<InvokeLevel> for u8 {
    fn from(level: InvokeLevel) -> u8 {
        match level {
            InvokeLevel::Any => 1,
            InvokeLevel::Executor => 2,
            InvokeLevel::Top => 3,
        }
    }
}
