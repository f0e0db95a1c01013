//! A gateway of this process, until a signal arrives.

use std::net::SocketAddr;
use std::time::Duration;

use repertoire::Skill;
use repertoire::config::{AgentDefinition, GatewaySettings, ServerDefinition};
use repertoire::registry::Subscription;
use repertoire::skill::Severity;
use repertoire::tools::ToolPreset;
use repertoire_gateway::{
    Gateway, GatewayError, GatewayState, NotReadySkill, Registries, Reloaded, WorkflowFile,
};
use repertoire_mcp::{HttpOptions, ServerOptions};
use repertoire_mcp_servers::ToolProvider;
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::StartCommand;
use super::gateway_output::{
    GatewayCounts, GatewayListOutput, GatewayNotReady, GatewayOutput, SavedState,
};
use super::server_row::GatewayServer;
use super::service_manager::ServiceManager;
use super::state_folder::StateFolder;
use crate::Environment;
use crate::diagnostics::{DiagnosticPrinter, QuotableFolders, ReportedDiagnostic, counted};
use crate::failure::Failure;
use crate::followed_policy::FollowedPolicy;
use crate::signals::{PauseSignal, PauseSignals, Signal};

/// The time in which changes of MCP servers are saved together.
const SETTLE_TIME: Duration = Duration::from_millis(50);

const NO_TOKEN: &str = "issue one with `repertoire gateway token issue`, or pass `--token-file`";

/// A gateway of this process.
pub(super) struct RunningGateway {
    gateway: Gateway,
    /// The settings at the start.
    settings: GatewaySettings,
    folder: StateFolder,
    service: ServiceManager,
    address: Option<SocketAddr>,
    finished: u64,
    /// The successful reloads that the denied content follows.
    reloads: u64,
    is_stopping: bool,
}

/// The HTTP server of a gateway, in a task of its own.
pub(super) struct HttpTask {
    end: oneshot::Sender<()>,
    task: JoinHandle<Result<(), Failure>>,
}

impl RunningGateway {
    pub(super) fn new(
        gateway: Gateway,
        folder: StateFolder,
        environment: &Environment<'_>,
    ) -> RunningGateway {
        RunningGateway {
            service: ServiceManager::new(environment.variable("NOTIFY_SOCKET")),
            settings: gateway.configuration().gateway().clone(),
            gateway,
            folder,
            finished: 0,
            reloads: 0,
            is_stopping: false,
            address: None,
        }
    }

    pub(super) async fn serve(
        mut self,
        mut http: Option<HttpTask>,
        mut pauses: PauseSignals,
        mut policy: FollowedPolicy,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        if let Some(address) = self.address {
            environment.write_stderr(&format!("note: listening on http://{address}/mcp\n"));
        }
        let mut socket = self.listen_socket(environment)?;
        let registries = self.gateway.registries().map_err(|error| refusal(&error))?;
        let set = |policy: &FollowedPolicy| self.set_rules(&registries, policy);
        policy.restrict(&registries.skills, environment, set).await;
        let supervisor = self.gateway.supervisor();
        // Subscribed before the first save, so that no change is missed.
        let mut servers = supervisor.map_err(|error| refusal(&error))?.revision();
        let mut changes = RegistryChanges::of(&registries);
        self.save_all(&registries)?;
        self.service.ready();
        let counts = registries.counts();
        environment.write_stderr(&format!(
            "note: the gateway runs: {}, {}, {}, {}\n",
            counted(counts.skills, "skill"),
            counted(counts.workflows, "workflow"),
            counted(counts.agents, "agent"),
            counted(counts.mcp_servers, "MCP server")
        ));
        report(&self.gateway, &registries, environment);
        loop {
            let saved = tokio::select! {
                signal = environment.signals.next() => match signal {
                    Signal::Reload => self.reload(&registries, &mut policy, environment).await,
                    Signal::Stop => break,
                },
                signal = pauses.next() => self.pause(signal, environment),
                () = policy.changed() => {
                    self.follow_reloads(&registries, &mut policy, environment);
                    let set = |policy: &FollowedPolicy| self.set_rules(&registries, policy);
                    policy.apply(&registries.skills, environment, set).await;
                    // The state of a server may have changed before.
                    self.save(false)
                }
                () = changes.next() => {
                    self.follow_reloads(&registries, &mut policy, environment);
                    let set = |policy: &FollowedPolicy| self.set_rules(&registries, policy);
                    policy.restrict(&registries.skills, environment, set).await;
                    self.save_all(&registries)
                }
                () = settled(&mut servers) => self.save(false),
                ended = ended(&mut http) => return ended,
                ended = ended(&mut socket) => return ended,
            };
            if let Err(failure) = saved {
                // Clients are served on, and other commands read an older state.
                let text = failure.report().draw(environment.stderr.is_coloured());
                environment.write_stderr(&text);
            }
        }
        self.service.stopping();
        self.is_stopping = true;
        // Clients are answered also if it cannot be saved.
        let _ = self.save(false);
        for server in [http, socket].into_iter().flatten() {
            server.end().await?;
        }
        Ok(())
    }

    /// Starts the HTTP server, if there is one. It refuses requests until the gateway has started.
    pub(super) async fn listen(
        &mut self,
        start: &StartCommand,
        environment: &mut Environment<'_>,
    ) -> Result<Option<HttpTask>, Failure> {
        let Some(address) = start.http.or(self.settings.listen) else {
            return Ok(None);
        };
        let options = start.network.unchecked_options(address, environment)?;
        let options = options.drain(self.settings.drain());
        let listener = TcpListener::bind(address).await;
        let listener =
            listener.map_err(|error| Failure::io(format!("cannot listen on {address}"), &error))?;
        self.address = Some(listener.local_addr().unwrap_or(address));
        let (end, ended) = oneshot::channel();
        let gateway = self.gateway.clone();
        let server = server_options(environment)?;
        let task = tokio::spawn(async move {
            let end = async {
                let _ = ended.await;
            };
            let served = gateway.serve_http(listener, server, options, end).await;
            served
                .map_err(|error| refusal(&error))?
                .map_err(|error| Failure::of(&error).help(NO_TOKEN))
        });
        Ok(Some(HttpTask { end, task }))
    }

    /// Serves the Unix socket in the state folder, through which other commands of the user reach the gateway.
    #[cfg(unix)]
    fn listen_socket(
        &self,
        environment: &mut Environment<'_>,
    ) -> Result<Option<HttpTask>, Failure> {
        use std::os::unix::fs::PermissionsExt;

        let path = self.folder.socket_path();
        // One of a gateway that was killed may be there. The folder is locked.
        let _ = std::fs::remove_file(&path);
        let listener = match UnixListener::bind(&path) {
            Ok(listener) => listener,
            // The system limits the length of its path.
            Err(error) => {
                let place = path.display();
                environment.write_stderr(&format!("warning: no socket at `{place}`: {error}\n"));
                return Ok(None);
            }
        };
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&path, mode)
            .map_err(|error| Failure::io(format!("cannot use `{}`", path.display()), &error))?;
        let (end, ended) = oneshot::channel();
        let (gateway, server) = (self.gateway.clone(), server_options(environment)?);
        let options = HttpOptions::default().drain(self.settings.drain());
        let task = tokio::spawn(async move {
            let end = async {
                let _ = ended.await;
            };
            let served = gateway.serve_unix(listener, server, options, end).await;
            let _ = std::fs::remove_file(&path);
            served.map_err(|error| refusal(&error))
        });
        Ok(Some(HttpTask { end, task }))
    }

    #[cfg(not(unix))]
    fn listen_socket(&self, _: &mut Environment<'_>) -> Result<Option<HttpTask>, Failure> {
        Ok(None)
    }

    /// Pauses or resumes. A signal that asks for the state that is has no effect.
    fn pause(&self, signal: PauseSignal, environment: &mut Environment<'_>) -> Result<(), Failure> {
        let (changed, note) = match signal {
            PauseSignal::Pause => (self.gateway.pause(), "note: paused\n"),
            PauseSignal::Resume => (self.gateway.resume(), "note: the pause has ended\n"),
        };
        if changed.is_ok() {
            environment.write_stderr(note);
        }
        self.save(false)
    }

    /// Denies and restricts content after a reload, which has set the rules of the configuration alone.
    fn follow_reloads(
        &mut self,
        registries: &Registries,
        policy: &mut FollowedPolicy,
        environment: &Environment<'_>,
    ) {
        let reloads = self.gateway.status().reloads;
        if reloads != self.reloads {
            self.reloads = reloads;
            policy.restart(environment);
            self.set_rules(registries, policy);
        }
    }

    /// Denies and restricts content, besides what the configuration denies.
    fn set_rules(&self, registries: &Registries, policy: &FollowedPolicy) {
        let rules = policy.before([self.gateway.configuration().rules().clone()]);
        if *registries.skills.snapshot().rules() != rules {
            registries.skills.set_rules(&rules);
        }
    }

    async fn reload(
        &mut self,
        registries: &Registries,
        policy: &mut FollowedPolicy,
        environment: &mut Environment<'_>,
    ) -> Result<(), Failure> {
        self.service.reloading();
        let begun = self.save(true);
        let outcome = self.gateway.reload(None).await;
        self.follow_reloads(registries, policy, environment);
        self.finished += 1;
        // Before the note, so that a reader of the log finds the new state.
        let ended = self.save_all(registries);
        match outcome {
            Ok(reloaded) => {
                environment.write_stderr(&format!("note: reloaded: {}\n", changes(&reloaded)));
                if *self.gateway.configuration().gateway() != self.settings {
                    environment
                        .write_stderr("note: a changed `[gateway]` applies at the next start\n");
                }
                report(&self.gateway, registries, environment);
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
        self.service.ready();
        begun.and(ended)
    }

    /// Saves the lists, then the state: a command that waits for the state reads the lists next.
    fn save_all(&self, registries: &Registries) -> Result<(), Failure> {
        self.folder.save_lists(&GatewayListOutput::of(registries))?;
        self.save(false)
    }

    fn save(&self, is_reloading: bool) -> Result<(), Failure> {
        let status = self.gateway.status();
        let state = match self.is_stopping {
            true => GatewayState::Stopping,
            false => status.state,
        };
        let output = GatewayOutput {
            running: true,
            process: Some(std::process::id()),
            address: self.address,
            state: Some(state.to_string()),
            registries: status.registries.map(|counts| GatewayCounts {
                skills: counts.skills,
                workflows: counts.workflows,
                agents: counts.agents,
                mcp_servers: counts.mcp_servers,
            }),
            mcp_servers: status.mcp_servers.iter().map(GatewayServer::of).collect(),
            not_ready: status.not_ready.into_iter().map(not_ready).collect(),
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

/// The changes of all four registries.
struct RegistryChanges {
    skills: Subscription<Skill>,
    workflows: Subscription<WorkflowFile>,
    agents: Subscription<AgentDefinition>,
    mcp_servers: Subscription<ServerDefinition>,
}

impl RegistryChanges {
    fn of(registries: &Registries) -> RegistryChanges {
        RegistryChanges {
            skills: registries.skills.subscribe(),
            workflows: registries.workflows.subscribe(),
            agents: registries.agents.subscribe(),
            mcp_servers: registries.mcp_servers.subscribe(),
        }
    }

    /// Waits for a change of one of them.
    async fn next(&mut self) {
        let changed = tokio::select! {
            update = self.skills.next() => update.is_some(),
            update = self.workflows.next() => update.is_some(),
            update = self.agents.next() => update.is_some(),
            update = self.mcp_servers.next() => update.is_some(),
        };
        if !changed {
            // They are closed together, at the stop.
            std::future::pending().await
        }
    }
}

impl HttpTask {
    async fn end(self) -> Result<(), Failure> {
        let _ = self.end.send(());
        joined(self.task.await)
    }
}

fn server_options(environment: &Environment<'_>) -> Result<ServerOptions, Failure> {
    Ok(ServerOptions::default()
        .name(environment.program.name)
        .version(environment.program.version)
        .tools(ToolPreset::DEFAULT.plan_tool("plan_skill")?))
}

fn not_ready(skill: NotReadySkill) -> GatewayNotReady {
    GatewayNotReady {
        id: skill.id.to_string(),
        reason: skill.reason.to_string(),
    }
}

/// Resolves a moment after the state of an MCP server changed.
async fn settled(servers: &mut watch::Receiver<u64>) {
    match servers.changed().await {
        Ok(()) => tokio::time::sleep(SETTLE_TIME).await,
        Err(_) => std::future::pending().await,
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

/// Prints the errors of all registries, and the problems of skills with workflows and tools.
fn report(gateway: &Gateway, registries: &Registries, environment: &mut Environment<'_>) {
    let (skills, workflows) = (
        registries.skills.snapshot(),
        registries.workflows.snapshot(),
    );
    let listed = skills.diagnostics().iter().chain(workflows.diagnostics());
    let errors = listed
        .map(|found| &found.diagnostic)
        .filter(|found| found.severity == Severity::Error);
    let of_skills = gateway.diagnostics();
    let mut text = String::new();
    for diagnostic in errors.chain(&of_skills) {
        let reported = ReportedDiagnostic::new("".into(), diagnostic.clone());
        let is_coloured = environment.stderr.is_coloured();
        let mut printer =
            DiagnosticPrinter::new(QuotableFolders::default(), &environment.cwd, is_coloured);
        text.push_str(&printer.draw(&reported));
    }
    environment.write_stderr(&text);
}

pub(in crate::command) fn refusal(error: &GatewayError) -> Failure {
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
