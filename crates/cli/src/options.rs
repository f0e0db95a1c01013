//! The options that commands share.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use repertoire::registry::Target;

use crate::Environment;
use crate::failure::Failure;

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
    #[arg(long = "agent", global = true, value_name = "NAME")]
    pub(crate) agents: Vec<String>,

    /// Do not search the standard folders or add the built-in skills.
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_defaults: bool,

    /// Disable matching skills (`name`, `source:name`, `source:*` or `*`), in addition to the configuration file.
    #[arg(
        long = "disable",
        global = true,
        hide_short_help = true,
        value_name = "NAME"
    )]
    pub(crate) disabled: Vec<Target>,

    /// Trust this project's skills; without it `catalog`, `search --seen-by model` and `serve` leave them out.
    #[arg(long, global = true)]
    pub(crate) trust_project: bool,

    /// Read every skill, also those that are in the cache, and do not write the cache.
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_cache: bool,

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

#[derive(Debug, Args)]
pub(crate) struct FolderOption {
    /// Folder in which the gateway keeps its state; one gateway runs per folder [default: below the user's state folder].
    #[arg(long, value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,
}

/// The name of the socket in the state folder of a gateway.
pub(crate) const SOCKET: &str = "gateway.sock";

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

impl FolderOption {
    pub(crate) fn path(&self, environment: &Environment<'_>) -> Result<PathBuf, Failure> {
        match (&self.state_dir, environment.own_state()) {
            (Some(folder), _) => Ok(environment.cwd.join(folder)),
            (None, Some(state)) => Ok(state.join("gateway")),
            (None, None) => {
                let failure = Failure::new("the state folder of the user is unknown");
                Err(failure.help("pass `--state-dir`"))
            }
        }
    }
}

impl SourceOptions {
    /// Returns whether an option other than `--agent` is about sources.
    pub(crate) fn is_given(&self) -> bool {
        self.given().iter().any(|option| *option != "--agent")
    }

    pub(crate) fn given(&self) -> Vec<&'static str> {
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

    /// Refuses every option besides `--config`, for a command that has all sources from the configuration file.
    pub(crate) fn refuse_besides_config(&self, command: &str) -> Result<(), Failure> {
        let given = self.given();
        let Some(option) = given.iter().find(|option| **option != "--config") else {
            return Ok(());
        };
        let failure = Failure::new(format!("`{option}` has no effect on `{command}`"));
        Err(failure.help("put the source into the configuration file"))
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
            (self.no_cache, "--no-cache"),
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

    pub(crate) fn replacement_of_standard_folders(
        &self,
        named: &[PathBuf],
    ) -> Option<&'static str> {
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
