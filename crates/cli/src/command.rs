//! The commands, one to a file.

mod approve;
mod body;
mod catalog;
mod check;
mod completions;
mod directives;
mod files;
mod fmt;
mod kinds;
mod labels;
mod list;
mod lock;
mod man;
mod mcp;
mod modes;
mod new;
mod plugin;
mod render;
mod roots;
mod search;
pub(crate) mod serve;
mod show;
mod simulate;
mod tools;
mod verify;
pub(crate) mod watch;
mod which;

use std::path::PathBuf;

use clap::Subcommand;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::Environment;
use crate::answer::Answer;
use crate::arguments::Places;
use crate::compose::Named;
use crate::failure::Failure;
use crate::pool::Pool;
use crate::session::Session;

/// Where clients share the skills of a project, from its folder.
const SKILLS: &str = ".agents/skills";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(list::List),
    Show(show::Show),
    Which(which::Which),
    Search(search::Search),
    Roots(roots::Roots),
    Check(check::Check),
    Watch(watch::Watch),
    Catalog(catalog::Catalog),
    Tools(tools::Tools),
    Simulate(simulate::Simulate),
    Serve(serve::Serve),
    Mcp(mcp::Mcp),
    Body(body::Body),
    Render(render::Render),
    Directives(directives::Directives),
    Approve(approve::Approve),
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
            Command::Search(_) => "search",
            Command::Roots(_) => "roots",
            Command::Check(_) => "check",
            Command::Watch(_) => "watch",
            Command::Catalog(_) => "catalog",
            Command::Tools(_) => "tools",
            Command::Simulate(_) => "simulate",
            Command::Serve(_) => "serve",
            Command::Mcp(_) => "mcp",
            Command::Body(_) => "body",
            Command::Render(_) => "render",
            Command::Directives(_) => "directives",
            Command::Approve(_) => "approve",
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

    /// The name as typed.
    pub(crate) fn typed(&self) -> &'static str {
        match self {
            Command::Lock(_) => "lock",
            Command::Mcp(_) => "mcp config",
            _ => self.name(),
        }
    }

    /// What to do instead of saying where to look, for commands that look for no skills.
    pub(crate) fn help_in_place_of_places(&self) -> Option<&'static str> {
        match self {
            Command::New(_) => Some("`--in DIR` says where the skill's folder comes"),
            Command::Fmt(_) => Some("name files or folders as arguments"),
            Command::Mcp(_) => {
                Some("put the options of `serve` behind `--`, as in `mcp config --client NAME -- --root DIR`")
            }
            Command::Plugin(_) | Command::Kinds(_) | Command::Completions(_) | Command::Man(_) => Some("leave it out"),
            _ => None,
        }
    }

    /// Whether the answer may differ from model to model.
    pub(crate) fn is_for_a_model(&self) -> bool {
        matches!(
            self,
            Command::List(_)
                | Command::Show(_)
                | Command::Which(_)
                | Command::Search(_)
                | Command::Watch(_)
                | Command::Simulate(_)
        )
    }

    /// The folders named as arguments.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        match self {
            Command::List(list) => &list.folders,
            Command::Check(check) => &check.folders,
            Command::Watch(watch) => &watch.folders,
            Command::Catalog(catalog) => &catalog.folders,
            Command::Tools(tools) => &tools.folders,
            Command::Lock(lock) => &lock.folders,
            Command::Verify(verify) => &verify.folders,
            _ => &[],
        }
    }

    /// Returns the folders named as arguments, and how to search them. A check looks where any client would.
    pub(crate) fn named(&self) -> Named<'_> {
        match self {
            Command::Check(check) => Named::WithLayout(&check.folders),
            _ => Named::Alone(self.folders()),
        }
    }

    /// Returns what makes the sources of this command.
    pub(crate) fn pool(&self) -> Pool {
        match self {
            Command::List(list::List { connect, .. })
            | Command::Check(check::Check { connect, .. })
            | Command::Lock(lock::Lock { connect, .. })
            | Command::Verify(verify::Verify { connect, .. })
                if !connect.connect =>
            {
                Pool::reading()
            }
            _ => Pool::default(),
        }
    }

    /// What needs no skills to be answered.
    pub(crate) async fn answer_alone(
        &self,
        places: &Places,
        environment: &Environment<'_>,
    ) -> Result<Option<Box<dyn Answer>>, Failure> {
        let cwd = environment.cwd.as_path();
        Ok(Some(match self {
            Command::New(new) => Box::new(new.answer(cwd)?),
            Command::Fmt(fmt) => Box::new(fmt.answer(cwd).await?),
            Command::Mcp(mcp) => Box::new(mcp.answer(&places.clients)?),
            Command::Plugin(plugin) => plugin.answer(cwd, environment.own_state().as_deref())?,
            Command::Kinds(kinds) => Box::new(kinds.answer()),
            Command::Completions(completions) => Box::new(completions.answer()),
            Command::Man(man) => Box::new(man.answer()?),
            _ => return Ok(None),
        }))
    }

    /// What the composed sources have to say.
    pub(crate) async fn answer<'a>(
        &self,
        session: &'a Session<'_>,
        environment: &mut Environment<'_>,
    ) -> Result<Box<dyn Answer + 'a>, Failure> {
        Ok(match self {
            Command::List(list) => Box::new(list.answer(session)),
            Command::Show(show) => Box::new(show.answer(session).await?),
            Command::Which(which) => Box::new(which.answer(session).await?),
            Command::Search(search) => Box::new(search.answer(session)),
            Command::Roots(roots) => Box::new(roots.answer(session).await?),
            Command::Check(check) => Box::new(check.answer(session).await),
            Command::Catalog(catalog) => Box::new(catalog.answer(session)),
            Command::Tools(tools) => Box::new(tools.answer(session)),
            Command::Simulate(simulate) => Box::new(simulate.answer(session).await?),
            Command::Body(body) => Box::new(body.answer(session).await?),
            Command::Render(render) => Box::new(render.answer(session, environment).await?),
            Command::Directives(directives) => Box::new(directives.answer(session).await?),
            Command::Approve(approve) => Box::new(approve.answer(session, environment).await?),
            Command::Files(files) => files.answer(session).await?,
            Command::Lock(lock) => lock.answer(session).await?,
            Command::Verify(verify) => Box::new(verify.answer(session).await?),
            _ => unreachable!("every other command needs no skills, and has been answered"),
        })
    }
}

/// The name of every command and the schema of what it answers, in the order of the help.
#[cfg(feature = "schema")]
pub(crate) fn answers(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
    vec![
        ("list", list::Listed::json_schema(generator)),
        ("show", show::Shown::json_schema(generator)),
        ("which", which::Chain::json_schema(generator)),
        ("search", search::Found::json_schema(generator)),
        ("roots", roots::Places::json_schema(generator)),
        ("check", check::Checked::json_schema(generator)),
        ("watch", watch::Started::json_schema(generator)),
        ("watch", watch::Changed::json_schema(generator)),
        ("catalog", catalog::Rendered::json_schema(generator)),
        ("tools", tools::Declared::json_schema(generator)),
        ("simulate", simulate::Simulated::json_schema(generator)),
        ("mcp", mcp::config::Snippet::json_schema(generator)),
        ("body", body::Text::json_schema(generator)),
        ("render", render::Instructions::json_schema(generator)),
        ("directives", directives::Directed::json_schema(generator)),
        ("approve", approve::Decided::json_schema(generator)),
        ("files", files::Manifest::json_schema(generator)),
        ("files", files::Printed::json_schema(generator)),
        ("lock", lock::Locked::json_schema(generator)),
        ("verify", verify::Verified::json_schema(generator)),
        ("new", new::Begun::json_schema(generator)),
        ("fmt", fmt::Formatted::json_schema(generator)),
        ("plugin", plugin::list::Approved::json_schema(generator)),
        ("plugin", plugin::inspect::Seen::json_schema(generator)),
        ("plugin", plugin::decide::Decision::json_schema(generator)),
        ("plugin", plugin::begin::Begun::json_schema(generator)),
        ("kinds", kinds::Known::json_schema(generator)),
        ("completions", completions::Script::json_schema(generator)),
        ("man", man::Manual::json_schema(generator)),
    ]
}
