//! `repertoire man`, generated from the definitions of the arguments.

use clap::Args;
use serde::Serialize;

use crate::diagnostics::joined;
use crate::environment::Program;
use crate::failure::Failure;
use crate::output::Output;

/// Print a man page.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire man check > repertoire-check.1")]
pub(crate) struct ManCommand {
    /// Command that the page describes [default: the program].
    command: Option<String>,
}

/// A man page.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ManOutput {
    page: String,
    /// The page in roff.
    text: String,
    /// The commands that have a page.
    commands: Vec<String>,
}

impl ManCommand {
    /// Prints the page of a command of `all`, the definition of the command line.
    pub(crate) fn run(
        &self,
        all: clap::Command,
        program: Program,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let mut all = all.disable_help_subcommand(true);
        all.build();
        let commands: Vec<_> = all
            .get_subcommands()
            .map(|command| command.get_name().to_owned())
            .collect();
        let command = match &self.command {
            None => &all,
            Some(name) => all.find_subcommand(name).ok_or_else(|| {
                Failure::new(format!("unrecognized command `{name}`")).help(format!(
                    "expected one of {}",
                    joined(commands.iter().cloned())
                ))
            })?,
        };
        let page = command
            .get_display_name()
            .unwrap_or(program.name)
            .to_owned();
        let mut text = Vec::new();
        let source = format!("{} {}", program.name, program.version);
        let rendered = clap_mangen::Man::new(command.clone())
            .source(source)
            .render(&mut text);
        rendered.map_err(|error| Failure::io("cannot write the man page", &error))?;
        let manual = ManOutput {
            page,
            text: String::from_utf8_lossy(&text).into_owned(),
            commands,
        };
        if !out.write_json(&manual) {
            out.bytes(manual.text);
        }
        Ok(())
    }
}
