//! The steps of a skill.

use std::sync::Arc;

use repertoire_core::{OnError, Skill, Trust, Value, WorkflowFault, WorkflowStep, async_trait};
use repertoire_registry::Candidate;
use repertoire_render::{Context, Plan, RenderError, Syntax};
use serde::Serialize;

use crate::error::EngineError;
use crate::globs::ToolGlobs;

/// The declared `workflow` of a skill. The tool of each step is among those that the skill requires, ids are unique, and no
/// parameter requests a command.
///
/// A host shows it, or [runs](Workflow::run) it with a [`ToolInvoker`](super::ToolInvoker).
///
/// ```
/// use repertoire_core::{Trust, skill_md};
/// use repertoire_engine::workflow::Workflow;
/// use repertoire_render::Context;
///
/// let text = b"---\nname: tea\ndescription: Makes tea.\nworkflow: [Boil the water., Wait.]\n---\n";
/// let skill = skill_md::parse(text, skill_md::FileContext::new("SKILL.md")).skill.ok_or("no skill")?;
/// let workflow = Workflow::from_skill(&skill, Trust::Trusted).map_err(|_| "a broken workflow")?;
/// let steps = workflow.planned(&Context::new()).map_err(|_| "a directive")?;
/// assert_eq!(steps.len(), 2);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Workflow {
    steps: Vec<WorkflowStep>,
    trust: Trust,
    syntax: Syntax,
}

impl Workflow {
    /// Creates the workflow of `candidate`, without steps if it declares none.
    ///
    /// # Errors
    /// [`EngineError::InvalidWorkflow`] with all faults.
    pub fn new(candidate: &Candidate<Skill>) -> Result<Workflow, EngineError> {
        let skill = &candidate.item;
        Workflow::from_skill(skill, candidate.trust).map_err(|faults| {
            EngineError::InvalidWorkflow {
                skill: skill.id.clone(),
                faults: faults.into_iter().map(|fault| fault.message).collect(),
            }
        })
    }

    /// Creates the workflow of a skill without a registry, or of a file with the same fields.
    ///
    /// # Errors
    /// All faults, in the order of the steps.
    #[doc(hidden)]
    pub fn from_skill(skill: &Skill, trust: Trust) -> Result<Workflow, Vec<WorkflowFault>> {
        let required = ToolGlobs::new(
            skill
                .required_tools()
                .into_iter()
                .map(str::to_owned)
                .collect(),
        );
        // Parameters are data, not prose: nothing in them is an example in code.
        let syntax = Syntax::from_skill(skill, None, None).in_code();
        let (steps, mut faults) = skill
            .extension(&["workflow"])
            .map(WorkflowStep::read_all)
            .unwrap_or_default();
        for (number, step) in &steps {
            let number = *number;
            if let Some(tool) = step
                .tool
                .clone()
                .filter(|tool| required.matches(tool).is_empty())
            {
                let message = format!(
                    "step {number} calls `{tool}`, which is not among the `required_tools`"
                );
                faults.push(WorkflowFault::new(number, message));
            }
            let directives = step
                .params
                .iter()
                .flat_map(|params| directives(params, &syntax));
            faults.extend(directives.map(|directive| {
                let what = format!("a parameter of step {number} asks for `{directive}` to be run");
                WorkflowFault::new(number, format!("{what}, which happens in bodies alone"))
            }));
        }
        faults.sort_by_key(|fault| fault.number);
        let steps = steps.into_iter().map(|(_, step)| step).collect();
        if faults.is_empty() {
            Ok(Workflow {
                steps,
                trust,
                syntax,
            })
        } else {
            Err(faults)
        }
    }

    /// Returns the steps in their order, with the parameters filled in from `context` as bodies are. Inserted text is not
    /// rendered again.
    ///
    /// # Errors
    /// [`RenderError`] for an unknown variable, if `context` refuses it.
    pub fn planned(&self, context: &Context) -> Result<Vec<WorkflowStep>, RenderError> {
        // A parameter has no end to append arguments to.
        let context = context.clone().drop_unused();
        let mut steps = self.steps.clone();
        for params in steps.iter_mut().filter_map(|step| step.params.as_mut()) {
            *params = filled(params, &self.syntax, &context)?;
        }
        Ok(steps)
    }

    /// Runs the [planned](Workflow::planned) steps of this workflow in order, and returns their outcomes.
    ///
    /// A step that fails ends the workflow if its [`on_error`](WorkflowStep::on_error) is not [`OnError::Continue`].
    ///
    /// # Errors
    /// [`EngineError::Untrusted`], before any call.
    ///
    /// # Cancel safety
    /// May be dropped: the running call is dropped with it, and no later one is made.
    pub async fn run(
        &self,
        planned: &[WorkflowStep],
        invoker: &dyn ToolInvoker,
    ) -> Result<Vec<StepOutcome>, EngineError> {
        if self.trust != Trust::Trusted {
            return Err(EngineError::Untrusted(self.trust));
        }
        let mut outcomes = Vec::with_capacity(planned.len());
        let mut failed: Option<Arc<str>> = None;
        for (number, step) in (1..).zip(planned) {
            let outcome = match (&failed, &step.tool) {
                (Some(failed), _) => StepOutcome::Skipped(failed.clone()),
                (None, None) => StepOutcome::NoTool,
                (None, Some(tool)) => {
                    let params = step
                        .params
                        .as_ref()
                        .map_or_else(|| serde_json::json!({}), Value::json);
                    invoker.invoke(tool, &params).await
                }
            };
            let has_failed = matches!(outcome, StepOutcome::Denied(_) | StepOutcome::Failed(_));
            if has_failed && step.on_error != OnError::Continue {
                failed = Some(
                    step.id
                        .clone()
                        .unwrap_or_else(|| Arc::from(number.to_string())),
                );
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }
}

fn filled(value: &Value, syntax: &Syntax, context: &Context) -> Result<Value, RenderError> {
    Ok(match value {
        Value::List(items) => Value::List(
            items
                .iter()
                .map(|item| filled(item, syntax, context))
                .collect::<Result<_, _>>()?,
        ),
        Value::Map(rows) => {
            let rows = rows
                .iter()
                .map(|(key, value)| Ok((key.clone(), filled(value, syntax, context)?)));
            Value::Map(rows.collect::<Result<_, _>>()?)
        }
        scalar => match scalar.json() {
            serde_json::Value::String(text) => {
                Value::text(Plan::new(&text, syntax).render(context, [])?.text)
            }
            _ => scalar.clone(),
        },
    })
}

fn directives(value: &Value, syntax: &Syntax) -> Vec<String> {
    match value {
        Value::List(items) => items
            .iter()
            .flat_map(|item| directives(item, syntax))
            .collect(),
        Value::Map(rows) => rows
            .iter()
            .flat_map(|(_, value)| directives(value, syntax))
            .collect(),
        scalar => {
            let plan = scalar.as_text().map(|text| Plan::new(text, syntax));
            plan.iter()
                .flat_map(Plan::directives)
                .map(ToString::to_string)
                .collect()
        }
    }
}

/// An invoker of tools for a [`Workflow`]: the host, with the same checks as for a call of a model.
#[async_trait]
pub trait ToolInvoker: Send + Sync {
    /// Calls the tool `name` with `params`, an object.
    ///
    /// Returns [`Done`](StepOutcome::Done), [`Denied`](StepOutcome::Denied) or [`Failed`](StepOutcome::Failed).
    async fn invoke(&self, name: &str, params: &serde_json::Value) -> StepOutcome;
}

/// The outcome of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StepOutcome {
    /// The result of the tool.
    Done(serde_json::Value),
    /// The tool may not be called, for this reason.
    Denied(String),
    /// The call failed, for this reason.
    Failed(String),
    /// The step has no tool: a model or a person does it.
    NoTool,
    /// The step was skipped because the step with this id or number failed.
    Skipped(Arc<str>),
}
