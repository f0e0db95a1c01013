//! The commands, one to a file.

mod approve;
mod body;
mod catalog;
mod check;
mod directives;
mod files;
mod fmt;
mod generated;
mod kinds;
mod list;
mod lock;
mod mcp;
mod new;
mod plugin;
mod render;
mod roots;
mod search;
mod selection;
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
use crate::arguments::SourceOptions;
use crate::compose::NamedFolders;
use crate::context::CommandContext;
use crate::failure::Failure;
use crate::output::CommandOutput;
use crate::source_cache::SourceCache;

const SKILLS: &str = ".agents/skills";

/// A command.
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
    Completions(generated::Completions),
    Man(generated::Man),
}

impl Command {
    /// Returns the advice for a source option on a command that reads no sources; `None` for the other commands.
    pub(crate) fn help_without_sources(&self) -> Option<&'static str> {
        match self {
            Command::New(_) => Some("choose the parent folder with `--dir DIR`"),
            Command::Fmt(_) => Some("name files or folders as arguments"),
            Command::Mcp(_) => {
                Some("put the options of `serve` after `--`, as in `mcp config --client NAME -- --root DIR`")
            }
            Command::Plugin(_) | Command::Kinds(_) | Command::Completions(_) | Command::Man(_) => {
                Some("remove the option")
            }
            _ => None,
        }
    }

    pub(crate) fn depends_on_model(&self) -> bool {
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

    /// Returns the folders given as arguments.
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

    /// Returns the folders given as arguments, and how to search them. `check` searches them as every agent would.
    pub(crate) fn named(&self) -> NamedFolders<'_> {
        match self {
            Command::Check(check) => NamedFolders::WithLayout(&check.folders),
            _ => NamedFolders::Plain(self.folders()),
        }
    }

    /// Returns an empty source cache, which refuses sources with side effects unless `--connect` is given.
    pub(crate) fn cache(&self) -> SourceCache {
        match self {
            Command::List(list::List { connect, .. })
            | Command::Check(check::Check { connect, .. })
            | Command::Lock(lock::Lock { connect, .. })
            | Command::Verify(verify::Verify { connect, .. })
                if !connect.connect =>
            {
                SourceCache::read_only()
            }
            _ => SourceCache::default(),
        }
    }

    /// Runs a command that needs no skills; returns `None` for the other commands.
    pub(crate) async fn run_without_skills(
        &self,
        sources: &SourceOptions,
        environment: &mut Environment<'_>,
    ) -> Result<Option<Box<dyn CommandOutput>>, Failure> {
        let cwd = environment.cwd.clone();
        Ok(Some(match self {
            Command::New(new) => Box::new(new.run(&cwd)?),
            Command::Fmt(fmt) => Box::new(fmt.run(&cwd).await?),
            Command::Mcp(mcp) => Box::new(mcp.run(&sources.clients)?),
            Command::Plugin(plugin) => plugin.run(&cwd, environment)?,
            Command::Kinds(kinds) => Box::new(kinds.run()),
            Command::Completions(completions) => Box::new(completions.run()),
            Command::Man(man) => Box::new(man.run()?),
            _ => return Ok(None),
        }))
    }

    /// Runs a command on the composed sources.
    pub(crate) async fn run<'a>(
        &self,
        context: &'a CommandContext,
        environment: &mut Environment<'_>,
    ) -> Result<Box<dyn CommandOutput + 'a>, Failure> {
        Ok(match self {
            Command::List(list) => Box::new(list.run(context)),
            Command::Show(show) => Box::new(show.run(context).await?),
            Command::Which(which) => Box::new(which.run(context).await?),
            Command::Search(search) => Box::new(search.run(context).await),
            Command::Roots(roots) => Box::new(roots.run(context).await?),
            Command::Check(check) => Box::new(check.run(context).await),
            Command::Catalog(catalog) => Box::new(catalog.run(context)),
            Command::Tools(tools) => Box::new(tools.run(context)),
            Command::Simulate(simulate) => Box::new(simulate.run(context).await?),
            Command::Body(body) => Box::new(body.run(context).await?),
            Command::Render(render) => Box::new(render.run(context, environment).await?),
            Command::Directives(directives) => Box::new(directives.run(context).await?),
            Command::Approve(approve) => Box::new(approve.run(context, environment).await?),
            Command::Files(files) => files.run(context).await?,
            Command::Lock(lock) => Box::new(lock.run(context).await?),
            Command::Verify(verify) => Box::new(verify.run(context).await?),
            _ => unreachable!("every other command has run without skills"),
        })
    }
}

/// Returns the name of each command and the schema of its JSON output, in the order of the help.
#[cfg(feature = "schema")]
pub(crate) fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
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
        ("mcp", mcp::Snippet::json_schema(generator)),
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
        ("plugin", plugin::Approved::json_schema(generator)),
        ("plugin", plugin::Inspected::json_schema(generator)),
        ("plugin", plugin::Decision::json_schema(generator)),
        ("plugin", plugin::scaffold::Begun::json_schema(generator)),
        ("kinds", kinds::Known::json_schema(generator)),
        ("completions", generated::Script::json_schema(generator)),
        ("man", generated::Manual::json_schema(generator)),
    ]
}
