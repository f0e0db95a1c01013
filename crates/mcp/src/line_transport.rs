//! A transport with one message on each line, for standard input and output.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, GetExtensions};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::batches::{OutgoingLine, PendingBatches};
use crate::incoming::{ErrorReply, Incoming};
use crate::prepared_answers::SessionAnswers;

const MAX_LINE_BYTES: usize = 1 << 20;

const MAX_PENDING_WRITES: usize = 128;

pub(crate) struct LineTransport<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    is_too_long: bool,
    has_request: bool,
    received: VecDeque<ClientJsonRpcMessage>,
    outgoing: VecDeque<Vec<u8>>,
    batches: PendingBatches,
    answers: Arc<SessionAnswers>,
    /// Prepared responses that are being written.
    writes: JoinSet<io::Result<()>>,
    write: Arc<SharedWriter<W>>,
}

struct SharedWriter<W> {
    write: Mutex<W>,
    waiting: watch::Sender<usize>,
    is_closed: CancellationToken,
}

struct PendingWrite<W>(Arc<SharedWriter<W>>);

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> LineTransport<R, W> {
    pub(crate) fn new(read: R, write: W) -> LineTransport<R, W> {
        LineTransport {
            read: BufReader::new(read),
            line: Vec::new(),
            is_too_long: false,
            has_request: false,
            received: VecDeque::new(),
            outgoing: VecDeque::new(),
            batches: PendingBatches::default(),
            answers: Arc::default(),
            writes: JoinSet::new(),
            write: Arc::new(SharedWriter {
                write: Mutex::new(write),
                waiting: watch::Sender::new(0),
                is_closed: CancellationToken::new(),
            }),
        }
    }

    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.read.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.line.len() + part.len() > MAX_LINE_BYTES {
                self.is_too_long = true;
                self.line = Vec::new();
            } else if !self.is_too_long {
                self.line.extend_from_slice(part);
            }
            let read = end.map_or(bytes.len(), |end| end + 1);
            self.read.consume(read);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    fn parse_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let incoming = if std::mem::take(&mut self.is_too_long) {
            let message = format!("a message has at most {MAX_LINE_BYTES} bytes");
            Incoming::Rejection(ErrorReply::new(ErrorCode::INVALID_REQUEST, message))
        } else {
            Incoming::parse(&line)
        };
        match incoming {
            Incoming::Message(message) => {
                self.outgoing.extend(self.batches.cancel(&message.message));
                self.received.push_back(*message.message);
            }
            Incoming::Batch(items) => {
                let (messages, outgoing) = self.batches.begin(items);
                for message in messages {
                    self.outgoing.extend(self.batches.cancel(&message));
                    self.received.push_back(message);
                }
                self.outgoing.extend(outgoing);
            }
            Incoming::Rejection(refusal) => self
                .outgoing
                .push_back(refusal.text().get().as_bytes().to_vec()),
            Incoming::Nothing => {}
        }
    }

    fn pop_message(&mut self) -> Option<ClientJsonRpcMessage> {
        while let Some(message) = self.received.pop_front() {
            self.has_request |= matches!(message, ClientJsonRpcMessage::Request(_));
            if self.has_request {
                return Some(message);
            }
        }
        None
    }
}

impl<R, W> LineTransport<R, W>
where
    W: AsyncWrite + Unpin + Send + 'static,
{
    /// Sends the response to `message` if it is prepared. Otherwise returns the message, for the handler.
    fn answer(&mut self, mut message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        let ClientJsonRpcMessage::Request(request) = &mut message else {
            return Some(message);
        };
        if self.answers.may_begin(&request.request) {
            let answers = Arc::clone(&self.answers);
            request.request.extensions_mut().insert(answers);
        }
        if self.batches.has(&request.id) {
            return Some(message);
        }
        let Some(text) = self.answers.answer(request) else {
            return Some(message);
        };
        while self.writes.try_join_next().is_some() {}
        let write = PendingWrite::new(&self.write).send(text.into_bytes());
        self.writes.spawn(write);
        None
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let waiting = PendingWrite::new(&self.write);
        let line = match self.batches.answer(&message) {
            OutgoingLine::Single => serde_json::to_vec(&message).map(Some),
            OutgoingLine::Deferred => Ok(None),
            OutgoingLine::Batch(line) => Ok(Some(line)),
        };
        async move {
            match line? {
                Some(line) => waiting.send(line).await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let write = Arc::clone(&self.write);
        write
            .is_closed
            .run_until_cancelled(self.next())
            .await
            .flatten()
    }

    async fn close(&mut self) -> io::Result<()> {
        while self.writes.join_next().await.is_some() {}
        self.write.write.lock().await.shutdown().await
    }
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while let Some(outgoing) = self.outgoing.front() {
                PendingWrite::new(&self.write)
                    .send(outgoing.clone())
                    .await
                    .ok()?;
                self.outgoing.pop_front();
            }
            if let Some(message) = self.pop_message() {
                match self.answer(message) {
                    Some(message) => return Some(message),
                    None => continue,
                }
            }
            // Backpressure: nothing more is read while a client does not read its responses.
            let mut waiting = self.write.waiting.subscribe();
            waiting
                .wait_for(|waiting| *waiting < MAX_PENDING_WRITES)
                .await
                .expect("it is kept here");
            match self.read_line().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "messages of the client can no longer be read"
                    );
                    return None;
                }
            }
            self.parse_line();
        }
    }
}

impl<W: AsyncWrite + Unpin> PendingWrite<W> {
    fn new(write: &Arc<SharedWriter<W>>) -> PendingWrite<W> {
        write.waiting.send_modify(|waiting| *waiting += 1);
        PendingWrite(Arc::clone(write))
    }

    async fn send(self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut write = self.0.write.lock().await;
        let sent = async {
            write.write_all(&line).await?;
            write.flush().await
        };
        sent.await.inspect_err(|_| self.0.is_closed.cancel())
    }
}

impl<W> Drop for PendingWrite<W> {
    fn drop(&mut self) {
        self.0.waiting.send_modify(|waiting| *waiting -= 1);
    }
}
