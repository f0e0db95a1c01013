//! Suggested steps of a skill, and checks of the result.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Value;
use crate::text::quoted;

/// A step of a skill's `workflow`: a plan for the host, which runs it or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WorkflowStep {
    /// A name for the step.
    pub id: Option<Arc<str>>,
    /// The instruction.
    pub step: Arc<str>,
    /// The tool to call.
    pub tool: Option<Arc<str>>,
    /// The tool's arguments: a map.
    pub params: Option<Value>,
    /// The policy for a failure.
    pub on_error: OnError,
}

/// A fault of a skill's `workflow`, for people.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowFault {
    /// The number of the step, counted from 1; `None` for a fault of the whole.
    pub number: Option<usize>,
    /// The message.
    pub message: String,
}

impl WorkflowFault {
    /// Creates a fault of the step `number`.
    pub fn new(number: usize, message: impl Into<String>) -> WorkflowFault {
        WorkflowFault {
            number: Some(number),
            message: message.into(),
        }
    }
}

/// The effect of a failed step on the steps after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
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
    /// Reads the value of `workflow`: the steps with their numbers, counted from 1, and the faults that their shape shows.
    #[doc(hidden)]
    pub fn read_all(declared: &Value) -> (Vec<(usize, WorkflowStep)>, Vec<WorkflowFault>) {
        let (mut steps, mut faults) = (Vec::<(usize, WorkflowStep)>::new(), Vec::new());
        if matches!(declared, Value::Map(_)) {
            faults.push(WorkflowFault {
                number: None,
                message: "expected a list of steps, found a map".to_owned(),
            });
        }
        for (number, item) in (1..).zip(declared.items()) {
            let mut fault = |message: String| faults.push(WorkflowFault::new(number, message));
            let Some(step) = WorkflowStep::read(item) else {
                fault(format!(
                    "item {number} is not a step: expected a text, or a map with `step`"
                ));
                continue;
            };
            for key in ["id", "tool"] {
                if item
                    .get(key)
                    .is_some_and(|value| !value.is_null() && value.as_text().is_none())
                {
                    fault(format!("the `{key}` of step {number} is not text"));
                }
            }
            if let Some(id) = step.id.as_deref()
                && steps
                    .iter()
                    .any(|(_, other)| other.id.as_deref() == Some(id))
            {
                fault(format!(
                    "step {number} has the id `{}` of an earlier one",
                    quoted(id)
                ));
            }
            if step.params.is_none() && item.get("params").is_some_and(|params| !params.is_null()) {
                fault(format!("the `params` of step {number} are not a map"));
            }
            let on_error = item.get("on_error").or_else(|| item.get("on-error"));
            if on_error
                .is_some_and(|value| !matches!(value.as_text(), Some("fail" | "continue" | "skip")))
            {
                fault(format!(
                    "the `on_error` of step {number} is unknown: expected `fail`, `continue` or `skip`"
                ));
            }
            steps.push((number, step));
        }
        (steps, faults)
    }

    /// Reads one item of `workflow`: a text, or a map with `step`. `None` for an item that is not a step.
    pub(crate) fn read(item: &Value) -> Option<WorkflowStep> {
        let on_error = item
            .get("on_error")
            .or_else(|| item.get("on-error"))
            .and_then(Value::as_text);
        Some(WorkflowStep {
            id: text(item, "id"),
            step: item
                .as_text()
                .map(Arc::from)
                .or_else(|| text(item, "step"))?,
            tool: text(item, "tool"),
            params: item
                .get("params")
                .filter(|params| matches!(params, Value::Map(_)))
                .cloned(),
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
    /// Reads one item of `verification`: a text, or a map with `kind`. `None` for an item that is not a check.
    #[doc(hidden)]
    pub fn read(item: &Value) -> Option<Check> {
        if let Some(text) = item.as_text() {
            return Some(Check::Text(text.into()));
        }
        Some(Check::Typed {
            id: text(item, "id"),
            kind: text(item, "kind")?,
            item: item.clone(),
        })
    }

    /// Returns the text for a shell of a check of the kind `command`.
    #[doc(hidden)]
    pub fn command(&self) -> Option<&str> {
        match self {
            Check::Typed { kind, item, .. } if **kind == *"command" => {
                let text = item.get("run").or_else(|| item.get("command"))?;
                text.as_text()
            }
            _ => None,
        }
    }

    /// Returns the items of the value of `verification`: those of a list, and a map as the one item that it is.
    #[doc(hidden)]
    pub fn items(declared: &Value) -> &[Value] {
        match declared {
            map @ Value::Map(_) => std::slice::from_ref(map),
            list => list.items(),
        }
    }
}

fn text(item: &Value, key: &str) -> Option<Arc<str>> {
    item.get(key).and_then(Value::as_text).map(Arc::from)
}
