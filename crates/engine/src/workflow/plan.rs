//! The steps of a skill, as a plan that holds together.

use std::sync::Arc;

use repertoire_core::{Id, OnError, Skill, Trust, Value, WorkflowFault, WorkflowStep};
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
        let required = ToolGlobs::new(skill.required_tools().into_iter().map(str::to_owned).collect());
        // Parameters are data and no prose: nothing in them is an example in code.
        let syntax = Syntax::of(skill, None, None).reach(Reach::TextAndCode);
        let (steps, mut faults) = skill.extension(&["workflow"]).map(WorkflowStep::read_all).unwrap_or_default();
        for (number, step) in &steps {
            let number = *number;
            if let Some(tool) = step.tool.clone().filter(|tool| required.matches(tool).is_empty()) {
                faults.push(WorkflowFault::ForeignTool { number, tool });
            }
            let directives = step.params.iter().flat_map(|params| directives(params, &syntax));
            faults.extend(directives.map(|directive| WorkflowFault::Directive { number, directive }));
        }
        faults.sort_by_key(WorkflowFault::number);
        let steps = steps.into_iter().map(|(_, step)| step).collect();
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
