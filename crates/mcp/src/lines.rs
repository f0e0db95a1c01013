//! One message a line, as over standard input and output.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// Bytes of one message; what clients send is short.
const LONGEST: usize = 1 << 20;

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
    write: Arc<Mutex<W>>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Lines<R, W> {
    pub(crate) fn new(read: R, write: W) -> Lines<R, W> {
        Lines {
            read: BufReader::new(read),
            line: Vec::new(),
            is_too_long: false,
            has_begun: false,
            owed: None,
            write: Arc::new(Mutex::new(write)),
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

    /// The message in the line, or what is owed for it; neither for what asks for no answer.
    fn take_message(&mut self) -> Option<ClientJsonRpcMessage> {
        let line = std::mem::take(&mut self.line);
        let read = if std::mem::take(&mut self.is_too_long) {
            let message = format!("a message has at most {LONGEST} bytes");
            Err(Some((ErrorData::new(ErrorCode::INVALID_REQUEST, message, None), None)))
        } else {
            message(&line)
        };
        match read {
            Ok(message) => {
                self.has_begun |= matches!(message, Some(ClientJsonRpcMessage::Request(_)));
                message.filter(|_| self.has_begun)
            }
            Err(owed) => {
                self.owed = owed.map(|(error, id)| ServerJsonRpcMessage::error(error, id));
                None
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move { send(&write, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            while let Some(owed) = &self.owed {
                send(&self.write, owed).await.ok()?;
                self.owed = None;
            }
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

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.shutdown().await
    }
}

async fn send<W: AsyncWrite + Unpin>(write: &Mutex<W>, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&line).await?;
    write.flush().await
}

/// What is owed for a line that is no message: an error, and the request that it is about if that can be told.
type Owed = Option<(ErrorData, Option<RequestId>)>;

/// The message in `line`: nothing in a blank one.
fn message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Owed> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let error = |code, text: &'static str| ErrorData::new(code, text, None);
    match serde_json::from_slice::<Value>(line) {
        Err(_) => Err(Some((error(ErrorCode::PARSE_ERROR, "a line is no JSON"), None))),
        Ok(value) => {
            let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
            let is_request = value.get("method").is_some_and(Value::is_string);
            match (is_request, id) {
                (true, Some(id)) => Err(Some((error(ErrorCode::INVALID_PARAMS, "the request has another form"), Some(id)))),
                // Nobody waits for an answer to a notification or to an answer.
                (true, None) if value.get("id").is_none() => Err(None),
                (false, _) if value.get("result").is_some() || value.get("error").is_some() => Err(None),
                (_, id) => Err(Some((error(ErrorCode::INVALID_REQUEST, "a line is no message of JSON-RPC 2.0"), id))),
            }
        }
    }
}
