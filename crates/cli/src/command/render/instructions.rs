//! A body as text, and what became of what it asked for.

use std::collections::BTreeSet;
use std::io;

use repertoire::render::{DialectBy, Directive, Gap, Outcome, Plan, Rendered, Run, Sandbox, Sweep, Syntax};
use repertoire::{Digest, Id};
use serde::Serialize;
use serde_json::Value;

use crate::Stream;
use crate::answer::{Answer, json};
use crate::approved::Asked;
use crate::command::body::write_text;
use crate::command::directives::Row;
use crate::shown::shown;

/// A body as text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::command) struct Instructions {
    id: Id,
    qualified_id: Id,
    /// Of the text.
    digest: Digest,
    dialect: &'static str,
    dialect_by: DialectBy,
    text: String,
    directives: Vec<Ended>,
    warnings: Vec<String>,
    /// What the operator should know of how they ran.
    #[serde(skip)]
    runs: BTreeSet<String>,
}

/// What became of a directive.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Ended {
    #[serde(flatten)]
    row: Row,
    outcome: Fate,
    /// How it ended, or why it did not run.
    how: String,
    /// What it ran in.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<Confined>,
    /// Who was ended with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    sweep: Option<Sweep>,
}

/// Whether a sandbox was around it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Confined {
    state: State,
    /// Which rules it does not keep, where it is partial.
    without: Vec<Gap>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
#[serde(rename_all = "kebab-case")]
enum State {
    Off,
    Active,
    Partial,
    Unavailable,
}

/// Whether it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Fate {
    Ran,
    /// It may not run.
    Refused,
    /// It may run, and could not.
    Failed,
}

impl Instructions {
    /// What became of the body of the skill that was asked for.
    pub(super) fn of(asked: &Asked<'_>, plan: &Plan<'_>, syntax: &Syntax, rendered: Rendered<'_>) -> Instructions {
        let directives = plan.directives().iter().zip(&rendered.outcomes);
        let (dialect, dialect_by) = syntax.dialect();
        Instructions {
            id: asked.id.clone(),
            qualified_id: asked.claim.qualified_id(),
            digest: rendered.digest(),
            dialect: dialect.name,
            dialect_by,
            directives: directives.map(|(row, outcome)| Ended::of(row, outcome)).collect(),
            runs: rendered.outcomes.iter().filter_map(run).flat_map(notes).collect(),
            warnings: rendered.warnings.iter().map(ToString::to_string).collect(),
            text: rendered.text.into_owned(),
        }
    }
}

fn run(outcome: &Outcome) -> Option<&Run> {
    match outcome {
        Outcome::Ran(run) => Some(run),
        _ => None,
    }
}

/// The sandbox, if one was asked for; who was ended, if that may not be everybody.
fn notes(run: &Run) -> impl Iterator<Item = String> {
    let sandbox = (run.sandbox != Sandbox::Off).then(|| format!("sandbox: {}", run.sandbox));
    let sweep = (run.sweep != Sweep::All).then(|| format!("sweep: {}; others may live on", run.sweep));
    sandbox.into_iter().chain(sweep)
}

impl Ended {
    fn of(directive: &Directive, outcome: &Outcome) -> Ended {
        let (fate, how) = match outcome {
            Outcome::Ran(run) => (Fate::Ran, run.ended.to_string()),
            Outcome::Refused { by } => (Fate::Refused, by.to_string()),
            Outcome::Failed { reason } => (Fate::Failed, reason.to_string()),
            _ => (Fate::Failed, String::new()),
        };
        let run = run(outcome);
        let sandbox = run.map(|run| Confined::of(&run.sandbox));
        Ended { row: Row::of(directive), outcome: fate, how, sandbox, sweep: run.map(|run| run.sweep) }
    }
}

impl Confined {
    fn of(sandbox: &Sandbox) -> Confined {
        let (state, without) = match sandbox {
            Sandbox::Off => (State::Off, Vec::new()),
            Sandbox::Active => (State::Active, Vec::new()),
            Sandbox::Partial(gaps) => (State::Partial, gaps.clone()),
            Sandbox::Unavailable => (State::Unavailable, Vec::new()),
        };
        Confined { state, without }
    }
}

impl Answer for Instructions {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        write_text(&self.text, out)
    }

    fn notes(&self) -> Vec<String> {
        let idle = self.directives.iter().filter(|directive| directive.outcome != Fate::Ran);
        let idle = idle.map(|directive| format!("line {}: not run: {}", directive.row.line(), shown(&directive.how)));
        self.warnings.iter().chain(&self.runs).cloned().chain(idle).collect()
    }
}
