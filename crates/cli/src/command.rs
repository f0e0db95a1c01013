//! The commands, one to a file.

mod body;
mod catalog;
mod check;
mod completions;
mod files;
mod fmt;
mod kinds;
mod list;
mod lock;
mod man;
mod new;
mod plugin;
mod roots;
mod show;
mod verify;
mod which;

use std::path::PathBuf;

use clap::Subcommand;

use crate::Environment;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::session::Session;

/// Where clients share the skills of a project, from its folder.
const SKILLS: &str = ".agents/skills";

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
    Lock(lock::Lock),
    Verify(verify::Verify),
    New(new::New),
    Fmt(fmt::Fmt),
    Plugin(plugin::Plugin),
    Kinds(kinds::Kinds),
    Completions(completions::Completions),
    Man(man::Man),
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
            // What a command answers is named after what it does.
            Command::Lock(lock) if lock.check => "verify",
            Command::Lock(_) => "lock",
            Command::Verify(_) => "verify",
            Command::New(_) => "new",
            Command::Fmt(_) => "fmt",
            Command::Plugin(_) => "plugin",
            Command::Kinds(_) => "kinds",
            Command::Completions(_) => "completions",
            Command::Man(_) => "man",
        }
    }

    /// The folders named as arguments.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        match self {
            Command::List(list) => &list.folders,
            Command::Check(check) => &check.folders,
            Command::Catalog(catalog) => &catalog.folders,
            Command::Lock(lock) => &lock.folders,
            Command::Verify(verify) => &verify.folders,
            _ => &[],
        }
    }

    /// What needs no skills to be answered.
    pub(crate) async fn answer_alone(&self, environment: &Environment<'_>) -> Result<Option<Box<dyn Answer>>, Failure> {
        let cwd = environment.cwd.as_path();
        Ok(Some(match self {
            Command::New(new) => Box::new(new.answer(cwd)?),
            Command::Fmt(fmt) => Box::new(fmt.answer(cwd).await?),
            Command::Plugin(plugin) => plugin.answer(cwd, environment.own_state().as_deref())?,
            Command::Kinds(kinds) => Box::new(kinds.answer()),
            Command::Completions(completions) => Box::new(completions.answer()),
            Command::Man(man) => Box::new(man.answer()?),
            _ => return Ok(None),
        }))
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
            Command::Lock(lock) => lock.answer(session).await?,
            Command::Verify(verify) => Box::new(verify.answer(session).await?),
            _ => unreachable!("every other command needs no skills, and has been answered"),
        })
    }
}
