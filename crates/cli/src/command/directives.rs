//! `repertoire directives`.

use clap::Args;
use repertoire::render::{ApprovalState, Directive, DirectiveAction};
use repertoire::skill::Digest;
use repertoire::skill::text::{command_argument, terminal_lines};
use repertoire::{Id, Trust};
use serde::Serialize;

use crate::command_approval::{ApprovalStore, RunnableSkill, uncovered_note};
use crate::completion;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::Output;

/// List the commands and scripts that a skill would run, those of its checks too.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire directives deploy")]
pub(crate) struct DirectivesCommand {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    #[arg(add = completion::skills())]
    name: String,
}

/// The commands and scripts that a skill would run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct DirectivesOutput<'a> {
    id: &'a Id,
    qualified_id: Id,
    digest: Digest,
    trust: Trust,
    approval: ApprovalState,
    /// In the order of the body, then those of checks.
    directives: Vec<DirectiveRow>,
    /// The files besides `SKILL.md` that an approval is bound to: every file of the skill.
    files: Vec<BoundFile>,
    /// The files and folders that an approval does not cover, and that the commands may run.
    uncovered: Vec<String>,
}

/// One command or script.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct DirectiveRow {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["command", "script", "check"])))]
    kind: &'static str,
    /// The line of the body; absent for the command of a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    /// The text for the shell, or the script and its arguments.
    runs: String,
}

/// A file that an approval is bound to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct BoundFile {
    path: String,
    digest: Digest,
}

impl DirectiveRow {
    pub(super) fn of(directive: &Directive) -> DirectiveRow {
        let line = (directive.line > 0).then_some(directive.line);
        let kind = match (&directive.action, line) {
            (_, None) => "check",
            (DirectiveAction::Command { .. }, _) => "command",
            _ => "script",
        };
        DirectiveRow {
            kind,
            line,
            runs: directive.to_string(),
        }
    }

    pub(super) fn all(skill: &RunnableSkill<'_>) -> Vec<DirectiveRow> {
        skill.directives.iter().map(DirectiveRow::of).collect()
    }

    /// Returns the complete directive for a terminal, with every hidden character escaped.
    pub(super) fn prompt(&self) -> String {
        let lines = terminal_lines(&self.runs);
        let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
        match self.line {
            Some(line) => format!("{} in line {line}\n{lines}", self.kind),
            None => format!("command of a check\n{lines}"),
        }
    }
}

impl BoundFile {
    pub(super) fn all(skill: &RunnableSkill<'_>) -> Vec<BoundFile> {
        let files = skill.binding.files.iter();
        files
            .map(|(path, digest)| BoundFile {
                path: path.to_string(),
                digest: *digest,
            })
            .collect()
    }
}

impl DirectivesCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let skill = RunnableSkill::read(&self.name, context).await?;
        let found = DirectivesOutput {
            id: skill.id,
            qualified_id: skill.candidate.qualified_id(),
            digest: skill.body.digest,
            trust: skill.candidate.trust,
            approval: ApprovalStore::read(context.approvals())?
                .approvals
                .state(&skill.binding),
            directives: DirectiveRow::all(&skill),
            files: BoundFile::all(&skill),
            uncovered: skill.uncovered(),
        };
        if out.write_json(&found) {
            return Ok(());
        }
        if found.directives.is_empty() {
            out.line("no commands or scripts");
            return Ok(());
        }
        found
            .directives
            .iter()
            .for_each(|row| out.bytes(row.prompt()));
        found
            .files
            .iter()
            .for_each(|BoundFile { path, digest }| out.line(format!("file {path}  {digest}")));
        out.notes(skill.untrusted_note());
        out.notes(uncovered_note(&found.uncovered));
        out.notes(match found.approval {
            ApprovalState::Given => None,
            ApprovalState::Outdated => Some(format!(
                "changed since it was approved; run `repertoire approve {}`",
                command_argument(&self.name)
            )),
            ApprovalState::Missing => Some(format!(
                "not approved; run `repertoire approve {}`",
                command_argument(&self.name)
            )),
        });
        Ok(())
    }
}
