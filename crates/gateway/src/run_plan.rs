//! The plan of a run: the steps and checks of a workflow or a skill, with the parameters filled in.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use repertoire::registry::Candidate;
use repertoire::render::{Arguments, Context};
use repertoire::skill::{Check, OnError, Value, WorkflowStep};
use repertoire::workflow::Workflow;
use repertoire::{Skill, Trust};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::{RunError, WorkflowFile, WorkflowFormat};
use crate::{regex_check, workflow_plan};

/// The steps and checks of a workflow or a skill in their order, with the parameters filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunPlan {
    /// The id of the workflow or of the skill.
    pub name: Arc<str>,
    /// The steps, then the checks.
    pub steps: Vec<PlannedStep>,
    /// The rights of the source.
    pub trust: Trust,
}

/// A step or a check of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub struct PlannedStep {
    /// The number, from 1. The numbers of checks follow those of steps.
    pub number: usize,
    /// The id in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Arc<str>>,
    /// The instruction of a step, or the statement or the kind of a check.
    pub text: Arc<str>,
    /// `true` for a check.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_check: bool,
    /// The action.
    #[serde(flatten)]
    pub action: StepAction,
    /// The effect of a failure on the steps after it.
    #[serde(default)]
    pub on_error: OnError,
}

/// The action of a step or a check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StepAction {
    /// A call of a tool of an MCP server.
    Call {
        /// The id of the server.
        server: Arc<str>,
        /// The name that the server gives the tool.
        tool: Arc<str>,
        /// The arguments.
        arguments: Map<String, Json>,
    },
    /// A person or a model does it, or judges it.
    Manual,
    /// A file exists.
    FileExists {
        /// The path, absolute or relative to the project.
        path: Arc<str>,
    },
    /// The host runs a command of a shell, whose success is an exit status of 0.
    Command {
        /// The text for the shell.
        run: Arc<str>,
        /// The variables for its environment: `ARGUMENTS` as typed, and each named argument. They are never part of the text.
        variables: BTreeMap<Arc<str>, Arc<str>>,
    },
    /// A regular expression matches in the result of a step, or in a file.
    Regex {
        /// The regular expression.
        pattern: Arc<str>,
        /// The number of the step, if no path is named.
        step: usize,
        /// The path, absolute or relative to the project.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<Arc<str>>,
    },
    /// A run cannot do it.
    Unsupported {
        /// The tool of a step, or the kind of a check.
        what: Arc<str>,
    },
}

impl RunPlan {
    /// Creates the plan of a skill: its `workflow` and its `verification`.
    ///
    /// # Errors
    /// [`RunError::Plan`] for a workflow with faults, without steps and checks, or with an unknown variable that `context` refuses.
    pub fn of_skill(candidate: &Candidate<Skill>, context: &Context) -> Result<RunPlan, RunError> {
        RunPlan::new(&candidate.item, candidate.trust, context)
    }

    /// Creates the plan of a workflow file, whose text is `text`.
    ///
    /// # Errors
    /// The errors of [`of_skill`](RunPlan::of_skill), and one for a script, which a host runs itself.
    pub fn of_file(
        workflow: &WorkflowFile,
        text: &str,
        context: &Context,
    ) -> Result<RunPlan, RunError> {
        if workflow.format == WorkflowFormat::Script {
            let message = format!("`{}` is a program, which your host runs", workflow.id);
            return Err(RunError::plan(message));
        }
        let parsed = workflow_plan::parse(workflow.format, &workflow.id, text.as_bytes());
        let parsed = parsed.map_err(|faults| {
            let faults = faults.into_iter();
            RunError::Plan(faults.map(|fault| fault.at_path(&*workflow.path)).collect())
        })?;
        RunPlan::new(&parsed.skill, Trust::Trusted, context)
    }

    fn new(skill: &Skill, trust: Trust, context: &Context) -> Result<RunPlan, RunError> {
        let mut steps = Vec::new();
        for step in planned(skill, context)? {
            let action = match &step.tool {
                None => StepAction::Manual,
                Some(tool) => StepAction::of_tool(tool, step.params.as_ref()),
            };
            steps.push(PlannedStep {
                number: steps.len() + 1,
                id: step.id,
                text: step.step,
                is_check: false,
                action,
                on_error: step.on_error,
            });
        }
        for check in skill.verification() {
            let checked = CheckedSkill {
                skill,
                context,
                steps: &steps,
            };
            steps.push(PlannedStep::of_check(&check, &checked)?);
        }
        if steps.is_empty() {
            let message = format!("`{}` has no `workflow` and no `verification`", skill.id);
            return Err(RunError::plan(message));
        }
        Ok(RunPlan {
            name: skill.id.as_str().into(),
            steps,
            trust,
        })
    }

    /// Returns the reason why it cannot be run: a source that is not trusted, or a step that calls a tool of no MCP server.
    pub(crate) fn refusal(&self) -> Option<String> {
        if self.trust != Trust::Trusted {
            return Some(format!(
                "`{}` is of a source that is {}: only workflows of trusted sources run",
                self.name, self.trust
            ));
        }
        self.steps.iter().find_map(|step| match &step.action {
            StepAction::Unsupported { what } if !step.is_check => Some(format!(
                "step {} calls `{what}`, which is not a tool of an MCP server (`mcp__SERVER__TOOL`)",
                step.number
            )),
            _ => None,
        })
    }
}

impl PlannedStep {
    fn of_check(check: &Check, checked: &CheckedSkill<'_>) -> Result<PlannedStep, RunError> {
        let number = checked.steps.len() + 1;
        let (id, text, action) = match check {
            Check::Text(text) => (None, Arc::clone(text), StepAction::Manual),
            Check::Typed { id, kind, item } => {
                let action = match check.command() {
                    Some(run) => Ok(StepAction::Command {
                        run: run.into(),
                        variables: checked.variables(),
                    }),
                    None => StepAction::of_check(kind, item, checked)?,
                };
                let action = action.map_err(|fault| {
                    RunError::plan(format!("check {number} of the kind `{kind}` {fault}"))
                })?;
                (id.clone(), Arc::clone(kind), action)
            }
            _ => (None, "".into(), StepAction::Manual),
        };
        Ok(PlannedStep {
            number,
            id,
            text,
            is_check: true,
            action,
            on_error: OnError::Continue,
        })
    }

    /// Returns the full name of the tool that it calls: `mcp__SERVER__TOOL`.
    pub fn tool_name(&self) -> Option<String> {
        match &self.action {
            StepAction::Call { server, tool, .. } => Some(format!("mcp__{server}__{tool}")),
            _ => None,
        }
    }

    /// Returns whether `name` is its number or its id.
    pub fn is_called(&self, name: &str) -> bool {
        self.id.as_deref() == Some(name) || name.parse() == Ok(self.number)
    }

    pub(crate) fn file_exists(path: &str, project: &Path) -> bool {
        project.join(path).exists()
    }
}

impl StepAction {
    /// Returns the action of a check, or the fault in it.
    fn of_check(
        kind: &str,
        item: &Value,
        checked: &CheckedSkill<'_>,
    ) -> Result<Result<StepAction, String>, RunError> {
        let text = |key| item.get(key).and_then(Value::as_text);
        let has_no = |key: &str| Ok(Err(format!("has no `{key}`")));
        Ok(Ok(match kind {
            "tool" => {
                let Some(tool) = text("tool") else {
                    return has_no("tool");
                };
                let params = check_params(tool, item, checked.skill, checked.context)?;
                StepAction::of_tool(tool, params.as_ref())
            }
            "file-exists" => match text("path") {
                Some(path) => StepAction::FileExists { path: path.into() },
                None => return has_no("path"),
            },
            "command" => return has_no("run"),
            "regex" => return Ok(checked.regex(text("pattern"), text("step"), text("path"))),
            _ => StepAction::Unsupported { what: kind.into() },
        }))
    }

    fn of_tool(name: &str, params: Option<&Value>) -> StepAction {
        let server_and_tool = name
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"))
            .filter(|(server, tool)| !server.is_empty() && !tool.is_empty());
        let Some((server, tool)) = server_and_tool else {
            return StepAction::Unsupported { what: name.into() };
        };
        let arguments = match params.map(Value::json) {
            Some(Json::Object(arguments)) => arguments,
            _ => Map::new(),
        };
        StepAction::Call {
            server: server.into(),
            tool: tool.into(),
            arguments,
        }
    }
}

/// A skill whose checks are planned, after its steps.
struct CheckedSkill<'a> {
    skill: &'a Skill,
    context: &'a Context,
    steps: &'a [PlannedStep],
}

impl CheckedSkill<'_> {
    /// Returns the arguments as variables of an environment.
    fn variables(&self) -> BTreeMap<Arc<str>, Arc<str>> {
        let raw = self.context.get("ARGUMENTS").unwrap_or_default();
        let arguments = Arguments::new(raw);
        let named = self.skill.arguments().into_iter().zip(arguments.words());
        let named = named.map(|(name, word)| (Arc::from(name), Arc::from(word.as_str())));
        named.chain([("ARGUMENTS".into(), raw.into())]).collect()
    }

    /// Returns a search in a file, or in the result of a step: by default that of the last one that calls a tool.
    fn regex(
        &self,
        pattern: Option<&str>,
        step: Option<&str>,
        path: Option<&str>,
    ) -> Result<StepAction, String> {
        let pattern = pattern.ok_or("has no `pattern`")?;
        if regex_check::compile(pattern).is_err() {
            return Err(format!("has an invalid `pattern`: `{pattern}`"));
        }
        let mut calls = self.steps.iter().rev().filter(|step| !step.is_check);
        let step = match (step, path) {
            (_, Some(_)) => 0,
            (Some(name), None) => {
                let named = calls.find(|step| step.is_called(name));
                named
                    .ok_or_else(|| format!("names the unknown step `{name}`"))?
                    .number
            }
            (None, None) => {
                let last = calls.find(|step| step.tool_name().is_some());
                last.ok_or("needs a `path`, as no step calls a tool")?
                    .number
            }
        };
        Ok(StepAction::Regex {
            pattern: pattern.into(),
            step,
            path: path.map(Arc::from),
        })
    }
}

fn planned(skill: &Skill, context: &Context) -> Result<Vec<WorkflowStep>, RunError> {
    let workflow = Workflow::from_skill(skill).map_err(|faults| {
        let faults = faults.into_iter().map(|fault| fault.message);
        RunError::Plan(faults.map(RunError::fault).collect())
    })?;
    let planned = workflow.planned(context);
    planned.map_err(|error| RunError::plan(error.to_string()))
}

/// Returns the parameters of a check that calls a tool, filled in as those of a step are.
fn check_params(
    tool: &str,
    item: &Value,
    skill: &Skill,
    context: &Context,
) -> Result<Option<Value>, RunError> {
    let Some(params) = item.get("params") else {
        return Ok(None);
    };
    let step = Value::Map(vec![
        ("step".into(), Value::text("check")),
        ("tool".into(), Value::text(tool)),
        ("params".into(), params.clone()),
    ]);
    let skill = skill
        .clone()
        .with_field("workflow", Value::List(vec![step]))
        .with_field("required_tools", Value::List(vec![Value::text(tool)]));
    let mut steps = planned(&skill, context)?;
    Ok(steps.pop().and_then(|step| step.params))
}
