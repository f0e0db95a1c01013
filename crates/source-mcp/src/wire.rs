//! What comes over a program's standard output, a line at a time and no line too long.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use repertoire_core::JsonValues;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::Notify;

/// Why a connection ended that did not end by itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fault(Arc<Told>);

#[derive(Debug, Default)]
struct Told {
    message: OnceLock<String>,
    bell: Notify,
}

impl Fault {
    pub(crate) fn told(&self) -> Option<&str> {
        self.0.message.get().map(String::as_str)
    }

    /// Keeps the first fault, and wakes those that wait for one. Returns it as an error.
    pub(crate) fn tell(&self, message: String) -> io::Error {
        let _ = self.0.message.set(message.clone());
        self.0.bell.notify_waiters();
        io::Error::new(io::ErrorKind::InvalidData, message)
    }

    /// Returns once there is a fault. May be dropped at any await.
    pub(crate) async fn occurs(&self) -> &str {
        loop {
            let bell = self.0.bell.notified();
            if let Some(told) = self.told() {
                return told;
            }
            bell.await;
        }
    }
}

/// A reader that ends at a line of more than `limit` bytes, or of more values than that is for: what never ends would be kept
/// until there is no memory left.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    inner: R,
    limit: usize,
    line: Line,
    fault: Fault,
}

/// What came of a line.
#[derive(Debug, Default)]
struct Line {
    bytes: usize,
    values: JsonValues,
}

impl Line {
    fn take(&mut self, part: &[u8]) {
        self.bytes += part.len();
        self.values.take(part);
    }
}

impl<R> Lines<R> {
    pub(crate) fn new(inner: R, limit: usize, fault: Fault) -> Lines<R> {
        Lines { inner, limit, line: Line::default(), fault }
    }

    /// Why the line is too long, if it is.
    fn excess(&self) -> Option<String> {
        beyond(self.line.bytes, self.line.values.count(), self.limit)
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
        for part in buffer.filled()[before..].split_inclusive(|byte| *byte == b'\n') {
            self.line.take(part);
            if let Some(message) = self.excess() {
                return Poll::Ready(Err(self.fault.tell(message)));
            }
            if part.ends_with(b"\n") {
                self.line = Line::default();
            }
        }
        poll
    }
}

/// Returns why a message is too large under a limit of `most` bytes, if it is.
pub(crate) fn excess(message: &[u8], most: usize) -> Option<String> {
    beyond(message.len(), JsonValues::in_text(message), most)
}

/// What is said of a message of more than `most` bytes.
pub(crate) fn longer(most: usize) -> String {
    format!("a message has more than {most} bytes; the limit is `limits.message-bytes`")
}

fn beyond(bytes: usize, values: usize, most: usize) -> Option<String> {
    if bytes > most {
        return Some(longer(most));
    }
    let most = most / JsonValues::BYTES_OF_A_VALUE;
    (values > most).then(|| format!("a message has more than {most} values; the limit is `limits.message-bytes`"))
}
