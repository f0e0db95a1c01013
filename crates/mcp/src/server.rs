//! The server.

use std::hash::{BuildHasher, RandomState};
use std::pin::pin;
use std::sync::{Arc, Once, Weak};

use parking_lot::Mutex;
use repertoire::registry::Subscription;
use repertoire::tools::{LiveTools, SkillReader};
use repertoire::{Skill, SkillRegistry, ToolOptions};
use rmcp::RoleServer;
use rmcp::service::{QuitReason, ServerInitializeError, serve_server_with_ct};
use rmcp::transport::IntoTransport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::line_transport::LineTransport;
use crate::page::Version;
use crate::served_files::ServedFiles;
use crate::view::View;
use crate::{ServerOptions, Session};

/// An MCP server over a registry, for any number of clients. Clones share one server.
///
/// Every answer is of the registry's latest snapshot. Clients are notified when a list of theirs changes.
///
/// ```
/// use repertoire::{MemorySource, Registered, Skill, SkillRegistry};
/// use repertoire_mcp::{Server, ServerOptions};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let home = MemorySource::new("home");
/// home.register(Registered::new(Skill::new("tidy".parse()?, "Sorts a folder."), "Sort it."))?;
/// let registry = SkillRegistry::builder().user(home).start(&tokio::runtime::Handle::current()).await?;
///
/// let server = Server::new(registry, ServerOptions::default());
/// let (client, transport) = tokio::io::duplex(4096);
/// drop(client);
/// // The client left before it sent `initialize`.
/// assert!(server.serve(transport).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Server(Arc<Inner>);

struct Inner {
    options: ServerOptions,
    registry: SkillRegistry,
    reader: Arc<dyn SkillReader>,
    tools: LiveTools,
    served_files: ServedFiles,
    views: watch::Sender<Arc<View>>,
    updating: Mutex<()>,
    following: Once,
    id: u64,
    end: CancellationToken,
    _guard: DropGuard,
}

/// The error of a connection that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client did not complete `initialize`.
    #[error("no MCP client connected")]
    Initialize(#[source] Box<ServerInitializeError>),
    /// A task of the connection panicked or was cancelled.
    #[error("the connection failed")]
    Ended(#[source] tokio::task::JoinError),
}

impl Server {
    /// Creates a server over `registry`, which the host starts and closes.
    ///
    /// Starts no task. A registry that was only loaded can be served as well. It changes when the host refreshes it or registers
    /// skills.
    pub fn new(registry: SkillRegistry, options: ServerOptions) -> Server {
        // A hidden skill is unknown in every answer.
        let tools = ToolOptions::default().preset(options.tools.clone()).modes(options.modes.clone());
        let tools = LiveTools::new(registry.clone(), tools);
        let reader = options.reader.clone().unwrap_or_else(|| Arc::new(registry.clone()));
        let view = View::new(tools.current(), &options.modes, None);
        let end = CancellationToken::new();
        Server(Arc::new(Inner {
            served_files: ServedFiles::of(registry.clone()),
            views: watch::Sender::new(Arc::new(view)),
            updating: Mutex::default(),
            following: Once::new(),
            id: RandomState::new().hash_one("server"),
            _guard: end.clone().drop_guard(),
            end,
            reader,
            tools,
            registry,
            options,
        }))
    }

    /// Serves one client over standard input and output, until it disconnects or `end` completes. Nothing else may write to standard
    /// output.
    ///
    /// # Errors
    /// As [`serve`](Server::serve).
    pub async fn serve_stdio(&self, end: impl Future<Output = ()>) -> Result<(), ServeError> {
        // On Linux these do not block a thread that nothing could end.
        let (read, write) = rmcp::transport::io::stdio_pipes();
        self.serve_until(LineTransport::new(read, write), end).await
    }

    /// Serves one client over a pipe with one message on each line, until it disconnects. A line that is not a message gets an error.
    ///
    /// # Errors
    /// As [`serve`](Server::serve).
    pub async fn serve_lines(
        &self,
        read: impl AsyncRead + Unpin + Send + 'static,
        write: impl AsyncWrite + Unpin + Send + 'static,
    ) -> Result<(), ServeError> {
        self.serve(LineTransport::new(read, write)).await
    }

    /// Serves one client over a transport of `rmcp`, until it disconnects.
    ///
    /// Must be called within a tokio runtime, where it spawns the tasks of the connection.
    ///
    /// # Errors
    /// [`ServeError`] when the client did not complete `initialize`, or a task of the connection failed.
    ///
    /// # Cancel safety
    /// Dropping the future closes the connection.
    pub async fn serve<T, E, A>(&self, transport: T) -> Result<(), ServeError>
    where
        T: IntoTransport<RoleServer, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        self.serve_until(transport, std::future::pending()).await
    }

    /// Serves one client until it disconnects or `end` completes. Then it answers the requests in progress and closes the connection.
    ///
    /// # Errors
    /// As [`serve`](Server::serve).
    pub async fn serve_until<T, E, A>(&self, transport: T, end: impl Future<Output = ()>) -> Result<(), ServeError>
    where
        T: IntoTransport<RoleServer, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let stop = CancellationToken::new();
        // Dropping this future ends the spawned tasks.
        let _guard = stop.clone().drop_guard();
        let serving = async {
            let serving = match serve_server_with_ct(self.session(), transport, stop.clone()).await {
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

    /// Returns the handler of one client, for a server of `rmcp`.
    ///
    /// The first call spawns the task that follows the registry. It ends when the last clone of this server is dropped.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn session(&self) -> Session {
        self.follow();
        Session::new(self.clone())
    }

    /// Returns the registry.
    pub fn registry(&self) -> &SkillRegistry {
        &self.0.registry
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

    pub(crate) fn version(&self, generation: u64) -> Version {
        Version { server: self.0.id, generation }
    }

    pub(crate) fn view(&self) -> Arc<View> {
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
        let view = Arc::new(View::new(tools, &self.0.options.modes, Some(&before)));
        self.0.views.send_replace(Arc::clone(&view));
        view
    }

    pub(crate) fn views(&self) -> watch::Receiver<Arc<View>> {
        self.0.views.subscribe()
    }

    fn follow(&self) {
        self.0.following.call_once(|| {
            let (server, end) = (Arc::downgrade(&self.0), self.0.end.clone());
            let mut subscription = self.0.registry.subscribe();
            tokio::spawn(read_bodies(Arc::downgrade(&self.0), self.0.registry.subscribe(), end.clone()));
            tokio::spawn(async move {
                while let Some(Some(update)) = end.run_until_cancelled(subscription.next()).await {
                    tracing::debug!(generation = update.snapshot.generation(), "the registry published a view");
                    let Some(server) = Weak::upgrade(&server) else { return };
                    Server(server).view();
                }
            });
        });
    }
}

/// Reads the bodies of new and changed skills for the search, beside the requests.
async fn read_bodies(server: Weak<Inner>, mut changes: Subscription<Skill>, end: CancellationToken) {
    while let Some(Some(_)) = end.run_until_cancelled(changes.next()).await {
        let Some(index) = Weak::upgrade(&server).map(|server| server.tools.index().clone()) else { return };
        let read = end.run_until_cancelled(index.read_bodies()).await;
        tracing::debug!(read, "the search has the bodies");
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("options", &self.options).finish_non_exhaustive()
    }
}
