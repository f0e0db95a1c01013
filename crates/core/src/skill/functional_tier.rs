//! Colibri's six-way label of a skill.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// What kind of work a skill does. A label: no rule attaches to it, and it is no precedence.
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

/// Every tier with its spelling in front matter and its label for people.
const SPELLINGS: [(FunctionalTier, &str, &str); 6] = [
    (FunctionalTier::PmOrchestration, "pm-orchestration", "PM & Orchestration"),
    (FunctionalTier::TaskRoadmap, "task-roadmap", "Task & Roadmap"),
    (FunctionalTier::GsdExecution, "gsd-execution", "GSD & Execution"),
    (FunctionalTier::AuditProof, "audit-proof", "Audit & Proof"),
    (FunctionalTier::Infrastructure, "infrastructure", "Infrastructure"),
    (FunctionalTier::Integration, "integration", "Integration"),
];

impl FunctionalTier {
    /// Every tier that has a name of its own.
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
