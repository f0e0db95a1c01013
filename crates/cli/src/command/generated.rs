//! `repertoire completions` and `repertoire man`, generated from the definitions of the arguments.

use std::io::{self, Write};

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use serde::Serialize;

use crate::Stream;
use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::output::CommandOutput;

/// Generate shell completions.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  repertoire completions bash > ~/.local/share/bash-completion/completions/repertoire"
)]
pub(crate) struct Completions {
    /// Shell to generate completions for.
    #[arg(value_enum)]
    shell: Shell,
}

/// Print a man page.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire man check > repertoire-check.1")]
pub(crate) struct Man {
    /// Command to print the page of.
    command: Option<String>,
}

/// A completion script.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Script {
    shell: String,
    script: String,
}

/// A man page.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Manual {
    page: String,
    /// The page in roff.
    text: String,
    /// The commands that have a page.
    commands: Vec<String>,
}

impl Completions {
    pub(super) fn run(&self) -> Script {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "repertoire", &mut text);
        Script { shell: self.shell.to_string(), script: String::from_utf8_lossy(&text).into_owned() }
    }
}

impl Man {
    pub(super) fn run(&self) -> Result<Manual, Failure> {
        let mut all = Arguments::command().disable_help_subcommand(true);
        all.build();
        let commands: Vec<_> = all.get_subcommands().map(|command| command.get_name().to_owned()).collect();
        let command = match &self.command {
            None => &all,
            Some(name) => all.find_subcommand(name).ok_or_else(|| {
                Failure::new(format!("unrecognized command `{name}`"))
                    .help(format!("expected one of {}", commands.join(", ")))
            })?,
        };
        let page = command.get_display_name().unwrap_or("repertoire").to_owned();
        let mut text = Vec::new();
        let source = concat!("repertoire ", env!("CARGO_PKG_VERSION"));
        let rendered = clap_mangen::Man::new(command.clone()).source(source).render(&mut text);
        rendered.map_err(|error| Failure::io("cannot write the man page", &error))?;
        Ok(Manual { page, text: String::from_utf8_lossy(&text).into_owned(), commands })
    }
}

impl CommandOutput for Script {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        out.write_all(self.script.as_bytes())
    }
}

impl CommandOutput for Manual {
    fn write(&self, out: &mut Stream<'_>) -> io::Result<()> {
        out.write_all(self.text.as_bytes())
    }
}
