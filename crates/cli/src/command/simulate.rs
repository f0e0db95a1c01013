//! `repertoire simulate`.

mod play;
mod script;
mod shown;

use std::io;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;

use super::modes::Offered;
use crate::Stream;
use crate::answer::{Answer, json};
use crate::failure::Failure;
use crate::session::Session;
use play::Play;
use script::Script;

pub(super) use shown::Simulated;

/// Play a conversation from a file, and print what each call of the model is made of, who decided it, and what was left out and why.
#[derive(Debug, Args)]
pub(crate) struct Simulate {
    /// The conversation: turns with what the user says, what the model calls, and what tools answer.
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    #[command(flatten)]
    offered: Offered,
}

impl Simulate {
    pub(crate) async fn answer(&self, session: &Session<'_>) -> Result<impl Answer + use<>, Failure> {
        let script = Script::read(&session.cwd.join(&self.script), &self.script.display().to_string())?;
        let turns = Play::new(&script, self.offered.modes(), session)?.all(script).await?;
        Ok(Simulated { turns, pending: session.pending() })
    }
}

impl Answer for Simulated {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        self.write_turns(out)
    }

    fn notes(&self) -> Vec<String> {
        self.pending.clone().into_iter().collect()
    }
}
