//! The steps of a skill.

use repertoire_core::{Skill, Value, WorkflowFault, WorkflowStep};
use repertoire_registry::Candidate;
use repertoire_render::{Context, Plan, RenderError, Syntax};

use crate::error::EngineError;
use crate::globs::ToolGlobs;

/// The declared `workflow` of a skill. The tool of each step is among those that the skill requires, ids are unique, and no
/// parameter requests a command.
///
/// A host shows it, or runs it with the `WorkflowRun` of the crate `repertoire-gateway`, which survives a crash.
///
/// ```
/// use repertoire_core::skill_md;
/// use repertoire_engine::workflow::Workflow;
/// use repertoire_render::Context;
///
/// let text = b"---\nname: tea\ndescription: Makes tea.\nworkflow: [Boil the water., Wait.]\n---\n";
/// let skill = skill_md::parse(text, skill_md::FileContext::new("SKILL.md")).skill.ok_or("no skill")?;
/// let workflow = Workflow::from_skill(&skill).map_err(|_| "a broken workflow")?;
/// let steps = workflow.planned(&Context::new()).map_err(|_| "a directive")?;
/// assert_eq!(steps.len(), 2);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Workflow {
    steps: Vec<WorkflowStep>,
    syntax: Syntax,
}

impl Workflow {
    /// Creates the workflow of `candidate`, without steps if it declares none.
    ///
    /// # Errors
    /// [`EngineError::InvalidWorkflow`] with all faults.
    pub fn new(candidate: &Candidate<Skill>) -> Result<Workflow, EngineError> {
        let skill = &candidate.item;
        Workflow::from_skill(skill).map_err(|faults| EngineError::InvalidWorkflow {
            skill: skill.id.clone(),
            faults: faults.into_iter().map(|fault| fault.message).collect(),
        })
    }

    /// Creates the workflow of a skill without a registry, or of a file with the same fields.
    ///
    /// # Errors
    /// All faults, in the order of the steps.
    #[doc(hidden)]
    pub fn from_skill(skill: &Skill) -> Result<Workflow, Vec<WorkflowFault>> {
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
            Ok(Workflow { steps, syntax })
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
