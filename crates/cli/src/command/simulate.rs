//! `repertoire simulate`.

mod play;
mod script;
mod transcript;

use std::path::PathBuf;

use clap::Args;

use self::play::Play;
use self::script::ConversationScript;
pub(super) use self::transcript::SimulateOutput;
use super::selection::ExposureOptions;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::Output;

/// Replay a scripted conversation and show what each model call contains, and why.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  repertoire simulate --script turns.yaml --model anthropic/claude-sonnet-4-5"
)]
pub(crate) struct SimulateCommand {
    /// YAML file with the turns of the conversation: user messages, tool calls of the model and their results.
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    #[command(flatten)]
    exposure: ExposureOptions,
}

impl SimulateCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let script = ConversationScript::read(&self.script, &context.cwd)?;
        let index = context.search_index().await?.current();
        let turns = Play::new(&script, self.exposure.modes(), index, context)?
            .all(script)
            .await?;
        let simulated = SimulateOutput { turns };
        if !out.write_json(&simulated) {
            simulated.write(out);
            out.notes(context.pending());
        }
        Ok(())
    }
}
