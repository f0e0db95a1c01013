//! `repertoire gateway`.

mod audit;
mod gateway_output;
mod request;
mod running_gateway;
mod server_row;
mod service_manager;
mod state_folder;
#[cfg(feature = "agents")]
mod stored_audit;
mod token;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
#[cfg(feature = "agents")]
use repertoire::config::Configuration;
use repertoire_gateway::{Gateway, TokenStore};
use tokio::runtime::Handle;

#[cfg(feature = "schema")]
pub(super) use self::audit::AuditOutput;
pub(super) use self::audit::open_audit;
use self::audit::{AuditCommand, duration};
pub(super) use self::gateway_output::{GatewayListOutput, GatewayOutput};
use self::gateway_output::{ListedRegistry, SavedState};
use self::request::{request_pause, request_reload, request_resume, request_stop};
use self::running_gateway::RunningGateway;
pub(super) use self::running_gateway::refusal;
use self::state_folder::{StateFolder, token_path};
use self::token::TokenCommand;
#[cfg(feature = "schema")]
pub(super) use self::token::TokenOutput;
#[cfg(feature = "agents")]
use super::agents::{STORE_FILE, StorePlace};
use super::serve::NetworkOptions;
use crate::configuration_file::{CONFIGURATION, host_settings};
use crate::failure::Failure;
use crate::followed_policy::FollowedPolicy;
#[cfg(feature = "otlp")]
use crate::log;
use crate::options::{FolderOption, SourceOptions};
use crate::output::{Format, Output};
use crate::signals::PauseSignals;
#[cfg(feature = "otlp")]
use crate::trace_export::TraceExport;
use crate::{Environment, Exit};

/// Run one process with your skills, workflows, agents and MCP servers.
///
/// A configuration file defines all four registries (--config; default `repertoire.toml`).
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire gateway start\n  repertoire gateway status --json\n  repertoire gateway list workflows\n  repertoire gateway reload"
)]
pub(crate) struct GatewayCommand {
    #[command(subcommand)]
    action: GatewayAction,
}

#[derive(Debug, Subcommand)]
enum GatewayAction {
    Start(StartCommand),
    Status(StatusCommand),
    List(ListCommand),
    Reload(ReloadCommand),
    Pause(PauseCommand),
    Resume(ResumeCommand),
    Stop(StopCommand),
    Audit(AuditCommand),
    Token(TokenCommand),
}

/// Start the gateway and run until a signal arrives.
///
/// SIGHUP reads the configuration file again; if it is invalid, everything stays as it was. SIGUSR1 pauses and SIGUSR2 ends a
/// pause. SIGTERM answers the requests in progress and stops. systemd is notified if it started the process (Type=notify-reload).
#[derive(Debug, Args)]
struct StartCommand {
    #[command(flatten)]
    folder: FolderOption,
    /// Serve HTTP at this address instead of the `listen` of the configuration file.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    network: NetworkOptions,
}

/// Show whether a gateway runs, and the contents of its registries.
#[derive(Debug, Args)]
struct StatusCommand {
    #[command(flatten)]
    folder: FolderOption,
}

/// List the skills, workflows, agents and MCP servers of the gateway.
#[derive(Debug, Args)]
struct ListCommand {
    /// List this registry only.
    registry: Option<ListedRegistry>,
    #[command(flatten)]
    folder: FolderOption,
}

/// Make the gateway read its configuration file again.
#[derive(Debug, Args)]
struct ReloadCommand {
    #[command(flatten)]
    folder: FolderOption,
}

/// Pause the gateway: it is not ready and begins nothing new, and its registries stay.
#[derive(Debug, Args)]
struct PauseCommand {
    #[command(flatten)]
    folder: FolderOption,
}

/// End a pause.
#[derive(Debug, Args)]
struct ResumeCommand {
    #[command(flatten)]
    folder: FolderOption,
}

/// Stop the gateway.
#[derive(Debug, Args)]
struct StopCommand {
    #[command(flatten)]
    folder: FolderOption,
}

fn unheard(error: io::Error) -> Failure {
    Failure::io("cannot listen for signals", &error)
}

/// Creates the gateway of the configuration file.
pub(super) fn open(
    options: &SourceOptions,
    environment: &Environment<'_>,
) -> Result<Gateway, Failure> {
    let mut settings = host_settings(environment);
    let of_user = environment.own_config();
    settings.policy = of_user.map(|folder| folder.join(CONFIGURATION));
    Gateway::open(configuration_file(options), settings).map_err(|error| refusal(&error))
}

fn configuration_file(options: &SourceOptions) -> PathBuf {
    let file = options.config.clone();
    file.unwrap_or_else(|| CONFIGURATION.into())
}

impl GatewayCommand {
    pub(crate) async fn run(
        &self,
        options: &SourceOptions,
        format: Format,
        environment: &mut Environment<'_>,
    ) -> Result<io::Result<Exit>, Failure> {
        options.refuse_besides_config("gateway")?;
        let mut out = Output::new("gateway", format, environment);
        match &self.action {
            GatewayAction::Start(start) => {
                if format != Format::default() {
                    let failure = Failure::new("`--format` has no effect on `gateway start`");
                    return Err(failure.help("use it with `gateway status`"));
                }
                return start.run(options, environment).await.map(Ok);
            }
            GatewayAction::Status(status) => {
                let folder = status.folder.path(environment)?;
                let saved = StateFolder::read(&folder)?;
                out.found_problems(saved.is_none());
                let saved = saved.map(|saved| saved.output).unwrap_or_default();
                saved.print(&mut out);
            }
            GatewayAction::List(list) => {
                let folder = list.folder.path(environment)?;
                let lists = StateFolder::read_lists(&folder)?;
                out.found_problems(lists.is_none());
                lists.unwrap_or_default().print(list.registry, &mut out);
            }
            GatewayAction::Pause(pause) => {
                let folder = pause.folder.path(environment)?;
                request_pause(&folder).await?.print(&mut out);
            }
            GatewayAction::Resume(resume) => {
                let folder = resume.folder.path(environment)?;
                request_resume(&folder).await?.print(&mut out);
            }
            GatewayAction::Reload(reload) => {
                let folder = reload.folder.path(environment)?;
                let output = request_reload(&folder).await?;
                out.found_problems(output.reload_error.is_some());
                output.print(&mut out);
            }
            GatewayAction::Stop(stop) => {
                let folder = stop.folder.path(environment)?;
                request_stop(&folder).await?;
                GatewayOutput::default().print(&mut out);
            }
            GatewayAction::Audit(audit) => audit.run(options, environment, &mut out)?,
            GatewayAction::Token(token) => token.run(environment, &mut out)?,
        }
        Ok(out.print(environment))
    }
}

/// Returns the place of the store of agents that the configuration file or the variable names.
#[cfg(feature = "agents")]
fn named_store(
    configuration: Option<&Configuration>,
    environment: &Environment<'_>,
) -> Result<Option<StorePlace>, Failure> {
    let named = configuration.and_then(|configuration| {
        let store = configuration.gateway().agents.store.as_deref()?;
        Some(match store.contains("://") {
            true => PathBuf::from(store),
            false => configuration.registries().project.join(store),
        })
    });
    StorePlace::named(named.as_deref(), environment)
}

#[cfg(feature = "agents")]
impl StartCommand {
    /// Opens the store of agents: that of the configuration file or of the variable, else the file in the state folder.
    async fn with_agents(
        &self,
        gateway: Gateway,
        environment: &Environment<'_>,
    ) -> Result<Gateway, Failure> {
        let configuration = gateway.configuration();
        let place = match named_store(Some(&configuration), environment)? {
            Some(place) => place,
            None => match &self.folder.state_dir {
                Some(folder) => StorePlace::File(environment.cwd.join(folder).join(STORE_FILE)),
                None => StorePlace::of(None, environment)?,
            },
        };
        // A store blocks.
        let opened = tokio::task::spawn_blocking(move || place.open()).await;
        let store = opened.unwrap_or_else(|error| Err(Failure::of(&error)))?;
        let folder = self.folder.path(environment)?;
        Ok(gateway.with_agents(store).running_agents(folder))
    }
}

impl StartCommand {
    async fn run(
        &self,
        options: &SourceOptions,
        environment: &mut Environment<'_>,
    ) -> Result<Exit, Failure> {
        #[cfg(feature = "otlp")]
        let traces = TraceExport::start(environment)?;
        #[cfg(feature = "otlp")]
        log::start(traces.iter().map(TraceExport::layer).collect());
        environment.signals.listen().map_err(unheard)?;
        let pauses = PauseSignals::listen().map_err(unheard)?;
        // Followed before they are read, so that no change is missed.
        let file = configuration_file(options);
        let policy = FollowedPolicy::follow(Some(&file), environment).await?;
        let gateway = open(options, environment)?;
        let path = self.folder.path(environment)?;
        let folder = StateFolder::lock(&path)?;
        let audit = open_audit(&path, &gateway.configuration(), environment)?;
        let tokens = TokenStore::open(token_path(&path));
        let gateway = gateway.audited(audit.clone()).with_tokens(tokens);
        #[cfg(feature = "agents")]
        let gateway = self.with_agents(gateway, environment).await?;
        folder.save_lists(&GatewayListOutput::default())?;
        folder.save(&SavedState::starting())?;
        let mut run = RunningGateway::new(gateway.clone(), folder, environment);
        let http = run.listen(self, environment).await?;
        let registries = gateway.start(&Handle::current()).await;
        registries.map_err(|error| refusal(&error))?;
        let served = run.serve(http, pauses, policy, environment).await;
        // It may have been stopped by then.
        let _ = gateway.stop().await;
        audit.flush();
        #[cfg(feature = "otlp")]
        if let Some(traces) = traces {
            traces.finish(environment);
        }
        served.map(|()| Exit::Success)
    }
}
