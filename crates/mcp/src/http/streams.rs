//! What one session tells its client, and in which stream.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::Stream;
use rmcp::model::{RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::oneshot;

use super::sessions::Ended;
use crate::incoming::agrees_on_batches;

/// Events of a stream that are kept for a client that lost its connection. Who does not listen to the end misses what came before.
const KEPT: usize = 16;

/// Connections that may wait to hear one stream.
const WAITING: usize = 32;

/// Answers that nobody is there to hear; an older one is dropped.
const UNHEARD: usize = 4;

/// After so long a client that lost its connection is to come back.
const RETRY: Duration = Duration::from_secs(3);

/// The streams of one session: one for each request that is being answered, and one for what the server says on its own.
pub(super) struct Streams(Mutex<State>);

struct State {
    /// Who waits for the answer to the introduction.
    introduced: Option<oneshot::Sender<ServerJsonRpcMessage>>,
    standing: Events,
    answers: Vec<Answer>,
    begun: u64,
    /// When the session was last active.
    active: Instant,
    has_ended: bool,
    /// Whether the client's protocol has batches.
    has_batches: bool,
}

struct Answer {
    number: u64,
    request: RequestId,
    events: Events,
}

/// The events of one stream, numbered from one. Whoever came last hears them; the others wait until it leaves.
#[derive(Default)]
struct Events {
    kept: VecDeque<Arc<ServerJsonRpcMessage>>,
    /// How many came before those that are kept.
    dropped: u64,
    /// How many were heard.
    heard: u64,
    is_over: bool,
    hearers: Vec<(u64, Option<Waker>)>,
    came: u64,
    /// Who waits for room.
    tellers: Vec<Waker>,
}

/// Which stream of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Standing,
    Answer(u64),
}

/// One connection that hears a stream.
pub(super) struct Hearer {
    streams: Arc<Streams>,
    which: Which,
    number: u64,
    /// An event that says nothing: a client knows from it where it is before it was told anything.
    first: Option<ServerSseMessage>,
}

impl Streams {
    pub(super) fn new() -> Streams {
        Streams(Mutex::new(State {
            introduced: None,
            standing: Events::default(),
            answers: Vec::new(),
            begun: 0,
            active: Instant::now(),
            has_ended: false,
            has_batches: false,
        }))
    }

    /// The next answer, which is to an introduction and has no stream.
    pub(super) fn introduced(&self) -> oneshot::Receiver<ServerJsonRpcMessage> {
        let (tell, introduced) = oneshot::channel();
        self.lock().introduced = Some(tell);
        introduced
    }

    /// When the session was last active.
    pub(super) fn active(&self) -> Instant {
        self.lock().active
    }

    pub(super) fn has_batches(&self) -> bool {
        self.lock().has_batches
    }

    pub(super) fn touch(&self) {
        self.lock().active = Instant::now();
    }

    /// Hears the answer to a request that is about to be asked.
    pub(super) fn answer(self: &Arc<Streams>, request: RequestId) -> Result<Hearer, Ended> {
        let mut state = self.lock();
        if state.has_ended {
            return Err(Ended);
        }
        let mut events = Events::default();
        let number = events.come();
        state.begun += 1;
        let which = Which::Answer(state.begun);
        let answer = Answer { number: state.begun, request, events };
        state.answers.push(answer);
        let first = Some(ServerSseMessage::priming(which.name(0), RETRY));
        Ok(Hearer { streams: Arc::clone(self), which, number, first })
    }

    /// The answer to `request` is not waited for any more.
    pub(super) fn give_up(&self, request: &RequestId) {
        self.lock().answers.retain_mut(|answer| {
            let is_kept = answer.request != *request || answer.events.is_over;
            if !is_kept {
                answer.events.end();
            }
            is_kept
        });
    }

    /// Hears a stream: what nobody heard yet, or what came after the event numbered `after`.
    pub(super) fn hear(self: &Arc<Streams>, which: Which, after: Option<u64>) -> Result<Hearer, Ended> {
        let mut state = self.lock();
        if state.has_ended {
            return Err(Ended);
        }
        let events = state.events(which).ok_or(Ended)?;
        if let Some(after) = after {
            events.heard = after.clamp(events.dropped, events.heard);
        }
        let number = events.come();
        Ok(Hearer { streams: Arc::clone(self), which, number, first: None })
    }

    /// Tells what `message` holds, in the stream that it is for; waits for room where the one who hears it is slow.
    pub(super) fn poll_tell(
        &self,
        message: &mut Option<Arc<ServerJsonRpcMessage>>,
        waker: Option<&Waker>,
    ) -> Poll<Result<(), Ended>> {
        let mut state = self.lock();
        if state.has_ended {
            return Poll::Ready(Err(Ended));
        }
        let Some(owed) = message.take() else { return Poll::Ready(Ok(())) };
        state.active = Instant::now();
        let answered = match &*owed {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let Some(answered) = answered else {
            *message = state.standing.push(owed, waker).err();
            return if message.is_some() { Poll::Pending } else { Poll::Ready(Ok(())) };
        };
        if let Some(introduced) = state.introduced.take() {
            state.has_batches = agrees_on_batches(&owed);
            return Poll::Ready(introduced.send(Arc::unwrap_or_clone(owed)).map_err(|_| Ended));
        }
        // To a request that was given up there is no answer.
        if let Some(answer) =
            state.answers.iter_mut().find(|answer| answer.request == *answered && !answer.events.is_over)
        {
            answer.events.finish(owed);
        }
        Poll::Ready(Ok(()))
    }

    /// Ends all of them.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        state.introduced = None;
        state.standing.end();
        state.answers.iter_mut().for_each(|answer| answer.events.end());
        state.answers.clear();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn events(&mut self, which: Which) -> Option<&mut Events> {
        match which {
            Which::Standing => Some(&mut self.standing),
            Which::Answer(number) => {
                self.answers.iter_mut().find(|answer| answer.number == number).map(|answer| &mut answer.events)
            }
        }
    }

    fn forget_unheard(&mut self) {
        let is_unheard = |answer: &Answer| answer.events.hearers.is_empty();
        if self.answers.iter().filter(|answer| is_unheard(answer)).count() > UNHEARD
            && let Some(oldest) = self.answers.iter().position(is_unheard)
        {
            self.answers.remove(oldest);
        }
    }
}

impl Events {
    fn come(&mut self) -> u64 {
        if self.hearers.len() >= WAITING {
            self.hearers.remove(0).1.into_iter().for_each(Waker::wake);
        }
        self.came += 1;
        self.hearers.push((self.came, None));
        self.came
    }

    fn go(&mut self, number: u64) {
        self.hearers.retain(|(hearer, _)| *hearer != number);
        self.wake();
    }

    /// Takes the next event in, or gives it back while there is no room for it.
    fn push(
        &mut self,
        message: Arc<ServerJsonRpcMessage>,
        waker: Option<&Waker>,
    ) -> Result<(), Arc<ServerJsonRpcMessage>> {
        if self.kept.len() >= KEPT {
            if self.heard == self.dropped && !self.hearers.is_empty() {
                self.tellers.extend(waker.cloned());
                return Err(message);
            }
            self.kept.pop_front();
            self.dropped += 1;
            self.heard = self.heard.max(self.dropped);
        }
        self.kept.push_back(message);
        self.wake();
        Ok(())
    }

    /// Takes the last event in.
    fn finish(&mut self, message: Arc<ServerJsonRpcMessage>) {
        self.kept.push_back(message);
        self.is_over = true;
        self.wake();
    }

    /// Ends without another event.
    fn end(&mut self) {
        self.hearers.drain(..).filter_map(|(_, waker)| waker).for_each(Waker::wake);
        self.room();
    }

    /// Wakes whoever hears.
    fn wake(&mut self) {
        if let Some(waker) = self.hearers.last_mut().and_then(|(_, waker)| waker.take()) {
            waker.wake();
        }
        if self.hearers.is_empty() {
            self.room();
        }
    }

    /// Wakes whoever waits for room.
    fn room(&mut self) {
        self.tellers.drain(..).for_each(Waker::wake);
    }

    /// The next event and its number, for the hearer of this number.
    fn poll(&mut self, number: u64, context: &Context<'_>) -> Poll<Option<(u64, Arc<ServerJsonRpcMessage>)>> {
        let last = self.hearers.len().saturating_sub(1);
        let Some(at) = self.hearers.iter().position(|(hearer, _)| *hearer == number) else {
            return Poll::Ready(None);
        };
        if at == last {
            let next = usize::try_from(self.heard - self.dropped).expect("no more are kept than fit");
            if let Some(message) = self.kept.get(next).map(Arc::clone) {
                self.heard += 1;
                self.room();
                return Poll::Ready(Some((self.heard, message)));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
        }
        self.hearers[at].1 = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Which {
    /// The name of an event: its number, and that of its stream.
    pub(super) fn name(self, event: u64) -> String {
        match self {
            Which::Standing => event.to_string(),
            Which::Answer(number) => format!("{event}/{number}"),
        }
    }

    /// Takes the name of an event apart.
    pub(super) fn parse(name: &str) -> Option<(Which, u64)> {
        match name.split_once('/') {
            None => Some((Which::Standing, name.parse().ok()?)),
            Some((event, number)) => Some((Which::Answer(number.parse().ok()?), event.parse().ok()?)),
        }
    }
}

impl Stream for Hearer {
    type Item = ServerSseMessage;

    fn poll_next(mut self: std::pin::Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(first));
        }
        let mut state = self.streams.lock();
        let Some(events) = state.events(self.which) else { return Poll::Ready(None) };
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

impl Drop for Hearer {
    fn drop(&mut self) {
        let mut state = self.streams.lock();
        let Some(events) = state.events(self.which) else { return };
        events.go(self.number);
        let is_heard = events.is_over && events.heard == events.dropped + events.kept.len() as u64;
        if let (Which::Answer(number), true) = (self.which, is_heard) {
            state.answers.retain(|answer| answer.number != number);
        } else {
            state.forget_unheard();
        }
    }
}

#[cfg(test)]
mod tests;
