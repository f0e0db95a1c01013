//! A body as text, and what became of what it asked for.

use std::collections::BTreeSet;
use std::io;

use repertoire::render::{DialectBy, Directive, Gap, Outcome, Plan, Rendered, Sandbox, Syntax};
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
    #[serde(skip)]
    sandboxes: BTreeSet<String>,
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
            sandboxes: sandboxes(&rendered.outcomes),
            warnings: rendered.warnings.iter().map(ToString::to_string).collect(),
            text: rendered.text.into_owned(),
        }
    }
}

/// The sandboxes that something ran in, as a rule one.
fn sandboxes(outcomes: &[Outcome]) -> BTreeSet<String> {
    let of = |outcome: &Outcome| match outcome {
        Outcome::Ran(run) if run.sandbox != Sandbox::Off => Some(run.sandbox.to_string()),
        _ => None,
    };
    outcomes.iter().filter_map(of).collect()
}

impl Ended {
    fn of(directive: &Directive, outcome: &Outcome) -> Ended {
        let (fate, how) = match outcome {
            Outcome::Ran(run) => (Fate::Ran, run.ended.to_string()),
            Outcome::Refused { by } => (Fate::Refused, by.to_string()),
            Outcome::Failed { reason } => (Fate::Failed, reason.to_string()),
            _ => (Fate::Failed, String::new()),
        };
        let sandbox = match outcome {
            Outcome::Ran(run) => Some(Confined::of(&run.sandbox)),
            _ => None,
        };
        Ended { row: Row::of(directive), outcome: fate, how, sandbox }
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
        let sandboxes = self.sandboxes.iter().map(|sandbox| format!("sandbox: {sandbox}"));
        let idle = self.directives.iter().filter(|directive| directive.outcome != Fate::Ran);
        let idle = idle.map(|directive| format!("line {}: not run: {}", directive.row.line(), shown(&directive.how)));
        self.warnings.iter().cloned().chain(sandboxes).chain(idle).collect()
    }
}
