//! The steps of a skill, as a plan that holds together.

use std::fmt;
use std::sync::Arc;

use repertoire_core::{Id, OnError, Skill, Trust, Value, WorkflowStep};
use repertoire_registry::Claim;
use repertoire_render::{Context, Plan, Reach, RenderError, Syntax, Unplaced};
use serde::Serialize;

use crate::globs::ToolGlobs;

/// The steps of a skill's `workflow`, as a plan that holds together: each step's tool is among those that the skill
/// requires, ids are unique, and no parameter asks for a command.
///
/// A plan for a host, which shows it, or has it [run](Workflow::run) by a [`ToolInvoker`](super::ToolInvoker).
#[derive(Debug, Clone, PartialEq)]
pub struct Workflow {
    pub(super) steps: Vec<WorkflowStep>,
    pub(super) trust: Trust,
    syntax: Syntax,
}

/// A step with its parameters filled in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlannedStep {
    /// Its name, if it has one.
    pub id: Option<Arc<str>>,
    /// What to do.
    pub step: Arc<str>,
    /// The tool to call; a step without one is for a model or a person.
    pub tool: Option<Arc<str>>,
    /// The tool's arguments: an object.
    pub params: serde_json::Value,
    /// What its failure means for the steps after it.
    pub on_error: OnError,
}

/// What is wrong with a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fault", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WorkflowFault {
    /// It is a map, and not a list of steps.
    NoList,
    /// An item is neither a text nor a map with `step`.
    NoStep {
        /// Which, counted from 1; here and below.
        number: usize,
    },
    /// `id` or `tool` is no text, so that nobody knows what is meant.
    NoName {
        /// Which step.
        number: usize,
        /// Which of the two.
        key: Arc<str>,
    },
    /// A step calls a tool that the skill does not require, so that nobody checked whether it is there.
    ForeignTool {
        /// Which step.
        number: usize,
        /// The tool.
        tool: Arc<str>,
    },
    /// An earlier step has the same id.
    RepeatedId {
        /// Which step.
        number: usize,
        /// The id.
        id: Arc<str>,
    },
    /// `params` is no map.
    Params {
        /// Which step.
        number: usize,
    },
    /// `on_error` is none of `fail`, `continue` and `skip`.
    OnError {
        /// Which step.
        number: usize,
    },
    /// A parameter asks for a command or a script to be run, which happens in bodies alone.
    Directive {
        /// Which step.
        number: usize,
        /// What it asks for.
        directive: String,
    },
}

/// A workflow that does not hold together: everything that is wrong with it, in the order of its steps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the workflow of `{skill}` does not hold together: {}", told(faults))]
pub struct InvalidWorkflow {
    /// Whose it is.
    pub skill: Id,
    /// What is wrong.
    pub faults: Vec<WorkflowFault>,
}

fn told(faults: &[WorkflowFault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl Workflow {
    /// The plan of `claim`; one without steps if it declares none.
    ///
    /// # Errors
    /// [`InvalidWorkflow`] with everything that is wrong.
    pub fn of(claim: &Claim<Skill>) -> Result<Workflow, InvalidWorkflow> {
        let skill = &claim.item;
        let declared = skill.extension(&["workflow"]);
        let items = declared.map_or(&[][..], Value::items);
        let required = ToolGlobs::new(skill.required_tools().into_iter().map(str::to_owned).collect());
        // Parameters are data and no prose: nothing in them is an example in code.
        let syntax = Syntax::of(skill, None, None).reach(Reach::TextAndCode);
        let (mut steps, mut faults) = (Vec::<WorkflowStep>::new(), Vec::new());
        if matches!(declared, Some(Value::Map(_))) {
            faults.push(WorkflowFault::NoList);
        }
        for (number, item) in (1..).zip(items) {
            let Some(step) = WorkflowStep::read(item) else {
                faults.push(WorkflowFault::NoStep { number });
                continue;
            };
            let is_no_name =
                |key: &&str| item.get(key).is_some_and(|value| !value.is_null() && value.as_text().is_none());
            let unnamed = ["id", "tool"].into_iter().filter(is_no_name);
            faults.extend(unnamed.map(|key| WorkflowFault::NoName { number, key: key.into() }));
            if let Some(tool) = step.tool.clone().filter(|tool| required.matches(tool).is_empty()) {
                faults.push(WorkflowFault::ForeignTool { number, tool });
            }
            if let Some(id) = step.id.clone().filter(|id| steps.iter().any(|other| other.id.as_ref() == Some(id))) {
                faults.push(WorkflowFault::RepeatedId { number, id });
            }
            if step.params.is_none() && item.get("params").is_some_and(|params| !params.is_null()) {
                faults.push(WorkflowFault::Params { number });
            }
            let on_error = item.get("on_error").or_else(|| item.get("on-error"));
            if on_error.is_some_and(|value| !matches!(value.as_text(), Some("fail" | "continue" | "skip"))) {
                faults.push(WorkflowFault::OnError { number });
            }
            let directives = step.params.iter().flat_map(|params| directives(params, &syntax));
            faults.extend(directives.map(|directive| WorkflowFault::Directive { number, directive }));
            steps.push(step);
        }
        if faults.is_empty() {
            Ok(Workflow { steps, trust: claim.trust, syntax })
        } else {
            Err(InvalidWorkflow { skill: skill.id.clone(), faults })
        }
    }

    /// The steps in their order, as the skill declares them.
    pub fn steps(&self) -> &[WorkflowStep] {
        &self.steps
    }

    /// The steps in their order, parameters filled in from `context` by the rules of bodies: what is inserted is never looked
    /// at again, and stays a text.
    ///
    /// # Errors
    /// Only those that `context` asks for: an unknown variable.
    pub fn planned(&self, context: &Context) -> Result<Vec<PlannedStep>, RenderError> {
        // A parameter is no place to append what was typed.
        let context = context.clone().unplaced(Unplaced::Drop);
        let plan = |step: &WorkflowStep| {
            let params = step.params.as_ref().map(|params| filled(params, &self.syntax, &context)).transpose()?;
            Ok(PlannedStep {
                id: step.id.clone(),
                step: step.step.clone(),
                tool: step.tool.clone(),
                params: params.unwrap_or_else(|| serde_json::json!({})),
                on_error: step.on_error,
            })
        };
        self.steps.iter().map(plan).collect()
    }
}

/// `value` as JSON, placeholders in its texts filled in. Keys stay as they are.
fn filled(value: &Value, syntax: &Syntax, context: &Context) -> Result<serde_json::Value, RenderError> {
    match value {
        Value::List(items) => items.iter().map(|item| filled(item, syntax, context)).collect(),
        Value::Map(rows) => {
            rows.iter().map(|(key, value)| Ok((key.to_string(), filled(value, syntax, context)?))).collect()
        }
        scalar => match scalar.json() {
            serde_json::Value::String(text) => Ok(Plan::new(&text, syntax).render(context, [])?.text.into()),
            other => Ok(other),
        },
    }
}

/// Every command and script that a text of `value` asks for.
fn directives(value: &Value, syntax: &Syntax) -> Vec<String> {
    match value {
        Value::List(items) => items.iter().flat_map(|item| directives(item, syntax)).collect(),
        Value::Map(rows) => rows.iter().flat_map(|(_, value)| directives(value, syntax)).collect(),
        scalar => {
            let plan = scalar.as_text().map(|text| Plan::new(text, syntax));
            plan.iter().flat_map(Plan::directives).map(ToString::to_string).collect()
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
