//! One connection to a server.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use repertoire_core::{SourceError, SourceErrorKind};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientRequest, CustomNotification, ErrorCode, Implementation, ProtocolVersion,
    ReadResourceRequest, ReadResourceRequestParams, ResourceContents, ServerNotification, ServerPeerInfo, ServerResult,
    SubscriptionFilter,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions,
    RunningService,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::{ClientHandler, Peer, RoleClient, ServiceError};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::McpOptions;
use crate::http;
use crate::launch::Program;
use crate::level::{Level, Notices};
use crate::options::Reach;
use crate::told::told;
use crate::wire::{Fault, Lines};

/// One connection to a server, with the program behind it. Ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Link {
    service: RunningService<RoleClient, Listener>,
    program: Option<Program>,
    fault: Fault,
    call: Duration,
    /// Whether the server says when something changes.
    tells: Arc<AtomicBool>,
    notices: Notices,
    listening: Option<AbortHandle>,
}

/// Hears that something changed.
#[derive(Debug)]
struct Listener(Arc<Notify>);

impl ClientHandler for Listener {
    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }

    async fn on_custom_notification(&self, notification: CustomNotification, _: NotificationContext<RoleClient>) {
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

impl Link {
    /// Connects within the time that the options give.
    pub(crate) async fn open(options: &McpOptions, level: &Arc<Level>) -> Result<Link, SourceError> {
        let reach = options.reach().map_err(|error| SourceError::invalid(error.message))?;
        let connect = async {
            match Link::connect(&reach, options, level, ClientLifecycleMode::Initialize).await {
                // A server may know only the newer way, which has no handshake.
                Err(Refused::Handshake(_)) => {
                    let preferred_versions = vec![ProtocolVersion::LATEST];
                    let mode = ClientLifecycleMode::Discover { preferred_versions };
                    Link::connect(&reach, options, level, mode).await
                }
                other => other,
            }
        };
        match tokio::time::timeout(options.start(), connect).await {
            Ok(Ok(link)) => Ok(link),
            Ok(Err(Refused::Handshake(error) | Refused::Other(error))) => Err(error),
            Err(_) => Err(unavailable(format!("no connection within {}", seconds(options.start())))),
        }
    }

    async fn connect(
        reach: &Reach,
        options: &McpOptions,
        level: &Arc<Level>,
        mode: ClientLifecycleMode,
    ) -> Result<Link, Refused> {
        let (fault, notices) = (Fault::default(), Notices::of(level));
        let listener = Listener(notices.bell());
        let (served, program) = match reach {
            Reach::Command(command) => {
                let (program, stdout, stdin) = Program::start(command, options).map_err(|error| {
                    let message = format!("`{}` cannot be started", command.display());
                    Refused::Other(unavailable(message).caused_by(error))
                })?;
                let most = options.limits.message_bytes;
                let lines = Lines::new(stdout, most, fault.clone());
                // Its own bound is lower, and what is longer would be passed over in silence.
                let transport = AsyncRwTransport::new_client(lines, stdin).with_max_line_length(most);
                (listener.serve_with_lifecycle(transport, mode).await, Some(program))
            }
            Reach::Url(url) => {
                let transport = http::transport(url, options, fault.clone()).map_err(Refused::Other)?;
                tokio::select! {
                    served = listener.serve_with_lifecycle(transport, mode) => (served, None),
                    told = fault.occurs() => return Err(Refused::Other(too_large(told))),
                }
            }
        };
        let service = match served {
            Ok(service) => service,
            Err(error) => return Err(refused(error, program.as_ref(), &fault).await),
        };
        let tells = Arc::new(AtomicBool::new(false));
        let mut link = Link { service, program, fault, call: options.call(), tells, notices, listening: None };
        link.hear(level).await;
        Ok(link)
    }

    /// Finds out whether the server tells of changes, and listens.
    async fn hear(&mut self, level: &Arc<Level>) {
        let Some(info) = self.info() else { return };
        if info.capabilities.resources.as_ref().and_then(|resources| resources.list_changed) != Some(true) {
            return;
        }
        if info.protocol_version.has_initialize() {
            return self.tells.store(true, Ordering::Relaxed);
        }
        let filter = SubscriptionFilter::builder().resources_list_changed().build();
        let Ok(Ok(mut changes)) = tokio::time::timeout(self.call, self.service.listen(filter)).await else { return };
        if changes.acknowledged().resources_list_changed != Some(true) {
            return;
        }
        self.tells.store(true, Ordering::Relaxed);
        let (level, tells, bell) = (Arc::clone(level), Arc::clone(&self.tells), self.notices.bell());
        let listening = tokio::spawn(async move {
            while let Ok(Some(change)) = changes.next().await {
                if matches!(change, ServerNotification::ResourceListChangedNotification(_)) {
                    bell.notify_one();
                }
            }
            // What happened since is not known.
            tells.store(false, Ordering::Relaxed);
            level.rise();
        });
        self.listening = Some(listening.abort_handle());
    }

    /// What the server said of itself.
    pub(crate) fn info(&self) -> Option<Arc<ServerPeerInfo>> {
        self.service.peer_info()
    }

    pub(crate) fn tells(&self) -> bool {
        self.tells.load(Ordering::Relaxed)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.service.is_closed() || self.service.is_transport_closed() || self.fault.told().is_some()
    }

    /// What the server answers, in time.
    pub(crate) async fn ask(&self, request: ClientRequest) -> Result<ServerResult, SourceError> {
        let peer: &Peer<RoleClient> = self.service.peer();
        let answer = async {
            let options = PeerRequestOptions::with_timeout(self.call);
            peer.send_cancellable_request(request, options).await?.await_response().await
        };
        // Sending may have to wait as well.
        let answered = tokio::select! {
            answered = tokio::time::timeout(self.call * 2, answer) => answered,
            told = self.fault.occurs() => return Err(too_large(told)),
        };
        match answered {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(self.failed(error).await),
            Err(_) => Err(overdue(self.call)),
        }
    }

    /// The bytes of the resource at `uri`, and the address that the server gives them.
    pub(crate) async fn read(&self, uri: &str) -> Result<(Vec<u8>, String), SourceError> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let ServerResult::ReadResourceResult(mut result) =
            self.ask(ClientRequest::ReadResourceRequest(request)).await?
        else {
            return Err(SourceError::invalid(format!("the server's answer for `{}` is no resource", told(uri))));
        };
        match (result.contents.pop(), result.contents.len()) {
            (Some(ResourceContents::TextResourceContents { text, uri, .. }), 0) => Ok((text.into_bytes(), uri)),
            (Some(ResourceContents::BlobResourceContents { blob, uri: own, .. }), 0) => match STANDARD.decode(&blob) {
                Ok(bytes) => Ok((bytes, own)),
                Err(error) => {
                    let message = format!("the server's answer for `{}` is not in base64", told(uri));
                    Err(SourceError::invalid(message).caused_by(error))
                }
            },
            (_, more) => {
                let message = format!("expected one content for `{}`, found {}", told(uri), more + 1);
                Err(SourceError::invalid(message))
            }
        }
    }

    async fn failed(&self, error: ServiceError) -> SourceError {
        if let Some(fault) = self.fault.told() {
            return too_large(fault);
        }
        match error {
            ServiceError::McpError(error) => {
                let kind = match error.code {
                    ErrorCode::METHOD_NOT_FOUND => SourceErrorKind::Unsupported,
                    ErrorCode::INVALID_PARAMS | ErrorCode::RESOURCE_NOT_FOUND => SourceErrorKind::NotFound,
                    _ => SourceErrorKind::Other,
                };
                SourceError::new(kind, format!("the server says: {}", told(&error.message)))
            }
            ServiceError::Timeout { .. } => overdue(self.call),
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => {
                lost(self.program.as_ref(), &self.fault).await
            }
            ServiceError::TransportSend(error) => broken(error.error.as_ref()),
            other => unavailable(told(&other.to_string())),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if let Some(listening) = &self.listening {
            listening.abort();
        }
    }
}

/// Why there is no connection.
enum Refused {
    /// The server does not know this way to begin.
    Handshake(SourceError),
    Other(SourceError),
}

async fn refused(error: ClientInitializeError, program: Option<&Program>, fault: &Fault) -> Refused {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            let message = format!("the server refuses the connection: {}", told(&error.message));
            Refused::Handshake(unavailable(message))
        }
        ClientInitializeError::ConnectionClosed(_) => Refused::Other(lost(program, fault).await),
        _ if fault.told().is_some() => Refused::Other(lost(program, fault).await),
        ClientInitializeError::TransportError { error, .. } => Refused::Other(broken(error.error.as_ref())),
        other => Refused::Other(unavailable(format!("no connection: {}", told(&other.to_string())))),
    }
}

/// The connection is gone, with what is known of the reason.
async fn lost(program: Option<&Program>, fault: &Fault) -> SourceError {
    if let Some(fault) = fault.told() {
        return too_large(fault);
    }
    let words = match program {
        Some(program) => program.last_words().await,
        None => None,
    };
    let said = words.map(|words| format!("; it said at last: {words}")).unwrap_or_default();
    unavailable(format!("the server closed the connection{said}"))
}

/// What went wrong on the way.
fn broken(error: &(dyn Error + Send + Sync + 'static)) -> SourceError {
    let http = error.downcast_ref::<StreamableHttpError<reqwest::Error>>();
    match http {
        Some(StreamableHttpError::ResponseBodyTooLarge { max_size }) => {
            let message = format!("an answer has more than {max_size} bytes; the limit is `limits.message-bytes`");
            SourceError::new(SourceErrorKind::TooLarge, message)
        }
        Some(StreamableHttpError::AuthRequired(_) | StreamableHttpError::InsufficientScope(_)) => {
            SourceError::new(SourceErrorKind::Denied, "the server wants another token")
        }
        // Its text alone says no more than that something failed.
        Some(StreamableHttpError::Client(error)) => unavailable(told(&chain(error))),
        _ => unavailable(told(&chain(error))),
    }
}

/// An error and its causes on one line: what lies below is the transport's, and means nothing alone.
fn chain(error: &dyn Error) -> String {
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

fn too_large(fault: &str) -> SourceError {
    SourceError::new(SourceErrorKind::TooLarge, fault)
}

pub(crate) fn unavailable(message: String) -> SourceError {
    SourceError::new(SourceErrorKind::Unavailable, message)
}

fn overdue(time: Duration) -> SourceError {
    unavailable(format!("the server has not answered within {}", seconds(time)))
}

pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f32())
}
