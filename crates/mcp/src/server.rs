//! The server.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::{Arc, Once, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use repertoire::registry::Subscription;
use repertoire::search::LiveIndex;
use repertoire::tools::{LiveTools, SkillReader};
use repertoire::{Skill, SkillRegistry, ToolOptions};
use repertoire_mcp_servers::ToolAccess;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::ServerOptions;
use crate::page::ListVersion;
use crate::roots::ClientRoots;
use crate::row_texts::RowTexts;
use crate::served_files::ServedFiles;
use crate::served_view::{ServedSkill, ServedView, SkillPrompt};

/// An MCP server over a registry, for any number of clients. Clones share one server.
///
/// Every answer is from the registry's latest snapshot. A client is notified when one of its lists changes. The runtime that
/// serves clients needs tokio's timers.
#[derive(Debug, Clone)]
pub struct Server(Arc<ServerState>);

struct ServerState {
    options: ServerOptions,
    registry: SkillRegistry,
    reader: Arc<dyn SkillReader>,
    tools: LiveTools,
    served_files: ServedFiles,
    resource_rows: RowTexts<ServedSkill>,
    prompt_rows: RowTexts<SkillPrompt>,
    views: watch::Sender<Arc<ServedView>>,
    updating: Mutex<()>,
    following: Once,
    roots: Arc<ClientRoots>,
    id: u64,
    end: CancellationToken,
    _guard: DropGuard,
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
        let tools = match options.server_tools.clone() {
            Some(access) => tools.noting(move |candidate| access.table().not_ready(candidate)),
            None => tools,
        };
        let index = LiveIndex::with_settings(registry.clone(), options.index.clone());
        let tools = LiveTools::from_index(index, tools);
        let reader = options
            .reader
            .clone()
            .unwrap_or_else(|| Arc::new(registry.clone()));
        // The tools of servers are listed for the first session.
        let view = ServedView::new(tools.current(), &options.modes, None);
        let end = CancellationToken::new();
        Server(Arc::new(ServerState {
            served_files: ServedFiles::new(registry.clone()),
            resource_rows: RowTexts::default(),
            prompt_rows: RowTexts::default(),
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

    pub(crate) fn resource_rows(&self) -> &RowTexts<ServedSkill> {
        &self.0.resource_rows
    }

    pub(crate) fn prompt_rows(&self) -> &RowTexts<SkillPrompt> {
        &self.0.prompt_rows
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
        let table = self.0.options.server_tools.as_ref().map(ToolAccess::table);
        if latest.snapshot.generation() == self.0.registry.snapshot().generation()
            && latest.has_table(table.as_ref())
        {
            return latest;
        }
        let _updating = self.0.updating.lock();
        let before = Arc::clone(&self.0.views.borrow());
        // A different thread may have replaced it in the meantime.
        let table = self.0.options.server_tools.as_ref().map(ToolAccess::table);
        let tools = self.0.tools.current();
        if tools.snapshot().generation() <= before.snapshot.generation()
            && before.has_table(table.as_ref())
        {
            return before;
        }
        let (view, mut changed) =
            ServedView::new(tools, &self.0.options.modes, table).following(&before);
        let view = Arc::new(view);
        self.0.resource_rows.forget(&changed);
        self.0.prompt_rows.forget(&changed);
        changed.retain(|root| view.find(root).is_none());
        self.0.served_files.forget(&changed);
        self.0.views.send_replace(Arc::clone(&view));
        view
    }

    pub(crate) fn views(&self) -> watch::Receiver<Arc<ServedView>> {
        self.0.views.subscribe()
    }

    /// Starts the tasks that follow the registry, once.
    pub(crate) fn follow(&self) {
        self.0.following.call_once(|| {
            let (server, end) = (Arc::downgrade(&self.0), self.0.end.clone());
            let mut subscription = self.0.registry.subscribe();
            if let Some(access) = self.0.options.server_tools.clone() {
                let following = follow_tools(server.clone(), access);
                let end = end.clone();
                tokio::spawn(async move { end.run_until_cancelled(following).await });
            }
            let following = follow_rules(server.clone(), self.0.registry.clone());
            let until = end.clone();
            tokio::spawn(async move { until.run_until_cancelled(following).await });
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

/// Publishes a view for each change of the tools of servers.
async fn follow_tools(server: Weak<ServerState>, access: ToolAccess) {
    loop {
        let Some(view) = Weak::upgrade(&server).map(|server| Server(server).view()) else {
            return;
        };
        let Some(table) = view.table.clone() else {
            return;
        };
        drop(view);
        access.changed(&table).await;
    }
}

/// Lets each session compare what it was given with the rules, whenever these change.
async fn follow_rules(server: Weak<ServerState>, registry: SkillRegistry) {
    let mut rules = registry.snapshot().rules().clone();
    loop {
        rules = registry.rules_changed(&rules).await;
        let Some(server) = Weak::upgrade(&server) else {
            return;
        };
        server.views.send_modify(|_| {});
    }
}

/// Reads the bodies of all skills, then those of new and changed ones, for the search, after the first lists of clients.
async fn read_bodies(
    server: Weak<ServerState>,
    mut changes: Subscription<Skill>,
    end: CancellationToken,
) {
    end.run_until_cancelled(first_lists(&server)).await;
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

/// The duration without reading after which clients have their first lists.
const QUIET: Duration = Duration::from_millis(100);

/// The longest wait for first lists, as a multiple of [`QUIET`].
const QUIET_ROUNDS: usize = 100;

/// Waits until no client needs files of skills any more, at most for ten seconds. A first list reads the files of every skill.
async fn first_lists(server: &Weak<ServerState>) {
    let read_count = || Weak::upgrade(server).map(|server| server.served_files.read_count());
    let mut before = read_count();
    for _ in 0..QUIET_ROUNDS {
        tokio::time::sleep(QUIET).await;
        let now = read_count();
        if now == before {
            return;
        }
        before = now;
    }
}

impl std::fmt::Debug for ServerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
