//! `repertoire approve`.

use std::io::{self, Write};

use clap::Args;
use repertoire::render::Approval;
use repertoire::{Digest, Id};
use serde::Serialize;
use serde_json::Value;

use super::directives::{File, Row, files};
use crate::answer::{Answer, json};
use crate::approved::{Approved, Asked};
use crate::failure::Failure;
use crate::session::Session;
use crate::shown::shown;
use crate::{Environment, Stream};

/// Let one skill run its commands and scripts, as they are now: any change asks again.
#[derive(Debug, Args)]
pub(crate) struct Approve {
    /// The skill: `NAME`, or `SOURCE:NAME` whoever wins.
    name: String,
    /// Do not ask. For whoever has read `repertoire directives NAME`.
    #[arg(long)]
    yes: bool,
    /// Take an approval back.
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
}

/// What was approved.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Decided {
    id: Id,
    qualified_id: Id,
    digest: Digest,
    approval: Approval,
    directives: Vec<Row>,
    files: Vec<File>,
    /// What may run on the approval although it does not cover it: words of commands that lead out of the skill, and what of
    /// the skill cannot be compared.
    uncovered: Vec<String>,
    #[serde(skip)]
    said: String,
    #[serde(skip)]
    notes: Vec<String>,
}

impl Approve {
    pub(crate) async fn answer(
        &self,
        session: &Session<'_>,
        environment: &mut Environment<'_>,
    ) -> Result<impl Answer + use<>, Failure> {
        let asked = Asked::of(&self.name, session).await?;
        let mut approved = Approved::read(session)?;
        let rows: Vec<_> = asked.directives.iter().map(Row::of).collect();
        let said = if self.revoke {
            let was = approved.approvals.revoke(&asked.binding);
            if was {
                approved.write()?;
            }
            if was { "it may run nothing any more" } else { "it was not approved" }
        } else if rows.is_empty() {
            "it runs nothing, and needs no approval"
        } else {
            asked.refuse_too_large()?;
            if !self.yes {
                if let Some(hidden) = hidden(&asked) {
                    environment.say(&format!("warning: {}\n", shown(&hidden)));
                }
                ask(&rows, &asked, environment)?;
                // A person takes a while, in which another run may have approved something.
                approved = Approved::read(session)?;
            }
            approved.approvals.approve(&asked.binding);
            approved.write()?;
            "approved as it is now"
        };
        let uncovered = asked.uncovered();
        let notes = hidden(&asked).into_iter().chain(asked.distrust()).chain(not_covered(&uncovered)).collect();
        Ok(Decided {
            id: asked.id.clone(),
            qualified_id: asked.claim.qualified_id(),
            digest: asked.body.digest,
            approval: approved.approvals.approval(&asked.binding),
            directives: rows,
            files: files(&asked),
            uncovered,
            said: said.to_owned(),
            notes,
        })
    }
}

/// Returns what a person cannot see of the skill that is asked about.
fn hidden(asked: &Asked<'_>) -> Option<String> {
    let hidden = asked.body.hidden.as_deref()?;
    Some(format!("the body holds {hidden}, on line {}; nothing of it runs", hidden.line))
}

/// Shows all of it, and asks once.
fn ask(rows: &[Row], asked: &Asked<'_>, environment: &mut Environment<'_>) -> Result<(), Failure> {
    let mut text = Vec::new();
    rows.iter().try_for_each(|row| row.write(&mut text)).expect("a vector takes every byte");
    text.extend(not_covered(&asked.uncovered()).into_iter().flat_map(|line| format!("{line}\n").into_bytes()));
    environment.say(&String::from_utf8_lossy(&text));
    let what = match asked.binding.files.len() {
        0 => "SKILL.md stays as it is, alone in its folder".to_owned(),
        1 => "SKILL.md and the file beside it stay as they are".to_owned(),
        count => format!("SKILL.md and all {count} files beside it stay as they are"),
    };
    match environment.ask(&format!("let it run this, as long as {what}?")) {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::new("not approved")),
        None => Err(Failure::new("there is nobody to ask").help("read `repertoire directives`, then say `--yes`")),
    }
}

/// What to say of that which an approval does not cover.
pub(super) fn not_covered(uncovered: &[String]) -> Option<String> {
    let names: Vec<_> = uncovered.iter().map(|name| format!("`{}`", shown(name))).collect();
    (!names.is_empty()).then(|| format!("an approval does not cover {}", names.join(", ")))
}

impl Answer for Decided {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        writeln!(out, "{}: {}", shown(self.id.as_str()), self.said)
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
