//! A client that keeps what it is told.

use std::time::Duration;

use repertoire_mcp::Server;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ResourceUpdatedNotificationParam,
    SKILLS_EXTENSION_ID,
};
use rmcp::service::{NotificationContext, RoleClient, RunningService, ServiceError};
use rmcp::{ClientHandler, ServiceExt};
use tokio::sync::mpsc;

/// What a client was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    Tools,
    Prompts,
    Resources,
    Updated(String),
}

#[derive(Debug, Clone)]
pub(crate) struct Listening {
    name: &'static str,
    has_extension: bool,
    told: mpsc::UnboundedSender<Told>,
}

/// A client over an in-memory pipe.
pub(crate) struct Client {
    pub(crate) peer: RunningService<RoleClient, Listening>,
    told: mpsc::UnboundedReceiver<Told>,
}

pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

impl ClientHandler for Listening {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.has_extension {
            capabilities
                .extensions
                .get_or_insert_default()
                .insert(SKILLS_EXTENSION_ID.to_owned(), Default::default());
        }
        ClientConfig::new(capabilities, Implementation::new(self.name, "1.0.0"))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.told.send(Told::Tools);
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.told.send(Told::Prompts);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.told.send(Told::Resources);
    }

    async fn on_resource_updated(
        &self,
        updated: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.told.send(Told::Updated(updated.uri));
    }
}

impl Client {
    /// A client that nobody knows, with the skills extension.
    pub(crate) async fn of(server: &Server) -> Client {
        Client::called("somebody", server).await
    }

    pub(crate) async fn called(name: &'static str, server: &Server) -> Client {
        Client::connect(name, true, server).await
    }

    pub(crate) async fn without_extension(name: &'static str, server: &Server) -> Client {
        Client::connect(name, false, server).await
    }

    async fn connect(name: &'static str, has_extension: bool, server: &Server) -> Client {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = server.clone();
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(async move { server.serve(read, write).await });
        let (mut handler, told) = Client::handler(name);
        handler.has_extension = has_extension;
        Client::new(handler.serve(ours).await.expect("the server answers"), told)
    }

    /// What handles what a client is told, and where that arrives.
    pub(crate) fn handler(name: &'static str) -> (Listening, mpsc::UnboundedReceiver<Told>) {
        let (sender, told) = mpsc::unbounded_channel();
        (
            Listening {
                name,
                has_extension: true,
                told: sender,
            },
            told,
        )
    }

    pub(crate) fn new(
        peer: RunningService<RoleClient, Listening>,
        told: mpsc::UnboundedReceiver<Told>,
    ) -> Client {
        Client { peer, told }
    }

    /// The next that the client is told of.
    pub(crate) async fn next(&mut self) -> Told {
        tokio::time::timeout(PATIENCE, self.told.recv())
            .await
            .expect("told in time")
            .expect("the client is there")
    }

    /// Gives a notice of the view that is served now every chance to come, and finds none.
    pub(crate) async fn has_heard_nothing(&mut self) {
        for _ in 0..8 {
            assert_eq!(self.so_far().await, []);
        }
    }

    /// All that it was told of until now: an answer comes behind every notice before it.
    pub(crate) async fn so_far(&mut self) -> Vec<Told> {
        self.peer
            .list_all_tools()
            .await
            .expect("the server answers");
        std::iter::from_fn(|| self.told.try_recv().ok()).collect()
    }
}

/// The code of an error that the server answered with.
pub(crate) fn code<T: std::fmt::Debug>(answer: Result<T, ServiceError>) -> (i32, String) {
    match answer {
        Err(ServiceError::McpError(error)) => (error.code.0, error.message.into_owned()),
        other => panic!("no error of the server: {other:?}"),
    }
}
