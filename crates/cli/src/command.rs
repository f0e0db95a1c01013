//! The commands, one to a file.

#[cfg(feature = "install")]
mod accept;
#[cfg(feature = "install")]
mod add;
#[cfg(feature = "agents")]
mod agents;
#[cfg(feature = "process")]
mod approvals;
#[cfg(feature = "process")]
mod approve;
mod body;
mod budget;
mod cache;
mod catalog;
mod check;
mod completions;
mod diff;
#[cfg(feature = "process")]
mod directives;
mod eval;
mod files;
mod fmt;
#[cfg(feature = "gateway")]
pub(crate) mod gateway;
#[cfg(feature = "install")]
mod installed;
mod kinds;
mod list;
mod lock;
#[cfg(feature = "man")]
mod man;
mod match_prompt;
#[cfg(feature = "mcp")]
mod mcp;
mod new;
mod observed;
#[cfg(feature = "install")]
mod outdated;
#[cfg(feature = "plugin")]
mod plugin;
#[cfg(feature = "install")]
mod remove;
#[cfg(feature = "render")]
mod render;
mod roots;
mod scaffold;
mod search;
mod selection;
#[cfg(feature = "mcp")]
pub(crate) mod serve;
mod show;
#[cfg(feature = "render")]
mod simulate;
mod source;
pub(crate) mod status;
#[cfg(feature = "install")]
mod store;
#[cfg(feature = "install")]
mod sync;
mod tools;
#[cfg(feature = "install")]
mod update;
mod verify;
pub(crate) mod watch;
mod why;
#[cfg(feature = "gateway")]
pub(crate) mod workflow;

use std::path::PathBuf;

use clap::Subcommand;
use repertoire::Model;
#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::Environment;
use crate::agent_views::AgentViews;
use crate::compose::{NamedFolders, compose};
use crate::failure::Failure;
#[cfg(feature = "schema")]
use crate::install_plan::InstallPlan;
use crate::options::SourceOptions;
use crate::output::Output;
use crate::source_cache::SourceCache;

const SKILLS: &str = ".agents/skills";

/// A command.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Status(status::StatusCommand),
    #[command(visible_alias = "ls")]
    List(list::ListCommand),
    #[command(visible_alias = "info")]
    Show(show::ShowCommand),
    Why(why::WhyCommand),
    Search(search::SearchCommand),
    Match(match_prompt::MatchCommand),
    Eval(eval::EvalCommand),
    Roots(roots::RootsCommand),
    Observed(observed::ObservedCommand),
    Budget(budget::BudgetCommand),
    Diff(diff::DiffCommand),
    #[command(visible_alias = "lint")]
    Check(check::CheckCommand),
    Watch(watch::WatchCommand),
    Catalog(catalog::CatalogCommand),
    Tools(tools::ToolsCommand),
    #[cfg(feature = "render")]
    Simulate(simulate::SimulateCommand),
    #[cfg(feature = "mcp")]
    Serve(serve::ServeCommand),
    #[cfg(feature = "gateway")]
    Gateway(gateway::GatewayCommand),
    #[cfg(feature = "gateway")]
    Workflow(workflow::WorkflowCommand),
    #[cfg(feature = "mcp")]
    Mcp(mcp::McpCommand),
    Body(body::BodyCommand),
    #[cfg(feature = "render")]
    Render(render::RenderCommand),
    #[cfg(feature = "process")]
    Directives(directives::DirectivesCommand),
    #[cfg(feature = "process")]
    Approve(approve::ApproveCommand),
    #[cfg(feature = "process")]
    Approvals(approvals::ApprovalsCommand),
    Files(files::FilesCommand),
    #[cfg(feature = "install")]
    Add(add::AddCommand),
    #[cfg(feature = "install")]
    Remove(remove::RemoveCommand),
    #[cfg(feature = "install")]
    Update(update::UpdateCommand),
    #[cfg(feature = "install")]
    Outdated(outdated::OutdatedCommand),
    #[cfg(feature = "install")]
    Sync(sync::SyncCommand),
    #[cfg(feature = "install")]
    Installed(installed::InstalledCommand),
    #[cfg(feature = "install")]
    Accept(accept::AcceptCommand),
    #[cfg(feature = "install")]
    Store(store::StoreCommand),
    Cache(cache::CacheCommand),
    Lock(lock::LockCommand),
    Verify(verify::VerifyCommand),
    New(new::NewCommand),
    Fmt(fmt::FmtCommand),
    #[cfg(feature = "plugin")]
    Plugin(plugin::PluginCommand),
    Source(source::SourceCommand),
    Kinds(kinds::KindsCommand),
    #[cfg(feature = "agents")]
    Agents(agents::AgentsCommand),
    Completions(completions::CompletionsCommand),
    #[cfg(feature = "man")]
    Man(man::ManCommand),
}

impl Command {
    /// Returns the advice for a source option on a command that reads no sources; `None` for the other commands.
    pub(crate) fn help_without_sources(&self) -> Option<&'static str> {
        match self {
            Command::New(_) => Some("choose the parent folder with `--dir DIR`"),
            Command::Fmt(_) => Some("name files or folders as arguments"),
            #[cfg(feature = "plugin")]
            Command::Plugin(_) => Some("remove the option"),
            #[cfg(feature = "process")]
            Command::Approvals(_) => Some("remove the option"),
            Command::Observed(_) => Some("remove the option"),
            #[cfg(feature = "install")]
            Command::Add(_)
            | Command::Remove(_)
            | Command::Update(_)
            | Command::Outdated(_)
            | Command::Sync(_)
            | Command::Installed(_)
            | Command::Accept(_)
            | Command::Store(_) => Some("remove the option"),
            Command::Cache(_)
            | Command::Status(_)
            | Command::Budget(_)
            | Command::Diff(_)
            | Command::Kinds(_)
            | Command::Source(_)
            | Command::Completions(_) => Some("remove the option"),
            #[cfg(feature = "man")]
            Command::Man(_) => Some("remove the option"),
            #[cfg(feature = "agents")]
            Command::Agents(_) => Some("remove the option"),
            _ => None,
        }
    }

    /// Returns whether `--agent` selects the agents that it answers for.
    pub(crate) fn is_about_agents(&self) -> bool {
        match self {
            #[cfg(feature = "install")]
            Command::Add(_) => true,
            Command::Status(_) | Command::Observed(_) | Command::Budget(_) => true,
            _ => false,
        }
    }

    pub(crate) fn depends_on_model(&self) -> bool {
        match self {
            Command::List(_)
            | Command::Show(_)
            | Command::Why(_)
            | Command::Search(_)
            | Command::Match(_)
            | Command::Watch(_) => true,
            #[cfg(feature = "render")]
            Command::Simulate(_) => true,
            _ => false,
        }
    }

    /// Returns whether it is a server, which prints no result.
    pub(crate) fn is_server(&self) -> bool {
        match self {
            #[cfg(feature = "mcp")]
            Command::Serve(_) => true,
            _ => false,
        }
    }

    /// Returns whether it takes `--agent` for one of its own.
    pub(crate) fn is_client_configuration(&self) -> bool {
        match self {
            #[cfg(feature = "mcp")]
            Command::Mcp(_) => true,
            _ => false,
        }
    }

    pub(crate) fn folders(&self) -> &[PathBuf] {
        match self {
            Command::List(list::ListCommand { searched, .. })
            | Command::Check(check::CheckCommand { searched, .. })
            | Command::Lock(lock::LockCommand { searched, .. })
            | Command::Verify(verify::VerifyCommand { searched, .. }) => &searched.folders,
            Command::Watch(watch::WatchCommand { searched, .. })
            | Command::Catalog(catalog::CatalogCommand { searched, .. })
            | Command::Tools(tools::ToolsCommand { searched, .. }) => &searched.folders,
            _ => &[],
        }
    }

    /// Returns the folders given as arguments, and how to search them. `check` searches them as every agent would.
    fn named(&self) -> NamedFolders<'_> {
        match self {
            Command::Check(_) => NamedFolders::WithLayout(self.folders()),
            _ => NamedFolders::Plain(self.folders()),
        }
    }

    /// Returns an empty source cache, which refuses sources with side effects unless `--connect` is given.
    fn cache(&self) -> SourceCache {
        match self {
            Command::List(list::ListCommand { searched, .. })
            | Command::Check(check::CheckCommand { searched, .. })
            | Command::Lock(lock::LockCommand { searched, .. })
            | Command::Verify(verify::VerifyCommand { searched, .. })
                if !searched.connect =>
            {
                SourceCache::read_only()
            }
            _ => SourceCache::default(),
        }
    }

    /// Returns whether the user decides about the content of skills by its result, so that it reads every file.
    fn decides_about_content(&self) -> bool {
        match self {
            Command::Lock(_) | Command::Verify(_) => true,
            #[cfg(feature = "process")]
            Command::Approve(_) | Command::Directives(_) => true,
            _ => false,
        }
    }

    /// Returns the views of agents, if the command answers for agents.
    fn seen_by_agents(
        &self,
        sources: &SourceOptions,
        model: &Model,
        environment: &Environment<'_>,
    ) -> Result<Option<AgentViews>, Failure> {
        let is_own = match self {
            Command::List(list) => list.is_of_sources(),
            Command::Why(_) => false,
            _ => return Ok(None),
        };
        let is_own = is_own || sources.is_given() || *model != Model::default();
        AgentViews::unless_own(&sources.agents, is_own, environment)
    }

    /// Runs any command but `man`, which prints the definition of all commands, and `watch`, `serve`, `gateway` and `workflow`,
    /// which print while they run.
    pub(crate) async fn run(
        &self,
        sources: &SourceOptions,
        model: Model,
        environment: &mut Environment<'_>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        match self {
            Command::New(new) => return new.run(&environment.cwd, out),
            #[cfg(feature = "install")]
            Command::Add(add) => return add.run(&sources.agents, environment, out).await,
            #[cfg(feature = "install")]
            Command::Remove(remove) => return remove.run(environment, out),
            #[cfg(feature = "install")]
            Command::Update(update) => return update.run(environment, out).await,
            #[cfg(feature = "install")]
            Command::Outdated(outdated) => return outdated.run(environment, out),
            #[cfg(feature = "install")]
            Command::Sync(sync) => return sync.run(environment, out).await,
            #[cfg(feature = "install")]
            Command::Installed(installed) => return installed.run(environment, out),
            #[cfg(feature = "install")]
            Command::Accept(accept) => return accept.run(environment, out),
            #[cfg(feature = "install")]
            Command::Store(store) => return store.run(environment, out),
            Command::Cache(cache) => return cache.run(environment, out),
            Command::Fmt(fmt) => return fmt.run(&environment.cwd, out).await,
            #[cfg(feature = "mcp")]
            Command::Mcp(mcp) => return mcp.run(sources, environment, out).await,
            #[cfg(feature = "plugin")]
            Command::Plugin(plugin) => return plugin.run(environment, out),
            #[cfg(feature = "process")]
            Command::Approvals(approvals) => return approvals.run(environment, out),
            Command::Observed(observed) => return observed.run(&sources.agents, environment, out),
            Command::Source(source) => return source.run(&environment.cwd, out),
            Command::Budget(budget) => return budget.run(&sources.agents, environment, out),
            Command::Diff(diff) => return diff.run(environment, out).await,
            Command::Status(status) => return status.run(sources, environment, out).await,
            Command::Kinds(kinds) => return kinds.run(out),
            #[cfg(feature = "agents")]
            Command::Agents(agents) => return agents.run(environment, out),
            Command::Completions(completions) => {
                completions.run(environment.program, out);
                return Ok(());
            }
            _ => {}
        }
        if let Some(seen) = self.seen_by_agents(sources, &model, environment)? {
            return match self {
                Command::List(list) => {
                    list.write_seen(&seen, environment, out);
                    Ok(())
                }
                Command::Why(why) => why.explain(&seen, environment, out),
                _ => Ok(()),
            };
        }
        let sources = &SourceOptions {
            no_cache: sources.no_cache || self.decides_about_content(),
            ..sources.clone()
        };
        let context = &compose(sources, self.named(), model, self.cache(), environment).await?;
        match self {
            Command::List(list) => list.run(context, out),
            Command::Show(show) => show.run(context, out).await?,
            Command::Why(why) => why.run(context, out).await?,
            Command::Search(search) => search.run(context, out).await?,
            Command::Match(matched) => matched.run(context, out).await?,
            Command::Eval(eval) => eval.run(context, environment.program, out).await?,
            Command::Roots(roots) => roots.run(context, out).await?,
            Command::Check(check) => check.run(context, environment.program, out).await,
            Command::Catalog(catalog) => catalog.run(context, out).await?,
            Command::Tools(tools) => tools.run(context, out),
            #[cfg(feature = "render")]
            Command::Simulate(simulate) => simulate.run(context, out).await?,
            Command::Body(body) => body.run(context, out).await?,
            #[cfg(feature = "render")]
            Command::Render(render) => render.run(context, environment, out).await?,
            #[cfg(feature = "process")]
            Command::Directives(directives) => directives.run(context, out).await?,
            #[cfg(feature = "process")]
            Command::Approve(approve) => approve.run(context, environment, out).await?,
            Command::Files(files) => files.run(context, out).await?,
            Command::Lock(lock) => lock.run(context, out).await?,
            Command::Verify(verify) => verify.run(context, out).await?,
            _ => unreachable!("every other command has run without skills"),
        }
        Ok(())
    }
}

/// Returns the name of each command and the schema of its JSON output, in the order of the help.
#[cfg(feature = "schema")]
pub(crate) fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
    vec![
        ("status", status::StatusOutput::json_schema(generator)),
        ("list", list::ListOutput::json_schema(generator)),
        ("list", list::SeenOutput::json_schema(generator)),
        ("show", show::ShowOutput::json_schema(generator)),
        ("why", why::WhyOutput::json_schema(generator)),
        ("why", why::CandidatesOutput::json_schema(generator)),
        ("search", search::SearchOutput::json_schema(generator)),
        ("match", match_prompt::MatchOutput::json_schema(generator)),
        ("eval", eval::EvalOutput::json_schema(generator)),
        ("roots", roots::RootsOutput::json_schema(generator)),
        ("observed", observed::ObservedOutput::json_schema(generator)),
        ("budget", budget::BudgetOutput::json_schema(generator)),
        ("diff", diff::DiffOutput::json_schema(generator)),
        ("check", check::CheckOutput::json_schema(generator)),
        ("watch", watch::WatchStarted::json_schema(generator)),
        ("watch", watch::WatchChanged::json_schema(generator)),
        ("catalog", catalog::CatalogOutput::json_schema(generator)),
        ("tools", tools::ToolsOutput::json_schema(generator)),
        ("simulate", simulate::SimulateOutput::json_schema(generator)),
        ("gateway", gateway::GatewayOutput::json_schema(generator)),
        (
            "gateway",
            gateway::GatewayListOutput::json_schema(generator),
        ),
        ("gateway", gateway::AuditOutput::json_schema(generator)),
        ("gateway", gateway::TokenOutput::json_schema(generator)),
        ("workflow", workflow::PlanOutput::json_schema(generator)),
        ("workflow", workflow::RunOutput::json_schema(generator)),
        ("mcp", mcp::McpOutput::json_schema(generator)),
        ("body", body::BodyOutput::json_schema(generator)),
        (
            "render",
            render::RenderedInstructions::json_schema(generator),
        ),
        (
            "directives",
            directives::DirectivesOutput::json_schema(generator),
        ),
        ("approve", approve::ApproveOutput::json_schema(generator)),
        (
            "approvals",
            approvals::ApprovalsOutput::json_schema(generator),
        ),
        ("files", files::FilesOutput::json_schema(generator)),
        ("files", files::FileOutput::json_schema(generator)),
        ("add", InstallPlan::json_schema(generator)),
        ("remove", InstallPlan::json_schema(generator)),
        ("update", InstallPlan::json_schema(generator)),
        ("outdated", outdated::OutdatedOutput::json_schema(generator)),
        ("sync", InstallPlan::json_schema(generator)),
        (
            "installed",
            installed::InstalledOutput::json_schema(generator),
        ),
        ("accept", accept::AcceptOutput::json_schema(generator)),
        ("store", store::StoreOutput::json_schema(generator)),
        ("cache", cache::CacheOutput::json_schema(generator)),
        ("lock", lock::LockOutput::json_schema(generator)),
        ("verify", verify::VerifyOutput::json_schema(generator)),
        ("new", new::NewOutput::json_schema(generator)),
        ("fmt", fmt::FmtOutput::json_schema(generator)),
        ("plugin", plugin::PluginListOutput::json_schema(generator)),
        (
            "plugin",
            plugin::PluginInspectOutput::json_schema(generator),
        ),
        (
            "plugin",
            plugin::PluginDecisionOutput::json_schema(generator),
        ),
        ("plugin", scaffold::NewCrateOutput::json_schema(generator)),
        ("source", scaffold::NewCrateOutput::json_schema(generator)),
        ("kinds", kinds::KindsOutput::json_schema(generator)),
        ("agents", agents::AgentListOutput::json_schema(generator)),
        ("agents", agents::AgentShowOutput::json_schema(generator)),
        ("agents", agents::AgentExplainOutput::json_schema(generator)),
        ("agents", agents::AgentOrphansOutput::json_schema(generator)),
        ("agents", agents::AgentAuditOutput::json_schema(generator)),
        ("agents", agents::AgentSpawnOutput::json_schema(generator)),
        (
            "completions",
            completions::CompletionsOutput::json_schema(generator),
        ),
        ("man", man::ManOutput::json_schema(generator)),
    ]
}
