//! A gateway and its life.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use repertoire::config::{Configuration, HostSettings, ServerDefinition};
use repertoire::registry::Subscription;
use repertoire::skill::Diagnostic;
use repertoire_mcp_servers::{
    AuditEvent, AuditKind, AuditLog, Supervisor, ToolAccess, ToolProvider,
};
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::watch;

#[cfg(feature = "http")]
use crate::TokenStore;
use crate::composition::{MountCache, RegistryComposition};
#[cfg(feature = "http")]
use crate::http_state::HttpState;
use crate::registries::{GatewayStatus, Registries, Reloaded};
use crate::reload_queue::{Outcome, ReloadQueue};
use crate::{GatewayError, GatewayState, supervision};

/// A gateway: four registries from one configuration. Cheap to clone; clones are one gateway.
///
/// A start, a reload and a stop run in the runtime that [`start`](Gateway::start) got, so that a caller that goes away
/// leaves nothing half done.
#[derive(Debug, Clone)]
pub struct Gateway(Arc<GatewayShared>);

#[derive(Debug)]
struct GatewayShared {
    settings: HostSettings,
    /// The file that a reload without a configuration reads again.
    file: Option<PathBuf>,
    state: watch::Sender<GatewayState>,
    applied: Mutex<Applied>,
    queue: ReloadQueue,
    supervising: tokio::sync::Mutex<()>,
    runtime: OnceLock<Handle>,
    audit: OnceLock<AuditLog>,
    reload_outcomes: watch::Sender<Option<Outcome>>,
    #[cfg(feature = "http")]
    http: HttpState,
}

/// The configuration in force, and what was made of it.
#[derive(Debug)]
struct Applied {
    configuration: Arc<Configuration>,
    sources: MountCache,
    registries: Option<Registries>,
    supervisor: Option<Supervisor>,
    tools: Option<ToolAccess>,
    reloads: u64,
    reload_error: Option<Arc<str>>,
}

impl Gateway {
    /// Creates a gateway of a configuration file. A reload reads it again.
    ///
    /// # Errors
    /// [`GatewayError::Configuration`] for a file that cannot be used.
    pub fn open(path: impl AsRef<Path>, settings: HostSettings) -> Result<Gateway, GatewayError> {
        let configuration = Configuration::read(path.as_ref(), &settings)?;
        let file = path.as_ref().to_owned();
        Ok(Gateway::of(configuration, settings, Some(file)))
    }

    /// Creates a gateway of a configuration that the host read. A reload without a new one lists everything again.
    pub fn new(configuration: Configuration, settings: HostSettings) -> Gateway {
        Gateway::of(configuration, settings, None)
    }

    fn of(configuration: Configuration, settings: HostSettings, file: Option<PathBuf>) -> Gateway {
        Gateway(Arc::new(GatewayShared {
            settings,
            file,
            state: watch::Sender::new(GatewayState::Created),
            applied: Mutex::new(Applied {
                configuration: Arc::new(configuration),
                sources: MountCache::default(),
                registries: None,
                supervisor: None,
                tools: None,
                reloads: 0,
                reload_error: None,
            }),
            queue: ReloadQueue::default(),
            supervising: tokio::sync::Mutex::default(),
            runtime: OnceLock::new(),
            audit: OnceLock::new(),
            reload_outcomes: watch::Sender::default(),
            #[cfg(feature = "http")]
            http: HttpState::default(),
        }))
    }

    /// Records starts, reloads and stops in `log`. A second log is ignored.
    #[doc(hidden)]
    #[must_use]
    pub fn audited(self, log: AuditLog) -> Gateway {
        let _ = self.0.audit.set(log);
        self
    }

    /// Returns the audit log, for the calls of sessions.
    pub fn audit(&self) -> Option<&AuditLog> {
        self.0.audit.get()
    }

    #[cfg(feature = "http")]
    pub(crate) fn http(&self) -> &HttpState {
        &self.0.http
    }

    /// Sets the tokens of the HTTP server. A second store is ignored.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn with_tokens(self, tokens: TokenStore) -> Gateway {
        let _ = self.0.http.tokens.set(tokens);
        self
    }

    /// Returns the tokens of the HTTP server, for example to issue one for an agent.
    #[cfg(feature = "http")]
    pub fn tokens(&self) -> &TokenStore {
        self.0.http.tokens.get_or_init(TokenStore::default)
    }

    /// Returns the data of the host.
    #[cfg(feature = "http")]
    pub(crate) fn settings(&self) -> &HostSettings {
        &self.0.settings
    }

    fn record(&self, event: AuditEvent) {
        if let Some(audit) = self.audit() {
            audit.record(event);
        }
    }

    /// Returns the state.
    pub fn state(&self) -> GatewayState {
        *self.0.state.borrow()
    }

    /// Returns a receiver that follows the state.
    pub fn states(&self) -> watch::Receiver<GatewayState> {
        self.0.state.subscribe()
    }

    /// Returns a receiver of the outcome of each reload.
    #[cfg(feature = "http")]
    pub(crate) fn reload_outcomes(&self) -> watch::Receiver<Option<Outcome>> {
        self.0.reload_outcomes.subscribe()
    }

    /// Returns the configuration in force.
    pub fn configuration(&self) -> Arc<Configuration> {
        Arc::clone(&self.0.applied.lock().configuration)
    }

    /// Returns the registries.
    ///
    /// # Errors
    /// [`GatewayError::State`] before a start and after a stop.
    pub fn registries(&self) -> Result<Registries, GatewayError> {
        let registries = self.0.applied.lock().registries.clone();
        registries.ok_or(GatewayError::State {
            request: "the registries are not available",
            state: self.state(),
        })
    }

    /// Returns the tools of the supervised MCP servers.
    ///
    /// # Errors
    /// [`GatewayError::State`] before a start and after a stop.
    pub fn tool_provider(&self) -> Result<Arc<dyn ToolProvider>, GatewayError> {
        Ok(Arc::new(self.supervisor()?))
    }

    /// Returns the supervisor of the MCP servers.
    ///
    /// # Errors
    /// [`GatewayError::State`] before a start and after a stop.
    pub fn supervisor(&self) -> Result<Supervisor, GatewayError> {
        let supervisor = self.0.applied.lock().supervisor.clone();
        supervisor.ok_or(GatewayError::State {
            request: "the MCP servers are not available",
            state: self.state(),
        })
    }

    /// Returns the tools of the MCP servers for sessions, under the rules of the configuration: what skills bring.
    ///
    /// # Errors
    /// [`GatewayError::State`] before a start and after a stop.
    #[doc(hidden)]
    pub fn tool_access(&self) -> Result<ToolAccess, GatewayError> {
        let tools = self.0.applied.lock().tools.clone();
        tools.ok_or(GatewayError::State {
            request: "the tools of MCP servers are not available",
            state: self.state(),
        })
    }

    /// Returns the state, the number of items of each registry, and the status of each MCP server.
    pub fn status(&self) -> GatewayStatus {
        let tools = self.tool_access().ok();
        let table = tools.map(|tools| tools.known_table());
        let applied = self.0.applied.lock();
        GatewayStatus {
            state: self.state(),
            registries: applied.registries.as_ref().map(Registries::counts),
            mcp_servers: applied
                .supervisor
                .as_ref()
                .map(Supervisor::status)
                .unwrap_or_default(),
            not_ready: match (&applied.registries, &table) {
                (Some(registries), Some(table)) => registries.not_ready(table),
                _ => Vec::new(),
            },
            reloads: applied.reloads,
            reload_error: applied.reload_error.clone(),
        }
    }

    /// Returns a diagnostic for each skill whose tools are missing or denied, and for each workflow that a skill allows and that does not
    /// exist. Those of files are in the snapshots.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let (Ok(registries), Ok(tools)) = (self.registries(), self.tool_access()) else {
            return Vec::new();
        };
        let mut found = registries.unready_skills(&tools.known_table());
        found.extend(registries.unknown_workflows());
        found
    }

    /// Fills all four registries and publishes them, and follows changes on `runtime`.
    ///
    /// A source that cannot be listed is an empty layer with a diagnostic.
    ///
    /// # Errors
    /// [`GatewayError::State`] if it was started before. After any other error nothing was published, and it may be started again.
    pub async fn start(&self, runtime: &Handle) -> Result<Registries, GatewayError> {
        GatewayState::change(
            &self.0.state,
            "cannot start",
            GatewayState::Starting,
            |state| state == GatewayState::Created,
        )?;
        let (gateway, handle) = (self.clone(), runtime.clone());
        let starting = runtime.spawn(async move {
            let _turn = gateway.0.queue.turn().await;
            let started = gateway.start_all(&handle).await;
            gateway.0.state.send_replace(match started {
                Ok(_) => GatewayState::Running,
                Err(_) => GatewayState::Created,
            });
            let error = started.as_ref().err().map(ToString::to_string);
            gateway.record(AuditEvent::new(AuditKind::Started).fact("error", error));
            started
        });
        starting.await.map_err(|_| GatewayError::RuntimeEnded)?
    }

    async fn start_all(&self, runtime: &Handle) -> Result<Registries, GatewayError> {
        let configuration = self.configuration();
        let composition = RegistryComposition::new(&configuration, &MountCache::default())?;
        let (registries, sources) = composition.start(&configuration, runtime).await?;
        // A second start after a failed one may bring a different runtime.
        let _ = self.0.runtime.set(runtime.clone());
        let project = &configuration.registries().project;
        let options = supervision::options(&self.0.settings, project);
        let supervisor = Supervisor::new(options.clone(), runtime.clone());
        let tools = ToolAccess::new(Arc::new(supervisor.clone()));
        let tools = match self.audit() {
            Some(log) => tools.audited_by(log.clone()),
            None => tools,
        };
        let servers = registries.mcp_servers.subscribe();
        supervision::set_rules(&tools, &registries);
        self.supervise(&supervisor, &registries, project).await;
        #[cfg(feature = "http")]
        if let Some(agents) = self.agents() {
            let parts = (&registries, &tools, self.states());
            agents
                .start(&configuration, options, parts, runtime)
                .await?;
        }
        let mut applied = self.0.applied.lock();
        applied.sources = sources;
        applied.registries = Some(registries.clone());
        applied.supervisor = Some(supervisor);
        applied.tools = Some(tools);
        drop(applied);
        self.follow_servers(servers, runtime);
        Ok(registries)
    }

    async fn supervise(&self, supervisor: &Supervisor, registries: &Registries, project: &Path) {
        // A snapshot that was taken first is applied first.
        let _turn = self.0.supervising.lock().await;
        // The rules come first, so that a tool that is denied from now on is not offered in between.
        if let Ok(tools) = self.tool_access() {
            supervision::set_rules(&tools, registries);
        }
        supervision::apply(supervisor, registries, project).await;
    }

    /// Supervises servers that are registered in code. The changes begin before the first snapshot, so that none is missed.
    fn follow_servers(&self, mut changes: Subscription<ServerDefinition>, runtime: &Handle) {
        let gateway = Arc::downgrade(&self.0);
        runtime.spawn(async move {
            while changes.next().await.is_some() {
                let Some(gateway) = gateway.upgrade().map(Gateway) else {
                    return;
                };
                let (Ok(registries), Ok(supervisor)) = (gateway.registries(), gateway.supervisor())
                else {
                    return;
                };
                let configuration = gateway.configuration();
                let project = &configuration.registries().project;
                gateway.supervise(&supervisor, &registries, project).await;
            }
        });
    }

    /// Applies `configuration`, or reads the file of [`open`](Gateway::open) again, and lists every source. Returns the changes.
    ///
    /// - All of it is applied, or nothing is. After an error everything stays as it was.
    /// - Sources whose settings did not change are kept, with what they know.
    /// - Runs follow one another. Each caller gets the outcome of a run that began after its call. Callers that wait together share
    ///   one, with the configuration of the last of them.
    ///
    /// # Errors
    /// [`GatewayError::State`] before a start and after a stop, and [`GatewayError::Configuration`].
    ///
    /// # Cancel safety
    /// May be dropped at any point. A run that began is finished.
    pub async fn reload(
        &self,
        configuration: Option<Configuration>,
    ) -> Result<Reloaded, GatewayError> {
        let runtime = self.check_reload()?;
        let ticket = self.0.queue.enter(configuration);
        let turn = self.0.queue.turn().await;
        if let Some(outcome) = self.0.queue.outcome(ticket) {
            return outcome;
        }
        // Here, so that a request that follows this call gets a run of its own.
        let (run, configuration) = self.0.queue.begin();
        let (gateway, handle) = (self.clone(), runtime.clone());
        // In a thread, as the compiler cannot prove that the future of recomposing is `Send`.
        let running = runtime.spawn_blocking(move || {
            let _turn = turn;
            let outcome = handle.block_on(gateway.run_reload(configuration));
            gateway.0.queue.finish(run, outcome.clone());
            outcome
        });
        running.await.map_err(|_| GatewayError::RuntimeEnded)?
    }

    fn check_reload(&self) -> Result<&Handle, GatewayError> {
        let state = self.state();
        match self.0.runtime.get() {
            Some(runtime) if state.has_registries() => Ok(runtime),
            _ => Err(GatewayError::State {
                request: "cannot reload",
                state,
            }),
        }
    }

    async fn run_reload(&self, configuration: Option<Configuration>) -> Outcome {
        let outcome = self.apply(configuration).await;
        let error = outcome.as_ref().err().map(ToString::to_string);
        let changes = outcome.as_ref().ok().map(|changes| json!(changes));
        let event = AuditEvent::new(AuditKind::Reloaded).fact("error", error);
        self.record(event.fact("changes", changes));
        let mut applied = self.0.applied.lock();
        match &outcome {
            Ok(_) => {
                applied.reloads += 1;
                applied.reload_error = None;
            }
            Err(error) => applied.reload_error = Some(error.to_string().into()),
        }
        drop(applied);
        self.0.reload_outcomes.send_replace(Some(outcome.clone()));
        outcome
    }

    async fn apply(&self, configuration: Option<Configuration>) -> Outcome {
        // It may have been stopped while this run waited.
        self.check_reload()?;
        let configuration = match (configuration, &self.0.file) {
            (Some(configuration), _) => Arc::new(configuration),
            (None, Some(file)) => Arc::new(Configuration::read(file, &self.0.settings)?),
            (None, None) => self.configuration(),
        };
        let (registries, before) = {
            let applied = self.0.applied.lock();
            (applied.registries.clone(), applied.sources.clone())
        };
        let registries = registries.expect("a gateway that reloads has registries");
        let composition = RegistryComposition::new(&configuration, &before)?;
        let snapshots = registries.snapshots();
        let sources = composition.apply(&configuration, &registries).await?;
        let supervisor = self.0.applied.lock().supervisor.clone();
        if let Some(supervisor) = supervisor {
            let project = &configuration.registries().project;
            self.supervise(&supervisor, &registries, project).await;
        }
        {
            let mut applied = self.0.applied.lock();
            applied.configuration = configuration;
            applied.sources = sources;
        }
        #[cfg(feature = "http")]
        if let Some(agents) = self.agents() {
            agents.set_profiles(&registries.agents.snapshot()).await?;
        }
        Ok(snapshots.changes_to(&registries.snapshots()))
    }

    /// Pauses: the registries stay and follow changes, MCP servers that run go on, and nothing new begins, such as a call of a tool.
    ///
    /// # Errors
    /// [`GatewayError::State`] unless it is running.
    pub fn pause(&self) -> Result<(), GatewayError> {
        GatewayState::change(
            &self.0.state,
            "cannot pause",
            GatewayState::Paused,
            |state| state == GatewayState::Running,
        )?;
        self.supervisor().inspect(Supervisor::pause).map(drop)
    }

    /// Ends a pause.
    ///
    /// # Errors
    /// [`GatewayError::State`] unless it is paused.
    pub fn resume(&self) -> Result<(), GatewayError> {
        GatewayState::change(
            &self.0.state,
            "cannot resume",
            GatewayState::Running,
            |state| state == GatewayState::Paused,
        )?;
        self.supervisor().inspect(Supervisor::resume).map(drop)
    }

    /// Stops, after a reload in progress. Every MCP server is ended and every registry is closed. A clone of one still answers from its last snapshot.
    ///
    /// # Errors
    /// [`GatewayError::State`] unless it is running or paused.
    pub async fn stop(&self) -> Result<(), GatewayError> {
        GatewayState::change(
            &self.0.state,
            "cannot stop",
            GatewayState::Stopping,
            |state| state.has_registries(),
        )?;
        let (gateway, runtime) = (self.clone(), self.0.runtime.get().cloned());
        let runtime = runtime.expect("a gateway with registries has a runtime");
        let handle = runtime.clone();
        let stopping = runtime.spawn_blocking(move || handle.block_on(gateway.close_all()));
        stopping.await.map_err(|_| GatewayError::RuntimeEnded)
    }

    async fn close_all(&self) {
        let _turn = self.0.queue.turn().await;
        let (registries, supervisor) = {
            let mut applied = self.0.applied.lock();
            applied.tools = None;
            (applied.registries.take(), applied.supervisor.take())
        };
        #[cfg(feature = "http")]
        if let Some(agents) = self.agents() {
            agents.stop().await;
        }
        if let Some(supervisor) = supervisor {
            supervisor.stop().await;
        }
        if let Some(registries) = registries {
            registries.close().await;
        }
        self.0.state.send_replace(GatewayState::Stopped);
        self.record(AuditEvent::new(AuditKind::Stopped));
    }
}
