//! `repertoire status`.

mod agent_problems;
mod left_out;
#[cfg(feature = "watch")]
mod live;
mod lock_changes;
mod observed_lists;
mod skill_grid;
mod surveyed_status;

#[cfg(feature = "watch")]
use std::io;

use clap::Args;

use self::observed_lists::ObservedLists;
#[cfg(feature = "schema")]
pub(super) use self::surveyed_status::StatusOutput;
use self::surveyed_status::SurveyedStatus;
#[cfg(feature = "process")]
use super::approvals::ApprovalRow;
use crate::Environment;
#[cfg(feature = "watch")]
use crate::Exit;
use crate::failure::Failure;
use crate::observed_agent::ObservedOption;
use crate::options::SourceOptions;
#[cfg(feature = "watch")]
use crate::output::Format;
use crate::output::Output;

/// Show what each agent on this machine sees: skills, budget, problems, and changes since the lock.
#[derive(Debug, Args)]
#[command(
    visible_alias = "doctor",
    after_help = "Examples:\n  repertoire status\n  repertoire status --agent claude-code --all\n  repertoire status --check\n  repertoire status --observed\n  repertoire status --watch"
)]
pub(crate) struct StatusCommand {
    /// List every skill, also those that all agents see alike.
    #[arg(long)]
    all: bool,
    /// Exit with 1 if there is a problem or a change since the lock.
    #[arg(long)]
    check: bool,
    /// Keep the screen live, and search, explain, open and turn off skills in it; `?` shows the keys.
    #[cfg(feature = "watch")]
    #[arg(long, conflicts_with_all = ["all", "ask", "check", "observed"])]
    watch: bool,
    #[command(flatten)]
    observed: ObservedOption,
}

impl StatusCommand {
    /// Runs the live screen until the user or a signal ends it; `None` if it was not requested.
    #[cfg(feature = "watch")]
    pub(crate) async fn watch(
        &self,
        sources: &SourceOptions,
        format: Format,
        environment: &mut Environment<'_>,
    ) -> Option<Result<io::Result<Exit>, Failure>> {
        if !self.watch {
            return None;
        }
        if format != Format::Human {
            let failure = Failure::new("`--watch` is a screen, and has no JSON");
            return Some(Err(
                failure.help("run `repertoire watch --json` for changes of skills")
            ));
        }
        Some(live::run(sources, environment).await)
    }

    pub(super) async fn run(
        &self,
        sources: &SourceOptions,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let mut status = SurveyedStatus::survey(sources, environment).await?;
        status.observed = ObservedLists::of(&self.observed, &status.seen, environment)?;
        #[cfg(feature = "process")]
        match ApprovalRow::all(environment) {
            Ok(approvals) => status.approvals = approvals,
            Err(failure) => out.note(failure.message()),
        }
        out.found_problems(self.check && status.has_problems());
        if !out.write_json(&status.output()) {
            let columns = out.columns();
            out.styled_lines(status.lines(self.all, columns));
            if status.is_empty() {
                out.note("`repertoire status --agent NAME` shows one; `repertoire list --agent repertoire` lists skills");
            }
            out.notes(status.seen.notes());
        }
        Ok(())
    }
}
