//! `repertoire body`.

use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;
use repertoire::Id;
use repertoire::skill::Digest;
use repertoire::skill::text::terminal_lines;
use serde::Serialize;

use crate::Stream;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::CommandOutput;

/// Print a skill's instructions, unprocessed.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire body review")]
pub(crate) struct Body {
    /// Skill name, or SOURCE:NAME for the copy from one source.
    name: String,
}

/// The unprocessed instructions of a skill.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Text {
    id: Id,
    qualified_id: Id,
    digest: Digest,
    body: Arc<str>,
}

impl Body {
    pub(super) async fn run(&self, context: &CommandContext) -> Result<Text, Failure> {
        let found = context.find(&self.name)?;
        let body = context.registry.body(found.candidate).await?;
        let (id, qualified_id) = (found.entry.id.clone(), found.candidate.qualified_id());
        Ok(Text { id, qualified_id, digest: body.digest, body: body.text })
    }
}

impl CommandOutput for Text {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        write_text(&self.body, out)
    }
}

/// Writes text unchanged to a file or a pipe, and with its control characters escaped to a terminal.
pub(super) fn write_text(content: &str, out: &mut Stream<'_>) -> io::Result<()> {
    if out.is_terminal() {
        out.write_all(terminal_lines(content).as_bytes())
    } else {
        out.write_all(content.as_bytes())
    }
}
