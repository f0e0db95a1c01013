//! The sessions of an HTTP server.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::Stream;
use parking_lot::{Mutex, MutexGuard};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::common::server_side_http::session_id;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio::sync::mpsc;

use super::event_streams::{StreamId, Streams};

pub(super) struct Sessions {
    open: Mutex<HashMap<SessionId, Open>>,
    idle: Duration,
}

#[derive(Debug, thiserror::Error)]
#[error("it has ended")]
pub(super) struct Ended;

#[derive(Clone)]
struct Open {
    heard: mpsc::Sender<Box<ClientJsonRpcMessage>>,
    streams: Arc<Streams>,
}

pub(super) struct SessionTransport {
    heard: mpsc::Receiver<Box<ClientJsonRpcMessage>>,
    streams: Arc<Streams>,
    idle: Duration,
}

const WAITING: usize = 16;

impl Sessions {
    pub(super) fn new(idle: Duration) -> Sessions {
        Sessions { open: Mutex::default(), idle }
    }

    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    pub(super) fn speaks_batches(&self, id: &str) -> bool {
        self.find(&id.into()).is_ok_and(|open| open.streams.has_batches())
    }

    fn find(&self, id: &SessionId) -> Result<Open, Ended> {
        self.lock().get(id).cloned().ok_or(Ended)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Open>> {
        self.open.lock()
    }
}

impl SessionManager for Sessions {
    type Error = Ended;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), Ended> {
        let (tell, heard) = mpsc::channel(WAITING);
        let (streams, id) = (Arc::new(Streams::new()), session_id());
        self.lock().insert(Arc::clone(&id), Open { heard: tell, streams: Arc::clone(&streams) });
        Ok((id, SessionTransport { heard, streams, idle: self.idle }))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Ended> {
        let open = self.find(id)?;
        let introduced = open.streams.introduced();
        open.heard.send(Box::new(message)).await.map_err(|_| Ended)?;
        introduced.await.map_err(|_| Ended)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Ended> {
        Ok(self.lock().contains_key(id))
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Ended> {
        let open = self.lock().remove(id);
        if let Some(open) = open {
            open.streams.end();
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Ended> {
        let open = self.find(id)?;
        let ClientJsonRpcMessage::Request(request) = &message else { return Err(Ended) };
        let reader = open.streams.answer(request.id.clone())?;
        open.heard.send(Box::new(message)).await.map_err(|_| Ended)?;
        Ok(reader)
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Ended> {
        let open = self.find(id)?;
        if let ClientJsonRpcMessage::Notification(notification) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(request) = &cancelled.params.request_id
        {
            open.streams.give_up(request);
        }
        open.heard.send(Box::new(message)).await.map_err(|_| Ended)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Ended> {
        self.find(id)?.streams.hear(StreamId::Standing, None)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Ended> {
        let (which, after) = StreamId::parse(&last_event_id).ok_or(Ended)?;
        self.find(id)?.streams.hear(which, Some(after))
    }
}

impl Transport<RoleServer> for SessionTransport {
    type Error = Ended;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = Result<(), Ended>> + Send + 'static {
        // Told at once where there is room, so that what is said together is sent together.
        let mut owed = Some(Arc::new(message));
        let told = self.streams.poll_send(&mut owed, None);
        let streams = Arc::clone(&self.streams);
        async move {
            match told {
                Poll::Ready(told) => told,
                Poll::Pending => {
                    std::future::poll_fn(|context| streams.poll_send(&mut owed, Some(context.waker()))).await
                }
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let left = self.idle.saturating_sub(self.streams.active().elapsed());
            if left.is_zero() {
                tracing::debug!("a session was silent for too long");
                return None;
            }
            tokio::select! {
                message = self.heard.recv() => {
                    self.streams.touch();
                    return message.map(|message| *message);
                }
                // It may have been told something meanwhile.
                () = tokio::time::sleep(left) => {}
            }
        }
    }

    async fn close(&mut self) -> Result<(), Ended> {
        self.streams.end();
        Ok(())
    }
}
