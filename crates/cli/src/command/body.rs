//! `repertoire body`.

use clap::Args;
use repertoire::Id;
use repertoire::skill::Digest;
use serde::Serialize;

use crate::completion;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::Output;

/// Print a skill's instructions, unprocessed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire body review")]
pub(crate) struct BodyCommand {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    #[arg(add = completion::skills())]
    name: String,
}

/// The unprocessed instructions of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct BodyOutput<'a> {
    id: &'a Id,
    qualified_id: Id,
    digest: Digest,
    body: &'a str,
}

impl BodyCommand {
    pub(super) async fn run(
        &self,
        context: &CommandContext,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let found = context.find(&self.name)?;
        let body = context.registry.body(found.candidate).await?;
        let (id, qualified_id) = (&found.entry.id, found.candidate.qualified_id());
        if !out.write_json(&BodyOutput {
            id,
            qualified_id,
            digest: body.digest,
            body: &body.text,
        }) {
            out.text(&body.text);
        }
        Ok(())
    }
}
