//! `repertoire completions` and `repertoire man`, generated from the definitions of the arguments.

use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;
use serde::Serialize;

use crate::completion;
use crate::diagnostics::joined;
use crate::environment::Program;
use crate::failure::Failure;
use crate::output::Output;

/// Generate shell completions.
///
/// The script asks this program for candidates while the user types: commands, options, skills, sources and agents.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  repertoire completions bash > ~/.local/share/bash-completion/completions/repertoire"
)]
pub(crate) struct CompletionsCommand {
    /// Shell to generate completions for.
    #[arg(value_enum)]
    shell: Shell,
}

/// Print a man page.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  repertoire man check > repertoire-check.1")]
pub(crate) struct ManCommand {
    /// Command that the page describes [default: the program].
    command: Option<String>,
}

/// A completion script.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct CompletionsOutput {
    shell: String,
    script: String,
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

impl CompletionsCommand {
    pub(super) fn run(&self, program: Program, out: &mut Output) {
        let shell = self.shell.to_string();
        let shells = Shells::builtins();
        let completer = shells.completer(&shell);
        let completer = completer.expect("the library has a completer for each of its shells");
        let (name, mut script) = (program.name, Vec::new());
        completer
            .write_registration(completion::VARIABLE, name, name, name, &mut script)
            .expect("writing to memory cannot fail");
        let script = String::from_utf8_lossy(&script).into_owned();
        let generated = CompletionsOutput { shell, script };
        if !out.write_json(&generated) {
            out.bytes(generated.script);
        }
    }
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
