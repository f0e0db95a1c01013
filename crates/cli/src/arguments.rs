//! The arguments of the command line.

use clap::{CommandFactory, Parser};
use repertoire::Model;

use crate::command::Command;
use crate::completion;
use crate::environment::{ColorWhen, Program, Verbosity};
use crate::failure::Failure;
use crate::options::SourceOptions;
use crate::output::Format;

const EXAMPLES: &str = "\
Without a command, `status` runs.

Examples:
  repertoire
  repertoire why code-review
  repertoire check .claude/skills
  repertoire serve --trust-project";

const LONG_END: &str = "\
Exit codes:
  0  success; no problems found
  1  problems found: `check` reported an error (or, with --strict, a warning), `verify` a difference,
     `fmt` a file that it could not format or, with --check, would change, `eval` fewer hits than
     --min-hit, or `status --check` a problem or a change since the lock
  2  usage error, or the command could not run

Results go to stdout; notes and errors go to stderr.

Without a command, `status` runs.

Examples:
  repertoire
  repertoire why code-review
  repertoire check .claude/skills
  repertoire serve --trust-project";

/// Find, check and serve Agent Skills: what is installed, which copy wins, and what each agent sees.
#[derive(Debug, Parser)]
#[command(name = "repertoire", version, after_help = EXAMPLES, after_long_help = LONG_END)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) sources: SourceOptions,

    /// Assume this model, e.g. `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`.
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        value_name = "PROVIDER/MODEL"
    )]
    model: Option<String>,

    /// Output format.
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t,
        hide_short_help = true
    )]
    format: Format,

    /// Shorthand for `--format json`.
    #[arg(long, global = true)]
    json: bool,

    /// Use colours.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_short_help = true
    )]
    pub(crate) color: ColorWhen,

    /// Print no notes.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,

    /// Note what each source lists; for `serve`, log more.
    #[arg(short, long, global = true)]
    verbose: bool,

    #[command(subcommand)]
    pub(crate) command: Command,

    /// The name of the command, as in the JSON output.
    #[arg(skip)]
    pub(crate) name: String,
}

impl CommandLine {
    /// Returns the definition of the command line, with the name and version of a program.
    pub(crate) fn of_program(program: Program) -> clap::Command {
        let command = CommandLine::command()
            .name(program.name)
            .subcommand_required(false)
            .arg_required_else_help(false)
            .version(program.version)
            .mut_arg("agents", |option| option.add(completion::agents()))
            .mut_arg("disabled", |option| option.add(completion::targets()));
        if program.name == Program::OWN.name {
            command
        } else {
            renamed(command, program)
        }
    }

    /// Checks that every option has an effect on the command.
    ///
    /// # Errors
    /// A failure that names the first option without effect.
    pub(crate) fn refuse_unused(&self) -> Result<(), Failure> {
        let is_mcp = self.command.is_client_configuration();
        let (command, given) = (
            if is_mcp { "mcp config" } else { &self.name },
            self.sources.given(),
        );
        let takes_agents = self.command.is_about_agents();
        if let Some(help) = self.command.help_without_sources()
            && let Some(option) = given
                .iter()
                .find(|option| !(takes_agents && **option == "--agent"))
        {
            return Err(no_effect(option, command).help(help));
        }
        if self.model.is_some() && !self.command.depends_on_model() {
            return Err(no_effect("--model", command).help("remove the option"));
        }
        if self.command.is_server() && self.format() != Format::default() {
            return Err(
                no_effect(if self.json { "--json" } else { "--format" }, command)
                    .help("remove the option"),
            );
        }
        if self.format() == Format::Sarif
            && !matches!(self.command, Command::Check(_) | Command::Eval(_))
        {
            return Err(
                Failure::new("`--format sarif` works only with `check` and `eval`")
                    .help("use `--format json`"),
            );
        }
        let standard = ["--agent", "--trust-project"]
            .into_iter()
            .find(|option| given.contains(option) && !(is_mcp && *option == "--agent"));
        match (
            standard,
            self.sources
                .replacement_of_standard_folders(self.command.folders()),
        ) {
            (Some(option), Some(instead)) => Err(Failure::new(format!(
                "`{option}` has no effect with {instead}"
            ))
            .help("it applies to the standard folders, which are not searched then")),
            _ => Ok(()),
        }
    }

    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    pub(crate) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        }
    }

    pub(crate) fn model(&self) -> Model {
        self.model.as_deref().map(Model::from).unwrap_or_default()
    }
}

/// Returns `command` with the name of `program` in its help and its default values.
fn renamed(mut command: clap::Command, program: Program) -> clap::Command {
    if let Some(text) = command.get_after_help().map(ToString::to_string) {
        command = command.after_help(program.in_commands(&text).into_owned());
    }
    if let Some(text) = command.get_after_long_help().map(ToString::to_string) {
        command = command.after_long_help(program.in_commands(&text).into_owned());
    }
    if let Some(text) = command.get_long_about().map(ToString::to_string) {
        command = command.long_about(program.in_commands(&text).into_owned());
    }
    let command = command.mut_args(|argument| {
        let argument = match argument.get_help().map(ToString::to_string) {
            Some(text) => argument.help(program.in_commands(&text).into_owned()),
            None => argument,
        };
        let is_name = argument
            .get_default_values()
            .first()
            .is_some_and(|value| value == Program::OWN.name);
        if is_name {
            argument.default_value(program.name)
        } else {
            argument
        }
    });
    command.mut_subcommands(|command| renamed(command, program))
}

fn no_effect(option: &str, command: &str) -> Failure {
    Failure::new(format!("`{option}` has no effect on `{command}`"))
}

#[cfg(test)]
mod tests;
