//! One connection to a server.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use repertoire_core::{SourceError, SourceErrorKind};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientRequest, CustomNotification, ErrorCode, Implementation,
    ProtocolVersion, ReadResourceRequest, ReadResourceRequestParams, ResourceContents,
    ServerNotification, ServerPeerInfo, ServerResult, SubscriptionFilter,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext,
    PeerRequestOptions, RunningService,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::{ClientHandler, Peer, RoleClient, ServiceError};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::McpOptions;
use crate::child::ServerProcess;
use crate::error::{excerpt, seconds, too_large, unavailable};
use crate::http;
use crate::message_limit::{BoundedReader, ConnectionFault};
use crate::options::Endpoint;
use crate::revision_signal::{NotificationBatcher, RevisionSignal};

#[derive(Debug)]
pub(crate) struct ServerConnection {
    service: RunningService<RoleClient, NotificationHandler>,
    program: Option<ServerProcess>,
    fault: ConnectionFault,
    call: Duration,
    notifies: Arc<AtomicBool>,
    batcher: NotificationBatcher,
    listening: Option<AbortHandle>,
}

#[derive(Debug)]
struct NotificationHandler(Arc<Notify>);

impl ClientHandler for NotificationHandler {
    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleClient>,
    ) {
        if notification.method.starts_with("notifications/skills/") {
            self.0.notify_one();
        }
    }

    fn get_info(&self) -> ClientConfig {
        let this = Implementation::new("repertoire", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), this)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

impl ServerConnection {
    pub(crate) async fn open(
        options: &McpOptions,
        signal: &Arc<RevisionSignal>,
    ) -> Result<ServerConnection, SourceError> {
        let endpoint = options
            .endpoint()
            .map_err(|error| SourceError::invalid(error.message))?;
        let connect = async {
            match ServerConnection::connect(
                &endpoint,
                options,
                signal,
                ClientLifecycleMode::Initialize,
            )
            .await
            {
                // A server may support only the newer protocol, which has no handshake.
                Err(ConnectError::Handshake(_)) => {
                    let preferred_versions = vec![ProtocolVersion::LATEST];
                    let mode = ClientLifecycleMode::Discover { preferred_versions };
                    ServerConnection::connect(&endpoint, options, signal, mode).await
                }
                other => other,
            }
        };
        match tokio::time::timeout(options.start(), connect).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(ConnectError::Handshake(error) | ConnectError::Other(error))) => Err(error),
            Err(_) => Err(unavailable(format!(
                "no connection within {}",
                seconds(options.start())
            ))),
        }
    }

    async fn connect(
        endpoint: &Endpoint,
        options: &McpOptions,
        signal: &Arc<RevisionSignal>,
        mode: ClientLifecycleMode,
    ) -> Result<ServerConnection, ConnectError> {
        let (fault, batcher) = (ConnectionFault::default(), NotificationBatcher::of(signal));
        let listener = NotificationHandler(batcher.trigger());
        let (served, program) = match endpoint {
            Endpoint::Command(command) => {
                let (program, stdout, stdin) =
                    ServerProcess::start(command, options).map_err(|error| {
                        let message = format!("`{}` cannot be started", command.display());
                        ConnectError::Other(unavailable(message).caused_by(error))
                    })?;
                let most = options.limits.message_bytes;
                let lines = BoundedReader::new(stdout, most, fault.clone());
                // The default limit of the transport is lower, and it drops longer lines silently.
                let transport =
                    AsyncRwTransport::new_client(lines, stdin).with_max_line_length(most);
                (
                    listener.serve_with_lifecycle(transport, mode).await,
                    Some(program),
                )
            }
            Endpoint::Url(url) => {
                let transport =
                    http::transport(url, options, fault.clone()).map_err(ConnectError::Other)?;
                tokio::select! {
                    served = listener.serve_with_lifecycle(transport, mode) => (served, None),
                    message = fault.occurred() => return Err(ConnectError::Other(too_large(message))),
                }
            }
        };
        let service = match served {
            Ok(service) => service,
            Err(error) => return Err(handshake_error(error, program.as_ref(), &fault).await),
        };
        let notifies = Arc::new(AtomicBool::new(false));
        let mut connection = ServerConnection {
            service,
            program,
            fault,
            call: options.call(),
            notifies,
            batcher,
            listening: None,
        };
        connection.watch_changes(signal).await;
        Ok(connection)
    }

    async fn watch_changes(&mut self, signal: &Arc<RevisionSignal>) {
        let Some(info) = self.info() else { return };
        if info
            .capabilities
            .resources
            .as_ref()
            .and_then(|resources| resources.list_changed)
            != Some(true)
        {
            return;
        }
        if info.protocol_version.has_initialize() {
            return self.notifies.store(true, Ordering::Relaxed);
        }
        let filter = SubscriptionFilter::builder()
            .resources_list_changed()
            .build();
        let Ok(Ok(mut changes)) =
            tokio::time::timeout(self.call, self.service.listen(filter)).await
        else {
            return;
        };
        if changes.acknowledged().resources_list_changed != Some(true) {
            return;
        }
        self.notifies.store(true, Ordering::Relaxed);
        let (signal, notifies, trigger) = (
            Arc::clone(signal),
            Arc::clone(&self.notifies),
            self.batcher.trigger(),
        );
        let listening = tokio::spawn(async move {
            while let Ok(Some(change)) = changes.next().await {
                if matches!(
                    change,
                    ServerNotification::ResourceListChangedNotification(_)
                ) {
                    trigger.notify_one();
                }
            }
            // Notifications may have been missed.
            notifies.store(false, Ordering::Relaxed);
            signal.bump();
        });
        self.listening = Some(listening.abort_handle());
    }

    pub(crate) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.service.peer_info()
    }

    pub(crate) fn notifies(&self) -> bool {
        self.notifies.load(Ordering::Relaxed)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_closed()
            || self.service.is_transport_closed()
            || self.fault.message().is_some()
    }

    pub(crate) async fn ask(&self, request: ClientRequest) -> Result<ServerResult, SourceError> {
        let peer: &Peer<RoleClient> = self.service.peer();
        let answer = async {
            let options = PeerRequestOptions::with_timeout(self.call);
            peer.send_cancellable_request(request, options)
                .await?
                .await_response()
                .await
        };
        // Sending may take time as well.
        let answered = tokio::select! {
            answered = tokio::time::timeout(self.call * 2, answer) => answered,
            message = self.fault.occurred() => return Err(too_large(message)),
        };
        match answered {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(self.service_error(error).await),
            Err(_) => Err(timeout_error(self.call)),
        }
    }

    pub(crate) async fn read(&self, uri: &str) -> Result<(Vec<u8>, String), SourceError> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let ServerResult::ReadResourceResult(mut result) = self
            .ask(ClientRequest::ReadResourceRequest(request))
            .await?
        else {
            return Err(SourceError::invalid(format!(
                "the server's answer for `{}` is not a resource",
                excerpt(uri)
            )));
        };
        match (result.contents.pop(), result.contents.len()) {
            (Some(ResourceContents::TextResourceContents { text, uri, .. }), 0) => {
                Ok((text.into_bytes(), uri))
            }
            (Some(ResourceContents::BlobResourceContents { blob, uri: own, .. }), 0) => {
                match STANDARD.decode(&blob) {
                    Ok(bytes) => Ok((bytes, own)),
                    Err(error) => {
                        let message = format!(
                            "the server's answer for `{}` is not in base64",
                            excerpt(uri)
                        );
                        Err(SourceError::invalid(message).caused_by(error))
                    }
                }
            }
            (_, more) => {
                let message = format!(
                    "expected one content for `{}`, found {}",
                    excerpt(uri),
                    more + 1
                );
                Err(SourceError::invalid(message))
            }
        }
    }

    async fn service_error(&self, error: ServiceError) -> SourceError {
        if let Some(fault) = self.fault.message() {
            return too_large(fault);
        }
        match error {
            ServiceError::McpError(error) => {
                let kind = match error.code {
                    ErrorCode::METHOD_NOT_FOUND => SourceErrorKind::Unsupported,
                    ErrorCode::INVALID_PARAMS | ErrorCode::RESOURCE_NOT_FOUND => {
                        SourceErrorKind::NotFound
                    }
                    _ => SourceErrorKind::Other,
                };
                SourceError::new(
                    kind,
                    format!("the server says: {}", excerpt(&error.message)),
                )
            }
            ServiceError::Timeout { .. } => timeout_error(self.call),
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
                closed_error(self.program.as_ref(), &self.fault).await
            }
            ServiceError::TransportSend(error) => transport_error(error.error.as_ref()),
            other => unavailable(excerpt(&other.to_string())),
        }
    }
}

impl Drop for ServerConnection {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

enum ConnectError {
    Handshake(SourceError),
    Other(SourceError),
}

async fn handshake_error(
    error: ClientInitializeError,
    program: Option<&ServerProcess>,
    fault: &ConnectionFault,
) -> ConnectError {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            let message = format!(
                "the server refuses the connection: {}",
                excerpt(&error.message)
            );
            ConnectError::Handshake(unavailable(message))
        }
        ClientInitializeError::ConnectionClosed(_) => {
            ConnectError::Other(closed_error(program, fault).await)
        }
        _ if fault.message().is_some() => ConnectError::Other(closed_error(program, fault).await),
        ClientInitializeError::TransportError { error, .. } => {
            ConnectError::Other(transport_error(error.error.as_ref()))
        }
        other => ConnectError::Other(unavailable(format!(
            "no connection: {}",
            excerpt(&other.to_string())
        ))),
    }
}

async fn closed_error(program: Option<&ServerProcess>, fault: &ConnectionFault) -> SourceError {
    if let Some(fault) = fault.message() {
        return too_large(fault);
    }
    let words = match program {
        Some(program) => program.stderr_tail().await,
        None => None,
    };
    let tail = words
        .map(|words| format!("; the last line of its standard error: {words}"))
        .unwrap_or_default();
    unavailable(format!("the server closed the connection{tail}"))
}

fn transport_error(error: &(dyn Error + Send + Sync + 'static)) -> SourceError {
    let http = error.downcast_ref::<StreamableHttpError<reqwest::Error>>();
    match http {
        Some(StreamableHttpError::ResponseBodyTooLarge { max_size }) => {
            let message = format!(
                "an answer has more than {max_size} bytes; the limit is `limits.message-bytes`"
            );
            SourceError::new(SourceErrorKind::TooLarge, message)
        }
        Some(StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)) => {
            SourceError::new(SourceErrorKind::Denied, "the server rejects the token")
        }
        // Only the causes say what went wrong.
        Some(StreamableHttpError::Client(error)) => unavailable(excerpt(&error_chain(error))),
        _ => unavailable(excerpt(&error_chain(error))),
    }
}

fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let below = cause.to_string();
        if !text.contains(&below) {
            text = format!("{text}: {below}");
        }
        next = cause.source();
    }
    text
}

fn timeout_error(time: Duration) -> SourceError {
    unavailable(format!(
        "the server has not answered within {}",
        seconds(time)
    ))
}
