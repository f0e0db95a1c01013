//! The measurements that run in a process of their own.

use std::path::PathBuf;

use clap::Subcommand;

use super::child::{self, Load};
use super::{agents, catalog, installs, listing, search, status, text_search, trigger};
use crate::Failure;

/// A measurement in a process of its own.
#[derive(Debug, Subcommand)]
pub(super) enum Part {
    /// Measure one load of a tree.
    #[command(hide = true)]
    Load { load: Load, tree: PathBuf },
    /// Measure readers of a tree.
    #[command(hide = true)]
    Read { tree: PathBuf },
    /// Measure arming of a tree.
    #[command(hide = true)]
    Arm { tree: PathBuf },
    /// Measure reloads of a tree.
    #[command(hide = true)]
    Reload { tree: PathBuf },
    /// Measure rendering the bodies of a tree.
    #[command(hide = true)]
    Render { tree: PathBuf },
    /// Measure pages of the list of a tree.
    #[command(hide = true)]
    List { tree: PathBuf },
    /// Measure a plugin.
    #[command(hide = true)]
    Plugin {
        library: PathBuf,
        runner: PathBuf,
        count: usize,
    },
    /// Measure searches among the skills of a file.
    #[command(hide = true)]
    Search { skills: PathBuf },
    /// Measure searches among the skills of a file, with their bodies.
    #[command(hide = true)]
    TextSearch { skills: PathBuf },
    /// Measure catalogs of the skills of a file.
    #[command(hide = true)]
    Catalog { skills: PathBuf },
    /// Measure `status` in a home.
    #[command(hide = true)]
    Status { home: PathBuf },
    /// Measure allocations of agents in a folder, each rate for so many seconds.
    #[command(hide = true)]
    Agents { folder: PathBuf, seconds: f64 },
    /// Measure one installation of so many skills in a folder.
    #[command(hide = true)]
    Install { folder: PathBuf, count: usize },
    /// Measure triggers of so many made-up skills.
    #[command(hide = true)]
    Trigger { count: usize },
}

impl Part {
    /// Measures it, and prints the result as JSON.
    pub(super) fn run(&self) -> Result<(), Failure> {
        match self {
            Part::Load { load, tree } => child::run(*load, tree),
            Part::Read { tree } => child::read(tree),
            Part::Arm { tree } => child::arm(tree),
            Part::Reload { tree } => child::reload(tree),
            Part::Render { tree } => child::render(tree),
            Part::List { tree } => child::print(listing::measure(tree)),
            Part::Plugin {
                library,
                runner,
                count,
            } => child::plugin(library, runner, *count),
            Part::Search { skills } => child::print(search::measure(skills)),
            Part::TextSearch { skills } => child::print(text_search::measure(skills)),
            Part::Catalog { skills } => child::print(catalog::measure(skills)),
            Part::Status { home } => child::print(status::measure(home)),
            Part::Agents { folder, seconds } => child::print(agents::measure(folder, *seconds)),
            Part::Install { folder, count } => child::print(installs::measure(folder, *count)),
            Part::Trigger { count } => child::print(trigger::measure(*count)),
        }
    }
}
