//! Extension fields that classify a skill: category, functional tier, level of invocation.

use std::sync::Arc;

use serde::Serialize;

use crate::Value;

/// Returns whether the value of `category` declares a raw skill: every value but `standard`, in any letter case. `None` for null.
///
/// A slip, an unknown word or one other item in a list must not spare a skill its gate.
pub(crate) fn declares_raw(category: &Value) -> Option<bool> {
    let items = category.items();
    let is_standard = |item: &Value| {
        item.as_text()
            .is_some_and(|text| text.trim().eq_ignore_ascii_case("standard"))
    };
    (!category.is_null()).then(|| items.is_empty() || !items.iter().all(is_standard))
}

/// A label for the kind of work that a skill does. It has no effect on precedence.
///
/// Six labels are known, such as `audit-proof`, which may also be written `Audit & Proof`. Every other text is a label as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct FunctionalTier(Arc<str>);

impl FunctionalTier {
    pub(crate) const KNOWN: [&str; 6] = [
        "pm-orchestration",
        "task-roadmap",
        "gsd-execution",
        "audit-proof",
        "infrastructure",
        "integration",
    ];

    /// Creates a label from a text in any letter case.
    pub fn new(text: &str) -> FunctionalTier {
        let text = text.trim();
        let kebab = text.to_ascii_lowercase().replace(" & ", "-");
        let known = FunctionalTier::KNOWN
            .into_iter()
            .find(|known| *known == kebab);
        FunctionalTier(known.unwrap_or(text).into())
    }

    /// Returns the label: a known one in kebab case, another as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn is_known(&self) -> bool {
        FunctionalTier::KNOWN.contains(&self.as_str())
    }
}

/// The level that an agent needs to invoke a skill, the least demanding first. A declaration: the host grants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(into = "u8")]
pub enum InvokeLevel {
    /// 1: any agent.
    Any = 1,
    /// 2: executors and above.
    #[default]
    Executor,
    /// 3: the top agent or a person only.
    Top,
}

impl InvokeLevel {
    /// Parses `1`, `2` or `3`.
    pub fn new(text: &str) -> Option<InvokeLevel> {
        [InvokeLevel::Any, InvokeLevel::Executor, InvokeLevel::Top]
            .into_iter()
            .find(|level| text.trim() == u8::from(*level).to_string())
    }
}

impl From<InvokeLevel> for u8 {
    fn from(level: InvokeLevel) -> u8 {
        level as u8
    }
}
