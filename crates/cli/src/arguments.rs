//! What can be typed.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Parser};
use repertoire::{Model, Target};

use crate::answer::Format;
use crate::command::Command;
use crate::failure::Failure;

const EXIT_CODES: &str = "\
Exit codes:
  0  done, and nothing to object to
  1  `check` found an error, or with `--strict` a warning; `verify` found a difference;
     `fmt` left a file as it is, or without writing would have changed one
  2  what was asked could not be done

Data goes to standard output, everything else to standard error.";

/// Skills for AI agents: what there is, which one wins, and what a model gets to read.
#[derive(Debug, Parser)]
#[command(name = "repertoire", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) places: Places,

    /// The model to answer for, as in `anthropic/claude-sonnet-4-5`, `anthropic/` or `gpt-5`.
    #[arg(long, global = true, value_name = "PROVIDER/MODEL")]
    model: Option<String>,

    /// The form of the answer.
    #[arg(long, global = true, value_enum, default_value_t)]
    format: Format,

    /// The same as `--format json`.
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where skills come from.
///
/// Without any of these: the built-in skills, and the folders that clients share, from the working folder up to the root of
/// its repository, then the one in the home folder.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where to look")]
pub(crate) struct Places {
    /// A folder of skills, ahead of everything else; several come in the order given.
    #[arg(long = "root", global = true, value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,

    /// A source of any linked kind, behind the roots; options as in a TOML inline table.
    #[arg(long = "source", global = true, value_name = "KIND:NAME[:KEY = VALUE, ...]")]
    pub(crate) sources: Vec<String>,

    /// A configuration file that says everything: built-in skills and standard folders are left out. None is read unasked.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Also the standard folders of this client, as in `claude`; `all` for every known one.
    #[arg(long = "client", global = true, value_name = "NAME")]
    pub(crate) clients: Vec<String>,

    /// Leave the standard folders and the built-in skills out.
    #[arg(long, global = true)]
    pub(crate) no_defaults: bool,

    /// Switch something off: an id, `source:id`, `source:*` or `*`; on top of what the configuration file says.
    #[arg(long = "disable", global = true, value_name = "NAME")]
    pub(crate) disabled: Vec<Target>,

    /// Admit the skills of the project: without this, no model would see them.
    #[arg(long, global = true)]
    pub(crate) trust_project: bool,
}

/// Reads a whole number that is not zero.
pub(crate) fn at_least_one<N: FromStr>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|_| "expected a whole number from 1")
}

/// Whether a command that only reads may do more.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Connect {
    /// Allow sources that start a program, load a library or open a connection: without this they are refused.
    #[arg(long)]
    pub(crate) connect: bool,
}

impl Places {
    /// The options of these that were given, as typed.
    fn given(&self) -> Vec<&'static str> {
        let given = [
            (!self.roots.is_empty(), "--root"),
            (!self.sources.is_empty(), "--source"),
            (self.config.is_some(), "--config"),
            (!self.clients.is_empty(), "--client"),
            (self.no_defaults, "--no-defaults"),
            (!self.disabled.is_empty(), "--disable"),
            (self.trust_project, "--trust-project"),
        ];
        given.into_iter().filter_map(|(given, name)| given.then_some(name)).collect()
    }

    /// The option for which the standard folders are not looked at.
    fn in_place_of_standard(&self, named: &[PathBuf]) -> Option<&'static str> {
        if !named.is_empty() {
            Some("folders as arguments")
        } else if self.config.is_some() {
            Some("`--config`")
        } else if self.no_defaults {
            Some("`--no-defaults`")
        } else {
            None
        }
    }
}

impl Arguments {
    /// Refuses options that would have no effect on the command.
    ///
    /// # Errors
    /// A failure that names the first of them.
    pub(crate) fn refuse_idle(&self) -> Result<(), Failure> {
        let (command, given) = (self.command.typed(), self.places.given());
        let idle = |option: &str| Failure::new(format!("`{option}` has no effect on `{command}`"));
        if let Some(help) = self.command.help_in_place_of_places() {
            let is_read = |option: &&str| matches!(self.command, Command::Mcp(_)) && *option == "--client";
            if let Some(option) = given.iter().find(|option| !is_read(option)) {
                return Err(idle(option).help(help));
            }
        }
        if self.model.is_some() && !self.command.is_for_a_model() {
            return Err(idle("--model").help("leave it out"));
        }
        if matches!(self.command, Command::Serve(_)) && self.format() != Format::default() {
            return Err(idle(if self.json { "--json" } else { "--format" }).help("leave it out"));
        }
        let standard = ["--client", "--trust-project"].into_iter().find(|option| given.contains(option));
        match (standard, self.places.in_place_of_standard(self.command.folders())) {
            (Some(option), Some(instead)) => {
                let failure = Failure::new(format!("`{option}` has no effect with {instead}"));
                Err(failure.help("it is about the standard folders, which are not looked at then"))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    pub(crate) fn model(&self) -> Model<'_> {
        match self.model.as_deref().map(|model| (model, model.split_once('/'))) {
            None => Model::unknown(),
            Some((name, None)) => Model::named(name),
            Some((_, Some((provider, "")))) => Model::of_provider(provider),
            Some((_, Some((provider, name)))) => Model::new(provider, name),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_make_sense_to_clap() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_model_is_read_up_to_the_first_slash() {
        for (text, expected) in [
            ("anthropic/claude-sonnet-4-5", Model::new("anthropic", "claude-sonnet-4-5")),
            ("openrouter/anthropic/claude-3.5-sonnet", Model::new("openrouter", "anthropic/claude-3.5-sonnet")),
            ("anthropic/", Model::of_provider("anthropic")),
            ("gpt-5", Model::named("gpt-5")),
        ] {
            let arguments = Arguments::try_parse_from(["repertoire", "kinds", "--model", text]).expect("it parses");
            assert_eq!(arguments.model(), expected, "{text}");
        }
    }
}
