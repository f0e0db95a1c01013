//! One message a line, as over standard input and output.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ErrorCode};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

use crate::batches::{Line, PendingBatches};
use crate::incoming::{ErrorReply, Incoming};

const LONGEST: usize = 1 << 20;

const MOST: usize = 128;

pub(crate) struct LineTransport<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    is_too_long: bool,
    has_begun: bool,
    heard: VecDeque<ClientJsonRpcMessage>,
    owed: VecDeque<Vec<u8>>,
    batches: PendingBatches,
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
            has_begun: false,
            heard: VecDeque::new(),
            owed: VecDeque::new(),
            batches: PendingBatches::default(),
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
            if self.line.len() + part.len() > LONGEST {
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

    fn take(&mut self) {
        let line = std::mem::take(&mut self.line);
        let incoming = if std::mem::take(&mut self.is_too_long) {
            let message = format!("a message has at most {LONGEST} bytes");
            Incoming::Rejection(ErrorReply::new(ErrorCode::INVALID_REQUEST, message))
        } else {
            Incoming::of(&line)
        };
        match incoming {
            Incoming::Message(message) => {
                self.owed.extend(self.batches.give_up(&message.message));
                self.heard.push_back(*message.message);
            }
            Incoming::Batch(items) => {
                let (messages, owed) = self.batches.begin(items);
                for message in messages {
                    self.owed.extend(self.batches.give_up(&message));
                    self.heard.push_back(message);
                }
                self.owed.extend(owed);
            }
            Incoming::Rejection(refusal) => self.owed.push_back(refusal.text().get().as_bytes().to_vec()),
            Incoming::Nothing => {}
        }
    }

    fn hand_on(&mut self) -> Option<ClientJsonRpcMessage> {
        while let Some(message) = self.heard.pop_front() {
            self.has_begun |= matches!(message, ClientJsonRpcMessage::Request(_));
            if self.has_begun {
                return Some(message);
            }
        }
        None
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let waiting = PendingWrite::new(&self.write);
        let line = match self.batches.answer(&message) {
            Line::Alone => serde_json::to_vec(&message).map(Some),
            Line::Later => Ok(None),
            Line::Together(line) => Ok(Some(line)),
        };
        async move {
            match line? {
                Some(line) => waiting.send(&line).await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let write = Arc::clone(&self.write);
        write.is_closed.run_until_cancelled(self.next()).await.flatten()
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.write.lock().await.shutdown().await
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> LineTransport<R, W> {
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while let Some(owed) = self.owed.front() {
                PendingWrite::new(&self.write).send(owed).await.ok()?;
                self.owed.pop_front();
            }
            if let Some(message) = self.hand_on() {
                return Some(message);
            }
            // Who does not read what is answered is not heard until then.
            let mut waiting = self.write.waiting.subscribe();
            waiting.wait_for(|waiting| *waiting < MOST).await.expect("it is kept here");
            match self.read_line().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "the client cannot be heard any more");
                    return None;
                }
            }
            self.take();
        }
    }
}

impl<W: AsyncWrite + Unpin> PendingWrite<W> {
    fn new(write: &Arc<SharedWriter<W>>) -> PendingWrite<W> {
        write.waiting.send_modify(|waiting| *waiting += 1);
        PendingWrite(Arc::clone(write))
    }

    async fn send(self, message: &[u8]) -> io::Result<()> {
        let line = [message, b"\n"].concat();
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
