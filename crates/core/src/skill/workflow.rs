//! Suggested steps of a skill, and checks of the result.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::Value;

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

/// A fault of a skill's `workflow`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fault", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WorkflowFault {
    /// It is a map, and not a list of steps.
    NoList,
    /// An item is neither a text nor a map with `step`.
    NoStep {
        /// The number of the item, counted from 1; here and below.
        number: usize,
    },
    /// `id` or `tool` is not a text.
    NoName {
        /// The number of the step.
        number: usize,
        /// The key, `id` or `tool`.
        key: Arc<str>,
    },
    /// A step calls a tool that the skill does not require.
    ForeignTool {
        /// The number of the step.
        number: usize,
        /// The tool.
        tool: Arc<str>,
    },
    /// An earlier step has the same id.
    RepeatedId {
        /// The number of the step.
        number: usize,
        /// The id.
        id: Arc<str>,
    },
    /// `params` is not a map.
    Params {
        /// The number of the step.
        number: usize,
    },
    /// `on_error` is none of `fail`, `continue` and `skip`.
    OnError {
        /// The number of the step.
        number: usize,
    },
    /// A parameter asks for a command or a script to be run, which happens in bodies alone.
    Directive {
        /// The number of the step.
        number: usize,
        /// The directive.
        directive: String,
    },
}

impl WorkflowFault {
    /// Returns the number of the item, counted from 1; `None` for a fault of the whole.
    pub fn number(&self) -> Option<usize> {
        match self {
            WorkflowFault::NoList => None,
            WorkflowFault::NoStep { number }
            | WorkflowFault::NoName { number, .. }
            | WorkflowFault::ForeignTool { number, .. }
            | WorkflowFault::RepeatedId { number, .. }
            | WorkflowFault::Params { number }
            | WorkflowFault::OnError { number }
            | WorkflowFault::Directive { number, .. } => Some(*number),
        }
    }
}

/// The effect of a failed step on the steps after it.
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
    /// Reads the value of `workflow`: the steps with their numbers, counted from 1, and the faults that their shape shows.
    pub fn read_all(declared: &Value) -> (Vec<(usize, WorkflowStep)>, Vec<WorkflowFault>) {
        let (mut steps, mut faults) = (Vec::<(usize, WorkflowStep)>::new(), Vec::new());
        if matches!(declared, Value::Map(_)) {
            faults.push(WorkflowFault::NoList);
        }
        for (number, item) in (1..).zip(declared.items()) {
            let Some(step) = WorkflowStep::read(item) else {
                faults.push(WorkflowFault::NoStep { number });
                continue;
            };
            let unnamed = ["id", "tool"]
                .into_iter()
                .filter(|key: &&str| item.get(key).is_some_and(|value| !value.is_null() && value.as_text().is_none()));
            faults.extend(unnamed.map(|key| WorkflowFault::NoName { number, key: key.into() }));
            if let Some(id) = step.id.clone().filter(|id| steps.iter().any(|(_, other)| other.id.as_ref() == Some(id)))
            {
                faults.push(WorkflowFault::RepeatedId { number, id });
            }
            if step.params.is_none() && item.get("params").is_some_and(|params| !params.is_null()) {
                faults.push(WorkflowFault::Params { number });
            }
            let on_error = item.get("on_error").or_else(|| item.get("on-error"));
            if on_error.is_some_and(|value| !matches!(value.as_text(), Some("fail" | "continue" | "skip"))) {
                faults.push(WorkflowFault::OnError { number });
            }
            steps.push((number, step));
        }
        (steps, faults)
    }

    /// Reads one item of `workflow`: a text, or a map with `step`. `None` for what is no step.
    pub fn read(item: &Value) -> Option<WorkflowStep> {
        let on_error = item.get("on_error").or_else(|| item.get("on-error")).and_then(Value::as_text);
        Some(WorkflowStep {
            id: text(item, "id"),
            step: item.as_text().map(Arc::from).or_else(|| text(item, "step"))?,
            tool: text(item, "tool"),
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
        Some(Check::Typed { id: text(item, "id"), kind: text(item, "kind")?, item: item.clone() })
    }

    /// Returns the items of the value of `verification`: those of a list, and a map as the one item that it is.
    pub fn items(declared: &Value) -> &[Value] {
        match declared {
            map @ Value::Map(_) => std::slice::from_ref(map),
            list => list.items(),
        }
    }
}

impl fmt::Display for WorkflowFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkflowFault::NoList => f.write_str("expected a list of steps, found a map"),
            WorkflowFault::NoName { number, key } => write!(f, "the `{key}` of step {number} is no text"),
            WorkflowFault::NoStep { number } => {
                write!(f, "item {number} is no step: expected a text, or a map with `step`")
            }
            WorkflowFault::ForeignTool { number, tool } => {
                write!(f, "step {number} calls `{tool}`, which is not among the `required_tools`")
            }
            WorkflowFault::RepeatedId { number, id } => write!(f, "step {number} has the id `{id}` of an earlier one"),
            WorkflowFault::Params { number } => write!(f, "the `params` of step {number} are no map"),
            WorkflowFault::OnError { number } => {
                write!(f, "the `on_error` of step {number} is unknown: expected `fail`, `continue` or `skip`")
            }
            WorkflowFault::Directive { number, directive } => {
                write!(
                    f,
                    "a parameter of step {number} asks for `{directive}` to be run, which happens in bodies alone"
                )
            }
        }
    }
}

fn text(item: &Value, key: &str) -> Option<Arc<str>> {
    item.get(key).and_then(Value::as_text).map(Arc::from)
}
