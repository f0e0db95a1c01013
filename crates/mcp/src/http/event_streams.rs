//! The SSE streams of one session: one for each request, and one for notifications.
//!
//! A stream keeps its last events, so that a client that lost its connection can resume after the `Last-Event-ID`. Of several
//! connections to one stream the latest gets the events. The others wait until it closes.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::Stream;
use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::incoming::supports_batches;

const KEPT_EVENTS: usize = 16;

const MAX_WAITING: usize = 32;

const MAX_UNREAD_RESPONSES: usize = 4;

const RETRY: Duration = Duration::from_secs(3);

pub(super) struct SessionStreams(Mutex<StreamsState>);

struct StreamsState {
    initialize_response: Option<oneshot::Sender<ServerJsonRpcMessage>>,
    standalone: Events,
    responses: Vec<ResponseStream>,
    response_count: u64,
    active: Instant,
    has_ended: bool,
    has_batches: bool,
}

struct ResponseStream {
    number: u64,
    request: RequestId,
    events: Events,
    /// Cancelled with the request, or at the end of the session.
    cancelled: CancellationToken,
}

#[derive(Default)]
struct Events {
    kept: VecDeque<Arc<ServerJsonRpcMessage>>,
    dropped: u64,
    delivered: u64,
    is_over: bool,
    readers: Vec<(u64, Option<Waker>)>,
    count: u64,
    senders: Vec<Waker>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamId {
    Standalone,
    Response(u64),
}

pub(super) struct EventStream {
    streams: Arc<SessionStreams>,
    which: StreamId,
    number: u64,
    first: Option<ServerSseMessage>,
}

/// A response that was prepared as text.
#[derive(Debug)]
pub(super) struct PreparedResponse {
    /// The stream on which the events have their ids. `None` without a session.
    stream: Option<StreamId>,
    text: String,
}

impl PreparedResponse {
    pub(super) fn without_session(text: String) -> PreparedResponse {
        PreparedResponse { stream: None, text }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Returns the events of the response.
    pub(super) fn into_events(self) -> Vec<u8> {
        let Some(stream) = self.stream else {
            return format!("data: {}\n\n", self.text).into_bytes();
        };
        let (first, last) = (stream.name(0), stream.name(1));
        let retry = RETRY.as_millis();
        let mut events = format!("data: \nid: {first}\nretry: {retry}\n\ndata: ").into_bytes();
        events.reserve_exact(self.text.len() + last.len() + 8);
        events.extend_from_slice(self.text.as_bytes());
        events.extend_from_slice(format!("\nid: {last}\n\n").as_bytes());
        events
    }
}

impl SessionStreams {
    pub(super) fn new() -> SessionStreams {
        SessionStreams(Mutex::new(StreamsState {
            initialize_response: None,
            standalone: Events::default(),
            responses: Vec::new(),
            response_count: 0,
            active: Instant::now(),
            has_ended: false,
            has_batches: false,
        }))
    }

    pub(super) fn initialize_response(&self) -> oneshot::Receiver<ServerJsonRpcMessage> {
        let (sender, initialize_response) = oneshot::channel();
        self.lock().initialize_response = Some(sender);
        initialize_response
    }

    pub(super) fn active(&self) -> Instant {
        self.lock().active
    }

    pub(super) fn has_batches(&self) -> bool {
        self.lock().has_batches
    }

    pub(super) fn set_active(&self) {
        self.lock().active = Instant::now();
    }

    pub(super) fn open_response(
        self: &Arc<SessionStreams>,
        request: RequestId,
    ) -> Result<EventStream, SessionEnded> {
        let mut state = self.lock();
        if state.has_ended {
            return Err(SessionEnded);
        }
        let mut events = Events::default();
        let number = events.add_reader();
        state.response_count += 1;
        let which = StreamId::Response(state.response_count);
        let response = ResponseStream {
            number: state.response_count,
            request,
            events,
            cancelled: CancellationToken::new(),
        };
        state.responses.push(response);
        let first = Some(ServerSseMessage::priming(which.name(0), RETRY));
        Ok(EventStream {
            streams: Arc::clone(self),
            which,
            number,
            first,
        })
    }

    /// Delivers the response to a request, unless the request was cancelled or the session has ended.
    pub(super) fn finish(&self, response: ServerJsonRpcMessage) {
        let _ = self.poll_send(&mut Some(Arc::new(response)), None);
    }

    /// Returns a response that was prepared as `text`, and a stream without events.
    pub(super) fn respond(
        self: &Arc<SessionStreams>,
        text: String,
    ) -> Result<(PreparedResponse, EventStream), SessionEnded> {
        let mut state = self.lock();
        if state.has_ended {
            return Err(SessionEnded);
        }
        state.active = Instant::now();
        state.response_count += 1;
        let which = StreamId::Response(state.response_count);
        let stream = EventStream {
            streams: Arc::clone(self),
            which,
            number: 0,
            first: None,
        };
        let response = PreparedResponse {
            stream: Some(which),
            text,
        };
        Ok((response, stream))
    }

    pub(super) fn cancel(&self, request: &RequestId) {
        self.lock().responses.retain_mut(|response| {
            let is_kept = response.request != *request || response.events.is_over;
            if !is_kept {
                response.end();
            }
            is_kept
        });
    }

    pub(super) fn subscribe(
        self: &Arc<SessionStreams>,
        which: StreamId,
        after: Option<u64>,
    ) -> Result<EventStream, SessionEnded> {
        let mut state = self.lock();
        if state.has_ended {
            return Err(SessionEnded);
        }
        let events = state.events(which).ok_or(SessionEnded)?;
        if let Some(after) = after {
            events.delivered = after.clamp(events.dropped, events.delivered);
        }
        let number = events.add_reader();
        Ok(EventStream {
            streams: Arc::clone(self),
            which,
            number,
            first: None,
        })
    }

    pub(super) fn poll_send(
        &self,
        message: &mut Option<Arc<ServerJsonRpcMessage>>,
        waker: Option<&Waker>,
    ) -> Poll<Result<(), SessionEnded>> {
        let mut state = self.lock();
        if state.has_ended {
            return Poll::Ready(Err(SessionEnded));
        }
        let Some(owed) = message.take() else {
            return Poll::Ready(Ok(()));
        };
        state.active = Instant::now();
        let responded_to = match &*owed {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let Some(responded_to) = responded_to else {
            *message = state.standalone.push(owed, waker).err();
            return if message.is_some() {
                Poll::Pending
            } else {
                Poll::Ready(Ok(()))
            };
        };
        if let Some(initialize_response) = state.initialize_response.take() {
            state.has_batches = supports_batches(&owed);
            return Poll::Ready(
                initialize_response
                    .send(Arc::unwrap_or_clone(owed))
                    .map_err(|_| SessionEnded),
            );
        }
        // A cancelled request has no response.
        if let Some(response) = state
            .responses
            .iter_mut()
            .find(|response| response.request == *responded_to && !response.events.is_over)
        {
            response.events.finish(owed);
        }
        Poll::Ready(Ok(()))
    }

    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        state.initialize_response = None;
        state.standalone.end();
        state.responses.iter_mut().for_each(ResponseStream::end);
        state.responses.clear();
    }

    fn lock(&self) -> MutexGuard<'_, StreamsState> {
        self.0.lock()
    }
}

impl StreamsState {
    fn events(&mut self, which: StreamId) -> Option<&mut Events> {
        match which {
            StreamId::Standalone => Some(&mut self.standalone),
            StreamId::Response(number) => self
                .responses
                .iter_mut()
                .find(|response| response.number == number)
                .map(|response| &mut response.events),
        }
    }

    fn drop_unread(&mut self) {
        let unread = self
            .responses
            .iter()
            .enumerate()
            .filter(|(_, response)| response.events.readers.is_empty());
        let unread: Vec<usize> = unread.map(|(at, _)| at).collect();
        if unread.len() > MAX_UNREAD_RESPONSES {
            self.responses.remove(unread[0]);
        }
    }
}

impl ResponseStream {
    fn end(&mut self) {
        self.cancelled.cancel();
        self.events.end();
    }
}

impl Events {
    fn add_reader(&mut self) -> u64 {
        if self.readers.len() >= MAX_WAITING {
            self.readers.remove(0).1.into_iter().for_each(Waker::wake);
        }
        self.count += 1;
        self.readers.push((self.count, None));
        self.count
    }

    fn remove_reader(&mut self, number: u64) {
        self.readers.retain(|(reader, _)| *reader != number);
        self.wake();
    }

    fn push(
        &mut self,
        message: Arc<ServerJsonRpcMessage>,
        waker: Option<&Waker>,
    ) -> Result<(), Arc<ServerJsonRpcMessage>> {
        if self.kept.len() >= KEPT_EVENTS {
            if self.delivered == self.dropped && !self.readers.is_empty() {
                self.senders.extend(waker.cloned());
                return Err(message);
            }
            self.kept.pop_front();
            self.dropped += 1;
            self.delivered = self.delivered.max(self.dropped);
        }
        self.kept.push_back(message);
        self.wake();
        Ok(())
    }

    fn finish(&mut self, message: Arc<ServerJsonRpcMessage>) {
        self.kept.push_back(message);
        self.is_over = true;
        self.wake();
    }

    fn end(&mut self) {
        self.readers
            .drain(..)
            .filter_map(|(_, waker)| waker)
            .for_each(Waker::wake);
        self.wake_senders();
    }

    fn wake(&mut self) {
        if let Some(waker) = self.readers.last_mut().and_then(|(_, waker)| waker.take()) {
            waker.wake();
        }
        if self.readers.is_empty() {
            self.wake_senders();
        }
    }

    fn wake_senders(&mut self) {
        self.senders.drain(..).for_each(Waker::wake);
    }

    fn poll(
        &mut self,
        number: u64,
        context: &Context<'_>,
    ) -> Poll<Option<(u64, Arc<ServerJsonRpcMessage>)>> {
        let last = self.readers.len().saturating_sub(1);
        let Some(at) = self
            .readers
            .iter()
            .position(|(reader, _)| *reader == number)
        else {
            return Poll::Ready(None);
        };
        if at == last {
            let next =
                usize::try_from(self.delivered - self.dropped).expect("no more are kept than fit");
            if let Some(message) = self.kept.get(next).map(Arc::clone) {
                self.delivered += 1;
                self.wake_senders();
                return Poll::Ready(Some((self.delivered, message)));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
        }
        self.readers[at].1 = Some(context.waker().clone());
        Poll::Pending
    }
}

impl StreamId {
    pub(super) fn name(self, event: u64) -> String {
        match self {
            StreamId::Standalone => event.to_string(),
            StreamId::Response(number) => format!("{event}/{number}"),
        }
    }

    pub(super) fn parse(name: &str) -> Option<(StreamId, u64)> {
        match name.split_once('/') {
            None => Some((StreamId::Standalone, name.parse().ok()?)),
            Some((event, number)) => Some((
                StreamId::Response(number.parse().ok()?),
                event.parse().ok()?,
            )),
        }
    }
}

impl EventStream {
    /// Returns a token that is cancelled with the request of the stream, or at the end of the session.
    pub(super) fn cancelled(&self) -> CancellationToken {
        let state = self.streams.lock();
        let mut responses = state.responses.iter();
        let response = responses.find(|response| StreamId::Response(response.number) == self.which);
        let cancelled = response.map(|response| response.cancelled.clone());
        cancelled.unwrap_or_default()
    }

    /// Ends a stream of which nothing was delivered, and returns its response. `None` if the request was cancelled.
    pub(super) fn prepare(&mut self, text: String) -> Option<PreparedResponse> {
        let mut state = self.streams.lock();
        state.active = Instant::now();
        let mut responses = state.responses.iter();
        let at =
            responses.position(|response| StreamId::Response(response.number) == self.which)?;
        state.responses.remove(at);
        self.first = None;
        let stream = Some(self.which);
        Some(PreparedResponse { stream, text })
    }
}

impl Stream for EventStream {
    type Item = ServerSseMessage;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<ServerSseMessage>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(first));
        }
        let mut state = self.streams.lock();
        let Some(events) = state.events(self.which) else {
            return Poll::Ready(None);
        };
        events.poll(self.number, context).map(|event| {
            event.map(|(number, message)| {
                let mut event = ServerSseMessage::default();
                event.event_id = Some(self.which.name(number));
                event.message = Some(message);
                event
            })
        })
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        let mut state = self.streams.lock();
        let Some(events) = state.events(self.which) else {
            return;
        };
        events.remove_reader(self.number);
        let is_heard =
            events.is_over && events.delivered == events.dropped + events.kept.len() as u64;
        if let (StreamId::Response(number), true) = (self.which, is_heard) {
            state.responses.retain(|response| response.number != number);
        } else {
            state.drop_unread();
        }
    }
}

#[derive(Debug, thiserror::Error)]
#[error("it has ended")]
pub(super) struct SessionEnded;

#[cfg(test)]
mod tests;
