//! `repertoire show`.

use std::fmt;
use std::sync::Arc;

use clap::Args;
use repertoire::permission::{Requirement, Requirements};
use repertoire::registry::{Candidate, Entry};
use repertoire::session::EngineError;
use repertoire::skill::{Diagnostic, SourceError, SourceErrorKind, WorkflowStep};
use repertoire::workflow::Workflow;
use repertoire::{Id, Skill};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::completion;
use crate::context::CommandContext;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::fields;
use crate::output::{Output, word};
use crate::provenance::Provenance;
use crate::row::{SkillRow, WinnerRow};

/// Show the details of a skill.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire show review --model anthropic/claude-sonnet-4-5")]
pub(crate) struct ShowCommand {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    #[arg(add = completion::skills())]
    name: String,
}

/// The details of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ShowOutput<'a> {
    skill: ShownSkill<'a>,
    /// The full name of the winner, for a shadow.
    shadow_of: Option<Id>,
    allowed_tools: Option<&'a [Arc<str>]>,
    /// The rules of `allowed_tools` that grant nothing, as they cannot be read.
    unread_rules: Vec<&'a str>,
    allowed_workflows: Option<&'a [Arc<str>]>,
    /// The plan that its field `workflow` declares; null without one.
    workflow: Option<WorkflowPlan>,
    /// The requirements of the skill, and which of them this machine meets.
    readiness: Requirements,
    /// The number of files; null if the source does not list them.
    files: Option<usize>,
    provenance: Option<Provenance>,
    /// The diagnostics of its file.
    diagnostics: Vec<Diagnostic>,
    /// The front matter as written.
    fields: Map<String, Value>,
}

/// The plan that a skill's field `workflow` declares.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct WorkflowPlan {
    steps: Vec<PlanStep>,
    /// The reasons why the plan cannot run.
    faults: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PlanStep {
    id: Option<Arc<str>>,
    step: Arc<str>,
    /// The tool to call; null for a step of a model or a person.
    tool: Option<Arc<str>>,
    /// The arguments of the tool, as written.
    params: Option<Value>,
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["fail", "continue", "skip"])))]
    on_error: String,
}

impl WorkflowPlan {
    fn of(candidate: &Candidate<Skill>) -> Option<WorkflowPlan> {
        let (steps, _) = WorkflowStep::read_all(candidate.item.extension(&["workflow"])?);
        let faults = match Workflow::new(candidate) {
            Err(EngineError::InvalidWorkflow { faults, .. }) => faults,
            _ => Vec::new(),
        };
        let steps = steps.into_iter().map(|(_, step)| PlanStep {
            on_error: word(&step.on_error),
            params: step.params.map(|params| params.json()),
            id: step.id,
            step: step.step,
            tool: step.tool,
        });
        Some(WorkflowPlan {
            steps: steps.collect(),
            faults,
        })
    }
}

impl fmt::Display for PlanStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.step)?;
        if let Some(tool) = &self.tool {
            write!(f, "; {tool}")?;
        }
        if let Some(params) = &self.params {
            write!(f, " {params}")?;
        }
        if self.on_error == "fail" {
            Ok(())
        } else {
            write!(f, "; on error {}", self.on_error)
        }
    }
}

/// The requested skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum ShownSkill<'a> {
    Winner(WinnerRow<'a>),
    Shadow(SkillRow<'a>),
}

impl<'a> ShownSkill<'a> {
    fn winner(
        entry: &'a Entry<Skill>,
        row: SkillRow<'a>,
        context: &'a CommandContext,
    ) -> ShownSkill<'a> {
        ShownSkill::Winner(WinnerRow {
            row,
            ..WinnerRow::of(entry, context)
        })
    }

    fn row(&self) -> &SkillRow<'a> {
        match self {
            ShownSkill::Winner(winner) => &winner.row,
            ShownSkill::Shadow(row) => row,
        }
    }
}

impl ShowCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let found = context.find(&self.name)?;
        let is_winner = std::ptr::eq(found.candidate, &raw const found.entry.candidate);
        let mut row = SkillRow::of(found.entry, found.candidate, context);
        let item: &Skill = &found.candidate.item;
        // The facts that could not be read, and the reasons.
        let mut unreadable = Vec::new();
        let files = supported(context.registry.resources(found.candidate).await);
        let files = files
            .map_err(|why| unreadable.push(("files", why)))
            .ok()
            .flatten();
        let mut hidden = None;
        match supported(context.registry.body(found.candidate).await) {
            Ok(Some(body)) => {
                row.digest.get_or_insert(body.digest);
                hidden = body.hidden;
            }
            Err(why) if row.digest.is_none() => unreadable.push(("digest", why)),
            Ok(None) | Err(_) => {}
        }
        let (installed, unknown_origins) = context.installed();
        let shown = ShowOutput {
            skill: if is_winner {
                ShownSkill::winner(found.entry, row, context)
            } else {
                ShownSkill::Shadow(row)
            },
            shadow_of: (!is_winner).then(|| found.entry.candidate.qualified_id()),
            allowed_tools: item.allowed_tools.as_deref(),
            unread_rules: unread_rules(item),
            allowed_workflows: item.allowed_workflows.as_deref(),
            workflow: WorkflowPlan::of(found.candidate),
            readiness: Requirements::new(item, &context.probe),
            files: files.map(|files| files.len()),
            provenance: Provenance::of(item, &installed),
            diagnostics: fields::diagnostics_of(found.candidate, context).await,
            fields: item
                .fields
                .iter()
                .map(|(key, value)| (key.to_string(), value.json()))
                .collect(),
        };
        if out.write_json(&shown) {
            return Ok(());
        }
        for (what, text) in shown.facts(item, &unreadable, context) {
            out.line(format!("{what:<13} {text}"));
        }
        shown.write_other_fields(out);
        out.notes(unknown_origins);
        out.notes(hidden.map(|hidden| format!("the body holds {hidden}, on line {}", hidden.line)));
        out.notes(context.pending());
        Ok(())
    }
}

fn unread_rules(item: &Skill) -> Vec<&str> {
    item.allowed_rules()
        .filter(|(_, read)| read.is_err())
        .map(|(rule, _)| &**rule)
        .collect()
}

impl ShowOutput<'_> {
    fn facts(
        &self,
        item: &Skill,
        unreadable: &[(&'static str, String)],
        context: &CommandContext,
    ) -> Vec<(&'static str, String)> {
        let row = self.skill.row();
        let mut facts = vec![
            ("name", row.id.to_string()),
            ("description", row.description.to_owned()),
            ("full name", row.qualified_id.to_string()),
            (
                "source",
                format!("{}, {} tier, {}", row.source, row.tier, row.trust),
            ),
        ];
        facts.extend(
            row.location
                .map(|path| ("location", context.relative_path(path).to_owned())),
        );
        facts.push((
            "surface",
            format!(
                "{}, decided by {}",
                row.surface.mode, row.surface.decided_by
            ),
        ));
        self.add_demands(item, &mut facts);
        let flags = row.flags_text();
        facts.extend((!flags.is_empty()).then_some(("flags", flags)));
        facts.push(("catalog", counted(row.tokens, "token")));
        facts.extend(self.files.map(|count| ("files", count.to_string())));
        facts.extend(row.digest.map(|digest| ("digest", digest.to_string())));
        facts.extend(
            unreadable
                .iter()
                .map(|(what, why)| (*what, format!("unknown: {why}"))),
        );
        self.add_history(&mut facts);
        self.add_diagnostics(&mut facts);
        facts
    }

    fn add_demands(&self, item: &Skill, facts: &mut Vec<(&'static str, String)>) {
        let allowed_tools = self.allowed_tools.map(names_or_none);
        facts.extend(allowed_tools.map(|tools| {
            (
                "allowed-tools",
                format!("{tools} (pre-approved, not a restriction)"),
            )
        }));
        facts.extend(
            self.unread_rules
                .iter()
                .map(|rule| ("unread rule", format!("{rule} (grants nothing)"))),
        );
        facts.extend(
            self.allowed_workflows
                .map(|names| ("workflows", names_or_none(names))),
        );
        let steps = (1..).zip(self.workflow.iter().flat_map(|plan| &plan.steps));
        facts.extend(steps.map(|(number, step)| ("step", format!("{number}. {step}"))));
        for need in Requirement::all_of(item) {
            facts.push(("needs", with_state(&need, &self.readiness)));
        }
        for need in Requirement::superseded_by(item) {
            facts.push(("instead of", with_state(&need, &self.readiness)));
        }
    }

    fn add_history(&self, facts: &mut Vec<(&'static str, String)>) {
        if let Some(provenance) = &self.provenance {
            facts.extend(provenance.installed().map(|text| ("installed", text)));
            facts.extend(provenance.github().map(|text| ("github", text)));
        }
        facts.extend(
            self.shadow_of
                .iter()
                .map(|id| ("shadow of", id.to_string())),
        );
        if let ShownSkill::Winner(WinnerRow { shadows, .. }) = &self.skill {
            for shadow in shadows {
                let same = if shadow.identical == Some(true) {
                    " (identical)"
                } else {
                    ""
                };
                facts.push(("shadows", format!("{}{same}", shadow.row.qualified_id)));
            }
        }
    }

    fn add_diagnostics(&self, facts: &mut Vec<(&'static str, String)>) {
        for Diagnostic {
            severity,
            code,
            message,
            line,
            ..
        } in &self.diagnostics
        {
            let line = line.map_or_else(String::new, |line| format!("line {line}: "));
            facts.push(("diagnostic", format!("{line}{severity}[{code}]: {message}")));
        }
    }

    fn write_other_fields(&self, out: &mut Output) {
        const SHOWN_ABOVE: [&str; 6] = [
            "name",
            "id",
            "description",
            "allowed-tools",
            "allowedWorkflows",
            "workflow",
        ];
        let rest: Vec<_> = self
            .fields
            .iter()
            .filter(|(key, _)| !SHOWN_ABOVE.contains(&key.as_str()))
            .collect();
        if rest.is_empty() {
            return;
        }
        out.line("");
        out.line("other fields");
        for (key, value) in rest {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            out.line(format!("  {key}: {text}"));
        }
    }
}

fn names_or_none(names: &[Arc<str>]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn with_state(need: &Requirement, readiness: &Requirements) -> String {
    let Requirements {
        missing,
        superseded_by,
        unknown,
        ..
    } = readiness;
    let states = [
        (missing, " (missing)"),
        (superseded_by, " (found)"),
        (unknown, " (unknown here)"),
    ];
    let state = states
        .iter()
        .find(|(needs, _)| needs.contains(need))
        .map_or("", |(_, state)| state);
    format!("{need}{state}")
}

/// Returns an answer of a source; `None` if the source does not support the request.
fn supported<O>(answer: Result<O, SourceError>) -> Result<Option<O>, String> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.kind() == SourceErrorKind::Unsupported => Ok(None),
        Err(error) => Err(Failure::of(&error).message().to_owned()),
    }
}
