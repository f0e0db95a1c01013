//! `repertoire directives`.

use std::io::{self, Write};

use clap::Args;
use repertoire::render::{ApprovalState, Directive, DirectiveAction};
use repertoire::skill::Digest;
use repertoire::skill::text::{terminal_line, terminal_lines};
use repertoire::{Id, Trust};
use serde::Serialize;

use crate::Stream;
use crate::command_approval::{ApprovalStore, RunnableSkill, uncovered_note};
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::CommandOutput;

/// List the commands and scripts that a skill would run.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire directives deploy")]
pub(crate) struct Directives {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    name: String,
}

/// The commands and scripts that a skill would run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Directed {
    id: Id,
    qualified_id: Id,
    digest: Digest,
    trust: Trust,
    approval: ApprovalState,
    /// In the order of the body.
    directives: Vec<Row>,
    /// The files besides `SKILL.md` that an approval is bound to: every file of the skill.
    files: Vec<File>,
    /// The files and folders that an approval does not cover, and that the commands may run.
    uncovered: Vec<String>,
    #[serde(skip)]
    notes: Vec<String>,
}

/// One command or script.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Row {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["command", "script"])))]
    kind: &'static str,
    /// The line of the body.
    pub(super) line: usize,
    /// The text for the shell, or the script and its arguments.
    runs: String,
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
            DirectiveAction::Command { .. } => "command",
            _ => "script",
        };
        Row { kind, line: directive.line, runs: directive.to_string() }
    }

    /// Returns the directive for a prompt: complete, with every hidden character escaped.
    pub(super) fn prompt(&self) -> String {
        let lines = terminal_lines(&self.runs);
        let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
        format!("{} in line {}\n{lines}", self.kind, self.line)
    }
}

impl File {
    pub(super) fn all(skill: &RunnableSkill<'_>) -> Vec<File> {
        let files = skill.binding.files.iter();
        files.map(|(path, digest)| File { path: path.to_string(), digest: *digest }).collect()
    }
}

impl Directives {
    pub(super) async fn run(&self, context: &CommandContext) -> Result<Directed, Failure> {
        let skill = RunnableSkill::read(&self.name, context).await?;
        let approval = ApprovalStore::read(context.approvals())?.approvals.state(&skill.binding);
        let directives: Vec<_> = skill.directives.iter().map(Row::of).collect();
        let uncovered = skill.uncovered();
        let mut notes = Vec::new();
        if !directives.is_empty() {
            notes.extend(skill.untrusted_note());
            notes.extend(uncovered_note(&uncovered));
            notes.extend(match approval {
                ApprovalState::Given => None,
                ApprovalState::Outdated => {
                    Some(format!("changed since it was approved; run `repertoire approve {}`", self.name))
                }
                ApprovalState::Missing => Some(format!("not approved; run `repertoire approve {}`", self.name)),
            });
        }
        Ok(Directed {
            id: skill.id.clone(),
            qualified_id: skill.candidate.qualified_id(),
            digest: skill.body.digest,
            trust: skill.candidate.trust,
            approval,
            directives,
            files: File::all(&skill),
            uncovered,
            notes,
        })
    }
}

impl CommandOutput for Directed {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        if self.directives.is_empty() {
            return writeln!(out, "no commands or scripts");
        }
        self.directives.iter().try_for_each(|row| out.write_all(row.prompt().as_bytes()))?;
        self.files.iter().try_for_each(|file| writeln!(out, "file {}  {}", terminal_line(&file.path), file.digest))
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
}
