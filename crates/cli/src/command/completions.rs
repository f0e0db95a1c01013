//! `repertoire completions`.

use std::io::{self, Write};

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;
use serde_json::{Value, json};

use crate::Stream;
use crate::answer::Answer;
use crate::arguments::Arguments;

/// Print what a shell needs to complete this program's arguments.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

struct Script {
    shell: Shell,
    text: Vec<u8>,
}

impl Completions {
    pub(crate) fn answer(&self) -> impl Answer + use<> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "repertoire", &mut text);
        Script { shell: self.shell, text }
    }
}

impl Answer for Script {
    fn json(&self) -> Value {
        json!({ "shell": self.shell.to_possible_value().map(|shell| shell.get_name().to_owned()),
                "script": String::from_utf8_lossy(&self.text) })
    }

    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        out.write_all(&self.text)
    }
}
