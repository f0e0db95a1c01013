//! The sessions of an HTTP server.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::Stream;
use parking_lot::{Mutex, MutexGuard};
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, Extensions, GetExtensions,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::common::server_side_http::session_id;
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use tokio::sync::mpsc;

use super::event_streams::{PreparedResponse, SessionEnded, SessionStreams, StreamId};
use super::{request_parts, session_calls};
use crate::prepared_answers::SessionAnswers;

pub(super) struct Sessions {
    open: Mutex<HashMap<SessionId, OpenSession>>,
    idle: Duration,
}

#[derive(Clone)]
struct OpenSession {
    delivered: mpsc::Sender<Box<ClientJsonRpcMessage>>,
    streams: Arc<SessionStreams>,
    answers: Arc<SessionAnswers>,
}

/// The place of a prepared response in an HTTP request, which takes the response from there.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseSlot(Arc<Mutex<Option<PreparedResponse>>>);

impl ResponseSlot {
    /// Returns the slot in the HTTP request of a message.
    pub(crate) fn of(message: &Extensions) -> Option<&ResponseSlot> {
        request_parts::extension(message)
    }

    /// Fills the slot of a request without a session.
    pub(crate) fn fill_without_session(&self, text: String) {
        self.fill(PreparedResponse::without_session(text));
    }

    pub(super) fn fill(&self, response: PreparedResponse) {
        *self.0.lock() = Some(response);
    }

    pub(super) fn take(&self) -> Option<PreparedResponse> {
        self.0.lock().take()
    }
}

pub(super) struct SessionTransport {
    delivered: mpsc::Receiver<Box<ClientJsonRpcMessage>>,
    streams: Arc<SessionStreams>,
    idle: Duration,
}

const MAX_WAITING: usize = 16;

impl Sessions {
    pub(super) fn new(idle: Duration) -> Sessions {
        Sessions {
            open: Mutex::default(),
            idle,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    pub(super) fn supports_batches(&self, id: &str) -> bool {
        self.find(&id.into())
            .is_ok_and(|open| open.streams.has_batches())
    }

    fn find(&self, id: &SessionId) -> Result<OpenSession, SessionEnded> {
        self.lock().get(id).cloned().ok_or(SessionEnded)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, OpenSession>> {
        self.open.lock()
    }
}

impl OpenSession {
    /// Lets the handler of `initialize` prepare the responses of this session.
    fn share_answers(&self, request: &mut ClientRequest) {
        request.extensions_mut().insert(Arc::clone(&self.answers));
    }
}

impl SessionManager for Sessions {
    type Error = SessionEnded;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), SessionEnded> {
        let (sender, delivered) = mpsc::channel(MAX_WAITING);
        let (streams, id) = (Arc::new(SessionStreams::new()), session_id());
        self.lock().insert(
            Arc::clone(&id),
            OpenSession {
                delivered: sender,
                streams: Arc::clone(&streams),
                answers: Arc::default(),
            },
        );
        Ok((
            id,
            SessionTransport {
                delivered,
                streams,
                idle: self.idle,
            },
        ))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionEnded> {
        let open = self.find(id)?;
        if let ClientJsonRpcMessage::Request(request) = &mut message {
            open.share_answers(&mut request.request);
        }
        let initialize_response = open.streams.initialize_response();
        open.delivered
            .send(Box::new(message))
            .await
            .map_err(|_| SessionEnded)?;
        initialize_response.await.map_err(|_| SessionEnded)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionEnded> {
        Ok(self.lock().contains_key(id))
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionEnded> {
        let open = self.lock().remove(id);
        if let Some(open) = open {
            open.streams.end();
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionEnded> {
        let open = self.find(id)?;
        let ClientJsonRpcMessage::Request(request) = &mut message else {
            return Err(SessionEnded);
        };
        if let Some(slot) = ResponseSlot::of(request.request.extensions()) {
            if let Some(text) = open.answers.answer(request) {
                let (response, reader) = open.streams.respond(text)?;
                slot.fill(response);
                return Ok(reader);
            }
            if let Some(call) = open.answers.call(request) {
                open.streams.set_active();
                let request = request.id.clone();
                return session_calls::answer(&open.streams, request, slot, call).await;
            }
        }
        if let ClientRequest::InitializeRequest(_) = &request.request {
            open.share_answers(&mut request.request);
        }
        let reader = open.streams.open_response(request.id.clone())?;
        open.delivered
            .send(Box::new(message))
            .await
            .map_err(|_| SessionEnded)?;
        Ok(reader)
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionEnded> {
        let open = self.find(id)?;
        if let ClientJsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(request) = &cancelled.params.request_id
        {
            open.streams.cancel(request);
        }
        open.delivered
            .send(Box::new(message))
            .await
            .map_err(|_| SessionEnded)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionEnded> {
        self.find(id)?.streams.subscribe(StreamId::Standalone, None)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionEnded> {
        let (which, after) = StreamId::parse(&last_event_id).ok_or(SessionEnded)?;
        self.find(id)?.streams.subscribe(which, Some(after))
    }
}

impl Transport<RoleServer> for SessionTransport {
    type Error = SessionEnded;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), SessionEnded>> + Send + 'static {
        // Sends now if there is room, so that the notifications of one change share a packet.
        let mut owed = Some(Arc::new(message));
        let sent = self.streams.poll_send(&mut owed, None);
        let streams = Arc::clone(&self.streams);
        async move {
            match sent {
                Poll::Ready(sent) => sent,
                Poll::Pending => {
                    std::future::poll_fn(|context| {
                        streams.poll_send(&mut owed, Some(context.waker()))
                    })
                    .await
                }
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let left = self.idle.saturating_sub(self.streams.active().elapsed());
            if left.is_zero() {
                tracing::debug!("an idle session has ended");
                return None;
            }
            tokio::select! {
                message = self.delivered.recv() => {
                    self.streams.set_active();
                    return message.map(|message| *message);
                }
                // A notification may have been sent in the meantime.
                () = tokio::time::sleep(left) => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), SessionEnded> {
        self.streams.end();
        Ok(())
    }
}
