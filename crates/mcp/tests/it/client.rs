//! A client that records its notifications.

use std::time::Duration;

use repertoire_mcp::Server;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ResourceUpdatedNotificationParam,
    SKILLS_EXTENSION_ID,
};
use rmcp::service::{NotificationContext, RoleClient, RunningService, ServiceError};
use rmcp::{ClientHandler, ServiceExt};
use tokio::sync::mpsc;

/// A notification that a client received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notified {
    Tools,
    Prompts,
    Resources,
    Updated(String),
    /// The data of a log message.
    Logged(String),
}

#[derive(Debug, Clone)]
pub(crate) struct Listening {
    name: &'static str,
    has_extension: bool,
    notifications: mpsc::UnboundedSender<Notified>,
}

/// A client over an in-memory pipe.
pub(crate) struct Client {
    pub(crate) peer: RunningService<RoleClient, Listening>,
    notifications: mpsc::UnboundedReceiver<Notified>,
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
        let _ = self.notifications.send(Notified::Tools);
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.notifications.send(Notified::Prompts);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.notifications.send(Notified::Resources);
    }

    #[expect(deprecated, reason = "servers may send log messages to sessions")]
    async fn on_logging_message(
        &self,
        message: rmcp::model::LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self
            .notifications
            .send(Notified::Logged(message.data.to_string()));
    }

    async fn on_resource_updated(
        &self,
        updated: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.notifications.send(Notified::Updated(updated.uri));
    }
}

impl Client {
    /// An unknown client, with the skills extension.
    pub(crate) async fn of(server: &Server) -> Client {
        Client::called("some-client", server).await
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
        let (mut handler, notifications) = Client::handler(name);
        handler.has_extension = has_extension;
        Client::new(
            handler.serve(ours).await.expect("the server answers"),
            notifications,
        )
    }

    /// Returns a handler and the receiver of its notifications.
    pub(crate) fn handler(name: &'static str) -> (Listening, mpsc::UnboundedReceiver<Notified>) {
        let (sender, notifications) = mpsc::unbounded_channel();
        (
            Listening {
                name,
                has_extension: true,
                notifications: sender,
            },
            notifications,
        )
    }

    pub(crate) fn new(
        peer: RunningService<RoleClient, Listening>,
        notifications: mpsc::UnboundedReceiver<Notified>,
    ) -> Client {
        Client {
            peer,
            notifications,
        }
    }

    /// Returns the next notification.
    pub(crate) async fn next(&mut self) -> Notified {
        tokio::time::timeout(PATIENCE, self.notifications.recv())
            .await
            .expect("notified in time")
            .expect("the client is there")
    }

    /// Asserts that no notification of the current view arrives.
    pub(crate) async fn is_not_notified(&mut self) {
        for _ in 0..8 {
            assert_eq!(self.so_far().await, []);
        }
    }

    /// Returns all notifications until now: an answer comes behind every notification before it.
    pub(crate) async fn so_far(&mut self) -> Vec<Notified> {
        self.peer
            .list_all_tools()
            .await
            .expect("the server answers");
        std::iter::from_fn(|| self.notifications.try_recv().ok()).collect()
    }
}

/// The code of an error that the server answered with.
pub(crate) fn code<T: std::fmt::Debug>(answer: Result<T, ServiceError>) -> (i32, String) {
    match answer {
        Err(ServiceError::McpError(error)) => (error.code.0, error.message.into_owned()),
        other => panic!("no error of the server: {other:?}"),
    }
}
