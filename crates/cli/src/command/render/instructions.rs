//! Rendered instructions, and the results of their directives.

use std::collections::BTreeSet;
use std::io;

use repertoire::Id;
use repertoire::render::{
    CleanupScope, CompletedRun, DialectBy, Directive, DirectiveOutcome, MissingRule, Plan, RenderOutput, Sandbox,
    Syntax,
};
use repertoire::skill::Digest;
use repertoire::skill::text::terminal_line;
use serde::Serialize;

use crate::Stream;
use crate::command::body::write_text;
use crate::command::directives::Row;
use crate::command_approval::RunnableSkill;
use crate::output::CommandOutput;

/// The rendered instructions of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct Instructions {
    id: Id,
    qualified_id: Id,
    /// The digest of the text.
    digest: Digest,
    dialect: &'static str,
    dialect_by: DialectBy,
    text: String,
    directives: Vec<Ended>,
    warnings: Vec<String>,
    /// Notes about the confinement and the cleanup of what ran.
    #[serde(skip)]
    runs: BTreeSet<String>,
}

/// The result of a directive.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Ended {
    #[serde(flatten)]
    row: Row,
    outcome: Fate,
    /// The exit status, or the reason why it did not run.
    how: String,
    /// The sandbox that it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<Confined>,
    /// The processes that were ended with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cleanup: Option<CleanupScope>,
}

/// The state of a sandbox.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Confined {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["off", "active", "partial", "unavailable"])))]
    state: &'static str,
    /// The rules that a partial sandbox does not enforce.
    without: Vec<MissingRule>,
}

/// The state of a directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Fate {
    Ran,
    /// It is not permitted.
    Refused,
    /// It is permitted, and could not run.
    Failed,
}

impl Instructions {
    pub(super) fn of(
        skill: &RunnableSkill<'_>,
        plan: &Plan<'_>,
        syntax: &Syntax,
        rendered: RenderOutput<'_>,
    ) -> Instructions {
        let directives = plan.directives().iter().zip(&rendered.outcomes);
        let (dialect, dialect_by) = syntax.dialect();
        Instructions {
            id: skill.id.clone(),
            qualified_id: skill.candidate.qualified_id(),
            digest: rendered.digest(),
            dialect: dialect.name(),
            dialect_by,
            directives: directives.map(|(row, outcome)| Ended::of(row, outcome)).collect(),
            runs: rendered.outcomes.iter().filter_map(run_of).flat_map(notes).collect(),
            warnings: rendered.warnings.iter().map(ToString::to_string).collect(),
            text: rendered.text.into_owned(),
        }
    }
}

fn run_of(outcome: &DirectiveOutcome) -> Option<&CompletedRun> {
    match outcome {
        DirectiveOutcome::Ran(run) => Some(run),
        _ => None,
    }
}

fn notes(run: &CompletedRun) -> impl Iterator<Item = String> {
    let sandbox = (run.sandbox != Sandbox::Off).then(|| format!("sandbox: {}", run.sandbox));
    let is_whole = run.cleanup == CleanupScope::All;
    let cleanup = (!is_whole).then(|| format!("cleanup: {}; other processes may still run", run.cleanup));
    sandbox.into_iter().chain(cleanup)
}

impl Ended {
    fn of(directive: &Directive, outcome: &DirectiveOutcome) -> Ended {
        let (fate, how) = match outcome {
            DirectiveOutcome::Ran(run) => (Fate::Ran, run.ended.to_string()),
            DirectiveOutcome::Refused { by } => (Fate::Refused, by.to_string()),
            DirectiveOutcome::Failed { reason } => (Fate::Failed, reason.to_string()),
            _ => (Fate::Failed, String::new()),
        };
        let run = run_of(outcome);
        let sandbox = run.map(|run| Confined::of(&run.sandbox));
        Ended { row: Row::of(directive), outcome: fate, how, sandbox, cleanup: run.map(|run| run.cleanup) }
    }
}

impl Confined {
    fn of(sandbox: &Sandbox) -> Confined {
        let (state, without) = match sandbox {
            Sandbox::Off => ("off", Vec::new()),
            Sandbox::Active => ("active", Vec::new()),
            Sandbox::Partial(missing) => ("partial", missing.clone()),
            Sandbox::Unavailable => ("unavailable", Vec::new()),
        };
        Confined { state, without }
    }
}

impl CommandOutput for Instructions {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        write_text(&self.text, out)
    }

    fn notes(&self) -> Vec<String> {
        let not_run = self.directives.iter().filter(|directive| directive.outcome != Fate::Ran);
        let not_run =
            not_run.map(|directive| format!("line {}: not run: {}", directive.row.line, terminal_line(&directive.how)));
        self.warnings.iter().chain(&self.runs).cloned().chain(not_run).collect()
    }
}
