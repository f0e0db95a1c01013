//! The arguments of the command line.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser};
use repertoire::Model;
use repertoire::registry::Target;

use crate::command::Command;
use crate::completion;
use crate::environment::{ColorWhen, Program, Verbosity};
use crate::failure::Failure;
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

/// The options that select sources of skills.
///
/// Without any of these: the built-in skills, and the folders that agents share, from the working folder up to the root of its
/// repository, then the one in the home folder.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Source options")]
pub(crate) struct SourceOptions {
    /// Search this folder first (repeatable, in order).
    #[arg(long = "root", global = true, value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,

    /// Add a source of any type, after the --root folders; options use TOML inline-table syntax.
    #[arg(
        long = "source",
        global = true,
        hide_short_help = true,
        value_name = "KIND:NAME[:KEY = VALUE, ...]"
    )]
    pub(crate) sources: Vec<String>,

    /// Use only the sources defined in this configuration file. No file is read by default.
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Answer for this agent in `status`, `list`, `why` and `budget`, and also search its folders in other commands (repeatable;
    /// `all` for every known agent, `repertoire` for this program).
    #[arg(long = "agent", global = true, value_name = "NAME", add = completion::agents())]
    pub(crate) agents: Vec<String>,

    /// Do not search the standard folders or add the built-in skills.
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_defaults: bool,

    /// Disable matching skills (`name`, `source:name`, `source:*` or `*`), in addition to the configuration file.
    #[arg(
        long = "disable",
        global = true,
        add = completion::targets(),
        hide_short_help = true,
        value_name = "NAME"
    )]
    pub(crate) disabled: Vec<Target>,

    /// Trust this project's skills; without it `catalog`, `search --seen-by model` and `serve` leave them out.
    #[arg(long, global = true)]
    pub(crate) trust_project: bool,

    /// The project folders that clients of the server name, besides the working folder.
    #[arg(skip)]
    pub(crate) client_roots: Vec<PathBuf>,
}

/// The folders that a command searches in place of the standard ones.
#[derive(Debug, Default, Args)]
pub(crate) struct SearchedFolders {
    /// Search only these folders.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
}

/// The same for a read-only command, and the option that lets it use sources with side effects.
#[derive(Debug, Args)]
pub(crate) struct ConnectableFolders {
    /// Search only these folders.
    #[arg(value_name = "DIR")]
    pub(crate) folders: Vec<PathBuf>,
    /// Allow sources that start a program, load a library or open a connection; they are refused by default.
    #[arg(long)]
    pub(crate) connect: bool,
}

pub(crate) fn at_least_one<N: FromStr>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|_| "must be at least 1")
}

/// A named value of an option: its spelling, a line for the help, and the value.
pub(crate) type Choice<T> = (&'static str, &'static str, T);

/// Returns a parser for an option whose values are `choices`.
pub(crate) fn one_of<T: Clone + Send + Sync + 'static>(
    choices: &'static [Choice<T>],
) -> impl TypedValueParser<Value = T> {
    let names = choices
        .iter()
        .map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).map(|typed| {
        let (_, _, value) = choices
            .iter()
            .find(|(name, ..)| *name == typed)
            .expect("clap accepted the name");
        value.clone()
    })
}

impl SourceOptions {
    /// Returns whether an option other than `--agent` is about sources.
    pub(crate) fn is_given(&self) -> bool {
        self.given().iter().any(|option| *option != "--agent")
    }

    fn given(&self) -> Vec<&'static str> {
        let given = [
            (!self.roots.is_empty(), "--root"),
            (!self.sources.is_empty(), "--source"),
            (self.config.is_some(), "--config"),
            (!self.agents.is_empty(), "--agent"),
            (self.no_defaults, "--no-defaults"),
            (!self.disabled.is_empty(), "--disable"),
            (self.trust_project, "--trust-project"),
        ];
        given
            .into_iter()
            .filter_map(|(given, name)| given.then_some(name))
            .collect()
    }

    /// Returns the first option that is given, besides `--config`.
    pub(crate) fn besides_config(&self) -> Option<&'static str> {
        self.given()
            .into_iter()
            .find(|option| *option != "--config")
    }

    /// Returns the options, but those that name agents, for a process in a different folder than `cwd`.
    pub(crate) fn arguments(&self, cwd: &Path) -> Vec<String> {
        let absolute = |path: &PathBuf| {
            let path: PathBuf = cwd.join(path).components().collect();
            path.to_string_lossy().into_owned()
        };
        let pairs = |name: &str, values: Vec<String>| -> Vec<String> {
            let pairs = values.into_iter().map(|value| [name.to_owned(), value]);
            pairs.flatten().collect()
        };
        let flags = [
            (self.no_defaults, "--no-defaults"),
            (self.trust_project, "--trust-project"),
        ];
        let flags = flags
            .into_iter()
            .filter(|(given, _)| *given)
            .map(|(_, name)| name.to_owned());
        [
            pairs("--root", self.roots.iter().map(absolute).collect()),
            pairs("--source", self.sources.clone()),
            pairs("--config", self.config.iter().map(absolute).collect()),
            flags.collect(),
            pairs(
                "--disable",
                self.disabled.iter().map(ToString::to_string).collect(),
            ),
        ]
        .concat()
    }

    fn replacement_of_standard_folders(&self, named: &[PathBuf]) -> Option<&'static str> {
        let replacements = [
            (!named.is_empty(), "folders as arguments"),
            (self.config.is_some(), "`--config`"),
            (self.no_defaults, "`--no-defaults`"),
        ];
        replacements
            .into_iter()
            .find_map(|(given, what)| given.then_some(what))
    }
}

impl CommandLine {
    /// Returns the definition of the command line, with the name and version of a program.
    pub(crate) fn of_program(program: Program) -> clap::Command {
        let command = CommandLine::command()
            .name(program.name)
            .subcommand_required(false)
            .arg_required_else_help(false)
            .version(program.version);
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
