//! One connection to a server.

mod calls;

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use repertoire_core::{SourceError, SourceErrorKind};
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientCapabilities, ClientConfig,
    ClientRequest, CustomNotification, ErrorCode, Implementation, ProtocolVersion, RequestId,
    ServerNotification, ServerPeerInfo, ServerResult, SubscriptionFilter,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RunningService,
    RunningServiceCancellationToken,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ClientHandler, Peer, RoleClient, ServiceError};
use serde_json::Value;
use tokio::sync::SetOnce;
use tokio::task::AbortHandle;

use crate::ServerEndpoint;
use crate::error::{
    AskError, ConnectError, closed_error, handshake_error, is_lost, seconds, too_large,
    transport_error, unavailable,
};
use crate::http;
use crate::message_limit::{BoundedReader, ConnectionFault};
use crate::program::ServerProcess;
use crate::redaction::Redaction;
use crate::standard_streams::{LineReader, LineWriter};
use crate::tool_calls::{CallIds, CallPath, StreamCalls};
use crate::waiting_calls::WaitingCalls;

/// The limits of a connection, and the list that it follows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ConnectionOptions {
    /// The time limit of a connection attempt.
    pub start: Duration,
    /// The time limit of an answer.
    pub call: Duration,
    /// The limit of a message in bytes.
    pub message_bytes: usize,
    /// The list whose changes are reported.
    pub followed: FollowedList,
    /// The secrets that no error may contain.
    pub(crate) redaction: Redaction,
}

impl ConnectionOptions {
    /// Creates options with limits of 15 s for a start, 10 s for an answer and 32 MiB for a message.
    pub fn new(followed: FollowedList) -> ConnectionOptions {
        ConnectionOptions {
            start: Duration::from_secs(15),
            call: Duration::from_secs(10),
            message_bytes: 32 << 20,
            followed,
            redaction: Redaction::default(),
        }
    }
}

/// A list of a server that a connection follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FollowedList {
    /// The resources, with those of the skills extension.
    Resources,
    /// The tools.
    Tools,
}

/// A connection to a server. Dropping it closes it and ends the program.
pub struct Connection {
    peer: Peer<RoleClient>,
    cancel: Mutex<Option<RunningServiceCancellationToken>>,
    /// Set when the service has ended.
    ended: Arc<SetOnce<()>>,
    program: Option<ServerProcess>,
    fault: ConnectionFault,
    call: Duration,
    redaction: Redaction,
    notifies: Arc<AtomicBool>,
    listening: Option<AbortHandle>,
    calls: CallPath,
    call_ids: CallIds,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("is_closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

/// The function that a connection calls when the followed list changed, or may have changed.
type OnChange = Arc<dyn Fn() + Send + Sync>;

#[derive(Clone)]
struct NotificationHandler {
    followed: FollowedList,
    on_change: OnChange,
}

impl ClientHandler for NotificationHandler {
    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        if self.followed == FollowedList::Resources {
            (self.on_change)();
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        if self.followed == FollowedList::Tools {
            (self.on_change)();
        }
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleClient>,
    ) {
        let is_of_skills = notification.method.starts_with("notifications/skills/");
        if is_of_skills && self.followed == FollowedList::Resources {
            (self.on_change)();
        }
    }

    fn get_info(&self) -> ClientConfig {
        let this = Implementation::new("repertoire", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), this)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

impl Connection {
    /// Connects, within the time limit of a start. A server that refuses the handshake is asked again by the newer protocol, which
    /// has none.
    ///
    /// `on_change` is called when the followed list changed, and when changes may have been missed.
    ///
    /// # Errors
    /// The error of the start or of the handshake, with the last line that a program wrote to its standard error.
    pub async fn open(
        endpoint: &ServerEndpoint,
        options: &ConnectionOptions,
        on_change: impl Fn() + Send + Sync + 'static,
    ) -> Result<Connection, SourceError> {
        let handler = NotificationHandler {
            followed: options.followed,
            on_change: Arc::new(on_change),
        };
        let connect = async {
            let mode = ClientLifecycleMode::Initialize;
            match Connection::connect(endpoint, options, handler.clone(), mode).await {
                // A server may support only the newer protocol, which has no handshake.
                Err(ConnectError::Handshake(_)) => {
                    let preferred_versions = vec![ProtocolVersion::LATEST];
                    let mode = ClientLifecycleMode::Discover { preferred_versions };
                    Connection::connect(endpoint, options, handler, mode).await
                }
                other => other,
            }
        };
        match tokio::time::timeout(options.start, connect).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(ConnectError::Handshake(error) | ConnectError::Other(error))) => Err(error),
            Err(_) => Err(unavailable(format!(
                "no connection within {}",
                seconds(options.start)
            ))),
        }
    }

    async fn connect(
        endpoint: &ServerEndpoint,
        options: &ConnectionOptions,
        handler: NotificationHandler,
        mode: ClientLifecycleMode,
    ) -> Result<Connection, ConnectError> {
        let (fault, most) = (ConnectionFault::default(), options.message_bytes);
        let on_change = Arc::clone(&handler.on_change);
        let (served, program, calls) = match endpoint {
            ServerEndpoint::Program(program) => {
                let started = ServerProcess::start(program, &options.redaction);
                let (program, stdout, stdin) = started.map_err(|error| {
                    let message = format!("`{}` cannot be started", program.command.display());
                    ConnectError::Other(unavailable(message).caused_by(error))
                })?;
                let waiting = WaitingCalls::default();
                let lines = BoundedReader::new(stdout, most, fault.clone());
                let lines = LineReader::new(lines, waiting.clone());
                let (writer, stdin) = LineWriter::new(stdin);
                // The default limit of the transport is lower, and it drops longer lines silently.
                let transport =
                    AsyncRwTransport::new_client(lines, writer).with_max_line_length(most);
                let served = handler.serve_with_lifecycle(transport, mode).await;
                let calls = CallPath::Streams(StreamCalls { stdin, waiting });
                (served, Some(program), calls)
            }
            ServerEndpoint::Url(url) => {
                let transport = http::transport(url, (options.start, most), fault.clone());
                let (transport, client) = transport.map_err(ConnectError::Other)?;
                tokio::select! {
                    served = handler.serve_with_lifecycle(transport, mode) => {
                        (served, None, CallPath::Http(client))
                    }
                    message = fault.occurred() => return Err(ConnectError::Other(too_large(message))),
                }
            }
        };
        match served {
            Ok(service) => {
                let mut connection = Connection::new(service, program, fault, (calls, options));
                connection.watch_changes(options.followed, on_change).await;
                Ok(connection)
            }
            Err(error) => {
                let redaction = &options.redaction;
                Err(handshake_error(error, program.as_ref(), &fault, redaction).await)
            }
        }
    }

    fn new(
        service: RunningService<RoleClient, NotificationHandler>,
        program: Option<ServerProcess>,
        fault: ConnectionFault,
        (calls, options): (CallPath, &ConnectionOptions),
    ) -> Connection {
        let (peer, cancel) = (service.peer().clone(), service.cancellation_token());
        let ended = Arc::new(SetOnce::new());
        let end = Arc::clone(&ended);
        tokio::spawn(async move {
            let _ = service.waiting().await;
            let _ = end.set(());
        });
        Connection {
            peer,
            cancel: Mutex::new(Some(cancel)),
            ended,
            program,
            fault,
            call: options.call,
            redaction: options.redaction.clone(),
            notifies: Arc::default(),
            listening: None,
            calls,
            call_ids: CallIds::default(),
        }
    }

    async fn watch_changes(&mut self, followed: FollowedList, on_change: OnChange) {
        let Some(info) = self.info() else { return };
        let capabilities = &info.capabilities;
        let announced = match followed {
            FollowedList::Resources => capabilities.resources.as_ref().and_then(|r| r.list_changed),
            FollowedList::Tools => capabilities.tools.as_ref().and_then(|t| t.list_changed),
        };
        if announced != Some(true) {
            return;
        }
        if info.protocol_version.has_initialize() {
            return self.notifies.store(true, Ordering::Relaxed);
        }
        let filter = match followed {
            FollowedList::Resources => SubscriptionFilter::builder().resources_list_changed(),
            FollowedList::Tools => SubscriptionFilter::builder().tools_list_changed(),
        };
        let listen = self.peer.listen(filter.build());
        let Ok(Ok(mut changes)) = tokio::time::timeout(self.call, listen).await else {
            return;
        };
        let acknowledged = match followed {
            FollowedList::Resources => changes.acknowledged().resources_list_changed,
            FollowedList::Tools => changes.acknowledged().tools_list_changed,
        };
        if acknowledged != Some(true) {
            return;
        }
        self.notifies.store(true, Ordering::Relaxed);
        let notifies = Arc::clone(&self.notifies);
        let listening = tokio::spawn(async move {
            while let Ok(Some(change)) = changes.next().await {
                if matches!(
                    change,
                    ServerNotification::ResourceListChangedNotification(_)
                        | ServerNotification::ToolListChangedNotification(_)
                ) {
                    on_change();
                }
            }
            // Notifications may have been missed.
            notifies.store(false, Ordering::Relaxed);
            on_change();
        });
        self.listening = Some(listening.abort_handle());
    }

    /// Returns what the server said about itself.
    pub fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.peer.peer_info()
    }

    /// Returns whether the server sends a notification when the followed list changes.
    pub fn notifies(&self) -> bool {
        self.notifies.load(Ordering::Relaxed)
    }

    /// Returns whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.ended.get().is_some()
            || self.peer.is_transport_closed()
            || self.fault.message().is_some()
    }

    /// Waits until the connection has ended, and returns the reason.
    pub(crate) async fn closed(&self) -> SourceError {
        tokio::select! {
            () = async { self.ended.wait().await; } => {}
            _ = self.fault.occurred() => {}
        }
        closed_error(self.program.as_ref(), &self.fault).await
    }

    /// Closes the connection, and waits for the end of the program and, under a supervisor, of everything that it started.
    pub(crate) async fn end(&self) {
        self.cancel();
        if let Some(program) = &self.program {
            program.end().await;
        }
    }

    /// Sends a request and returns the answer. Dropping the future cancels the request.
    ///
    /// # Errors
    /// The error of the server or of the connection, and [`SourceErrorKind::Unavailable`] after the time limit of an answer.
    pub async fn ask(&self, request: ClientRequest) -> Result<ServerResult, SourceError> {
        let answered = self.ask_within(request, self.call).await;
        answered.map_err(SourceError::from)
    }

    pub(crate) async fn ask_within(
        &self,
        request: ClientRequest,
        limit: Duration,
    ) -> Result<ServerResult, AskError> {
        let answer = async {
            let options = PeerRequestOptions::with_timeout(limit);
            let handle = self.peer.send_cancellable_request(request, options).await?;
            let mut unanswered = UnansweredRequest::new(&self.peer, handle.id.clone());
            let answer = handle.await_response().await;
            unanswered.id = None;
            answer
        };
        // Sending may take time as well.
        match self.while_open(limit * 2, answer).await? {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => Err(self.service_error(error, limit).await),
            None => Err(AskError::Timeout(limit)),
        }
    }

    /// Returns the output of `answer`, or `None` after `limit`.
    async fn while_open<T>(
        &self,
        limit: Duration,
        answer: impl Future<Output = T>,
    ) -> Result<Option<T>, AskError> {
        tokio::select! {
            biased;
            answered = tokio::time::timeout(limit, answer) => Ok(answered.ok()),
            // A request that is sent while the service ends is not answered by it.
            _ = self.ended.wait() => {
                let error = closed_error(self.program.as_ref(), &self.fault).await;
                Err(AskError::Closed(error))
            }
            message = self.fault.occurred() => Err(AskError::Closed(too_large(message))),
        }
    }

    fn error_of_server(&self, code: ErrorCode, message: &str) -> AskError {
        let kind = match code {
            ErrorCode::METHOD_NOT_FOUND => SourceErrorKind::Unsupported,
            ErrorCode::INVALID_PARAMS | ErrorCode::RESOURCE_NOT_FOUND => SourceErrorKind::NotFound,
            _ => SourceErrorKind::Other,
        };
        let message = self.redaction.excerpt(message);
        AskError::Answer(SourceError::new(
            kind,
            format!("the server says: {message}"),
        ))
    }

    fn posting_error(&self, error: &(dyn Error + Send + Sync + 'static)) -> AskError {
        if let Some(fault) = self.fault.message() {
            return AskError::Closed(too_large(fault));
        }
        let shown = transport_error(error, &self.redaction);
        if !is_lost(error) {
            return AskError::Answer(shown);
        }
        let _ = self.ended.set(());
        AskError::Closed(shown)
    }

    fn cancel(&self) {
        if let Some(cancel) = self.cancel.lock().take() {
            cancel.cancel();
        }
    }

    async fn service_error(&self, error: ServiceError, limit: Duration) -> AskError {
        if let Some(fault) = self.fault.message() {
            return AskError::Closed(too_large(fault));
        }
        match error {
            ServiceError::McpError(error) => self.error_of_server(error.code, &error.message),
            ServiceError::Timeout { .. } => AskError::Timeout(limit),
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
                AskError::Closed(closed_error(self.program.as_ref(), &self.fault).await)
            }
            ServiceError::TransportSend(error) => self.posting_error(error.error.as_ref()),
            other => AskError::Answer(unavailable(self.redaction.excerpt(&other.to_string()))),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
        self.cancel();
    }
}

pub(crate) fn to_json(answer: &ServerResult) -> Result<Value, SourceError> {
    serde_json::to_value(answer)
        .map_err(|error| SourceError::invalid("the answer cannot be read").caused_by(error))
}

/// A request that is cancelled on drop, unless it was answered.
struct UnansweredRequest {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl UnansweredRequest {
    fn new(peer: &Peer<RoleClient>, id: RequestId) -> UnansweredRequest {
        UnansweredRequest {
            peer: peer.clone(),
            id: Some(id),
        }
    }
}

impl Drop for UnansweredRequest {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let reason = Some("the caller is gone".to_owned());
            let params = CancelledNotificationParam::new(Some(id), reason);
            let _ = peer
                .send_notification(CancelledNotification::new(params).into())
                .await;
        });
    }
}
