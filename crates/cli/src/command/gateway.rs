//! `repertoire gateway`.

mod request;
mod service_manager;
mod state_folder;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use repertoire::config::GatewaySettings;
use repertoire::skill::Severity;
use repertoire_gateway::{Gateway, GatewayError, Registries, Reloaded};
use repertoire_mcp::ServerOptions;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::request::{request_reload, request_stop};
use self::service_manager::ServiceManager;
use self::state_folder::StateFolder;
use super::serve::NetworkOptions;
use crate::compose::host_settings;
use crate::diagnostics::{DiagnosticPrinter, QuotableFolders, ReportedDiagnostic};
use crate::failure::Failure;
use crate::options::SourceOptions;
use crate::output::{Format, Output};
use crate::signals::Signal;
use crate::{Environment, Exit};

/// Run one process with your skills, workflows, agents and MCP servers.
///
/// A configuration file defines all four registries (--config; default `repertoire.toml`).
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  repertoire gateway start\n  repertoire gateway status --json\n  repertoire gateway reload"
)]
pub(crate) struct GatewayCommand {
    #[command(subcommand)]
    action: GatewayAction,
}

#[derive(Debug, Subcommand)]
enum GatewayAction {
    Start(StartCommand),
    Status(StatusCommand),
    Reload(ReloadCommand),
    Stop(StopCommand),
}

/// Start the gateway and run until a signal arrives.
///
/// SIGHUP reads the configuration file again; if it is invalid, everything stays as it was. SIGTERM answers the requests in
/// progress and stops. systemd is notified if it started the process (Type=notify-reload).
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

/// Make the gateway read its configuration file again.
#[derive(Debug, Args)]
struct ReloadCommand {
    #[command(flatten)]
    folder: FolderOption,
}

/// Stop the gateway.
#[derive(Debug, Args)]
struct StopCommand {
    #[command(flatten)]
    folder: FolderOption,
}

#[derive(Debug, Args)]
struct FolderOption {
    /// Folder in which the gateway keeps its state; one gateway runs per folder [default: below the user's state folder].
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

/// A gateway that runs or not.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct GatewayOutput {
    running: bool,
    /// The process.
    #[serde(skip_serializing_if = "Option::is_none")]
    process: Option<u32>,
    /// The address of the HTTP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<SocketAddr>,
    /// `running`, `paused` or another state.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<String>,
    /// The number of items of each registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    registries: Option<GatewayCounts>,
    /// The number of reloads that were applied.
    reloads: u64,
    /// The error of the last reload, if it was not applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    reload_error: Option<String>,
}

/// The number of items of each registry.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) struct GatewayCounts {
    skills: usize,
    workflows: usize,
    agents: usize,
    mcp_servers: usize,
}

/// The state of a running gateway, as its state folder has it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SavedState {
    #[serde(flatten)]
    output: GatewayOutput,
    /// The number of reloads that ended, applied or not.
    finished: u64,
    is_reloading: bool,
}

impl SavedState {
    fn starting() -> SavedState {
        let output = GatewayOutput {
            running: true,
            process: Some(std::process::id()),
            state: Some("starting".to_owned()),
            ..GatewayOutput::default()
        };
        SavedState {
            output,
            ..SavedState::default()
        }
    }
}

const CONFIGURATION: &str = "repertoire.toml";

impl GatewayCommand {
    pub(crate) async fn run(
        &self,
        options: &SourceOptions,
        format: Format,
        environment: &mut Environment<'_>,
    ) -> Result<io::Result<Exit>, Failure> {
        if let Some(option) = options.besides_config() {
            let failure = Failure::new(format!("`{option}` has no effect on `gateway`"));
            return Err(failure.help("put the source into the configuration file"));
        }
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
                print(
                    &saved.map(|saved| saved.output).unwrap_or_default(),
                    &mut out,
                );
            }
            GatewayAction::Reload(reload) => {
                let folder = reload.folder.path(environment)?;
                let output = request_reload(&folder).await?;
                out.found_problems(output.reload_error.is_some());
                print(&output, &mut out);
            }
            GatewayAction::Stop(stop) => {
                let folder = stop.folder.path(environment)?;
                request_stop(&folder).await?;
                print(&GatewayOutput::default(), &mut out);
            }
        }
        Ok(out.print(environment))
    }
}

impl FolderOption {
    fn path(&self, environment: &Environment<'_>) -> Result<PathBuf, Failure> {
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

impl StartCommand {
    async fn run(
        &self,
        options: &SourceOptions,
        environment: &mut Environment<'_>,
    ) -> Result<Exit, Failure> {
        let listening = environment.signals.listen();
        listening.map_err(|error| Failure::io("cannot listen for signals", &error))?;
        let file = options
            .config
            .clone()
            .unwrap_or_else(|| CONFIGURATION.into());
        let gateway =
            Gateway::open(file, host_settings(environment)).map_err(|error| refusal(&error))?;
        let folder = StateFolder::lock(&self.folder.path(environment)?)?;
        folder.save(&SavedState::starting())?;
        let registries = gateway.start(&Handle::current()).await;
        registries.map_err(|error| refusal(&error))?;
        let run = RunningGateway {
            service: ServiceManager::new(environment.variable("NOTIFY_SOCKET")),
            settings: gateway.configuration().gateway().clone(),
            gateway: gateway.clone(),
            folder,
            finished: 0,
            address: None,
        };
        let served = run.serve(self, environment).await;
        // It may have been stopped by then.
        let _ = gateway.stop().await;
        served.map(|()| Exit::Success)
    }
}

/// A gateway of this process.
struct RunningGateway {
    gateway: Gateway,
    /// The settings at the start.
    settings: GatewaySettings,
    folder: StateFolder,
    service: ServiceManager,
    address: Option<SocketAddr>,
    finished: u64,
}

/// The HTTP server of a gateway, in a task of its own.
struct HttpTask {
    end: oneshot::Sender<()>,
    task: JoinHandle<Result<(), Failure>>,
}

impl RunningGateway {
    async fn serve(
        mut self,
        start: &StartCommand,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        let mut http = match start.http.or(self.settings.listen) {
            Some(address) => Some(self.listen(address, start, environment).await?),
            None => None,
        };
        self.save(false)?;
        self.service.ready();
        let registries = self.gateway.registries().map_err(|error| refusal(&error))?;
        let counts = registries.counts();
        environment.write_stderr(&format!(
            "note: the gateway runs: {} skills, {} workflows, {} agents, {} MCP servers\n",
            counts.skills, counts.workflows, counts.agents, counts.mcp_servers
        ));
        report(&registries, environment);
        loop {
            let signal = tokio::select! {
                signal = environment.signals.next() => signal,
                ended = ended(&mut http) => return ended,
            };
            match signal {
                Signal::Reload => self.reload(environment).await?,
                Signal::Stop => break,
            }
        }
        self.service.stopping();
        match http {
            Some(http) => http.end().await,
            None => Ok(()),
        }
    }

    async fn listen(
        &mut self,
        address: SocketAddr,
        start: &StartCommand,
        environment: &mut Environment<'_>,
    ) -> Result<HttpTask, Failure> {
        let options = start.network.options(address, environment)?;
        let options = options.drain(self.settings.drain());
        let listener = TcpListener::bind(address).await;
        let listener =
            listener.map_err(|error| Failure::io(format!("cannot listen on {address}"), &error))?;
        let address = listener.local_addr().unwrap_or(address);
        self.address = Some(address);
        environment.write_stderr(&format!("note: listening on http://{address}/mcp\n"));
        let (end, ended) = oneshot::channel();
        let gateway = self.gateway.clone();
        let server = ServerOptions::default()
            .name(environment.program.name)
            .version(environment.program.version);
        let task = tokio::spawn(async move {
            let end = async {
                let _ = ended.await;
            };
            let served = gateway.serve_http(listener, server, options, end).await;
            served
                .map_err(|error| refusal(&error))?
                .map_err(|error| Failure::of(&error).help("pass `--token-file` or `--token-env`"))
        });
        Ok(HttpTask { end, task })
    }

    async fn reload(&mut self, environment: &mut Environment<'_>) -> Result<(), Failure> {
        self.service.reloading();
        self.save(true)?;
        match self.gateway.reload(None).await {
            Ok(reloaded) => {
                environment.write_stderr(&format!("note: reloaded: {}\n", changes(&reloaded)));
                if *self.gateway.configuration().gateway() != self.settings {
                    environment
                        .write_stderr("note: a changed `[gateway]` applies at the next start\n");
                }
                if let Ok(registries) = self.gateway.registries() {
                    report(&registries, environment);
                }
            }
            Err(error) => {
                let text = refusal(&error)
                    .report()
                    .draw(environment.stderr.is_coloured());
                environment.write_stderr(&format!(
                    "{text}note: reload failed; everything stays as it was\n"
                ));
            }
        }
        self.finished += 1;
        self.save(false)?;
        self.service.ready();
        Ok(())
    }

    fn save(&self, is_reloading: bool) -> Result<(), Failure> {
        let status = self.gateway.status();
        let output = GatewayOutput {
            running: true,
            process: Some(std::process::id()),
            address: self.address,
            state: Some(status.state.to_string()),
            registries: status.registries.map(|counts| GatewayCounts {
                skills: counts.skills,
                workflows: counts.workflows,
                agents: counts.agents,
                mcp_servers: counts.mcp_servers,
            }),
            reloads: status.reloads,
            reload_error: status.reload_error.map(|error| error.to_string()),
        };
        self.folder.save(&SavedState {
            output,
            finished: self.finished,
            is_reloading,
        })
    }
}

impl HttpTask {
    async fn end(self) -> Result<(), Failure> {
        let _ = self.end.send(());
        joined(self.task.await)
    }
}

/// Resolves when the HTTP server ends by itself, and never without one.
async fn ended(http: &mut Option<HttpTask>) -> Result<(), Failure> {
    match http {
        Some(http) => joined((&mut http.task).await),
        None => std::future::pending().await,
    }
}

fn joined(result: Result<Result<(), Failure>, tokio::task::JoinError>) -> Result<(), Failure> {
    result.unwrap_or_else(|error| Err(Failure::of(&error)))
}

/// Prints the errors of all registries, and the workflows that skills allow and that do not exist.
fn report(registries: &Registries, environment: &mut Environment<'_>) {
    let (skills, workflows) = (
        registries.skills.snapshot(),
        registries.workflows.snapshot(),
    );
    let listed = skills.diagnostics().iter().chain(workflows.diagnostics());
    let errors = listed
        .map(|found| &found.diagnostic)
        .filter(|found| found.severity == Severity::Error);
    let unknown = registries.unknown_workflows();
    let mut text = String::new();
    for diagnostic in errors.chain(&unknown) {
        let reported = ReportedDiagnostic::new("".into(), diagnostic.clone());
        let is_coloured = environment.stderr.is_coloured();
        let mut printer =
            DiagnosticPrinter::new(QuotableFolders::default(), &environment.cwd, is_coloured);
        text.push_str(&printer.draw(&reported));
    }
    environment.write_stderr(&text);
}

fn refusal(error: &GatewayError) -> Failure {
    match error {
        GatewayError::Configuration(error) => Failure::of_configuration(error),
        error => Failure::of(error),
    }
}

fn changes(reloaded: &Reloaded) -> String {
    let rows = [
        ("skills", reloaded.skills),
        ("workflows", reloaded.workflows),
        ("agents", reloaded.agents),
        ("MCP servers", reloaded.mcp_servers),
    ];
    let changed = rows.iter().filter(|(_, counts)| !counts.is_none());
    let texts: Vec<_> = changed
        .map(|(name, counts)| {
            let (added, modified, removed) = (counts.added, counts.modified, counts.removed);
            format!("{name} +{added} ~{modified} -{removed}")
        })
        .collect();
    if texts.is_empty() {
        "nothing changed".to_owned()
    } else {
        texts.join(", ")
    }
}

fn print(output: &GatewayOutput, out: &mut Output) {
    if out.write_json(output) {
        return;
    }
    if !output.running {
        out.line("no gateway runs");
        return;
    }
    let state = output.state.as_deref().unwrap_or_default();
    let process = output.process.map(|id| format!(" (process {id})"));
    out.line(format!(
        "the gateway is {state}{}",
        process.unwrap_or_default()
    ));
    if let Some(address) = output.address {
        out.line(format!("address: http://{address}"));
    }
    if let Some(counts) = &output.registries {
        out.line(format!(
            "skills: {}, workflows: {}, agents: {}, MCP servers: {}",
            counts.skills, counts.workflows, counts.agents, counts.mcp_servers
        ));
    }
    if let Some(error) = &output.reload_error {
        out.line(format!("last reload failed: {error}"));
    }
}
