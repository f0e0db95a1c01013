//! What a skill suggests to do, and how to check that it was done.

use std::sync::Arc;

use serde::Serialize;

use crate::Value;

/// A step of a skill's `workflow`: a plan for the host, which runs it or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorkflowStep {
    /// A name for the step.
    pub id: Option<Arc<str>>,
    /// What to do.
    pub step: Arc<str>,
    /// The tool to call.
    pub tool: Option<Arc<str>>,
    /// The tool's arguments: a map.
    pub params: Option<Value>,
    /// What a failure means.
    pub on_error: OnError,
}

/// What the failure of a step means for those after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// The workflow fails.
    #[default]
    Fail,
    /// The next step runs.
    Continue,
    /// The rest is skipped.
    Skip,
}

impl WorkflowStep {
    /// Reads one item of `workflow`: a text, or a map with `step`. `None` for what is no step.
    pub fn read(item: &Value) -> Option<WorkflowStep> {
        let text = |key| item.get(key).and_then(Value::as_text).map(Arc::from);
        let on_error = item.get("on_error").or_else(|| item.get("on-error")).and_then(Value::as_text);
        Some(WorkflowStep {
            id: text("id"),
            step: item.as_text().map(Arc::from).or_else(|| text("step"))?,
            tool: text("tool"),
            params: item.get("params").filter(|params| matches!(params, Value::Map(_))).cloned(),
            on_error: match on_error {
                Some("continue") => OnError::Continue,
                Some("skip") => OnError::Skip,
                _ => OnError::Fail,
            },
        })
    }
}

/// One item of a skill's `verification`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Check {
    /// A statement that a model or a person judges.
    Text(Arc<str>),
    /// A check that a host knows how to run.
    Typed {
        /// A name for the check.
        id: Option<Arc<str>>,
        /// Its kind: `command`, `tool`, `file-exists`, `regex`, or a host's own.
        kind: Arc<str>,
        /// The whole item as written.
        item: Value,
    },
}

impl Check {
    /// Reads one item of `verification`: a text, or a map with `kind`. `None` for what is no check.
    pub fn read(item: &Value) -> Option<Check> {
        if let Some(text) = item.as_text() {
            return Some(Check::Text(text.into()));
        }
        let text = |key| item.get(key).and_then(Value::as_text).map(Arc::from);
        Some(Check::Typed { id: text("id"), kind: text("kind")?, item: item.clone() })
    }
}
