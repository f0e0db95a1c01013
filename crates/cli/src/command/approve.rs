//! `repertoire approve`.

use clap::Args;
use repertoire::Id;
use repertoire::render::ApprovalState;
use repertoire::skill::Digest;
use repertoire::skill::text::{command_argument, terminal_line};
use serde::Serialize;

use super::directives::{BoundFile, DirectiveRow};
use crate::Environment;
use crate::command_approval::{ApprovalStore, RunnableSkill, uncovered_note};
use crate::completion;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::Output;

/// Allow a skill to run its current commands and scripts (any edit revokes the approval).
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire approve deploy\n  repertoire approve deploy --revoke"
)]
pub(crate) struct ApproveCommand {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    #[arg(add = completion::skills())]
    name: String,
    /// Skip the prompt (review `repertoire directives NAME` first).
    #[arg(long)]
    yes: bool,
    /// Revoke the approval.
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
}

/// An approval that was given or revoked.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ApproveOutput<'a> {
    id: &'a Id,
    qualified_id: Id,
    digest: Digest,
    approval: ApprovalState,
    directives: Vec<DirectiveRow>,
    files: Vec<BoundFile>,
    /// The files and folders that the approval does not cover, and that the commands may run.
    uncovered: &'a [String],
}

impl ApproveCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let skill = RunnableSkill::read(&self.name, context).await?;
        let mut store = ApprovalStore::read(context.approvals())?;
        let directives = DirectiveRow::all(&skill);
        let message = if self.revoke {
            if store.approvals.revoke(&skill.binding) {
                store.write()?;
                format!("revoked the approval of `{}`", skill.id)
            } else {
                format!("`{}` was not approved", skill.id)
            }
        } else if directives.is_empty() {
            format!("`{}` runs nothing and needs no approval", skill.id)
        } else {
            skill.refuse_too_large()?;
            if !self.yes {
                if let Some(hidden) = hidden_text_note(&skill) {
                    environment.write_stderr(&format!("warning: {}\n", terminal_line(&hidden)));
                }
                self.confirm(&directives, &skill, environment)?;
                // A different run may have written approvals while the user read the prompt.
                store = ApprovalStore::read(context.approvals())?;
            }
            store.approvals.approve(&skill.binding);
            store.write()?;
            format!("approved `{}` (current contents)", skill.id)
        };
        let uncovered = skill.uncovered();
        let is_json = out.write_json(&ApproveOutput {
            id: skill.id,
            qualified_id: skill.candidate.qualified_id(),
            digest: skill.body.digest,
            approval: store.approvals.state(&skill.binding),
            directives,
            files: BoundFile::all(&skill),
            uncovered: &uncovered,
        });
        if !is_json {
            out.line(message);
            out.notes(
                [
                    hidden_text_note(&skill),
                    skill.untrusted_note(),
                    uncovered_note(&uncovered),
                ]
                .into_iter()
                .flatten(),
            );
        }
        Ok(())
    }

    fn confirm(
        &self,
        directives: &[DirectiveRow],
        skill: &RunnableSkill<'_>,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        directives
            .iter()
            .for_each(|row| environment.write_stderr(&row.prompt()));
        if let Some(note) = uncovered_note(&skill.uncovered()) {
            environment.write_stderr(&format!("{note}\n"));
        }
        let unchanged = match skill.binding.files.len() {
            0 => "SKILL.md is unchanged and alone in its folder".to_owned(),
            1 => "SKILL.md and the file next to it are unchanged".to_owned(),
            count => format!("SKILL.md and the {count} files next to it are unchanged"),
        };
        let question = format!("Allow these commands while {unchanged}?");
        let unanswered =
            Failure::new("cannot prompt: standard input is not a terminal").help(format!(
                "review with `repertoire directives {}`, then pass --yes",
                command_argument(&self.name)
            ));
        environment.confirm(&question, "not approved", unanswered)
    }
}

fn hidden_text_note(skill: &RunnableSkill<'_>) -> Option<String> {
    let hidden = skill.body.hidden.as_deref()?;
    Some(format!(
        "the body holds {hidden}, on line {}; none of its commands will run",
        hidden.line
    ))
}
