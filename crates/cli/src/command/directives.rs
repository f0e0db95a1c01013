//! `repertoire directives`.

use std::io::{self, Write};

use clap::Args;
use repertoire::render::{Action, Approval, Directive};
use repertoire::{Digest, Id, Trust};
use serde::Serialize;
use serde_json::Value;

use super::approve::not_covered;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::approved::{Approved, Asked};
use crate::failure::Failure;
use crate::session::Session;
use crate::shown::{shown, shown_lines};

/// Show every command and script that one skill would run, without running any.
#[derive(Debug, Args)]
pub(crate) struct Directives {
    /// The skill: `NAME`, or `SOURCE:NAME` whoever wins.
    name: String,
}

/// What a skill would run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Directed {
    id: Id,
    qualified_id: Id,
    digest: Digest,
    trust: Trust,
    approval: Approval,
    /// In the order of the body.
    directives: Vec<Row>,
    /// What an approval is bound to beside `SKILL.md`: every file of the skill.
    files: Vec<File>,
    /// What may run on an approval although it does not cover it.
    uncovered: Vec<String>,
    #[serde(skip)]
    notes: Vec<String>,
}

/// One command or script.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Row {
    kind: Kind,
    /// Of the body.
    line: usize,
    /// The text for the shell, or the script and what is passed to it.
    runs: String,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Command,
    Script,
}

/// A file that an approval is bound to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct File {
    path: String,
    digest: Digest,
}

impl Row {
    pub(super) fn of(directive: &Directive) -> Row {
        let kind = match directive.action {
            Action::Command { .. } => Kind::Command,
            _ => Kind::Script,
        };
        Row { kind, line: directive.line, runs: directive.to_string() }
    }

    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// For a person who is to say yes or no: nothing is left out, and nothing can hide.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let kind = match self.kind {
            Kind::Command => "command",
            Kind::Script => "script",
        };
        writeln!(out, "{kind} in line {}", self.line)?;
        shown_lines(&self.runs).lines().try_for_each(|line| writeln!(out, "    {line}"))
    }
}

/// The files of a binding, for people.
pub(super) fn files(asked: &Asked<'_>) -> Vec<File> {
    let files = asked.binding.files.iter();
    files.map(|(path, digest)| File { path: path.to_string(), digest: *digest }).collect()
}

impl Directives {
    pub(crate) async fn answer(&self, session: &Session<'_>) -> Result<impl Answer + use<>, Failure> {
        let asked = Asked::of(&self.name, session).await?;
        let approval = Approved::read(session)?.approvals.approval(&asked.binding);
        let directives: Vec<_> = asked.directives.iter().map(Row::of).collect();
        let uncovered = asked.uncovered();
        let mut notes = Vec::new();
        if !directives.is_empty() {
            notes.extend(asked.distrust());
            notes.extend(not_covered(&uncovered));
            notes.extend(match approval {
                Approval::Given => None,
                Approval::Outdated => Some("it changed since it was approved".to_owned()),
                Approval::Missing => Some(format!("nobody approved it; `repertoire approve {}` does", self.name)),
            });
        }
        Ok(Directed {
            id: asked.id.clone(),
            qualified_id: asked.claim.qualified_id(),
            digest: asked.body.digest,
            trust: asked.claim.trust,
            approval,
            directives,
            files: files(&asked),
            uncovered,
            notes,
        })
    }
}

impl Answer for Directed {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        if self.directives.is_empty() {
            return writeln!(out, "it runs nothing");
        }
        self.directives.iter().try_for_each(|row| row.write(out))?;
        self.files.iter().try_for_each(|file| writeln!(out, "file {}  {}", shown(&file.path), file.digest))
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
