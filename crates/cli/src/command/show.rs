//! `repertoire show`.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;
use repertoire::{Claim, Diagnostic, Need, Readiness, Skill, SourceError, SourceErrorKind, Workflow, WorkflowStep};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::Stream;
use crate::answer::{Answer, json, word};
use crate::failure::Failure;
use crate::finding::counted;
use crate::provenance::Provenance;
use crate::row::{Flag, Row, Winner};
use crate::session::Session;
use crate::shown::shown;

/// Show everything about one skill.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The skill: `NAME`, or `SOURCE:NAME` whoever wins.
    name: String,
}

/// Everything about one skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Shown<'a> {
    skill: Found<'a>,
    /// The full name of the winner, if this is a shadow.
    shadow_of: Option<repertoire::Id>,
    allowed_tools: Option<&'a [Arc<str>]>,
    /// The rules among them that cannot be read and grant nothing.
    unread_rules: Vec<&'a str>,
    allowed_workflows: Option<&'a [Arc<str>]>,
    /// The plan that its field `workflow` declares; null without one.
    workflow: Option<Plan>,
    /// Whether what it needs is on this machine.
    readiness: Readiness,
    /// What it needs, and what it stands in for.
    #[serde(skip)]
    needs: [Vec<Need>; 2],
    /// Null where the source cannot tell.
    files: Option<usize>,
    /// A note about hidden text in the body.
    #[serde(skip)]
    hidden: Option<String>,
    /// What could not be read, and why.
    #[serde(skip)]
    unreadable: Vec<(&'static str, String)>,
    provenance: Option<Provenance>,
    /// What is wrong or odd in its file.
    diagnostics: Vec<Diagnostic>,
    /// The front matter as written.
    fields: Map<String, Value>,
    /// Why it is not known where skills were installed from.
    #[serde(skip)]
    unknown: Option<String>,
    #[serde(skip)]
    session: &'a Session<'a>,
}

/// The plan that a skill's field `workflow` declares.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WorkflowPlan"))]
struct Plan {
    steps: Vec<Step>,
    /// The reasons why no host would run it.
    faults: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WorkflowStep"))]
struct Step {
    id: Option<Arc<str>>,
    step: Arc<str>,
    /// The tool to call; null for a step that a model or a person takes.
    tool: Option<Arc<str>>,
    /// The arguments of the tool, as written.
    params: Option<Value>,
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["fail", "continue", "skip"])))]
    on_error: String,
}

impl Plan {
    fn of(claim: &Claim<Skill>) -> Option<Plan> {
        let (steps, _) = WorkflowStep::read_all(claim.item.extension(&["workflow"])?);
        let faults = Workflow::of(claim).err().into_iter().flat_map(|invalid| invalid.faults);
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

/// The skill that was asked for.
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
    pub(crate) async fn answer<'a>(&self, session: &'a Session<'_>) -> Result<impl Answer + 'a, Failure> {
        let found = session.find(&self.name)?;
        let is_winner = std::ptr::eq(found.claim, &raw const found.entry.claim);
        let mut skill = match is_winner {
            true => Found::Winner(Winner::of(found.entry, session)),
            false => Found::Shadow(Row::of(found.entry, found.claim, session)),
        };
        let item = &found.claim.item;
        let mut unreadable = Vec::new();
        let files = match known(session.registry.resources(found.claim).await) {
            Ok(files) => files.map(|files| files.len()),
            Err(why) => {
                unreadable.push(("files", why));
                None
            }
        };
        let digest = &mut skill.row_mut().digest;
        let mut hidden = None;
        match known(session.registry.body(found.claim).await) {
            Ok(Some(body)) => {
                digest.get_or_insert(body.digest);
                hidden = body.hidden;
            }
            Ok(None) => {}
            Err(why) if digest.is_none() => unreadable.push(("digest", why)),
            Err(_) => {}
        }
        let (installed, unknown) = session.installed();
        Ok(Shown {
            skill,
            shadow_of: (!is_winner).then(|| found.entry.claim.qualified_id()),
            allowed_tools: item.allowed_tools.as_deref(),
            unread_rules: item.allowed_rules().filter(|(_, read)| read.is_err()).map(|(rule, _)| &**rule).collect(),
            allowed_workflows: item.allowed_workflows.as_deref(),
            workflow: Plan::of(found.claim),
            readiness: Readiness::of(item, &session.machine),
            needs: [Need::all_of(item), Need::stood_in_for(item)],
            files,
            hidden: hidden.map(|hidden| format!("the body holds {hidden}, on line {}", hidden.line)),
            unreadable,
            provenance: Provenance::of(item, &installed),
            diagnostics: session.diagnostics_of(found.claim).await,
            unknown,
            fields: item.fields.iter().map(|(key, value)| (key.to_string(), value.json())).collect(),
            session,
        })
    }
}

impl Answer for Shown<'_> {
    fn json(&self) -> Value {
        json(self)
    }

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
        fact("location", row.location.map(|path| self.session.near(path).to_owned()));
        fact("surface", Some(format!("{}, decided by {}", row.surface.mode, row.surface.decided_by)));
        fact("tools", self.allowed_tools.map(|tools| format!("{} (a request, not a limit)", names(tools))));
        self.unread_rules.iter().for_each(|rule| fact("unread rule", Some(format!("{rule} (grants nothing)"))));
        fact("workflows", self.allowed_workflows.map(names));
        for (number, step) in (1..).zip(self.workflow.iter().flat_map(|plan| &plan.steps)) {
            fact("step", Some(format!("{number}. {step}")));
        }
        let Readiness { missing, stood_in_for, unknown, .. } = &self.readiness;
        for (what, needs) in ["needs", "instead of"].into_iter().zip(&self.needs) {
            for need in needs {
                let states = [(missing, " (missing)"), (stood_in_for, " (is there)"), (unknown, " (a host knows)")];
                let state = states.iter().find(|(needs, _)| needs.contains(need)).map_or("", |(_, state)| state);
                fact(what, Some(format!("{need}{state}")));
            }
        }
        let flags: Vec<_> = row.flags.iter().copied().map(Flag::as_str).collect();
        fact("flags", (!flags.is_empty()).then(|| flags.join(", ")));
        fact("catalog", Some(counted(row.tokens, "token")));
        fact("files", self.files.map(|count| count.to_string()));
        fact("digest", row.digest.map(|digest| digest.to_string()));
        self.unreadable.iter().for_each(|(what, why)| fact(what, Some(format!("not known: {why}"))));
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
            writeln!(out, "{what:<12} {}", shown(&text))?;
        }
        let rest: Vec<_> = self.fields.iter().filter(|(key, _)| !is_told(key)).collect();
        if !rest.is_empty() {
            writeln!(out, "\nother fields")?;
            for (key, value) in rest {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                writeln!(out, "  {}: {}", shown(key), shown(&text))?;
            }
        }
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        self.unknown.iter().chain(&self.hidden).cloned().chain(self.session.pending()).collect()
    }
}

/// What a source answered, `None` if it has nothing of the kind; else why it failed.
fn known<O>(answer: Result<O, SourceError>) -> Result<Option<O>, String> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.kind() == SourceErrorKind::Unsupported => Ok(None),
        Err(error) => Err(Failure::of(&error).message().to_owned()),
    }
}

/// Whether a front-matter field is among the facts above.
fn is_told(key: &str) -> bool {
    ["name", "id", "description", "allowed-tools", "allowedWorkflows", "workflow"].contains(&key)
}
