//! Limits of the messages of a server, checked before a message is parsed.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use repertoire_core::JsonValues;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::SetOnce;

/// The reason why this side ends a connection. Only the first one is kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionFault(Arc<SetOnce<String>>);

impl ConnectionFault {
    pub(crate) fn message(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }

    pub(crate) fn report(&self, message: String) -> io::Error {
        let error = io::Error::new(io::ErrorKind::InvalidData, message.clone());
        let _ = self.0.set(message);
        error
    }

    pub(crate) async fn occurred(&self) -> &str {
        self.0.wait().await
    }
}

/// A reader that fails at a line with too many bytes or JSON values, so that no line is buffered without a bound.
#[derive(Debug)]
pub(crate) struct BoundedReader<R> {
    inner: R,
    limit: usize,
    line_bytes: usize,
    line_values: JsonValues,
    fault: ConnectionFault,
}

impl<R> BoundedReader<R> {
    pub(crate) fn new(inner: R, limit: usize, fault: ConnectionFault) -> BoundedReader<R> {
        BoundedReader {
            inner,
            limit,
            line_bytes: 0,
            line_values: JsonValues::default(),
            fault,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.inner).poll_read(context, buffer);
        for part in buffer.filled()[before..].split_inclusive(|byte| *byte == b'\n') {
            self.line_bytes += part.len();
            self.line_values.take(part);
            if let Some(message) = excess_of(self.line_bytes, self.line_values.count(), self.limit)
            {
                return Poll::Ready(Err(self.fault.report(message)));
            }
            if part.ends_with(b"\n") {
                (self.line_bytes, self.line_values) = (0, JsonValues::default());
            }
        }
        poll
    }
}

/// Returns why a message exceeds a limit of `most` bytes, or of the JSON values that fit into them.
pub fn message_excess(message: &[u8], most: usize) -> Option<String> {
    excess_of(message.len(), JsonValues::in_text(message), most)
}

pub(crate) fn too_long(most: usize) -> String {
    format!("a message has more than {most} bytes; the limit is `limits.message-bytes`")
}

fn excess_of(bytes: usize, values: usize, most: usize) -> Option<String> {
    if bytes > most {
        return Some(too_long(most));
    }
    let most = most / JsonValues::BYTES_OF_A_VALUE;
    (values > most).then(|| {
        format!("a message has more than {most} values; the limit is `limits.message-bytes`")
    })
}
