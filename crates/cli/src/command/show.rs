//! `repertoire show`.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;
use repertoire::Skill;
use repertoire::registry::Candidate;
use repertoire::skill::text::terminal_line;
use repertoire::skill::{Diagnostic, SourceError, SourceErrorKind, WorkflowStep};
use repertoire::workflow::{Requirement, Requirements, Workflow};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Stream;
use crate::context::CommandContext;
use crate::diagnostics::counted;
use crate::failure::Failure;
use crate::output::{CommandOutput, word};
use crate::provenance::Provenance;
use crate::row::{Row, Winner};

/// Show the details of a skill.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire show review --model anthropic/claude-sonnet-4-5")]
pub(crate) struct Show {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    name: String,
}

/// The details of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Shown<'a> {
    skill: Found<'a>,
    /// The full name of the winner, for a shadow.
    shadow_of: Option<repertoire::Id>,
    allowed_tools: Option<&'a [Arc<str>]>,
    /// The rules of `allowed_tools` that grant nothing, as they cannot be read.
    unread_rules: Vec<&'a str>,
    allowed_workflows: Option<&'a [Arc<str>]>,
    /// The plan that its field `workflow` declares; null without one.
    workflow: Option<Plan>,
    /// The requirements of the skill, and which of them this machine meets.
    readiness: Requirements,
    /// The requirements, and the requirements that make the skill unnecessary.
    #[serde(skip)]
    needs: [Vec<Requirement>; 2],
    /// The number of files; null if the source does not list them.
    files: Option<usize>,
    /// A note about hidden text in the body.
    #[serde(skip)]
    hidden: Option<String>,
    /// The facts that could not be read, and the reasons.
    #[serde(skip)]
    unreadable: Vec<(&'static str, String)>,
    provenance: Option<Provenance>,
    /// The diagnostics of its file.
    diagnostics: Vec<Diagnostic>,
    /// The front matter as written.
    fields: Map<String, Value>,
    /// The reason why the installed skills are unknown.
    #[serde(skip)]
    unknown: Option<String>,
    #[serde(skip)]
    context: &'a CommandContext,
}

/// The plan that a skill's field `workflow` declares.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WorkflowPlan"))]
struct Plan {
    steps: Vec<Step>,
    /// The reasons why the plan cannot run.
    faults: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WorkflowStep"))]
struct Step {
    id: Option<Arc<str>>,
    step: Arc<str>,
    /// The tool to call; null for a step of a model or a person.
    tool: Option<Arc<str>>,
    /// The arguments of the tool, as written.
    params: Option<Value>,
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["fail", "continue", "skip"])))]
    on_error: String,
}

impl Plan {
    fn of(candidate: &Candidate<Skill>) -> Option<Plan> {
        let (steps, _) = WorkflowStep::read_all(candidate.item.extension(&["workflow"])?);
        let faults = Workflow::of(candidate).err().into_iter().flat_map(|invalid| invalid.faults);
        let steps = steps.into_iter().map(|(_, step)| Step {
            on_error: word(&step.on_error),
            params: step.params.map(|params| params.json()),
            id: step.id,
            step: step.step,
            tool: step.tool,
        });
        Some(Plan { steps: steps.collect(), faults: faults.map(|fault| fault.to_string()).collect() })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.step)?;
        if let Some(tool) = &self.tool {
            write!(f, "; {tool}")?;
        }
        if let Some(params) = &self.params {
            write!(f, " {params}")?;
        }
        if self.on_error == "fail" { Ok(()) } else { write!(f, "; on error {}", self.on_error) }
    }
}

/// The requested skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum Found<'a> {
    Winner(Winner<'a>),
    Shadow(Row<'a>),
}

impl<'a> Found<'a> {
    fn row(&self) -> &Row<'a> {
        match self {
            Found::Winner(winner) => &winner.row,
            Found::Shadow(row) => row,
        }
    }

    fn row_mut(&mut self) -> &mut Row<'a> {
        match self {
            Found::Winner(winner) => &mut winner.row,
            Found::Shadow(row) => row,
        }
    }
}

impl Show {
    pub(super) async fn run<'a>(&self, context: &'a CommandContext) -> Result<Shown<'a>, Failure> {
        let found = context.find(&self.name)?;
        let is_winner = std::ptr::eq(found.candidate, &raw const found.entry.candidate);
        let mut skill = match is_winner {
            true => Found::Winner(Winner::of(found.entry, context)),
            false => Found::Shadow(Row::of(found.entry, found.candidate, context)),
        };
        let item = &found.candidate.item;
        let mut unreadable = Vec::new();
        let files = match known(context.registry.resources(found.candidate).await) {
            Ok(files) => files.map(|files| files.len()),
            Err(why) => {
                unreadable.push(("files", why));
                None
            }
        };
        let digest = &mut skill.row_mut().digest;
        let mut hidden = None;
        match known(context.registry.body(found.candidate).await) {
            Ok(Some(body)) => {
                digest.get_or_insert(body.digest);
                hidden = body.hidden;
            }
            Ok(None) => {}
            Err(why) if digest.is_none() => unreadable.push(("digest", why)),
            Err(_) => {}
        }
        let (installed, unknown) = context.installed();
        Ok(Shown {
            skill,
            shadow_of: (!is_winner).then(|| found.entry.candidate.qualified_id()),
            allowed_tools: item.allowed_tools.as_deref(),
            unread_rules: item.allowed_rules().filter(|(_, read)| read.is_err()).map(|(rule, _)| &**rule).collect(),
            allowed_workflows: item.allowed_workflows.as_deref(),
            workflow: Plan::of(found.candidate),
            readiness: Requirements::of(item, &context.probe),
            needs: [Requirement::all_of(item), Requirement::superseded_by(item)],
            files,
            hidden: hidden.map(|hidden| format!("the body holds {hidden}, on line {}", hidden.line)),
            unreadable,
            provenance: Provenance::of(item, &installed),
            diagnostics: context.diagnostics_of(found.candidate).await,
            unknown,
            fields: item.fields.iter().map(|(key, value)| (key.to_string(), value.json())).collect(),
            context,
        })
    }
}

impl Shown<'_> {
    fn write_other_fields(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let rest: Vec<_> = self.fields.iter().filter(|(key, _)| !is_shown_above(key)).collect();
        if !rest.is_empty() {
            writeln!(out, "\nother fields")?;
            for (key, value) in rest {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                writeln!(out, "  {}: {}", terminal_line(key), terminal_line(&text))?;
            }
        }
        Ok(())
    }
}

impl CommandOutput for Shown<'_> {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        let row = self.skill.row();
        let names = |names: &[Arc<str>]| match names {
            [] => "none".to_owned(),
            names => names.join(", "),
        };
        let mut facts = vec![
            ("name", row.id.to_string()),
            ("description", row.description.to_owned()),
            ("full name", row.qualified_id.to_string()),
            ("source", format!("{}, {} tier, {}", row.source, row.tier, row.trust)),
        ];
        let mut fact = |what, text: Option<String>| facts.extend(text.map(|text| (what, text)));
        fact("location", row.location.map(|path| self.context.relative_path(path).to_owned()));
        fact("surface", Some(format!("{}, decided by {}", row.surface.mode, row.surface.decided_by)));
        fact(
            "allowed-tools",
            self.allowed_tools.map(|tools| format!("{} (pre-approved, not a restriction)", names(tools))),
        );
        self.unread_rules.iter().for_each(|rule| fact("unread rule", Some(format!("{rule} (grants nothing)"))));
        fact("workflows", self.allowed_workflows.map(names));
        for (number, step) in (1..).zip(self.workflow.iter().flat_map(|plan| &plan.steps)) {
            fact("step", Some(format!("{number}. {step}")));
        }
        let Requirements { missing, superseded_by, unknown, .. } = &self.readiness;
        for (what, needs) in ["needs", "instead of"].into_iter().zip(&self.needs) {
            for need in needs {
                let states = [(missing, " (missing)"), (superseded_by, " (found)"), (unknown, " (unknown here)")];
                let state = states.iter().find(|(needs, _)| needs.contains(need)).map_or("", |(_, state)| state);
                fact(what, Some(format!("{need}{state}")));
            }
        }
        fact("flags", (!row.flags.is_empty()).then(|| row.flags_text()));
        fact("catalog", Some(counted(row.tokens, "token")));
        fact("files", self.files.map(|count| count.to_string()));
        fact("digest", row.digest.map(|digest| digest.to_string()));
        self.unreadable.iter().for_each(|(what, why)| fact(what, Some(format!("unknown: {why}"))));
        fact("installed", self.provenance.as_ref().and_then(Provenance::installed));
        fact("github", self.provenance.as_ref().and_then(Provenance::github));
        fact("shadow of", self.shadow_of.as_ref().map(ToString::to_string));
        if let Found::Winner(Winner { shadows, .. }) = &self.skill {
            for shadow in shadows {
                let same = if shadow.identical == Some(true) { " (identical)" } else { "" };
                fact("shadows", Some(format!("{}{same}", shadow.row.qualified_id)));
            }
        }
        for Diagnostic { severity, code, message, line, .. } in &self.diagnostics {
            let line = line.map_or_else(String::new, |line| format!("line {line}: "));
            fact("diagnostic", Some(format!("{line}{severity}[{code}]: {message}")));
        }
        for (what, text) in facts {
            writeln!(out, "{what:<13} {}", terminal_line(&text))?;
        }
        self.write_other_fields(out)
    }

    fn notes(&self) -> Vec<String> {
        self.unknown.iter().chain(&self.hidden).cloned().chain(self.context.pending()).collect()
    }
}

fn known<O>(answer: Result<O, SourceError>) -> Result<Option<O>, String> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.kind() == SourceErrorKind::Unsupported => Ok(None),
        Err(error) => Err(Failure::of(&error).message().to_owned()),
    }
}

fn is_shown_above(key: &str) -> bool {
    ["name", "id", "description", "allowed-tools", "allowedWorkflows", "workflow"].contains(&key)
}
