//! What comes over a program's standard output, a line at a time and no line too long.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// Why a connection ended that did not end by itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fault(Arc<OnceLock<String>>);

impl Fault {
    pub(crate) fn told(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// A reader that ends at a line of more than `limit` bytes: what never ends would be kept until there is no memory left.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    inner: R,
    limit: usize,
    line: usize,
    fault: Fault,
}

impl<R> Lines<R> {
    pub(crate) fn new(inner: R, limit: usize, fault: Fault) -> Lines<R> {
        Lines { inner, limit, line: 0, fault }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let poll = Pin::new(&mut self.inner).poll_read(context, buffer);
        for byte in &buffer.filled()[before..] {
            self.line = if *byte == b'\n' { 0 } else { self.line + 1 };
            if self.line > self.limit {
                let message =
                    format!("a message has more than {} bytes; the limit is `limits.message-bytes`", self.limit);
                let _ = self.fault.0.set(message.clone());
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, message)));
            }
        }
        poll
    }
}
