//! `repertoire completions`.

use std::io::{self, Write};

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use serde::Serialize;
use serde_json::Value;

use crate::Stream;
use crate::answer::{Answer, json};
use crate::arguments::Arguments;

/// Print what a shell needs to complete this program's arguments.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// What a shell needs to complete arguments.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Script {
    shell: String,
    script: String,
}

impl Completions {
    pub(crate) fn answer(&self) -> impl Answer + use<> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "repertoire", &mut text);
        Script { shell: self.shell.to_string(), script: String::from_utf8_lossy(&text).into_owned() }
    }
}

impl Answer for Script {
    fn json(&self) -> Value {
        json(self)
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        out.write_all(self.script.as_bytes())
    }
}
