//! One message a line, as over standard input and output.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

/// Bytes of one message; what clients send is short.
const LONGEST: usize = 1 << 20;

/// Messages that may wait to be written before no more is read.
const MOST: usize = 128;

/// One message a line, in both directions. What is no message is answered by an error, and the next line is read.
///
/// The transport that `rmcp` has says nothing to what it cannot read, and takes a notification ahead of the first request
/// for the end.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    /// The line so far.
    line: Vec<u8>,
    /// Whether the line is too long, so that only its end is waited for.
    is_too_long: bool,
    /// Whether the client has asked for anything yet.
    has_begun: bool,
    /// An error that is still to be sent: waiting may be given up between reading and answering.
    owed: Option<ServerJsonRpcMessage>,
    write: Arc<Writing<W>>,
}

/// The other direction.
struct Writing<W> {
    write: Mutex<W>,
    /// Messages that wait to be written.
    waiting: watch::Sender<usize>,
    /// Nobody reads any more.
    is_closed: CancellationToken,
}

/// A message that waits to be written.
struct Waiting<W>(Arc<Writing<W>>);

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    pub(crate) fn new(read: R, write: W) -> Lines<R, W> {
        Lines {
            read: BufReader::new(read),
            line: Vec::new(),
            is_too_long: false,
            has_begun: false,
            owed: None,
            write: Arc::new(Writing {
                write: Mutex::new(write),
                waiting: watch::Sender::new(0),
                is_closed: CancellationToken::new(),
            }),
        }
    }

    /// Reads on to the end of a line; `false` at the end of everything, where half a line is none. May be given up at any
    /// await, and loses nothing.
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

    /// The message in the line; what is owed for one that is none is kept.
    fn take_message(&mut self) -> Option<ClientJsonRpcMessage> {
        let line = std::mem::take(&mut self.line);
        let found = if std::mem::take(&mut self.is_too_long) {
            let message = format!("a message has at most {LONGEST} bytes");
            Found::owed(ErrorCode::INVALID_REQUEST, message, None)
        } else {
            Found::of(&line)
        };
        match found {
            Found::Message(message) => {
                self.has_begun |= matches!(message, ClientJsonRpcMessage::Request(_));
                Some(message).filter(|_| self.has_begun)
            }
            Found::Owed(error) => {
                self.owed = Some(error);
                None
            }
            Found::Nothing => None,
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: TxJsonRpcMessage<RoleServer>) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let waiting = Waiting::new(&self.write);
        async move { waiting.send(&message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let write = Arc::clone(&self.write);
        write.is_closed.run_until_cancelled(self.next()).await.flatten()
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.write.lock().await.shutdown().await
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    /// The next message. May be given up at any await, and loses nothing.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            while let Some(owed) = &self.owed {
                Waiting::new(&self.write).send(owed).await.ok()?;
                self.owed = None;
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
            if let Some(message) = self.take_message() {
                return Some(message);
            }
        }
    }
}

impl<W: AsyncWrite + Unpin> Waiting<W> {
    fn new(write: &Arc<Writing<W>>) -> Waiting<W> {
        write.waiting.send_modify(|waiting| *waiting += 1);
        Waiting(Arc::clone(write))
    }

    async fn send(self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        let mut write = self.0.write.lock().await;
        let sent = async {
            write.write_all(&line).await?;
            write.flush().await
        };
        sent.await.inspect_err(|_| self.0.is_closed.cancel())
    }
}

impl<W> Drop for Waiting<W> {
    fn drop(&mut self) {
        self.0.waiting.send_modify(|waiting| *waiting -= 1);
    }
}

/// What was written, without what editors and terminals put around it.
pub(crate) fn written(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text).trim_ascii()
}

/// What is in a line, or in the body of a request.
pub(crate) enum Found {
    Message(ClientJsonRpcMessage),
    /// No message: an error is owed for it.
    Owed(ServerJsonRpcMessage),
    /// Nothing that asks for an answer.
    Nothing,
}

impl Found {
    pub(crate) fn of(text: &[u8]) -> Found {
        let line = written(text);
        if line.is_empty() {
            return Found::Nothing;
        }
        if let Ok(message) = serde_json::from_slice(line) {
            return Found::Message(message);
        }
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            return Found::Owed(Found::no_json());
        };
        let id: Option<RequestId> = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
        let is_asking = value.get("method").is_some_and(Value::is_string);
        let is_answer = value.get("result").is_some() || value.get("error").is_some();
        match id {
            Some(id) if is_asking => Found::owed(ErrorCode::INVALID_PARAMS, "the request has another form", Some(id)),
            // Nobody waits for an answer to a notification or to an answer.
            None if is_asking && value.get("id").is_none() => Found::Nothing,
            _ if is_answer && !is_asking => Found::Nothing,
            id => Found::owed(ErrorCode::INVALID_REQUEST, "this is no message of JSON-RPC 2.0", id),
        }
    }

    /// What is owed for what is no document.
    pub(crate) fn no_json() -> ServerJsonRpcMessage {
        ServerJsonRpcMessage::error(ErrorData::new(ErrorCode::PARSE_ERROR, "this is no JSON", None), None)
    }

    fn owed(code: ErrorCode, message: impl Into<Cow<'static, str>>, id: Option<RequestId>) -> Found {
        Found::Owed(ServerJsonRpcMessage::error(ErrorData::new(code, message, None), id))
    }
}
