//! The server.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Once, Weak};

use parking_lot::Mutex;
use repertoire::registry::Subscription;
use repertoire::search::LiveIndex;
use repertoire::tools::{LiveTools, SkillReader};
use repertoire::{Skill, SkillRegistry, ToolOptions};
use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::ServerOptions;
use crate::client_session::ClientSession;
use crate::line_transport::LineTransport;
use crate::page::ListVersion;
use crate::roots::ClientRoots;
use crate::served_files::ServedFiles;
use crate::served_view::ServedView;

/// An MCP server over a registry, for any number of clients. Clones share one server.
///
/// Every answer is from the registry's latest snapshot. A client is notified when one of its lists changes.
#[derive(Debug, Clone)]
pub struct Server(Arc<ServerState>);

struct ServerState {
    options: ServerOptions,
    registry: SkillRegistry,
    reader: Arc<dyn SkillReader>,
    tools: LiveTools,
    served_files: ServedFiles,
    views: watch::Sender<Arc<ServedView>>,
    updating: Mutex<()>,
    following: Once,
    roots: Arc<ClientRoots>,
    id: u64,
    end: CancellationToken,
    _guard: DropGuard,
}

/// The error of a server that cannot serve, of a connection that failed, or of an option that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client did not complete `initialize`.
    #[error("no MCP client connected")]
    Initialize(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A task of the connection panicked or was cancelled.
    #[error("the connection failed")]
    Ended(#[source] tokio::task::JoinError),
    /// Other machines could connect, and no token is required.
    #[error("`{0}` can be reached from other machines, and no token is required")]
    NoToken(std::net::SocketAddr),
    /// The listener cannot be used.
    #[error("cannot listen")]
    Listen(#[source] std::io::Error),
    /// A text that is not a set of features or not a token.
    #[error("{0}")]
    InvalidOption(String),
}

impl Server {
    /// Creates a server over `registry`, which the host starts and closes.
    ///
    /// Starts no task. A registry that was loaded and not started can be served, too: it changes when the host refreshes it or
    /// registers skills.
    pub fn new(registry: SkillRegistry, options: ServerOptions) -> Server {
        // A hidden skill is unknown in every answer.
        let tools = ToolOptions::default()
            .preset(options.tools.clone())
            .modes(options.modes.clone());
        let index = LiveIndex::with_settings(registry.clone(), options.index.clone());
        let tools = LiveTools::from_index(index, tools);
        let reader = options
            .reader
            .clone()
            .unwrap_or_else(|| Arc::new(registry.clone()));
        let view = ServedView::new(tools.current(), &options.modes);
        let end = CancellationToken::new();
        Server(Arc::new(ServerState {
            served_files: ServedFiles::new(registry.clone()),
            views: watch::Sender::new(Arc::new(view)),
            updating: Mutex::default(),
            following: Once::new(),
            roots: Arc::default(),
            id: RandomState::new().hash_one("server"),
            _guard: end.clone().drop_guard(),
            end,
            reader,
            tools,
            registry,
            options,
        }))
    }

    /// Serves one client over standard input and output, until it disconnects or `end` completes. Then it answers the requests in
    /// progress. Nothing else may write to standard output.
    ///
    /// # Errors
    /// As [`serve`](Server::serve).
    pub async fn serve_stdio(&self, end: impl Future<Output = ()>) -> Result<(), ServeError> {
        // On Linux these streams are asynchronous: a blocked read would keep its thread after the end.
        let (read, write) = rmcp::transport::io::stdio_pipes();
        self.serve_until(read, write, end).await
    }

    /// Serves one client over a pipe with one message on each line, until it disconnects. A line that is not a message gets an error.
    ///
    /// Must be called within a tokio runtime, where it spawns the tasks of the connection.
    ///
    /// # Errors
    /// [`ServeError::Initialize`] when the client did not complete `initialize`, and [`ServeError::Ended`] when a task of the
    /// connection failed.
    ///
    /// # Cancel safety
    /// Dropping the future closes the connection.
    pub async fn serve(
        &self,
        read: impl AsyncRead + Unpin + Send + 'static,
        write: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Result<(), ServeError> {
        self.serve_until(read, write, std::future::pending()).await
    }

    async fn serve_until(
        &self,
        read: impl AsyncRead + Unpin + Send + 'static,
        write: impl AsyncWrite + Unpin + Send + 'static,
        end: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let transport = LineTransport::new(read, write);
        let stop = CancellationToken::new();
        // Dropping this future ends the spawned tasks.
        let _guard = stop.clone().drop_guard();
        let serving = async {
            let serving = match serve_server_with_ct(
                self.session().asking_for_roots(),
                transport,
                stop.clone(),
            )
            .await
            {
                Err(ServerInitializeError::Cancelled) => return Ok(()),
                other => other.map_err(|error| ServeError::Initialize(Box::new(error)))?,
            };
            match serving.waiting().await {
                Ok(QuitReason::JoinError(error)) | Err(error) => Err(ServeError::Ended(error)),
                Ok(_) => Ok(()),
            }
        };
        let mut serving = pin!(serving);
        tokio::select! {
            served = &mut serving => served,
            () = end => {
                stop.cancel();
                serving.await
            }
        }
    }

    pub(crate) fn session(&self) -> ClientSession {
        self.follow();
        ClientSession::new(self.clone())
    }

    /// Returns the registry.
    pub fn registry(&self) -> &SkillRegistry {
        &self.0.registry
    }

    /// Waits until the project folders of connected clients are not `known`, and returns them in their order.
    ///
    /// They are what clients over a pipe answer to `roots/list`, at first none. Clients over HTTP are not asked, because their
    /// folders may be on a different machine. A client may name any folder: compose what is found there as
    /// [`Pending`](repertoire::Trust::Pending) until the user admits it.
    ///
    /// # Cancel safety
    /// May be dropped at any await.
    pub async fn roots_changed(&self, known: &[PathBuf]) -> Vec<PathBuf> {
        self.0.roots.changed(known).await
    }

    pub(crate) fn roots(&self) -> &Arc<ClientRoots> {
        &self.0.roots
    }

    pub(crate) fn options(&self) -> &ServerOptions {
        &self.0.options
    }

    pub(crate) fn served_files(&self) -> &ServedFiles {
        &self.0.served_files
    }

    pub(crate) fn reader(&self) -> &Arc<dyn SkillReader> {
        &self.0.reader
    }

    pub(crate) fn live_tools(&self) -> &LiveTools {
        &self.0.tools
    }

    pub(crate) fn version(&self, generation: u64) -> ListVersion {
        ListVersion {
            server: self.0.id,
            generation,
        }
    }

    pub(crate) fn view(&self) -> Arc<ServedView> {
        let latest = Arc::clone(&self.0.views.borrow());
        if latest.snapshot.generation() == self.0.registry.snapshot().generation() {
            return latest;
        }
        let _updating = self.0.updating.lock();
        let before = Arc::clone(&self.0.views.borrow());
        let tools = self.0.tools.current();
        if tools.snapshot().generation() <= before.snapshot.generation() {
            return before;
        }
        let (view, gone) = ServedView::new(tools, &self.0.options.modes).following(&before);
        let view = Arc::new(view);
        self.0.served_files.forget(&gone);
        self.0.views.send_replace(Arc::clone(&view));
        view
    }

    pub(crate) fn views(&self) -> watch::Receiver<Arc<ServedView>> {
        self.0.views.subscribe()
    }

    fn follow(&self) {
        self.0.following.call_once(|| {
            let (server, end) = (Arc::downgrade(&self.0), self.0.end.clone());
            let mut subscription = self.0.registry.subscribe();
            tokio::spawn(read_bodies(
                Arc::downgrade(&self.0),
                self.0.registry.subscribe(),
                end.clone(),
            ));
            tokio::spawn(async move {
                while let Some(Some(update)) = end.run_until_cancelled(subscription.next()).await {
                    tracing::debug!(
                        generation = update.snapshot.generation(),
                        "the registry published a view"
                    );
                    let Some(server) = Weak::upgrade(&server) else {
                        return;
                    };
                    Server(server).view();
                }
            });
        });
    }
}

/// Reads the bodies of all skills, then those of new and changed ones, for the search, beside the requests.
async fn read_bodies(
    server: Weak<ServerState>,
    mut changes: Subscription<Skill>,
    end: CancellationToken,
) {
    loop {
        let Some(index) = Weak::upgrade(&server).map(|server| server.tools.index().clone()) else {
            return;
        };
        let read = end.run_until_cancelled(index.read_bodies()).await;
        tracing::debug!(read, "the search has the bodies");
        drop(index);
        let Some(Some(_)) = end.run_until_cancelled(changes.next()).await else {
            return;
        };
    }
}

impl std::fmt::Debug for ServerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
