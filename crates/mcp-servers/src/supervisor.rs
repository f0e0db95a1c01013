//! The supervisor.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::{Mutex, RwLock};
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::server_run::ServerRun;
use crate::supervisor_options::{ServersShared, SupervisorMode};
use crate::{
    AppliedServers, CallError, ServerStatus, ServerTool, SupervisedServer, SupervisorOptions,
    ToolProvider,
};

/// A supervisor of MCP servers. Cheap to clone; clones are one supervisor.
///
/// - A server is started on demand or at once, lists its tools, and follows their changes.
/// - A server on demand is started by the first [`tools`](ToolProvider::tools), which needs its list, and by calls. The list is
///   kept when it stops. Without a call for [`idle`](SupervisedServer::idle) it is stopped.
/// - A server that ended is started again with growing pauses. A server that answered a call is started again without a pause.
/// - After eight failed starts in a row, or a definition that cannot be resolved, the supervisor gives up. A call after a minute,
///   [`restart`](Supervisor::restart) and [`apply`](Supervisor::apply) try again.
/// - A call waits for the first start until its time limit, and for a restart at most four seconds.
///
/// Dropping the last clone ends all servers with everything that they started.
#[derive(Clone)]
pub struct Supervisor(Arc<SupervisorShared>);

struct SupervisorShared {
    shared: Arc<ServersShared>,
    runtime: Handle,
    servers: RwLock<Servers>,
    tools: Mutex<CachedTools>,
}

type Servers = BTreeMap<Arc<str>, RunningServer>;

/// All tools at a revision.
type CachedTools = Option<(u64, Arc<[ServerTool]>)>;

/// A server with its task.
#[derive(Debug)]
struct RunningServer {
    run: Arc<ServerRun>,
    task: JoinHandle<()>,
}

impl RunningServer {
    async fn end(self) {
        self.run.request_end();
        let _ = self.task.await;
    }
}

impl Supervisor {
    /// Creates a supervisor without servers. The tasks of its servers run on `runtime`, which needs I/O and time.
    pub fn new(options: SupervisorOptions, runtime: Handle) -> Supervisor {
        Supervisor(Arc::new(SupervisorShared {
            shared: Arc::new(ServersShared {
                options,
                revision: watch::Sender::new(0),
                mode: watch::Sender::new(SupervisorMode::Running),
            }),
            runtime,
            servers: RwLock::default(),
            tools: Mutex::default(),
        }))
    }

    /// Replaces the definitions. Servers whose definition is the same are left alone, unless they failed: then they are tried
    /// again. Returns when the servers that are gone have ended. The last of two definitions with one id counts.
    ///
    /// # Cancel safety
    /// May be dropped at any await. The definitions are in force.
    pub async fn apply(&self, definitions: Vec<SupervisedServer>) -> AppliedServers {
        let (applied, ending) = self.replace(definitions);
        for server in ending {
            server.end().await;
        }
        applied
    }

    /// Replaces the definitions, and returns the servers that are gone.
    fn replace(&self, definitions: Vec<SupervisedServer>) -> (AppliedServers, Vec<RunningServer>) {
        let mut applied = AppliedServers::default();
        let mut servers = self.0.servers.write();
        if *self.0.shared.mode.borrow() == SupervisorMode::Ended {
            return (applied, Vec::new());
        }
        let mut before = std::mem::take(&mut *servers);
        let definitions = definitions.into_iter();
        let definitions: BTreeMap<_, _> = definitions
            .map(|definition| (Arc::clone(&definition.id), definition))
            .collect();
        for (id, definition) in definitions {
            let server = match before.remove(&id) {
                Some(same) if *same.run.definition() == definition => {
                    applied.kept += 1;
                    same.run.retry_if_failed();
                    same
                }
                Some(different) => {
                    applied.restarted += 1;
                    self.start(definition, Some(different))
                }
                None => {
                    applied.added += 1;
                    self.start(definition, None)
                }
            };
            servers.insert(id, server);
        }
        drop(servers);
        applied.removed = before.len();
        for server in before.values() {
            server.run.request_end();
        }
        self.0.shared.bump();
        (applied, before.into_values().collect())
    }

    /// Starts the task of a server, which first waits for the end of `before`.
    fn start(&self, definition: SupervisedServer, before: Option<RunningServer>) -> RunningServer {
        let run = Arc::new(ServerRun::new(definition, Arc::clone(&self.0.shared)));
        if let Some(before) = &before {
            before.run.request_end();
        }
        let started = Arc::clone(&run);
        let task = self.0.runtime.spawn(async move {
            if let Some(before) = before {
                before.end().await;
            }
            started.supervise().await;
        });
        RunningServer { run, task }
    }

    /// Pauses: servers that run go on, and neither a server nor a call begins.
    pub fn pause(&self) {
        self.change_mode(SupervisorMode::Running, SupervisorMode::Paused);
    }

    /// Ends a pause.
    pub fn resume(&self) {
        self.change_mode(SupervisorMode::Paused, SupervisorMode::Running);
    }

    fn change_mode(&self, from: SupervisorMode, to: SupervisorMode) {
        let has_changed = self.0.shared.mode.send_if_modified(|mode| {
            let changes = *mode == from;
            if changes {
                *mode = to;
            }
            changes
        });
        if has_changed {
            self.0.shared.bump();
        }
    }

    /// Starts a server again, also one that runs. Returns `false` if no server has this id.
    pub fn restart(&self, id: &str) -> bool {
        let run = self.run(id);
        if let Some(run) = &run {
            run.restart();
        }
        run.is_some()
    }

    /// Ends all servers with everything that they started. Nothing is started after that.
    pub async fn stop(&self) {
        self.0.shared.mode.send_replace(SupervisorMode::Ended);
        let servers = std::mem::take(&mut *self.0.servers.write());
        for server in servers.values() {
            server.run.request_end();
        }
        for server in servers.into_values() {
            server.end().await;
        }
        self.0.shared.bump();
    }

    /// Returns the status of all servers, sorted by id. Starts none of them.
    pub fn status(&self) -> Vec<ServerStatus> {
        let servers = self.0.servers.read();
        servers.values().map(|server| server.run.status()).collect()
    }

    fn run(&self, id: &str) -> Option<Arc<ServerRun>> {
        let servers = self.0.servers.read();
        servers.get(id).map(|server| Arc::clone(&server.run))
    }
}

impl Drop for SupervisorShared {
    fn drop(&mut self) {
        for server in self.servers.get_mut().values() {
            server.run.request_end();
        }
    }
}

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Supervisor").field(&self.status()).finish()
    }
}

#[async_trait]
impl ToolProvider for Supervisor {
    fn tools(&self) -> Arc<[ServerTool]> {
        for server in self.0.servers.read().values() {
            server.run.demand_tools();
        }
        self.known_tools()
    }

    fn known_tools(&self) -> Arc<[ServerTool]> {
        let servers = self.0.servers.read();
        let mut cached = self.0.tools.lock();
        let revision = *self.0.shared.revision.borrow();
        if let Some((at, tools)) = &*cached
            && *at == revision
        {
            return Arc::clone(tools);
        }
        let tools: Arc<[ServerTool]> = servers
            .values()
            .flat_map(|server| server.run.tools().to_vec())
            .collect();
        *cached = Some((revision, Arc::clone(&tools)));
        tools
    }

    fn is_listing(&self, server: &str) -> bool {
        self.run(server).is_some_and(|run| run.is_listing())
    }

    fn revision(&self) -> watch::Receiver<u64> {
        self.0.shared.revision.subscribe()
    }

    async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, CallError> {
        match self.run(server) {
            Some(run) => run.call(tool, arguments).await,
            None => Err(CallError::UnknownServer {
                server: server.into(),
            }),
        }
    }
}
