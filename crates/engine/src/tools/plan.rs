//! The tool that returns the plan of a skill.

use repertoire_core::text::clean;
use repertoire_core::{Check, Value, WorkflowStep};
use repertoire_render::{Arguments, Context};
use serde_json::{Map, Value as Json, json};

use super::declare::{CallArguments, has_plan};
use super::output::{CallFailure, ToolOutput, ToolStatus, quoted};
use super::toolset::Toolset;
use crate::error::EngineError;
use crate::resolve::ResolvedName;
use crate::workflow::Workflow;

impl Toolset {
    /// Answers with the steps of a skill, their parameters filled in, and its checks.
    pub(super) fn plan(&self, arguments: &CallArguments<'_>) -> Result<ToolOutput, CallFailure> {
        let read = &self.0.options.preset.read;
        let name = arguments.required(&read.id, "give the name of a skill")?;
        let written = match &read.arguments {
            Some(key) => arguments.text(key)?.unwrap_or_default(),
            None => "",
        };
        let ResolvedName { entry, candidate } = self.find(name)?;
        let skill = &candidate.item;
        if !has_plan(skill) {
            let text = format!(
                "The skill {} has no plan: follow its instructions.\n",
                quoted(name)
            );
            return Ok(ToolOutput::ok(text));
        }
        let workflow = Workflow::new(candidate).map_err(|error| match error {
            EngineError::InvalidWorkflow { faults, .. } => invalid(name, &faults.join("; ")),
            error => invalid(name, &error.to_string()),
        })?;
        let context = Context::new().arguments(Arguments::new(written));
        let steps = workflow.planned(&context);
        let steps = steps.map_err(|error| invalid(name, &error.to_string()))?;
        let steps: Vec<Json> = (1..).zip(&steps).map(|(at, step)| row(at, step)).collect();
        let checks = skill.verification();
        let checks: Vec<Json> = checks.iter().map(check).collect();
        let plan = json!({"id": entry.id, "steps": steps, "verification": checks});
        Ok(ToolOutput::ok(clean(&format!("{plan:#}\n")).into_owned()))
    }
}

fn invalid(name: &str, why: &str) -> CallFailure {
    let name = quoted(name);
    let text = format!("The plan of the skill {name} is not valid: {why}.");
    CallFailure::new(ToolStatus::Unreadable, text)
}

fn row(number: usize, step: &WorkflowStep) -> Json {
    let mut row = Map::new();
    row.insert("number".to_owned(), number.into());
    row.insert("step".to_owned(), step.step.as_ref().into());
    if let Some(id) = &step.id {
        row.insert("id".to_owned(), id.as_ref().into());
    }
    if let Some(tool) = &step.tool {
        row.insert("tool".to_owned(), tool.as_ref().into());
        row.insert("on_error".to_owned(), json!(step.on_error));
    }
    if let Some(params) = &step.params {
        row.insert("params".to_owned(), params.json());
    }
    row.into()
}

fn check(check: &Check) -> Json {
    match check {
        Check::Text(text) => text.as_ref().into(),
        Check::Typed { item, .. } => Value::json(item),
        _ => Json::Null,
    }
}
