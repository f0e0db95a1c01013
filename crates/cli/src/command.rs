//! The commands, one to a file.

mod body;
mod catalog;
mod check;
mod completions;
mod files;
mod kinds;
mod list;
mod roots;
mod show;
mod which;

use std::path::PathBuf;

use clap::Subcommand;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::session::Session;

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(list::List),
    Show(show::Show),
    Which(which::Which),
    Roots(roots::Roots),
    Check(check::Check),
    Catalog(catalog::Catalog),
    Body(body::Body),
    Files(files::Files),
    Kinds(kinds::Kinds),
    Completions(completions::Completions),
}

impl Command {
    /// The name, as typed and as in JSON.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Command::List(_) => "list",
            Command::Show(_) => "show",
            Command::Which(_) => "which",
            Command::Roots(_) => "roots",
            Command::Check(_) => "check",
            Command::Catalog(_) => "catalog",
            Command::Body(_) => "body",
            Command::Files(_) => "files",
            Command::Kinds(_) => "kinds",
            Command::Completions(_) => "completions",
        }
    }

    /// The folders named as arguments.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        match self {
            Command::List(list) => &list.folders,
            Command::Check(check) => &check.folders,
            Command::Catalog(catalog) => &catalog.folders,
            _ => &[],
        }
    }

    /// What needs no skills to be answered.
    pub(crate) fn answer_alone(&self) -> Option<Box<dyn Answer>> {
        match self {
            Command::Kinds(kinds) => Some(Box::new(kinds.answer())),
            Command::Completions(completions) => Some(Box::new(completions.answer())),
            _ => None,
        }
    }

    /// What the composed sources have to say.
    pub(crate) async fn answer<'a>(&self, session: &'a Session<'_>) -> Result<Box<dyn Answer + 'a>, Failure> {
        Ok(match self {
            Command::List(list) => Box::new(list.answer(session)),
            Command::Show(show) => Box::new(show.answer(session).await?),
            Command::Which(which) => Box::new(which.answer(session)?),
            Command::Roots(roots) => Box::new(roots.answer(session).await?),
            Command::Check(check) => Box::new(check.answer(session)),
            Command::Catalog(catalog) => Box::new(catalog.answer(session)),
            Command::Body(body) => Box::new(body.answer(session).await?),
            Command::Files(files) => files.answer(session).await?,
            Command::Kinds(kinds) => Box::new(kinds.answer()),
            Command::Completions(completions) => Box::new(completions.answer()),
        })
    }
}
